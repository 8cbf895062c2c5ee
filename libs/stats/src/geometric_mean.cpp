#include "ki/stats/geometric_mean.h"

#include "ki/base/text.h"
#include "ki/stats/elementary.h"
#include "ki/stats/samples.h"
#include "ki/stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

namespace ki::stats {
namespace {

using ByName = std::map<std::string_view, double>;

Result<ByName> index_by_name(std::span<const CaseValue> cases, std::string_view side) {
  ByName index;
  for (const auto& [name, value] : cases) {
    if (!index.emplace(name, value).second) {
      return fail(Code::kInvalidArgument,
                  fmt::format("the {} side has the case {} twice; expected one value a case", side,
                              quote(name)));
    }
  }
  return index;
}

// Why a case cannot take part, or nothing.
std::optional<std::string> obstacle(const ByName& side, std::string_view name,
                                    std::string_view suffix) {
  const auto found = side.find(name);
  if (found == side.end()) return fmt::format("MISSING_{}", suffix);
  if (const auto fault = fault_of_positive(found->second)) {
    return fmt::format("{}_{}", to_string(*fault), suffix);
  }
  return std::nullopt;
}

// "~" and "/" as RFC 6901 section 3 writes them.
std::string pointer_of(std::string_view name) {
  std::string pointer = "/";
  for (const char c : name) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

}  // namespace

Result<double> geometric_mean(std::span<const double> values) {
  KI_TRY(const Samples samples, Samples::positive({values.begin(), values.end()}));
  std::vector<double> logs;
  logs.reserve(samples.size());
  for (const double value : samples.values()) logs.push_back(portable_log(value));
  return portable_exp(mean(logs));
}

Result<GeometricRatio> geometric_ratio(std::span<const CaseValue> left,
                                       std::span<const CaseValue> right, Coverage coverage) {
  KI_TRY(const ByName lefts, index_by_name(left, "left"));
  KI_TRY(const ByName rights, index_by_name(right, "right"));
  ByName names = lefts;
  names.insert(rights.begin(), rights.end());

  GeometricRatio result{.ratio = 1, .used = {}, .left_out = {}};
  std::vector<double> logs;
  for (const auto& [name, unused] : names) {
    auto reason = obstacle(lefts, name, "LEFT");
    if (!reason) reason = obstacle(rights, name, "RIGHT");
    if (reason) {
      result.left_out.push_back({std::string(name), *std::move(reason)});
      continue;
    }
    result.used.emplace_back(name);
    logs.push_back(portable_log(lefts.at(name)) - portable_log(rights.at(name)));
  }
  if (coverage == Coverage::kComplete && !result.left_out.empty()) {
    std::vector<Issue> issues;
    issues.reserve(result.left_out.size());
    for (const auto& [name, reason] : result.left_out) {
      issues.push_back({.code = reason,
                        .pointer = pointer_of(name),
                        .message = fmt::format("case {} cannot take part", quote(name)),
                        .fix = "measure it on both sides, or ask for the common cases"});
    }
    auto message = fmt::format("{} of {} cases are missing or invalid on one side", issues.size(),
                               names.size());
    return fail(Error(Code::kInvalidArgument, std::move(message), std::move(issues)));
  }
  if (logs.empty()) return fail(Code::kInvalidArgument, "no case is valid on both sides");
  result.ratio = portable_exp(mean(logs));
  return result;
}

}  // namespace ki::stats
