#include "ki/score/score.h"

#include "ki/score/audit.h"
#include "ki/score/floor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ki::score {
namespace {

TEST(CaseScore, GivesTheGoldenVectors) {
  struct Vector {
    double kernel, baseline, bound;
    std::optional<double> formula;
    State state;
  };
  using enum State;
  for (const auto& [kernel, baseline, bound, formula, state] :
       std::initializer_list<Vector>{{2, 2, 1, 0.5, kOk},
                                     {1, 2, 1, 1.0, kOk},
                                     {3, 2, 1, 1.0 / 3, kOk},
                                     {1e9, 2, 1, 1e-9, kOk},
                                     {0.5, 2, 1, 2.0, kBoundViolation},
                                     {0, 2, 1, {}, kInvalid},  // the formula divides by zero
                                     {-1, 2, 1, -1.0, kInvalid},
                                     {1, 1, 1, 1.0, kDegenerateBaseline},
                                     {2, 1, 1, 0.0, kDegenerateBaseline},
                                     {1, 0.5, 1, 1.0, kDegenerateBaseline}}) {
    SCOPED_TRACE(testing::Message() << kernel << " " << baseline << " " << bound);
    const CaseScore got = score_case({kernel, baseline, bound});
    EXPECT_EQ(got.state, state);
    EXPECT_EQ(got.formula.has_value(), formula.has_value());
    if (formula && got.formula) {
      EXPECT_NEAR(*got.formula, *formula, 1e-6);
    }
    EXPECT_EQ(got.score.has_value(), state == kOk) << "only a case that is ok has a score";
  }
}

TEST(CaseScore, AllowsTheNoiseBelowTheBoundAndNoMore) {
  EXPECT_EQ(score_case({0.991, 2, 1}).state, State::kOk);
  EXPECT_GT(*score_case({0.991, 2, 1}).score, 1) << "never clamped";
  EXPECT_EQ(score_case({0.989, 2, 1}).state, State::kBoundViolation);
  EXPECT_EQ(score_case({0.96, 2, 1}, 0.05).state, State::kOk);
  EXPECT_EQ(score_case({0.94, 2, 1}, 0.05).state, State::kBoundViolation);
}

TEST(CaseScore, RefusesTimesThatAreNone) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  for (const CaseTimes& times : {CaseTimes{nan, 2, 1}, CaseTimes{kInf, 2, 1}, CaseTimes{1, nan, 1},
                                 CaseTimes{1, 2, 0}, CaseTimes{1, 2, -1}, CaseTimes{1, kInf, 1}}) {
    const CaseScore got = score_case(times);
    EXPECT_EQ(got.state, State::kInvalid);
    EXPECT_FALSE(got.score);
  }
}

TEST(SuiteScore, GivesTheSuiteVector) {
  struct Vector {
    double r, mean_score, geomean;
    std::size_t fast_1;
  };
  for (const auto& [r, mean_score, geomean, fast_1] :
       std::initializer_list<Vector>{{0.5, 0.304454, 0.209033, 0},
                                     {1, 0.500000, 0.104516, 0},
                                     {1.25, 0.573704, 0.083613, 16},
                                     {1.5, 0.636233, 0.069678, 16},
                                     {2, 0.736593, 0.052258, 16}}) {
    SCOPED_TRACE(r);
    std::vector<SuiteCase> cases;
    for (int i = 0; i < 16; ++i) {
      const double baseline = 0.040 + 0.010 * i;
      cases.push_back({.times = {baseline / r, baseline, 0.010 + 0.002 * i}});
    }
    const SuiteScore got = score_suite(cases);
    EXPECT_NEAR(*got.mean_score, mean_score, 5e-7);
    EXPECT_NEAR(*got.geomean_kernel, geomean, 5e-7);
    EXPECT_NEAR(*got.mean_speedup, r, 1e-12);
    EXPECT_EQ(got.fast_1_count, fast_1);
    EXPECT_EQ(got.ok, 16U);
    EXPECT_EQ(got.diagnostic_mean_score, got.mean_score);
    std::ranges::reverse(cases);
    EXPECT_NEAR(*score_suite(cases).mean_score, *got.mean_score, 1e-15)
        << "the order does not show";
  }
}

TEST(SuiteScore, LeavesOutWhatCannotBeScoredAndCountsIt) {
  const std::vector<SuiteCase> cases = {
      {.times = {2, 2, 1}},                       // 0.5
      {.is_correct = false, .times = {2, 2, 1}},  // 0
      {.times = {0.5, 2, 1}},                     // violates: 2 by the formula
      {.times = {1, 1, 1}},                       // degenerate: 1 by the original's rule
      {.times = {0, 2, 1}}};                      // invalid
  const SuiteScore got = score_suite(cases);
  EXPECT_EQ(got.cases, 5U);
  EXPECT_EQ(got.correct, 4U);
  EXPECT_EQ(got.ok, 1U);
  EXPECT_EQ(got.bound_violations, 1U);
  EXPECT_EQ(got.degenerate_baselines, 1U);
  EXPECT_EQ(got.invalid, 1U);
  EXPECT_NEAR(*got.mean_score, 0.25, 1e-15);
  EXPECT_NEAR(*got.diagnostic_mean_score, (0.5 + 0 + 2 + 1) / 4, 1e-15);
  EXPECT_NEAR(*got.geomean_kernel, std::cbrt(2 * 0.5 * 1), 1e-12);
  ASSERT_EQ(got.by_case.size(), 5U);
  EXPECT_FALSE(got.by_case[2].score);
  EXPECT_FALSE(score_suite({}).mean_score);
  EXPECT_EQ(score_suite(std::vector<SuiteCase>{{.is_correct = false, .times = {}}}).mean_score, 0);
}

TEST(Floor, IsTheLargerTermAtTheMostOptimisticPeaks) {
  const FloorInputs inputs{
      .bytes = 8e9, .operations = 1e9, .bytes_per_second = 8e12, .operations_per_second = 1e12};
  EXPECT_DOUBLE_EQ(floor_seconds(inputs), 1e-3);
  EXPECT_DOUBLE_EQ(
      floor_seconds(
          {.bytes = 1, .operations = 1e9, .bytes_per_second = 1e12, .operations_per_second = 1e12}),
      1e-3);
  EXPECT_EQ(floor_seconds({.bytes = 1e9}), 0) << "no peak, no floor";
}

TEST(Floor, QuarantinesWhatIsTooFastAndAccusesOnlyWithTracedBytes) {
  FloorInputs inputs{.bytes = 8e9, .bytes_per_second = 8e12};
  EXPECT_EQ(check_floor(0.96e-3, inputs), FloorVerdict::kAbove);
  EXPECT_EQ(check_floor(0.94e-3, inputs), FloorVerdict::kQuarantined);
  inputs.is_traced = true;
  EXPECT_EQ(check_floor(0.94e-3, inputs), FloorVerdict::kProven);
  EXPECT_EQ(check_floor(1e-12, {}), FloorVerdict::kAbove);
}

TEST(Audit, AcceptsWhatIsPublishedAndPossible) {
  // The two seeds, and a suite whose score lies a little below the uniform bound (Jensen).
  EXPECT_TRUE(audit({0.091395, 0.1242, 0, 16}).empty());
  EXPECT_TRUE(audit({0.956989, 13.6707, 16, 16}).empty());
  EXPECT_TRUE(audit({0.6161, 1.6638, 16, 16}).empty());
  EXPECT_TRUE(audit({}).empty());
}

TEST(Audit, NamesContradictions) {
  using testing::ElementsAre;
  using testing::HasSubstr;
  EXPECT_THAT(audit({1.115, {}, {}, {}}), ElementsAre(HasSubstr("outside 0 to 1")));
  EXPECT_THAT(audit({-0.1, {}, {}, {}}), ElementsAre(HasSubstr("outside 0 to 1")));
  EXPECT_THAT(audit({0.4, 2.0, {}, {}}), ElementsAre(HasSubstr("at least 0.6667")));
  EXPECT_THAT(audit({0.5, 0.5, {}, {}}), ElementsAre(HasSubstr("at most 0.3333")));
  EXPECT_THAT(audit({{}, 1.6, 0, 16}), ElementsAre(HasSubstr("no case is faster")));
  EXPECT_THAT(audit({{}, 0.9, 16, 16}), ElementsAre(HasSubstr("every case is faster")));
  EXPECT_THAT(audit({{}, {}, 17, 16}), ElementsAre(HasSubstr("is no count")));
}

TEST(Audit, ImpliesTheBoundsOfTheSeeds) {
  EXPECT_NEAR(*implied_bound_ratio(0.091395, 0.1242), 0.02625, 5e-5);
  EXPECT_NEAR(*implied_bound_ratio(0.956989, 13.6707), 0.40373, 5e-5);
  EXPECT_FALSE(implied_bound_ratio(0.5, 1));
}

}  // namespace
}  // namespace ki::score
