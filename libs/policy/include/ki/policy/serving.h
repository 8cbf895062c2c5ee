// serving-v1 (spec 14.1, 14.2): constraints, objective ranks and the Pareto frontier of serving
// runs. Never mixed with kernel ranking.
#pragma once

#include "ki/policy/metrics.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::policy {

inline constexpr std::string_view kServingV1 = "serving-v1";

struct ServingFacts {
  std::string_view status{};
  bool published = false;
  bool retracted = false;
  bool superseded = false;
};
// Published, status "valid", neither retracted nor superseded.
bool is_serving_eligible(const ServingFacts& facts);

struct ServingMeasurement {
  std::string_view metric{};
  std::string_view statistic{};
  double value = 0;
};

struct ServingCandidate {
  std::string_view run_id{};
  std::span<const ServingMeasurement> measurements{};
  std::span<const ServingMeasurement> declared_slo{};  // bounds: at most `value`
};

struct ServingConstraint {
  std::string_view metric{};
  std::string_view statistic = "p99";
  bool is_strict = false;  // '<', else '<='
  double bound = 0;
};

enum class ConstraintState : std::uint8_t { kMeasured, kDeclared, kUnknown };
std::string_view to_string(ConstraintState state);

struct ConstraintAnswer {
  ConstraintState state = ConstraintState::kUnknown;
  std::optional<bool> is_satisfied{};  // nothing: unknown
  std::string reason{};  // METRIC_NOT_REPORTED:<metric>, CONSTRAINT_UNSATISFIED:<metric>, or empty
};
// A measured value decides; else a declared bound satisfies when it is within the constraint.
ConstraintAnswer check_constraint(const ServingCandidate& candidate,
                                  const ServingConstraint& constraint);

struct ServingObjective {
  Direction direction = Direction::kHigherIsBetter;
  std::string_view metric{};
  std::string_view statistic{};  // empty: the only one that is reported, else default_statistic()
};
// Where several statistics are reported: "p99" for a metric where lower is better, else "mean".
std::string_view default_statistic(std::string_view metric);

struct ObjectiveRank {
  std::optional<double> value{};
  std::optional<std::uint32_t> rank{};  // equal values share one, the next skips: 1, 1, 3
  bool operator==(const ObjectiveRank&) const = default;
};
// One entry per candidate, in their order.
std::vector<ObjectiveRank> rank_objective(std::span<const ServingCandidate> candidates,
                                          const ServingObjective& objective);

struct ParetoAnswer {
  std::vector<std::string> axes{};  // "metric·statistic" that every candidate reports, sorted
  std::vector<std::uint32_t> frontier{};
  std::vector<std::uint32_t> dominated{};
  struct Missing {
    std::uint32_t candidate = 0;
    std::vector<std::string> axes{};  // that others report and this one does not
    bool operator==(const Missing&) const = default;
  };
  std::vector<Missing> not_comparable{};
};
// Without a shared axis nothing is on the frontier, and each candidate is listed with all axes.
ParetoAnswer pareto(std::span<const ServingCandidate> candidates);

}  // namespace ki::policy
