#include "ki/stats/samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ki::stats {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Samples, RefusesEveryFaultAtOnceWithItsPosition) {
  const auto samples = Samples::positive({1.0, -7250.0, 0.0, kNaN, kInfinity, -0.0});
  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().code(), Code::kInvalidArgument);
  EXPECT_EQ(samples.error().message(), "5 of 6 samples are invalid");
  const auto& issues = samples.error().issues();
  ASSERT_EQ(issues.size(), 5U);
  EXPECT_EQ(issues[0].code, "NEGATIVE");
  EXPECT_EQ(issues[0].pointer, "/1");
  EXPECT_NE(issues[0].message.find("-7250"), std::string::npos);
  EXPECT_EQ(issues[1].code, "ZERO");
  EXPECT_NE(issues[1].fix.find("more calls per sample"), std::string::npos);
  EXPECT_EQ(issues[2].code, "NOT_A_NUMBER");
  EXPECT_EQ(issues[3].code, "INFINITE");
  EXPECT_EQ(issues[4].code, "ZERO");
}

TEST(Samples, RefusesAnEmptySeries) {
  ASSERT_FALSE(Samples::finite({}));
  EXPECT_EQ(Samples::positive({}).error().code(), Code::kInvalidArgument);
}

TEST(Samples, FiniteAcceptsZeroAndNegativeButNotNaN) {
  EXPECT_TRUE(Samples::finite({0.0, -1.0, 2.5}));
  EXPECT_EQ(Samples::finite({0.0, kNaN}).error().issues().at(0).pointer, "/1");
}

TEST(Resolution, SeesTheStepsOfATimer) {
  const auto resolution = resolution_of(Samples::positive({10.5, 10.0, 11.5, 10.5, 13.0}).value());
  EXPECT_EQ(resolution.distinct, 4U);
  EXPECT_EQ(resolution.step, 0.5);
}

TEST(Resolution, OfEqualSamplesHasNoStep) {
  const auto resolution = resolution_of(Samples::positive({3.0, 3.0, 3.0}).value());
  EXPECT_EQ(resolution.distinct, 1U);
  EXPECT_EQ(resolution.step, 0);
}

TEST(Resolution, HintsAtMillisecondsThatWentThroughAFloat) {
  // 9.1 s in milliseconds as a float: the next float is almost a microsecond away (pocl#1094).
  const auto through_float = resolution_of(
      Samples::positive({static_cast<double>(9123.4567F), static_cast<double>(9123.1111F)})
          .value());
  EXPECT_TRUE(through_float.single_precision);
  EXPECT_NEAR(through_float.single_precision_step, 0.000977, 1e-6);
  EXPECT_FALSE(resolution_of(Samples::positive({9123.4567, 9123.1111}).value()).single_precision);
}

}  // namespace
}  // namespace ki::stats
