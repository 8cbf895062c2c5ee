#include "ki/policy/eligibility.h"

#include "ki/base/text.h"

#include <algorithm>

namespace ki::policy {
namespace {

constexpr std::string_view kStatusPrefix = "STATUS_";

std::string status_code(std::string_view status) {
  std::string code(kStatusPrefix);
  for (const char c : status) code += is_ascii_lower(c) ? static_cast<char>(c - 32) : c;
  return code;
}

}  // namespace

std::vector<std::string> eligibility_v1(const RunFacts& facts) {
  std::vector<std::string> codes;
  if (!facts.published) codes.emplace_back("UNPUBLISHED");
  if (facts.status != "passed") codes.push_back(status_code(facts.status));
  if (facts.retracted) codes.emplace_back("RETRACTED");
  if (facts.superseded) codes.emplace_back("SUPERSEDED");
  if (!facts.has_primary_value) codes.emplace_back("MISSING_PRIMARY_METRIC");
  return codes;
}

bool is_eligible_v1(const RunFacts& facts) {
  return facts.published && facts.status == "passed" && !facts.retracted && !facts.superseded &&
         facts.has_primary_value;
}

std::vector<std::string> eligibility_v2(const RunFacts& facts) {
  std::vector<std::string> codes = eligibility_v1(facts);
  for (const std::string_view code : caveats_v1(facts)) codes.emplace_back(code);
  return codes;
}

bool is_eligible_v2(const RunFacts& facts) {
  return is_eligible_v1(facts) && !facts.operation_mismatch && !facts.disputed;
}

std::vector<std::string_view> caveats_v1(const RunFacts& facts) {
  std::vector<std::string_view> codes;
  if (facts.operation_mismatch) codes.emplace_back("OPERATION_MISMATCH");
  if (facts.disputed) codes.emplace_back("DISPUTED");
  return codes;
}

std::string explain_eligibility(std::string_view code) {
  if (code == "UNPUBLISHED") return "the run is not published";
  if (code == "RETRACTED") return "the run was retracted";
  if (code == "SUPERSEDED") return "a newer run supersedes it";
  if (code == "MISSING_PRIMARY_METRIC") return "the run has no primary measurement";
  if (code == "OPERATION_MISMATCH")
    return "the implementation is of another operation than the workload";
  if (code == "DISPUTED") return "a report against the run was accepted";
  if (code.starts_with(kStatusPrefix)) {
    std::string status = ascii_lower(code.substr(kStatusPrefix.size()));
    std::ranges::replace(status, '_', ' ');
    return "the run's status is " + status;
  }
  return std::string(code);
}

}  // namespace ki::policy
