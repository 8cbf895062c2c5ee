#include "ki/base/check.h"
#include "ki/measure/paired.h"
#include "ki/stats/compare_paired.h"
#include "ki/stats/summary.h"

#include <algorithm>
#include <cmath>

namespace ki::measure {

double PairedJudgement::ratio() const { return log_ratio ? std::exp(log_ratio->value) : 0; }

stats::Interval PairedJudgement::ratio_interval() const {
  KI_CHECK(log_ratio);
  return {std::exp(log_ratio->interval.low), std::exp(log_ratio->interval.high),
          log_ratio->interval.level};
}

PairedJudgement judge_pairs(const std::vector<Round>& rounds, const PairedRule& rule,
                            std::uint64_t seed) {
  std::vector<std::optional<RejectCause>> decisions;
  for (const Round& round : rounds) decisions.push_back(round.rejected);
  std::vector<stats::Pair> pairs;
  std::vector<std::vector<double>> log_ratios;
  std::vector<double> candidate, baseline;
  std::uint32_t process = 0;
  for (std::size_t i = 0; i + 1 < rounds.size(); i += 2) {
    const Round& first = rounds[i];
    const Round& second = rounds[i + 1];
    if (first.rejected || second.rejected || first.process != second.process) continue;
    if (log_ratios.empty() || first.process != process) log_ratios.emplace_back();
    process = first.process;
    for (const Round* round : {&first, &second}) {
      pairs.push_back({round->candidate_ns, round->baseline_ns, round->candidate_first});
      candidate.push_back(round->candidate_ns);
      baseline.push_back(round->baseline_ns);
    }
    // The mean of a block is free of any effect of the place in the pair.
    log_ratios.back().push_back((std::log(first.candidate_ns / first.baseline_ns) +
                                 std::log(second.candidate_ns / second.baseline_ns)) /
                                2);
  }
  const stats::Quantity quantity{.cohort = rule.cohort, .unit = "ns"};
  PairedJudgement out{
      .comparison = stats::compare_paired(
          quantity, quantity, pairs, {.minimum_effect = rule.minimum_effect, .alpha = rule.alpha},
          stats::PairDesign::kBalancedBlocks),
      .log_ratio = std::nullopt,
      .rejections = count_rejections(decisions)};
  if (!pairs.empty()) {
    out.log_ratio = estimate(log_ratios, seed);
    out.candidate_median_ns = stats::median(candidate);
    out.baseline_median_ns = stats::median(baseline);
  }
  return out;
}

}  // namespace ki::measure
