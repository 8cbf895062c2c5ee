// Comparison: the answer to "is the candidate faster than the baseline?", with its reasons. Six
// verdicts, because "no" has several meanings: shown slower, shown equal, not shown, not the same
// thing, not enough evidence.
#pragma once

#include "ki/stats/interval.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::stats {

enum class Verdict : std::uint8_t {
  kFaster,  // the candidate is better, in the direction of the metric
  kSlower,
  kEquivalent,    // shown to differ by less than the minimum effect
  kUndecided,     // enough evidence for the test, which decides neither
  kIncomparable,  // not measurements of the same thing
  kInsufficient,  // the evidence cannot carry any verdict
};
std::string_view to_string(Verdict verdict);  // "faster", "slower", ...

enum class ReasonCode : std::uint8_t {
  // faster, slower
  kSignificantEffect,      // signed-rank p and estimated effect both pass
  kBeyondBetweenRunFloor,  // unpaired, further apart than A/A runs come out
  // equivalent
  kWithinMinimumEffect,
  kEqualWithinResolution,  // every pair equal
  // undecided
  kNotSignificant,
  kBelowMinimumEffect,
  kResolutionTooCoarse,  // one step of the timer exceeds the minimum effect
  kNotSimultaneous,      // a win alone, not with the rest of its group
  // incomparable
  kDifferentCohort,
  kDifferentUnit,
  kDifferentDirection,
  // insufficient
  kNoSamples,
  kTooFewPairs,
  kInvalidSamples,
  kOrderNotRandomised,
  kOrderNotBalanced,
  kMissingUncertainty,
  kNoBetweenRunFloor,
  kWithinBetweenRunFloor,
  // beside any verdict
  kOrderEffect,       // the first of a pair differs from the second whoever it is
  kRunsLeftOut,       // runs without uncertainty take no part
  kWithinRunInterval  // the interval covers the spread inside the runs only
};
std::string_view to_string(ReasonCode code);  // stable: "SIGNIFICANT_EFFECT", ...

struct Reason {
  ReasonCode code;
  std::string text;  // one clause for people, with the numbers
};

enum class Direction : std::uint8_t { kLowerIsBetter, kHigherIsBetter };

// What was measured; from the metric's definition and the cohort keys, never guessed from the
// numbers.
struct Quantity {
  std::string cohort;  // the comparison key: operation, workload, protocol, environment,
                       // correctness, metric
  std::string unit;
  Direction direction = Direction::kLowerIsBetter;
};

struct Comparison {
  Verdict verdict;
  std::vector<Reason> reasons;           // the deciding one first
  std::optional<double> log_ratio;       // estimate of log(candidate / baseline)
  std::optional<Interval> log_interval;  // of the log ratio
  std::optional<double> p;               // two-sided, of "no difference"
  std::optional<double> equivalence_p;   // of "differs by the minimum effect or more"
  std::size_t n_candidate = 0;           // samples or runs that took part
  std::size_t n_baseline = 0;
  double effect_floor = 0;  // smallest |log ratio| that could have won

  std::optional<double> ratio() const;             // candidate / baseline
  std::optional<Interval> ratio_interval() const;  // of the ratio

  bool has(ReasonCode code) const;
};

// Reasons why the two are not measurements of the same thing; empty when they are.
std::vector<Reason> incompatibilities(const Quantity& candidate, const Quantity& baseline);

// A comparison without numbers.
Comparison without_numbers(Verdict verdict, std::vector<Reason> reasons);

// Keeps the wins of a group that hold together at `alpha` after Holm's correction over every
// comparison with a p value; the others become undecided, NOT_SIMULTANEOUS. Precondition: 0 < alpha
// < 1.
void hold_simultaneously(std::vector<Comparison>& group, double alpha = 0.05);

}  // namespace ki::stats
