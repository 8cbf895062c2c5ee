#include "ki/stats/compare_unpaired.h"

#include "ki/stats/elementary.h"
#include "ki/stats/hodges_lehmann.h"
#include "ki/stats/samples.h"
#include "ki/stats/summary.h"
#include "reason_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace ki::stats {
namespace {

bool has_interval(const RunEvidence& run) {
  return run.interval && !fault_of_positive(run.interval->low) &&
         !fault_of_positive(run.interval->high) && run.interval->low <= run.value &&
         run.value <= run.interval->high;
}
bool has_samples(const RunEvidence& run) { return run.samples.size() >= 2; }

// The runs of one side that can be tested, as log locations.
struct Side {
  std::vector<const RunEvidence*> runs;
  std::vector<double> log_locations;
};

void append_run_faults(std::span<const RunEvidence> runs, std::string_view side,
                       std::vector<Reason>& reasons) {
  std::vector<double> values;
  for (const auto& run : runs) {
    if (run.samples.empty()) {
      values.push_back(run.value);
    } else {
      values.insert(values.end(), run.samples.begin(), run.samples.end());
    }
  }
  append_faults(values, side, reasons);
}

Side testable(std::span<const RunEvidence> runs) {
  Side side;
  for (const auto& run : runs) {
    if (!has_samples(run) && !has_interval(run)) continue;
    side.runs.push_back(&run);
    side.log_locations.push_back(portable_log(has_samples(run) ? median(run.samples) : run.value));
  }
  return side;
}

void note_runs_left_out(std::size_t all, std::size_t used, std::string_view side,
                        std::vector<Reason>& reasons) {
  if (used == all) return;
  reasons.push_back({ReasonCode::kRunsLeftOut,
                     fmt::format("{} of {} runs of the {} have no interval and no samples",
                                 all - used, all, side)});
}

std::vector<double> logs_of(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) logs.push_back(portable_log(value));
  return logs;
}

// Of two single runs: from their samples, else from their intervals (both hold with the sum of
// their risks).
std::optional<Interval> within_run_interval(const RunEvidence& candidate,
                                            const RunEvidence& baseline, double level) {
  constexpr std::size_t kMostDifferences = 4'000'000;  // 32 MB
  if (has_samples(candidate) && has_samples(baseline) &&
      candidate.samples.size() <= kMostDifferences / baseline.samples.size()) {
    return hodges_lehmann_shift(logs_of(candidate.samples), logs_of(baseline.samples), level)
        .interval;
  }
  if (!has_interval(candidate) || !has_interval(baseline)) return std::nullopt;
  const double both = candidate.interval->level + baseline.interval->level - 1;
  if (!(both > 0)) return std::nullopt;
  return Interval{portable_log(candidate.interval->low) - portable_log(baseline.interval->high),
                  portable_log(candidate.interval->high) - portable_log(baseline.interval->low),
                  both};
}

void decide_with_floor(const NoiseFloor& floor, Direction direction, const DecisionRule& rule,
                       Comparison& result) {
  const double distance = std::fabs(*result.log_ratio);
  result.effect_floor = std::max(floor.log_ratio(), rule.minimum_effect);
  result.log_interval = Interval{*result.log_ratio - floor.log_ratio(),
                                 *result.log_ratio + floor.log_ratio(), NoiseFloor::kQuantile};
  result.p = floor.p(*result.log_ratio);
  const bool is_beyond = distance > floor.log_ratio();
  const auto numbers =
      fmt::format("{}; runs of the same thing differ by up to {:.3g} % (99.9 % of {} comparisons)",
                  percent_of(*result.log_ratio), 100 * floor.log_ratio(), floor.comparisons());
  if (is_beyond && distance >= rule.minimum_effect) {
    const bool is_lower = *result.log_ratio < 0;
    result.verdict =
        is_lower == (direction == Direction::kLowerIsBetter) ? Verdict::kFaster : Verdict::kSlower;
    result.reasons.push_back({ReasonCode::kBeyondBetweenRunFloor, numbers});
  } else if (distance + floor.log_ratio() <= rule.minimum_effect) {
    result.verdict = Verdict::kEquivalent;
    result.reasons.push_back(
        {ReasonCode::kWithinMinimumEffect,
         fmt::format("{}; within {:.3g} %", numbers, 100 * rule.minimum_effect)});
  } else if (is_beyond) {
    result.verdict = Verdict::kUndecided;
    result.reasons.push_back(
        {ReasonCode::kBelowMinimumEffect,
         fmt::format("{}; the minimum effect is {:.3g} %", numbers, 100 * rule.minimum_effect)});
  } else {
    result.reasons.push_back({ReasonCode::kWithinBetweenRunFloor, numbers});
  }
}

void describe_without_floor(const Side& candidate, const Side& baseline, const DecisionRule& rule,
                            Comparison& result) {
  result.effect_floor = rule.minimum_effect;
  result.reasons.push_back(
      {ReasonCode::kNoBetweenRunFloor,
       "not taken in pairs, and no noise floor between runs is known for this protocol"});
  result.log_interval =
      hodges_lehmann_shift(candidate.log_locations, baseline.log_locations, rule.level).interval;
  if (result.log_interval || candidate.runs.size() != 1 || baseline.runs.size() != 1) return;
  result.log_interval = within_run_interval(*candidate.runs[0], *baseline.runs[0], rule.level);
  if (result.log_interval) {
    result.reasons.push_back(
        {ReasonCode::kWithinRunInterval,
         "the interval covers the spread inside the two runs, not between runs"});
  }
}

}  // namespace

Comparison compare_unpaired(const Quantity& candidate, const Quantity& baseline,
                            std::span<const RunEvidence> candidate_runs,
                            std::span<const RunEvidence> baseline_runs,
                            const std::optional<NoiseFloor>& between_run_floor,
                            const DecisionRule& rule) {
  check_rule(rule);
  if (auto reasons = incompatibilities(candidate, baseline); !reasons.empty()) {
    return without_numbers(Verdict::kIncomparable, std::move(reasons));
  }
  if (candidate_runs.empty() || baseline_runs.empty()) {
    return without_numbers(Verdict::kInsufficient,
                           {{ReasonCode::kNoSamples, "a side has no runs"}});
  }
  std::vector<Reason> faults;
  append_run_faults(candidate_runs, "candidate", faults);
  append_run_faults(baseline_runs, "baseline", faults);
  if (!faults.empty()) return without_numbers(Verdict::kInsufficient, std::move(faults));

  const auto left = testable(candidate_runs);
  const auto right = testable(baseline_runs);
  auto result = without_numbers(Verdict::kInsufficient, {});
  result.n_candidate = left.runs.size();
  result.n_baseline = right.runs.size();
  result.effect_floor = rule.minimum_effect;
  if (left.runs.empty() || right.runs.empty()) {
    result.reasons.push_back({ReasonCode::kMissingUncertainty,
                              fmt::format("the {} has neither an interval nor samples",
                                          left.runs.empty() ? "candidate" : "baseline")});
    return result;
  }
  result.log_ratio = median(left.log_locations) - median(right.log_locations);
  if (between_run_floor) {
    decide_with_floor(*between_run_floor, candidate.direction, rule, result);
  } else {
    describe_without_floor(left, right, rule, result);
  }
  note_runs_left_out(candidate_runs.size(), left.runs.size(), "candidate", result.reasons);
  note_runs_left_out(baseline_runs.size(), right.runs.size(), "baseline", result.reasons);
  return result;
}

}  // namespace ki::stats
