// The speed-of-light score of a case and of a suite (harness 07), as the paper defines it: never
// clamped, never substituted. What the formula does not cover has a state instead of a score.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ki::score {

enum class State : std::uint8_t {
  kOk,
  kBoundViolation,  // faster than the bound by more than the noise: the bound is wrong, or the run
  kDegenerateBaseline,  // the baseline is not above the bound: nothing left to score
  kInvalid,             // a time that is not above 0, or not finite
};
std::string_view to_string(State state);  // "ok", "bound_violation", ...

// Times of one case, all in one unit.
struct CaseTimes {
  double kernel = 0;    // T_k, of the candidate
  double baseline = 0;  // T_b, the scoring baseline
  double bound = 0;     // T_SOL
};

struct CaseScore {
  State state = State::kInvalid;
  std::optional<double> score;    // only for kOk
  std::optional<double> formula;  // what the formula gives in whatever state, when it is finite
};

// S = (T_b - T_SOL) / ((T_k - T_SOL) + (T_b - T_SOL)): 1 at the bound, 1/2 at the baseline.
// `noise` is the relative half-width of the measurement's interval; a bound counts as violated when
// T_k < T_SOL (1 - max(1 %, noise)).
CaseScore score_case(const CaseTimes& times, double noise = 0);

// One case of a suite: times only when it was correct.
struct SuiteCase {
  bool is_correct = true;
  CaseTimes times;
  double noise = 0;
};

// The aggregates that the leaderboard shows (harness 07 section 3), over the cases named beside
// each. Absent: over no case at all.
struct SuiteScore {
  std::size_t cases = 0, correct = 0;
  std::size_t ok = 0, bound_violations = 0, degenerate_baselines = 0,
              invalid = 0;  // of correct ones
  // Mean of S over the cases that are ok and those that are not correct, which give 0.
  std::optional<double> mean_score;
  // The same with the formula's value for violated bounds and degenerate baselines. For diagnosis:
  // mixing the two means has produced wrong headlines.
  std::optional<double> diagnostic_mean_score;
  std::optional<double> geomean_kernel;  // of T_k, over correct cases with valid times
  std::optional<double> mean_speedup;    // arithmetic, of T_b / T_k, over the same
  std::size_t fast_1_count = 0;          // correct cases with T_b / T_k > 1
  std::vector<CaseScore> by_case;        // in the order given; kInvalid for those not correct
};
SuiteScore score_suite(std::span<const SuiteCase> cases);

}  // namespace ki::score
