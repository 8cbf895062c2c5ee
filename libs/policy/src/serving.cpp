#include "ki/policy/serving.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ki::policy {
namespace {

const ServingMeasurement* find(std::span<const ServingMeasurement> measurements,
                               std::string_view metric, std::string_view statistic) {
  const auto entry = std::ranges::find_if(measurements, [&](const ServingMeasurement& m) {
    return m.metric == metric && m.statistic == statistic;
  });
  return entry == measurements.end() ? nullptr : &*entry;
}

// A metric of known direction and one of its statistics.
struct Axis {
  std::string name;  // "metric·statistic"
  std::string_view metric;
  std::string_view statistic;
  double sign = 1;  // -1: smaller is better
  bool operator<(const Axis& other) const { return name < other.name; }
};

std::set<Axis> axes_of(const ServingCandidate& candidate) {
  std::set<Axis> axes;
  for (const auto& [metric, statistic, value] : candidate.measurements) {
    const auto direction = serving_direction(metric);
    if (!direction || !std::isfinite(value)) continue;
    axes.insert({.name = std::string(metric) + "·" + std::string(statistic),
                 .metric = metric,
                 .statistic = statistic,
                 .sign = *direction == Direction::kHigherIsBetter ? 1.0 : -1.0});
  }
  return axes;
}

bool dominates(std::span<const double> a, std::span<const double> b) {
  bool is_better_somewhere = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] < b[i]) return false;
    is_better_somewhere |= a[i] > b[i];
  }
  return is_better_somewhere;
}

// The statistic that the candidates report for the metric, when it is only one.
std::optional<std::string_view> only_statistic(std::span<const ServingCandidate> candidates,
                                               std::string_view metric) {
  std::optional<std::string_view> only;
  for (const ServingCandidate& candidate : candidates) {
    for (const ServingMeasurement& measurement : candidate.measurements) {
      if (measurement.metric != metric) continue;
      if (only && *only != measurement.statistic) return std::nullopt;
      only = measurement.statistic;
    }
  }
  return only;
}

}  // namespace

bool is_serving_eligible(const ServingFacts& facts) {
  return facts.published && facts.status == "valid" && !facts.retracted && !facts.superseded;
}

std::string_view to_string(ConstraintState state) {
  switch (state) {
    case ConstraintState::kMeasured:
      return "measured";
    case ConstraintState::kDeclared:
      return "declared";
    case ConstraintState::kUnknown:
      return "unknown";
  }
  return "";
}

ConstraintAnswer check_constraint(const ServingCandidate& candidate,
                                  const ServingConstraint& constraint) {
  const auto unsatisfied = [&] {
    return "CONSTRAINT_UNSATISFIED:" + std::string(constraint.metric);
  };
  const auto meets = [&](double value) {
    return constraint.is_strict ? value < constraint.bound : value <= constraint.bound;
  };
  ConstraintAnswer answer;
  if (const auto* measured =
          find(candidate.measurements, constraint.metric, constraint.statistic)) {
    answer.state = ConstraintState::kMeasured;
    answer.is_satisfied = meets(measured->value);
  } else if (const auto* declared =
                 find(candidate.declared_slo, constraint.metric, constraint.statistic)) {
    // The bound is "at most": a strict constraint needs a bound strictly inside it.
    answer.state = ConstraintState::kDeclared;
    answer.is_satisfied = meets(declared->value);
  } else {
    answer.reason = "METRIC_NOT_REPORTED:" + std::string(constraint.metric);
  }
  if (answer.is_satisfied == false) answer.reason = unsatisfied();
  return answer;
}

std::string_view default_statistic(std::string_view metric) {
  return serving_direction(metric) == Direction::kLowerIsBetter ? "p99" : "mean";
}

std::vector<ObjectiveRank> rank_objective(std::span<const ServingCandidate> candidates,
                                          const ServingObjective& objective) {
  const std::string_view statistic = objective.statistic.empty()
                                         ? only_statistic(candidates, objective.metric)
                                               .value_or(default_statistic(objective.metric))
                                         : objective.statistic;
  std::vector<ObjectiveRank> ranks(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto* measured = find(candidates[i].measurements, objective.metric, statistic);
    if (measured != nullptr && std::isfinite(measured->value)) ranks[i].value = measured->value;
  }
  const double sign = objective.direction == Direction::kHigherIsBetter ? 1 : -1;
  std::vector<double> values;
  for (const ObjectiveRank& entry : ranks) {
    if (entry.value) values.push_back(sign * *entry.value);
  }
  std::ranges::sort(values, std::greater{});
  for (ObjectiveRank& entry : ranks) {
    if (!entry.value) continue;
    // 1 + the number of strictly better ones.
    const auto better =
        std::ranges::lower_bound(values, sign * *entry.value, std::greater{}) - values.begin();
    entry.rank = static_cast<std::uint32_t>(better) + 1;
  }
  return ranks;
}

ParetoAnswer pareto(std::span<const ServingCandidate> candidates) {
  ParetoAnswer answer;
  std::set<Axis> all;
  std::set<Axis> shared;
  std::vector<std::set<Axis>> own;
  for (const ServingCandidate& candidate : candidates) {
    own.push_back(axes_of(candidate));
    if (own.size() == 1) shared = own.back();
    std::erase_if(shared, [&](const Axis& axis) { return !own.back().contains(axis); });
    all.insert(own.back().begin(), own.back().end());
  }
  for (const Axis& axis : shared) answer.axes.push_back(axis.name);

  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    ParetoAnswer::Missing missing;
    missing.candidate = i;
    for (const Axis& axis : all) {
      if (shared.empty() || !own[i].contains(axis)) missing.axes.push_back(axis.name);
    }
    if (!missing.axes.empty()) answer.not_comparable.push_back(std::move(missing));
  }
  if (shared.empty()) return answer;

  std::vector<std::vector<double>> points;
  for (const ServingCandidate& candidate : candidates) {
    std::vector<double> point;
    point.reserve(shared.size());
    for (const Axis& axis : shared) {
      point.push_back(axis.sign * find(candidate.measurements, axis.metric, axis.statistic)->value);
    }
    points.push_back(std::move(point));
  }
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    const bool is_dominated =
        std::ranges::any_of(points, [&](const auto& other) { return dominates(other, points[i]); });
    (is_dominated ? answer.dominated : answer.frontier).push_back(i);
  }
  return answer;
}

}  // namespace ki::policy
