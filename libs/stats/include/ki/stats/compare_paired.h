// The strict comparison: interleaved pairs, the order inside each decided by a recorded coin (spec
// 17, "Strict wins between two sets of samples"). The coin makes the test exact whatever the noise
// does over time: under "no difference" each log ratio had the opposite sign with probability one
// half.
#pragma once

#include "ki/stats/comparison.h"
#include "ki/stats/rule.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace ki::stats {

struct Pair {
  double candidate;
  double baseline;
  bool candidate_first;  // as the coin fell
};

enum class PairDesign : std::uint8_t {
  kCoin,  // one coin a pair
  // Two neighbouring pairs a block, in opposite order, the coin decides which order comes first.
  // The mean of a block is free of any effect of the place in the pair; blocks are what the test
  // counts.
  kBalancedBlocks,
};

// Win: exact two-sided signed-rank p <= alpha (zeros dropped, midranks) and |Hodges-Lehmann log
// ratio| >= minimum effect. Else equivalent: both one-sided signed-rank tests at the minimum effect
// pass at equivalence_alpha. Else undecided. Insufficient: invalid samples, an order that no coin
// gave, or so few pairs (blocks) that no outcome could reach alpha. Log ratios closer than 1e-11
// count as equal, so that the unit cannot matter.
Comparison compare_paired(const Quantity& candidate, const Quantity& baseline,
                          std::span<const Pair> pairs, const DecisionRule& rule,
                          PairDesign design = PairDesign::kCoin);

// The smallest number of pairs (blocks) whose best p, 2^(1-n), reaches alpha: 11 for 0.001.
std::size_t least_pairs(double alpha);

}  // namespace ki::stats
