#include "ki/stats/compare_paired.h"

#include "ki/base/check.h"
#include "ki/stats/elementary.h"
#include "ki/stats/equivalence.h"
#include "ki/stats/hodges_lehmann.h"
#include "ki/stats/rank_tests.h"
#include "ki/stats/samples.h"
#include "ki/stats/summary.h"
#include "reason_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace ki::stats {
namespace {

// Rounding of a logarithm is below 1e-14, of a change of unit too; no timer resolves 1e-11 of its
// reading.
constexpr double kTolerance = 1e-11;

std::vector<Reason> invalid_samples(std::span<const Pair> pairs) {
  std::vector<double> candidates;
  std::vector<double> baselines;
  for (const auto& pair : pairs) {
    candidates.push_back(pair.candidate);
    baselines.push_back(pair.baseline);
  }
  std::vector<Reason> reasons;
  append_faults(candidates, "candidate", reasons);
  append_faults(baselines, "baseline", reasons);
  return reasons;
}

std::vector<Reason> order_faults(std::span<const Pair> pairs, PairDesign design) {
  std::vector<Reason> reasons;
  if (design == PairDesign::kBalancedBlocks) {
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      if (pairs[i].candidate_first != pairs[i + 1].candidate_first) continue;
      reasons.push_back(
          {ReasonCode::kOrderNotBalanced,
           fmt::format("pairs {} and {} of one block are in the same order", i, i + 1)});
      return reasons;
    }
    if (pairs.size() % 2 != 0) {
      reasons.push_back({ReasonCode::kOrderNotBalanced,
                         fmt::format("{} pairs do not fill blocks of two", pairs.size())});
      return reasons;
    }
  }
  // The coin of a block shows in its first pair.
  const std::size_t step = design == PairDesign::kBalancedBlocks ? 2 : 1;
  for (std::size_t i = step; i < pairs.size(); i += step) {
    if (pairs[i].candidate_first != pairs[0].candidate_first) return reasons;
  }
  reasons.push_back({ReasonCode::kOrderNotRandomised,
                     fmt::format("all {} coins fell the same way: the order was not drawn",
                                 pairs.size() / step)});
  return reasons;
}

std::vector<double> log_ratios(std::span<const Pair> pairs, PairDesign design) {
  std::vector<double> ratios;
  ratios.reserve(pairs.size());
  for (const auto& pair : pairs)
    ratios.push_back(portable_log(pair.candidate) - portable_log(pair.baseline));
  if (design == PairDesign::kCoin) return ratios;
  std::vector<double> blocks;
  for (std::size_t i = 0; i + 1 < ratios.size(); i += 2)
    blocks.push_back((ratios[i] + ratios[i + 1]) / 2);
  return blocks;
}

// One step of the timer as a log ratio, at the smaller of both medians; 0 when unknown.
double relative_resolution(std::span<const Pair> pairs, double resolution) {
  if (resolution == 0) return 0;
  std::vector<double> candidates;
  std::vector<double> baselines;
  for (const auto& pair : pairs) {
    candidates.push_back(pair.candidate);
    baselines.push_back(pair.baseline);
  }
  return portable_log1p(resolution / std::min(median(candidates), median(baselines)));
}

// Says so when the place in the pair changes the reading, which widens the spread of the log
// ratios.
void note_order_effect(std::span<const Pair> pairs, std::span<const double> ratios, double alpha,
                       std::vector<Reason>& reasons) {
  std::vector<double> candidate_first;
  std::vector<double> baseline_first;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    (pairs[i].candidate_first ? candidate_first : baseline_first).push_back(ratios[i]);
  }
  const auto test =
      mann_whitney(candidate_first, baseline_first, {.null = NullDistribution::kNormal});
  if (test.p > alpha) return;
  const double effect = hodges_lehmann_shift(candidate_first, baseline_first).estimate / 2;
  reasons.push_back(
      {ReasonCode::kOrderEffect,
       fmt::format("the first of a pair reads {} than the second (p = {:.3g}); balanced blocks "
                   "take this out of the comparison",
                   percent_of(effect), test.p)});
}

// Decides between equivalent and undecided when the comparison is no win.
void decide_without_win(std::span<const double> ratios, double step, bool all_equal,
                        const DecisionRule& rule, Comparison& result) {
  result.verdict = Verdict::kUndecided;
  if (rule.minimum_effect > 0) {
    const auto equivalence = tost_signed_rank(ratios, rule.minimum_effect, kTolerance);
    result.equivalence_p = equivalence.p;
    if (equivalence.p <= rule.equivalence_alpha) {
      if (step > rule.minimum_effect) {
        result.reasons.push_back(
            {ReasonCode::kResolutionTooCoarse,
             fmt::format("one step of the timer is {:.3g} %, the minimum effect {:.3g} %",
                         100 * step, 100 * rule.minimum_effect)});
        return;
      }
      result.verdict = Verdict::kEquivalent;
      if (all_equal) {
        result.reasons.push_back({ReasonCode::kEqualWithinResolution, "every pair reads the same"});
      }
      result.reasons.push_back(
          {ReasonCode::kWithinMinimumEffect,
           fmt::format("differs by less than {:.3g} % (equivalence p = {:.3g} <= {:.3g})",
                       100 * rule.minimum_effect, equivalence.p, rule.equivalence_alpha)});
      return;
    }
  }
  if (*result.p > rule.alpha) {
    result.reasons.push_back(
        {ReasonCode::kNotSignificant,
         fmt::format("signed-rank p = {:.3g} > {:.3g}", *result.p, rule.alpha)});
  }
  if (std::fabs(*result.log_ratio) < rule.minimum_effect) {
    result.reasons.push_back(
        {ReasonCode::kBelowMinimumEffect,
         fmt::format("{}; the minimum effect is {:.3g} %", percent_of(*result.log_ratio),
                     100 * rule.minimum_effect)});
  }
}

}  // namespace

std::size_t least_pairs(double alpha) {
  KI_CHECK(alpha > 0 && alpha < 1);
  std::size_t n = 1;
  for (double best = 1; best > alpha; best /= 2) ++n;
  return n;
}

Comparison compare_paired(const Quantity& candidate, const Quantity& baseline,
                          std::span<const Pair> pairs, const DecisionRule& rule,
                          PairDesign design) {
  check_rule(rule);
  if (auto reasons = incompatibilities(candidate, baseline); !reasons.empty()) {
    return without_numbers(Verdict::kIncomparable, std::move(reasons));
  }
  if (pairs.empty())
    return without_numbers(Verdict::kInsufficient, {{ReasonCode::kNoSamples, "no pairs"}});
  if (auto reasons = invalid_samples(pairs); !reasons.empty()) {
    return without_numbers(Verdict::kInsufficient, std::move(reasons));
  }

  const auto ratios = log_ratios(pairs, design);
  auto result = without_numbers(Verdict::kInsufficient, {});
  result.n_candidate = result.n_baseline = pairs.size();
  result.effect_floor = rule.minimum_effect;
  if (ratios.size() < least_pairs(rule.alpha)) {
    result.reasons.push_back(
        {ReasonCode::kTooFewPairs,
         fmt::format("{} {}; p <= {:.3g} takes at least {}", ratios.size(),
                     design == PairDesign::kCoin ? "pairs" : "blocks of two pairs", rule.alpha,
                     least_pairs(rule.alpha))});
    return result;
  }
  if (auto reasons = order_faults(pairs, design); !reasons.empty()) {
    result.reasons = std::move(reasons);
    return result;
  }

  const auto shift = hodges_lehmann(ratios, rule.level);
  const auto test = signed_rank(ratios, {.tolerance = kTolerance});
  result.log_ratio = shift.estimate;
  result.log_interval = shift.interval;
  result.p = test.p;
  if (test.p <= rule.alpha && std::fabs(shift.estimate) >= rule.minimum_effect) {
    const bool is_lower = shift.estimate < 0;
    result.verdict = is_lower == (candidate.direction == Direction::kLowerIsBetter)
                         ? Verdict::kFaster
                         : Verdict::kSlower;
    result.reasons.push_back(
        {ReasonCode::kSignificantEffect,
         fmt::format("{}; signed-rank p = {:.3g} <= {:.3g}, minimum effect {:.3g} %",
                     percent_of(shift.estimate), test.p, rule.alpha, 100 * rule.minimum_effect)});
  } else {
    decide_without_win(ratios, relative_resolution(pairs, rule.resolution),
                       test.degenerate == Degenerate::kAllEqual, rule, result);
  }
  if (design == PairDesign::kCoin) note_order_effect(pairs, ratios, rule.alpha, result.reasons);
  return result;
}

}  // namespace ki::stats
