#include "ki/stats/geometric_mean.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace ki::stats {
namespace {

TEST(GeometricMean, RefusesZerosNegativesAndNaNWithTheList) {
  const auto mean =
      geometric_mean(std::vector{2.0, 0.0, -3.0, 8.0, std::numeric_limits<double>::quiet_NaN()});
  ASSERT_FALSE(mean);
  const auto& issues = mean.error().issues();
  ASSERT_EQ(issues.size(), 3U);
  EXPECT_EQ(issues[0].code + issues[0].pointer, "ZERO/1");
  EXPECT_EQ(issues[1].code + issues[1].pointer, "NEGATIVE/2");
  EXPECT_EQ(issues[2].code + issues[2].pointer, "NOT_A_NUMBER/4");
  EXPECT_FALSE(geometric_mean({}));
}

TEST(GeometricMean, NeitherOverflowsNorUnderflows) {
  EXPECT_NEAR(geometric_mean(std::vector(50, 1e300)).value() / 1e300, 1, 1e-12);
  EXPECT_NEAR(geometric_mean(std::vector(50, 1e-300)).value() / 1e-300, 1, 1e-12);
}

// benchstat reported -90 % for A and B against A alone (golang/go#19565).
TEST(GeometricRatio, RefusesUnequalSetsOfCases) {
  const std::vector<CaseValue> left = {{"A", 10}, {"B", 1000}};
  const std::vector<CaseValue> right = {{"A", 10}};
  const auto ratio = geometric_ratio(left, right);
  ASSERT_FALSE(ratio);
  ASSERT_EQ(ratio.error().issues().size(), 1U);
  EXPECT_EQ(ratio.error().issues()[0].code, "MISSING_RIGHT");
  EXPECT_EQ(ratio.error().issues()[0].pointer, "/B");
}

TEST(GeometricRatio, NamesWhatTheCommonSubsetLeavesOut) {
  const std::vector<CaseValue> left = {{"B", 1000}, {"A", 10}, {"skipped", 0}, {"failed", -1}};
  const std::vector<CaseValue> right = {{"A", 20}, {"skipped", 5}, {"failed", 5}, {"only", 3}};
  const auto ratio = geometric_ratio(left, right, Coverage::kCommon);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->ratio, 0.5, 1e-15);
  EXPECT_EQ(ratio->used, std::vector<std::string>{"A"});
  EXPECT_EQ(ratio->left_out, (std::vector<LeftOut>{{"B", "MISSING_RIGHT"},
                                                   {"failed", "NEGATIVE_LEFT"},
                                                   {"only", "MISSING_LEFT"},
                                                   {"skipped", "ZERO_LEFT"}}));
}

TEST(GeometricRatio, DoesNotDependOnTheOrderOfTheCases) {
  const std::vector<CaseValue> left = {{"a", 3}, {"b", 7}, {"c", 11}};
  const std::vector<CaseValue> shuffled = {{"c", 11}, {"a", 3}, {"b", 7}};
  const std::vector<CaseValue> right = {{"b", 5}, {"c", 13}, {"a", 2}};
  EXPECT_EQ(geometric_ratio(left, right)->ratio, geometric_ratio(shuffled, right)->ratio);
}

TEST(GeometricRatio, RefusesTheSameCaseTwiceAndNoCommonCase) {
  const std::vector<CaseValue> twice = {{"a", 3}, {"a", 7}};
  const std::vector<CaseValue> once = {{"a", 3}};
  const std::vector<CaseValue> other = {{"b", 3}};
  EXPECT_NE(geometric_ratio(twice, once).error().message().find("twice"), std::string::npos);
  EXPECT_FALSE(geometric_ratio(once, other, Coverage::kCommon));
}

}  // namespace
}  // namespace ki::stats
