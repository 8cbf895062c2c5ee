#include "ki/stats/summary.h"

#include "ki/stats/elementary.h"
#include "ki/stats/philox.h"
#include "ki/stats/special.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ki::stats {
namespace {

std::vector<double> draws(std::size_t count, std::uint64_t seed) {
  Random random(seed, 0);
  std::vector<double> values(count);
  for (double& value : values) value = 100 + 3 * random.normal();
  return values;
}

TEST(Summary, OrderStatisticsDoNotDependOnTheOrderOfTheSamples) {
  auto values = draws(101, 4);
  auto sorted = values;
  std::ranges::sort(sorted);
  EXPECT_EQ(median(values), median(sorted));
  EXPECT_EQ(median_absolute_deviation(values), median_absolute_deviation(sorted));
  EXPECT_EQ(interquartile_range(values), interquartile_range(sorted));
  EXPECT_EQ(trimmed_mean(values, 0.2), trimmed_mean(sorted, 0.2));
  EXPECT_EQ(quantile(values, 0.99, QuantileType::k8), quantile(sorted, 0.99, QuantileType::k8));
}

TEST(Summary, OneWildSampleMovesTheMeanButNotTheMedian) {
  auto values = draws(50, 5);
  const double center = median(values);
  values.push_back(1e9);
  EXPECT_NEAR(median(values), center, 0.5);
  EXPECT_GT(mean(values), 1e7);
  EXPECT_LT(median_absolute_deviation(values), 5);
}

TEST(Summary, VarianceSurvivesALargeOffset) {
  for (const double offset : {0.0, 1e6, 1e9, 1e12}) {
    SCOPED_TRACE(offset);
    EXPECT_NEAR(variance(std::vector{offset + 4, offset + 7, offset + 13, offset + 16}), 30, 1e-9);
  }
}

TEST(Summary, ASingleSampleHasNoSpread) {
  const std::vector one = {7.81};
  EXPECT_EQ(median(one), 7.81);
  EXPECT_EQ(variance(one), 0);
  EXPECT_EQ(median_absolute_deviation(one), 0);
  EXPECT_EQ(quantile(one, 0.99), 7.81);
}

TEST(Summary, TheMedianOfHugeNumbersDoesNotOverflow) {
  EXPECT_DOUBLE_EQ(median(std::vector{1.7e308, 1.6e308}), 1.65e308);
}

TEST(Summary, QuantilesGrowWithTheProbabilityAndStayWithinTheSamples) {
  const auto values = draws(37, 6);
  for (const auto type : {QuantileType::k7, QuantileType::k8}) {
    double previous = *std::ranges::min_element(values);
    for (int step = 0; step <= 100; ++step) {
      const double value = quantile(values, step / 100.0, type);
      EXPECT_GE(value, previous);
      previous = value;
    }
    EXPECT_EQ(previous, *std::ranges::max_element(values));
  }
}

TEST(Summary, MadTimesItsConstantEstimatesSigma) {
  EXPECT_NEAR(median_absolute_deviation(draws(20'001, 7)) * kMadToSigma, 3, 0.1);
  EXPECT_NEAR(kMadToSigma, 1 / normal_quantile(0.75), 1e-15);
}

TEST(SummaryDeathTest, ValuesThatNoBoundaryCheckedAreABug) {
  EXPECT_DEATH(median(std::vector<double>{}), "empty");
  EXPECT_DEATH(median(std::vector{1.0, std::nan("")}), "isfinite");
}

TEST(Elementary, AgreesWithTheLibraryToTwoUnitsInTheLastPlace) {
  Random random(8, 0);
  const auto units = [](double actual, double expected) {
    const double unit = std::fabs(std::nextafter(expected, INFINITY) - expected);
    return std::fabs(actual - expected) / unit;
  };
  double worst_log = 0, worst_exp = 0, worst_log1p = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double x = std::ldexp(1 + random.uniform(), static_cast<int>(random.below(2000)) - 1000);
    worst_log = std::max(worst_log, units(portable_log(x), std::log(x)));
    const double near_one = 0.5 + random.uniform() * 1.5;
    worst_log = std::max(worst_log, units(portable_log(near_one), std::log(near_one)));
    const double y = 1400 * (random.uniform() - 0.5);
    worst_exp = std::max(worst_exp, units(portable_exp(y), std::exp(y)));
    const double z = 3 * random.uniform() - 0.9;
    worst_log1p = std::max(worst_log1p, units(portable_log1p(z), std::log1p(z)));
  }
  EXPECT_LE(worst_log, 2);
  EXPECT_LE(worst_exp, 2);
  EXPECT_LE(worst_log1p, 3);
}

TEST(Elementary, HandlesTheEdgesOfTheNumbers) {
  EXPECT_EQ(portable_log(1.0), 0);
  EXPECT_EQ(portable_log(0.0), -INFINITY);
  EXPECT_TRUE(std::isnan(portable_log(-1.0)));
  EXPECT_EQ(portable_log(INFINITY), INFINITY);
  EXPECT_EQ(portable_exp(0.0), 1);
  EXPECT_EQ(portable_exp(710.0), INFINITY);
  EXPECT_EQ(portable_exp(-746.0), 0);
  EXPECT_GT(portable_exp(-745.0), 0);
  EXPECT_TRUE(std::isnan(portable_exp(NAN)));
  EXPECT_EQ(portable_log1p(-1.0), -INFINITY);
  EXPECT_EQ(portable_log1p(0.0), 0);
  EXPECT_TRUE(std::isnan(portable_log1p(-1.5)));
}

TEST(Special, QuantilesInvertTheirDistributionFunctions) {
  for (int step = 1; step < 200; ++step) {
    const double p = step / 200.0;
    EXPECT_NEAR(normal_cdf(normal_quantile(p)), p, 1e-14);
    for (const double degrees : {0.5, 1.0, 2.0, 7.5, 29.0, 1e4}) {
      EXPECT_NEAR(student_t_cdf(student_t_quantile(p, degrees), degrees), p, 1e-13) << degrees;
    }
  }
  EXPECT_EQ(normal_quantile(0.0), -INFINITY);
  EXPECT_EQ(normal_quantile(1.0), INFINITY);
  EXPECT_EQ(student_t_quantile(1.0, 3), INFINITY);
  EXPECT_EQ(student_t_quantile(0.5, 3), 0);
}

TEST(Special, IncompleteBetaMirrorsItself) {
  for (const double x : {0.0, 0.01, 0.3, 0.5, 0.77, 1.0}) {
    EXPECT_NEAR(incomplete_beta(2.5, 7, x) + incomplete_beta(7, 2.5, 1 - x), 1, 1e-14) << x;
  }
}

}  // namespace
}  // namespace ki::stats
