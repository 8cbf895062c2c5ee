// Rules over several members of one object: what a table of fields cannot say (spec 01.4).
// They look at members of the right type only; a wrong type was reported where it stands.
#include "checker.h"
#include "ki/base/text.h"
#include "ki/manifest/axis_expression.h"
#include "ki/manifest/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace ki::manifest {
namespace {

using json::Value;

std::optional<std::string_view> text_of(const Value& object, std::string_view name) {
  const Value* value = object.find(name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return value->string();
}

std::span<const Value> items_of(const Value& object, std::string_view name) {
  const Value* value = object.find(name);
  if (value == nullptr || !value->is_array()) return {};
  return value->items();
}

std::span<const json::Member> members_of(const Value& object, std::string_view name) {
  const Value* value = object.find(name);
  if (value == nullptr || !value->is_object()) return {};
  return value->members();
}

// A duration that is valid, in ns.
std::optional<std::int64_t> duration_of(const Value& value) {
  if (!value.is_string()) return value.integer();
  const ParsedDuration parsed = parse_duration(value.string());
  if (parsed.error != DurationError::kNone) return std::nullopt;
  return parsed.ns;
}

// The member, else the object itself: where an issue about that member is shown.
const Value& place_of(const Value& object, std::string_view name) {
  const Value* value = object.find(name);
  return value != nullptr ? *value : object;
}

void check_axis(Checker& checker, const Value& axis, const Path* path) {
  const auto role = text_of(axis, "role");
  if (role == "constant" && axis.find("value") == nullptr)
    checker.issue(axis, path, "bad_axis", "a constant axis needs a value", "add \"value\"");
  if (role == "derived" && axis.find("expression") == nullptr) {
    checker.issue(axis, path, "bad_axis", "a derived axis needs an expression",
                  "add \"expression\"");
  }
  if (!checker.wants_semantics()) return;
  const Value* minimum = axis.find("minimum");
  const Value* maximum = axis.find("maximum");
  if (minimum != nullptr && maximum != nullptr && minimum->integer() && maximum->integer() &&
      *minimum->integer() > *maximum->integer()) {
    const Path here{path, "minimum"};
    checker.semantic(*minimum, &here, "bad_range",
                     fmt::format("the minimum {} is above the maximum {}", *minimum->integer(),
                                 *maximum->integer()),
                     "swap the two");
  }
  if (const auto expression = text_of(axis, "expression")) {
    const auto parsed = AxisExpression::parse(*expression);
    if (!parsed) {
      const Path here{path, "expression"};
      checker.semantic(place_of(axis, "expression"), &here, "bad_expression",
                       parsed.error().message());
    }
  }
}

void check_argument(Checker& checker, const Value& argument, const Path* path) {
  const bool has_tensor = argument.find("tensor") != nullptr;
  const bool has_scalar = argument.find("scalar") != nullptr;
  if (has_tensor != has_scalar) return;
  checker.issue(argument, path, "bad_argument",
                has_tensor ? "an argument is a tensor or a scalar; this one is both"
                           : "an argument needs either a tensor or a scalar",
                has_tensor ? "keep one of the two" : "add \"tensor\" or \"scalar\"");
}

void check_arguments(Checker& checker, const Value& operation, std::string_view list,
                     const Path* path) {
  const Path list_path{path, list};
  const std::span<const json::Member> axes = members_of(operation, "axes");
  const std::span<const Value> arguments = items_of(operation, list);
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Path argument_path{.parent = &list_path, .index = i, .is_index = true};
    if (const auto name = text_of(arguments[i], "name")) {
      if (std::ranges::find(names, *name) != names.end()) {
        const Path here{&argument_path, "name"};
        checker.semantic(place_of(arguments[i], "name"), &here, "duplicate_name",
                         fmt::format("two {} are named {}", list, quote(*name)),
                         "give each its own name");
      }
      names.push_back(*name);
    }
    const Value* tensor = arguments[i].find("tensor");
    if (tensor == nullptr) continue;
    const Path tensor_path{&argument_path, "tensor"};
    const Path shape_path{&tensor_path, "shape"};
    const std::span<const Value> shape = items_of(*tensor, "shape");
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (!shape[d].is_string()) continue;
      const std::string_view axis = shape[d].string();
      if (std::ranges::find(axes, axis, &json::Member::key) != axes.end()) continue;
      const Path here{.parent = &shape_path, .index = d, .is_index = true};
      std::vector<std::string_view> declared;
      for (const json::Member& member : axes) declared.push_back(member.key);
      const auto close = did_you_mean(axis, declared);
      checker.semantic(shape[d], &here, "unknown_axis",
                       fmt::format("the axis {} is not declared in axes", quote(axis)),
                       close ? fmt::format("did you mean \"{}\"?", *close) : "declare it");
    }
  }
}

void check_operation(Checker& checker, const Value& operation, const Path* path) {
  if (!checker.wants_semantics()) return;
  check_arguments(checker, operation, "inputs", path);
  check_arguments(checker, operation, "outputs", path);
  const Path axes_path{path, "axes"};
  const std::span<const json::Member> axes = members_of(operation, "axes");
  for (const json::Member& axis : axes) {
    const auto expression = text_of(axis.value, "expression");
    if (!expression) continue;
    const auto parsed = AxisExpression::parse(*expression);
    if (!parsed) continue;  // said by check_axis
    for (const std::string& name : parsed->names()) {
      if (std::ranges::find(axes, name, &json::Member::key) != axes.end()) continue;
      const Path axis_path{&axes_path, axis.key};
      const Path here{&axis_path, "expression"};
      checker.semantic(place_of(axis.value, "expression"), &here, "unknown_axis",
                       fmt::format("the axis {} is not declared in axes", quote(name)),
                       "declare it");
    }
  }
}

void check_latency(Checker& checker, const Value& latency, const Path* path) {
  if (latency.find("median") == nullptr && latency.find("mean") == nullptr) {
    checker.issue(latency, path, "missing_statistic", "a latency needs a median or a mean",
                  "add \"median\" or \"mean\"");
  }
}

struct LatencyName {
  std::string_view member;
  std::string_view statistic;
};
constexpr LatencyName kLatencyNames[] = {
    {"median", "median"}, {"mean", "mean"},   {"p05", "p05"}, {"p95", "p95"},
    {"minimum", "min"},   {"maximum", "max"}, {"mad", "mad"}};

// A statistic under the name that people give it, as the name of its latency member.
std::string_view latency_member_near(std::string_view statistic) {
  if (statistic == "p50") return "median";
  if (statistic == "avg" || statistic == "average") return "mean";
  for (const LatencyName& name : kLatencyNames) {
    if (name.statistic == statistic || name.member == statistic) return name.member;
  }
  return {};
}

void check_timing(Checker& checker, const Value& timing, const Path* path) {
  const Value* latency = timing.find("latencyNs");
  if (latency == nullptr || !latency->is_object()) return;
  if (const auto primary = text_of(timing, "primaryStatistic")) {
    const auto found = std::ranges::find(kLatencyNames, *primary, &LatencyName::statistic);
    const bool is_reported =
        found != std::end(kLatencyNames) && latency->find(found->member) != nullptr;
    if (!is_reported) {
      const Path here{path, "primaryStatistic"};
      const std::string_view near = latency_member_near(*primary);
      std::string fix = "name a statistic that latencyNs reports";
      if (!near.empty() && latency->find(near) != nullptr) {
        fix = fmt::format("write \"{}\"",
                          std::ranges::find(kLatencyNames, near, &LatencyName::member)->statistic);
      }
      checker.semantic(
          place_of(timing, "primaryStatistic"), &here, "unreported_statistic",
          fmt::format("the primary statistic {} is not among the reported ones", quote(*primary)),
          std::move(fix));
    }
  }
}

void check_interval(Checker& checker, const Value& latency, const Path* path) {
  const std::span<const Value> ends = items_of(latency, "confidence95");
  if (ends.size() != 2) return;
  const auto low = duration_of(ends[0]);
  const auto high = duration_of(ends[1]);
  if (!low || !high || *low <= *high) return;
  const Path here{path, "confidence95"};
  checker.semantic(place_of(latency, "confidence95"), &here, "bad_interval",
                   fmt::format("the low end {} is above the high end {}", *low, *high),
                   "swap the two");
}

struct Reported {
  std::string_view metric;
  std::string_view statistic;
  bool operator==(const Reported&) const = default;
};

void check_measurements(Checker& checker, const Value& run, std::vector<Reported> reported,
                        const Path* path) {
  const Path list_path{path, "measurements"};
  const std::span<const Value> measurements = items_of(run, "measurements");
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    const auto metric = text_of(measurements[i], "metric");
    const auto statistic = text_of(measurements[i], "statistic");
    if (!metric || !statistic) continue;
    const Reported one{*metric, *statistic};
    if (std::ranges::find(reported, one) != reported.end()) {
      const Path here{.parent = &list_path, .index = i, .is_index = true};
      checker.semantic(measurements[i], &here, "duplicate_measurement",
                       fmt::format("{} {} is reported twice", quote(*metric), quote(*statistic)),
                       "keep one of the two");
    }
    reported.push_back(one);
  }
}

void check_run(Checker& checker, const Value& run, const Path* path) {
  if (!checker.wants_semantics()) return;
  const Value* timing = run.find("timing");
  const bool has_timing = timing != nullptr && timing->is_object();
  std::vector<Reported> reported;
  if (has_timing) {
    const Path timing_path{path, "timing"};
    check_timing(checker, *timing, &timing_path);
    if (const Value* latency = timing->find("latencyNs")) {
      const Path latency_path{&timing_path, "latencyNs"};
      check_interval(checker, *latency, &latency_path);
      for (const LatencyName& name : kLatencyNames) {
        if (latency->find(name.member) != nullptr) reported.push_back({"latency", name.statistic});
      }
    }
  }
  if (text_of(run, "status") == "passed" && !has_timing && items_of(run, "measurements").empty()) {
    checker.semantic(run, path, "missing_measurement", "a passed run has no number",
                     "add \"timing\" or \"measurements\"");
  }
  check_measurements(checker, run, std::move(reported), path);
}

}  // namespace

void check_cross_rule(Checker& checker, const Value& object, CrossRule rule, const Path* path) {
  switch (rule) {
    case CrossRule::kNone:
      return;
    case CrossRule::kAxis:
      check_axis(checker, object, path);
      return;
    case CrossRule::kArgument:
      check_argument(checker, object, path);
      return;
    case CrossRule::kOperation:
      check_operation(checker, object, path);
      return;
    case CrossRule::kLatency:
      check_latency(checker, object, path);
      return;
    case CrossRule::kRun:
      check_run(checker, object, path);
      return;
    case CrossRule::kServingRun:
      if (checker.wants_semantics()) check_measurements(checker, object, {}, path);
      return;
  }
}

}  // namespace ki::manifest
