#include "ki/stats/comparison.h"

#include "ki/base/check.h"
#include "ki/base/text.h"
#include "ki/stats/elementary.h"
#include "ki/stats/holm.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::stats {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFaster:
      return "faster";
    case Verdict::kSlower:
      return "slower";
    case Verdict::kEquivalent:
      return "equivalent";
    case Verdict::kUndecided:
      return "undecided";
    case Verdict::kIncomparable:
      return "incomparable";
    case Verdict::kInsufficient:
      return "insufficient";
  }
  return "";
}

std::string_view to_string(ReasonCode code) {
  switch (code) {
    case ReasonCode::kSignificantEffect:
      return "SIGNIFICANT_EFFECT";
    case ReasonCode::kBeyondBetweenRunFloor:
      return "BEYOND_BETWEEN_RUN_FLOOR";
    case ReasonCode::kWithinMinimumEffect:
      return "WITHIN_MINIMUM_EFFECT";
    case ReasonCode::kEqualWithinResolution:
      return "EQUAL_WITHIN_RESOLUTION";
    case ReasonCode::kNotSignificant:
      return "NOT_SIGNIFICANT";
    case ReasonCode::kBelowMinimumEffect:
      return "BELOW_MINIMUM_EFFECT";
    case ReasonCode::kResolutionTooCoarse:
      return "RESOLUTION_TOO_COARSE";
    case ReasonCode::kNotSimultaneous:
      return "NOT_SIMULTANEOUS";
    case ReasonCode::kDifferentCohort:
      return "DIFFERENT_COHORT";
    case ReasonCode::kDifferentUnit:
      return "DIFFERENT_UNIT";
    case ReasonCode::kDifferentDirection:
      return "DIFFERENT_DIRECTION";
    case ReasonCode::kNoSamples:
      return "NO_SAMPLES";
    case ReasonCode::kTooFewPairs:
      return "TOO_FEW_PAIRS";
    case ReasonCode::kInvalidSamples:
      return "INVALID_SAMPLES";
    case ReasonCode::kOrderNotRandomised:
      return "ORDER_NOT_RANDOMISED";
    case ReasonCode::kOrderNotBalanced:
      return "ORDER_NOT_BALANCED";
    case ReasonCode::kMissingUncertainty:
      return "MISSING_UNCERTAINTY";
    case ReasonCode::kNoBetweenRunFloor:
      return "NO_BETWEEN_RUN_FLOOR";
    case ReasonCode::kWithinBetweenRunFloor:
      return "WITHIN_BETWEEN_RUN_FLOOR";
    case ReasonCode::kOrderEffect:
      return "ORDER_EFFECT";
    case ReasonCode::kRunsLeftOut:
      return "RUNS_LEFT_OUT";
    case ReasonCode::kWithinRunInterval:
      return "WITHIN_RUN_INTERVAL";
  }
  return "";
}

std::optional<double> Comparison::ratio() const {
  if (!log_ratio) return std::nullopt;
  return portable_exp(*log_ratio);
}

std::optional<Interval> Comparison::ratio_interval() const {
  if (!log_interval) return std::nullopt;
  return Interval{portable_exp(log_interval->low), portable_exp(log_interval->high),
                  log_interval->level};
}

bool Comparison::has(ReasonCode code) const {
  return std::ranges::find(reasons, code, &Reason::code) != reasons.end();
}

std::vector<Reason> incompatibilities(const Quantity& candidate, const Quantity& baseline) {
  std::vector<Reason> reasons;
  if (candidate.cohort != baseline.cohort) {
    reasons.push_back({ReasonCode::kDifferentCohort,
                       fmt::format("the candidate is of cohort {}, the baseline of {}",
                                   quote(candidate.cohort), quote(baseline.cohort))});
  }
  if (candidate.unit != baseline.unit) {
    reasons.push_back(
        {ReasonCode::kDifferentUnit, fmt::format("the candidate is in {}, the baseline in {}",
                                                 quote(candidate.unit), quote(baseline.unit))});
  }
  if (candidate.direction != baseline.direction) {
    reasons.push_back(
        {ReasonCode::kDifferentDirection, "lower is better for one, higher for the other"});
  }
  return reasons;
}

Comparison without_numbers(Verdict verdict, std::vector<Reason> reasons) {
  return {.verdict = verdict,
          .reasons = std::move(reasons),
          .log_ratio = std::nullopt,
          .log_interval = std::nullopt,
          .p = std::nullopt,
          .equivalence_p = std::nullopt};
}

void hold_simultaneously(std::vector<Comparison>& group, double alpha) {
  KI_CHECK(alpha > 0 && alpha < 1);
  std::vector<double> p;
  for (const auto& comparison : group) {
    if (comparison.p) p.push_back(*comparison.p);
  }
  const auto adjusted = holm_adjust(p);
  std::size_t next = 0;
  for (auto& comparison : group) {
    if (!comparison.p) continue;
    const double own = adjusted[next++];
    const bool is_win =
        comparison.verdict == Verdict::kFaster || comparison.verdict == Verdict::kSlower;
    if (!is_win || own <= alpha) continue;
    comparison.verdict = Verdict::kUndecided;
    comparison.reasons.insert(
        comparison.reasons.begin(),
        {ReasonCode::kNotSimultaneous,
         fmt::format("of {} comparisons made together, adjusted p = {:.3g} > {:.3g}", p.size(), own,
                     alpha)});
  }
}

}  // namespace ki::stats
