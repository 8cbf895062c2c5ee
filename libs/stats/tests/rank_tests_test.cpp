#include "ki/stats/rank_tests.h"

#include "ki/stats/equivalence.h"
#include "ki/stats/hodges_lehmann.h"
#include "ki/stats/holm.h"
#include "ki/stats/philox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace ki::stats {
namespace {

std::vector<double> steps(double from, double step, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = from + step * static_cast<double>(i);
  return values;
}

// HypothesisTests.jl#337 and #338: values with ties whose one-sided p others got wrong.
TEST(MannWhitney, GivesTheExactPOfTiedSamples) {
  const auto first = steps(1, 1, 10);
  const auto second = steps(2, 2, 12);
  EXPECT_NEAR(mann_whitney(first, second).p, 0.01188904, 5e-9);
  EXPECT_NEAR(mann_whitney(first, second, {.alternative = Alternative::kLess}).p, 0.006001738,
              5e-10);
  EXPECT_NEAR(mann_whitney(first, second, {.alternative = Alternative::kGreater}).p, 0.9949199,
              5e-8);
  EXPECT_TRUE(mann_whitney(first, second).has_ties);
}

TEST(MannWhitney, AllEqualSamplesGiveOneAndSayWhy) {
  const std::vector<double> same(8, 3.25);
  for (const auto null : {NullDistribution::kAuto, NullDistribution::kNormal}) {
    for (const auto alternative :
         {Alternative::kTwoSided, Alternative::kLess, Alternative::kGreater}) {
      const auto test = mann_whitney(same, same, {.alternative = alternative, .null = null});
      EXPECT_EQ(test.p, 1);
      EXPECT_EQ(test.degenerate, Degenerate::kAllEqual);
    }
  }
}

TEST(MannWhitney, SwappingTheSamplesSwapsTheSidesAndKeepsTwoSidedP) {
  Random random(11, 0);
  for (int round = 0; round < 40; ++round) {
    std::vector<double> first(3 + random.below(12));
    std::vector<double> second(3 + random.below(12));
    for (double& v : first) v = static_cast<double>(random.below(9));
    for (double& v : second) v = static_cast<double>(random.below(9)) + 1;
    EXPECT_NEAR(mann_whitney(first, second).p, mann_whitney(second, first).p, 1e-14);
    EXPECT_NEAR(mann_whitney(first, second, {.alternative = Alternative::kLess}).p,
                mann_whitney(second, first, {.alternative = Alternative::kGreater}).p, 1e-14);
    EXPECT_EQ(mann_whitney(first, second).statistic + mann_whitney(second, first).statistic,
              static_cast<double>(first.size() * second.size()));
  }
}

TEST(MannWhitney, TurnsToTheNormalApproximationBeyondTheExactLimitAndSaysSo) {
  EXPECT_TRUE(mann_whitney(steps(0, 1, 30), steps(5, 1, 30)).exact);
  EXPECT_FALSE(mann_whitney(steps(0, 1, 31), steps(5, 1, 30)).exact);
  EXPECT_TRUE(
      mann_whitney(steps(0, 1, 31), steps(5, 1, 30), {.null = NullDistribution::kExact}).exact);
}

TEST(MannWhitney, TheApproximationComesCloseToTheExactValueAtTheLimit) {
  const auto first = steps(0, 1, 30);
  const auto second = steps(4.5, 1, 30);
  const double exact = mann_whitney(first, second).p;
  EXPECT_NEAR(mann_whitney(first, second, {.null = NullDistribution::kNormal}).p, exact,
              0.01 * exact);
}

TEST(MannWhitney, TheNullDistributionIsSymmetricAndSumsToOne) {
  const auto null = mann_whitney_null(7, 11);
  ASSERT_EQ(null.size(), 78U);
  EXPECT_NEAR(std::accumulate(null.begin(), null.end(), 0.0), 1, 1e-14);
  for (std::size_t u = 0; u < null.size(); ++u)
    EXPECT_NEAR(null[u], null[null.size() - 1 - u], 1e-16);
}

TEST(SignedRank, DropsZerosAndSharesMidranks) {
  const auto test = signed_rank(std::vector{0.0, 0.0, 1.0, 1.0, -1.0, 2.0});
  EXPECT_EQ(test.used, 4U);
  EXPECT_EQ(test.statistic, 2 + 2 + 4);
  EXPECT_TRUE(test.has_ties);
}

TEST(SignedRank, AllZerosGiveOneAndSayWhy) {
  const auto test = signed_rank(std::vector<double>(30, 0.0));
  EXPECT_EQ(test.p, 1);
  EXPECT_EQ(test.degenerate, Degenerate::kAllEqual);
  EXPECT_EQ(test.used, 0U);
  EXPECT_EQ(signed_rank({}).p, 1);
}

TEST(SignedRank, TheSmallestPHalvesWithEachDifference) {
  for (std::size_t n = 1; n <= 40; ++n) {
    EXPECT_EQ(signed_rank(steps(1, 1, n)).p, std::ldexp(1.0, 1 - static_cast<int>(n)));
  }
}

TEST(SignedRank, RoundingDoesNotBreakTiesWithinTheTolerance) {
  const std::vector exact = {0.01, -0.01, 0.02, 0.02, 0.0, 0.03, -0.02, 0.01};
  auto rounded = exact;
  for (std::size_t i = 0; i < rounded.size(); ++i) rounded[i] += (i % 2 == 0 ? 1 : -1) * 3e-16;
  EXPECT_EQ(signed_rank(exact, {.tolerance = 1e-11}).p,
            signed_rank(rounded, {.tolerance = 1e-11}).p);
  EXPECT_NE(signed_rank(exact).p, signed_rank(rounded).p);
}

TEST(SignedRank, TheNormalApproximationTakesOverBeyondTheLimit) {
  auto values = steps(1, 1, kSignedRankExact + 1);
  for (std::size_t i = 0; i < values.size(); i += 2) values[i] = -values[i];
  EXPECT_FALSE(signed_rank(values).exact);
  values.pop_back();
  const auto exact = signed_rank(values);
  EXPECT_TRUE(exact.exact);
  EXPECT_NEAR(signed_rank(values, {.null = NullDistribution::kNormal}).p, exact.p, 1e-3);
}

TEST(HodgesLehmann, MovesWithTheSamplesAndMirrorsWithTheirSign) {
  Random random(12, 0);
  std::vector<double> values(25);
  for (double& v : values) v = random.normal();
  const auto shift = hodges_lehmann(values);
  auto mirrored = values;
  for (double& v : mirrored) v = -v;
  const auto other = hodges_lehmann(mirrored);
  EXPECT_EQ(shift.estimate, -other.estimate);
  EXPECT_EQ(shift.interval->low, -other.interval->high);
  EXPECT_EQ(shift.interval->high, -other.interval->low);
  std::ranges::sort(values);
  EXPECT_EQ(hodges_lehmann(values).estimate, shift.estimate);
}

TEST(HodgesLehmann, TheIntervalHoldsExactlyTheShiftsThatTheTestAccepts) {
  Random random(13, 0);
  for (int round = 0; round < 30; ++round) {
    std::vector<double> values(8 + random.below(20));
    for (double& v : values) v = random.normal() + 0.3;
    const auto interval = hodges_lehmann(values, 0.95).interval.value();
    EXPECT_GE(interval.level, 0.95);
    const auto p_of_shift = [&](double shift) {
      auto moved = values;
      for (double& v : moved) v -= shift;
      return signed_rank(moved).p;
    };
    const double width = interval.high - interval.low;
    EXPECT_LE(p_of_shift(interval.low - 1e-9 * width), 0.05);
    EXPECT_LE(p_of_shift(interval.high + 1e-9 * width), 0.05);
    EXPECT_GT(p_of_shift(interval.low + 1e-9 * width), 0.05);
    EXPECT_GT(p_of_shift(interval.high - 1e-9 * width), 0.05);
  }
}

TEST(HodgesLehmann, TooFewSamplesForTheLevelHaveNoInterval) {
  EXPECT_FALSE(hodges_lehmann(steps(1, 1, 5), 0.95).interval);
  EXPECT_TRUE(hodges_lehmann(steps(1, 1, 6), 0.95).interval);
  EXPECT_FALSE(hodges_lehmann_shift(steps(1, 1, 3), steps(1, 1, 3), 0.95).interval);
}

TEST(HodgesLehmann, TheIntervalCoversTheShiftAsOftenAsItSays) {
  int covered = 0;
  constexpr int kRounds = 2000;
  for (int round = 0; round < kRounds; ++round) {
    Random random(14, static_cast<std::uint64_t>(round));
    std::vector<double> first(12), second(15);
    for (double& v : first) v = random.normal() + 0.7;
    for (double& v : second) v = random.normal();
    const auto interval = hodges_lehmann_shift(first, second, 0.95).interval.value();
    covered += interval.low <= 0.7 && 0.7 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(covered, kRounds * 0.94);
  EXPECT_LE(covered, kRounds * 0.97);
}

TEST(Equivalence, NotShownToDifferIsNotEquivalent) {
  const std::vector noisy = {-5.0, 4.0, -3.0, 6.0, -4.5, 5.5, -2.0, 3.0};
  EXPECT_GT(tost_student(noisy, 1.0).p, 0.05);
  EXPECT_GT(tost_signed_rank(noisy, 1.0).p, 0.05);
}

TEST(Equivalence, TightDifferencesInsideTheMarginAreEquivalent) {
  const std::vector tight = {0.01, -0.02, 0.015, 0.0, -0.01, 0.02, 0.005, -0.004};
  EXPECT_LT(tost_student(tight, 0.1).p, 1e-4);
  EXPECT_LE(tost_signed_rank(tight, 0.1).p, 0.01);
  EXPECT_EQ(tost_student(std::vector{0.2, 0.2, 0.2}, 0.1).p, 1);
  EXPECT_EQ(tost_student(std::vector{0.0, 0.0, 0.0}, 0.1).p, 0);
  EXPECT_EQ(tost_welch(std::vector{1.0, 1.0}, std::vector{1.05, 1.05}, 0.1).p, 0);
}

TEST(Holm, KeepsTheOrderOfTheClaimsAndNeverLowersAP) {
  const std::vector p = {0.04, 0.001, 0.03, 0.6};
  const auto adjusted = holm_adjust(p);
  ASSERT_EQ(adjusted.size(), 4U);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.004);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.09);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.09);  // not below the one before it
  EXPECT_DOUBLE_EQ(adjusted[3], 0.6);
  EXPECT_TRUE(holm_adjust({}).empty());
}

}  // namespace
}  // namespace ki::stats
