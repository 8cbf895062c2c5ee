#include "ki/stats/bootstrap.h"

#include "ki/stats/philox.h"
#include "ki/stats/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ki::stats {
namespace {

std::vector<double> autoregressive(double coefficient, std::size_t count, Random& random) {
  std::vector<double> series(count);
  double state = random.normal() / std::sqrt(1 - coefficient * coefficient);
  for (double& value : series) {
    value = state;
    state = coefficient * state + random.normal();
  }
  return series;
}

TEST(Bootstrap, TheSameSeedGivesTheSameInterval) {
  Random random(21, 0);
  std::vector<double> values(30);
  for (double& v : values) v = random.normal();
  const auto first = bootstrap_bca(values, median, {.seed = 5, .replicates = 300});
  EXPECT_EQ(first.interval, bootstrap_bca(values, median, {.seed = 5, .replicates = 300}).interval);
  EXPECT_NE(first.interval, bootstrap_bca(values, median, {.seed = 6, .replicates = 300}).interval);
}

TEST(Bootstrap, EqualSamplesGiveAPointInsteadOfNaN) {
  const std::vector<double> same(12, 4.5);
  for (const auto& result : {bootstrap_bca(same, mean), bootstrap_percentile(same, median),
                             bootstrap_bca(std::vector{4.5}, mean)}) {
    EXPECT_EQ(result.interval.low, 4.5);
    EXPECT_EQ(result.interval.high, 4.5);
    EXPECT_EQ(result.standard_error, 0);
  }
}

TEST(Bootstrap, BcaShiftsTheIntervalTowardsTheLongTail) {
  Random random(22, 0);
  std::vector<double> skewed(40);
  for (double& v : skewed) v = std::pow(random.uniform(), -0.4);
  const BootstrapOptions options{.seed = 1, .replicates = 2000};
  const auto plain = bootstrap_percentile(skewed, mean, options);
  const auto corrected = bootstrap_bca(skewed, mean, options);
  EXPECT_GT(corrected.interval.high, plain.interval.high);
  EXPECT_GT(corrected.interval.low, plain.interval.low);
}

TEST(Bootstrap, BcaCoversTheMeanOfSkewedSamplesNearlyAsOftenAsItSays) {
  int covered = 0;
  constexpr int kRounds = 400;
  for (int round = 0; round < kRounds; ++round) {
    Random random(23, static_cast<std::uint64_t>(round));
    std::vector<double> values(40);
    for (double& v : values) v = -std::log(random.uniform());
    const auto interval = bootstrap_bca(values, mean, {.seed = 9, .replicates = 500}).interval;
    covered += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(covered, kRounds * 0.90);
  EXPECT_LE(covered, kRounds * 0.98);
}

TEST(Autocorrelation, TimeOfAnAutoregressionIsItsFormula) {
  Random random(24, 0);
  const auto series = autoregressive(0.8, 20'000, random);
  EXPECT_NEAR(integrated_autocorrelation_time(series), 1.8 / 0.2, 1.5);
  const auto independent = autoregressive(0.0, 20'000, random);
  EXPECT_NEAR(integrated_autocorrelation_time(independent), 1, 0.2);
  EXPECT_EQ(integrated_autocorrelation_time(std::vector<double>(50, 2.0)), 1);
  EXPECT_EQ(integrated_autocorrelation_time(std::vector{1.0, 2.0}), 1);
}

TEST(Autocorrelation, BlocksAreAtLeastTheCubeRootAndAtMostTheSeries) {
  Random random(25, 0);
  EXPECT_GE(block_length_of(autoregressive(0.0, 1000, random)), 10U);
  EXPECT_GE(block_length_of(autoregressive(0.9, 1000, random)), 20U);
  EXPECT_EQ(block_length_of(std::vector{1.0}), 1U);
}

// Test vector T04: independent resampling of correlated samples covers far too rarely; blocks of
// two autocorrelation times cover at least 85 %.
TEST(HierarchicalBootstrap, BlocksKeepTheCoverageOfCorrelatedSamples) {
  constexpr int kRounds = 300;
  int covered_by_blocks = 0;
  int covered_by_samples = 0;
  for (int round = 0; round < kRounds; ++round) {
    Random random(26, static_cast<std::uint64_t>(round));
    const std::vector<std::vector<double>> processes = {autoregressive(0.8, 200, random)};
    const auto covers = [&](std::size_t block) {
      const auto interval = bootstrap_hierarchical(processes, median,
                                                   {.bootstrap = {.seed = 3, .replicates = 300},
                                                    .block_length = block})
                                .bootstrap.interval;
      return interval.low <= 0 && 0 <= interval.high;
    };
    covered_by_blocks += covers(18) ? 1 : 0;
    covered_by_samples += covers(1) ? 1 : 0;
  }
  EXPECT_GE(covered_by_blocks, 0.85 * kRounds);
  EXPECT_LE(covered_by_samples, 0.70 * kRounds);
}

TEST(HierarchicalBootstrap, SeesTheSpreadBetweenProcesses) {
  Random random(27, 0);
  std::vector<std::vector<double>> processes;
  for (const double offset : {-1.0, 0.0, 1.0}) {
    auto& series = processes.emplace_back(100);
    for (double& v : series) v = 100 + offset + 0.01 * random.normal();
  }
  const auto between = bootstrap_hierarchical(processes, median, {});
  EXPECT_EQ(between.spread, Spread::kBetweenProcess);
  EXPECT_GT(between.bootstrap.interval.high - between.bootstrap.interval.low, 1.5);
  const auto within = bootstrap_hierarchical(std::span(processes).first(1), median, {});
  EXPECT_EQ(within.spread, Spread::kWithinProcess);
  EXPECT_LT(within.bootstrap.interval.high - within.bootstrap.interval.low, 0.02);
  EXPECT_EQ(between.block_lengths.size(), 3U);
}

}  // namespace
}  // namespace ki::stats
