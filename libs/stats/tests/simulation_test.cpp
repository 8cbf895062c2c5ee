// The short form of bench/stats: the decision rule against every noise family, with a fixed seed.
#include "ki/stats/compare_paired.h"
#include "ki/stats/noise_floor.h"
#include "ki/stats_testing/noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ki::stats {
namespace {

using stats_testing::NoiseFamily;

constexpr std::size_t kPairs = 30;
constexpr std::uint64_t kComparisons = 5000;

Comparison compare(const std::vector<Pair>& pairs) {
  const Quantity quantity{.cohort = "simulation", .unit = "ns"};
  return compare_paired(quantity, quantity, pairs, {});
}

bool is_win(const Comparison& comparison) {
  return comparison.verdict == Verdict::kFaster || comparison.verdict == Verdict::kSlower;
}

class Simulation : public testing::TestWithParam<NoiseFamily> {
 protected:
  Random stream(std::uint64_t purpose, std::uint64_t index) const {
    return {20'260'816 + purpose, (static_cast<std::uint64_t>(GetParam()) << 32) | index};
  }
};

TEST_P(Simulation, FalseWinsAreRareAndTwiceTheFloorIsSeen) {
  std::vector<double> distances;
  int false_wins = 0;
  int significant = 0;
  for (std::uint64_t i = 0; i < kComparisons; ++i) {
    auto random = stream(0, i);
    const auto comparison = compare(stats_testing::draw_pairs(GetParam(), kPairs, 0, random));
    distances.push_back(std::fabs(comparison.log_ratio.value()));
    false_wins += is_win(comparison) ? 1 : 0;
    significant += comparison.p.value() <= 0.001 ? 1 : 0;
  }
  // 5 expected of 5000; more than 14 has a probability below 0.0003.
  EXPECT_LE(false_wins, 14);
  EXPECT_LE(significant, 14);

  const double floor = NoiseFloor::measured(std::move(distances)).value().log_ratio();
  const double effect = std::max(2 * floor, 2 * DecisionRule{}.minimum_effect);
  int seen = 0;
  constexpr int kTrials = 500;
  for (std::uint64_t i = 0; i < kTrials; ++i) {
    auto random = stream(1, i);
    const bool is_slower = i % 2 == 0;
    const auto pairs =
        stats_testing::draw_pairs(GetParam(), kPairs, is_slower ? effect : -effect, random);
    seen += compare(pairs).verdict == (is_slower ? Verdict::kSlower : Verdict::kFaster) ? 1 : 0;
  }
  const bool is_barred = std::ranges::find(stats_testing::kNoiseFamilies, GetParam()) !=
                         stats_testing::kNoiseFamilies.end();
  EXPECT_GE(seen, (is_barred ? 0.95 : 0.75) * kTrials);
}

std::vector<NoiseFamily> all_families() {
  std::vector<NoiseFamily> families;
  for (const auto family : stats_testing::kNoiseFamilies) families.push_back(family);
  for (const auto family : stats_testing::kHarshFamilies) families.push_back(family);
  return families;
}

INSTANTIATE_TEST_SUITE_P(Families, Simulation, testing::ValuesIn(all_families()),
                         [](const auto& param) {
                           std::string name;
                           for (const char c : stats_testing::to_string(param.param)) {
                             if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
                           }
                           return name;
                         });

// Why pairs: without them a drifting or stepping machine makes the same test call a winner most of
// the time.
TEST(SequentialDesign, FindsWinnersThatAreNotThere) {
  for (const auto family :
       {NoiseFamily::kDrift, NoiseFamily::kThrottleSteps, NoiseFamily::kAutoregressive}) {
    SCOPED_TRACE(stats_testing::to_string(family));
    int wins = 0;
    for (std::uint64_t i = 0; i < 300; ++i) {
      Random random(37, i);
      wins += is_win(compare(stats_testing::draw_sequential(family, kPairs, 0, random))) ? 1 : 0;
    }
    EXPECT_GT(wins, 60);
  }
}

}  // namespace
}  // namespace ki::stats
