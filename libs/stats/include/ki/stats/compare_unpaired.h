// Runs that were not taken in pairs. What changes from run to run (placement, clocks, neighbours)
// is not in their samples, so only a floor measured between runs of the same thing can carry a
// verdict (spec 17, "Strict wins").
#pragma once

#include "ki/stats/comparison.h"
#include "ki/stats/interval.h"
#include "ki/stats/noise_floor.h"
#include "ki/stats/rule.h"

#include <optional>
#include <span>
#include <vector>

namespace ki::stats {

struct RunEvidence {
  double value;  // as reported
  std::optional<Interval> interval =
      std::nullopt;  // of the value; counts as uncertainty when it holds the value
  std::vector<double> samples =
      {};  // two or more count as uncertainty; their median then replaces the value
};

// A side's location is the median over its runs; runs without any uncertainty take no part, and a
// side of only such runs is insufficient. With a floor: win when the log ratio is beyond it and at
// least the minimum effect; equivalent when the log ratio and the floor together stay within the
// minimum effect; within the floor insufficient. Without a floor always insufficient, with an
// interval where the evidence gives one.
Comparison compare_unpaired(const Quantity& candidate, const Quantity& baseline,
                            std::span<const RunEvidence> candidate_runs,
                            std::span<const RunEvidence> baseline_runs,
                            const std::optional<NoiseFloor>& between_run_floor,
                            const DecisionRule& rule);

}  // namespace ki::stats
