#include "ki/policy/serving.h"

#include <gtest/gtest.h>

namespace ki::policy {
namespace {

TEST(ServingEligibility, NeedsAValidStandingRun) {
  const ServingFacts valid{.status = "valid", .published = true};
  EXPECT_TRUE(is_serving_eligible(valid));
  for (ServingFacts facts :
       {ServingFacts{.status = "invalid", .published = true}, ServingFacts{.status = "valid"},
        ServingFacts{.status = "valid", .published = true, .retracted = true},
        ServingFacts{.status = "valid", .published = true, .superseded = true}}) {
    EXPECT_FALSE(is_serving_eligible(facts));
  }
}

TEST(Constraint, IsDecidedByMeasurementThenByDeclaration) {
  const std::vector<ServingMeasurement> measured{{"ttft_ms", "p99", 400}};
  const std::vector<ServingMeasurement> declared{{"ttft_ms", "p99", 2000}, {"tpot_ms", "p99", 200}};
  const ServingCandidate candidate{
      .run_id = "r", .measurements = measured, .declared_slo = declared};
  struct Case {
    const char* why;
    ServingConstraint constraint;
    const char* state;
    std::optional<bool> satisfied;
    const char* reason;
  };
  for (const auto& [why, constraint, state, satisfied, reason] : std::initializer_list<Case>{
           {"measured, not declared, decides",
            {.metric = "ttft_ms", .bound = 500},
            "measured",
            true,
            ""},
           {"equal is within", {.metric = "ttft_ms", .bound = 400}, "measured", true, ""},
           {"but not strictly",
            {.metric = "ttft_ms", .is_strict = true, .bound = 400},
            "measured",
            false,
            "CONSTRAINT_UNSATISFIED:ttft_ms"},
           {"a declared bound inside", {.metric = "tpot_ms", .bound = 200}, "declared", true, ""},
           {"the operator counts for it too",
            {.metric = "tpot_ms", .is_strict = true, .bound = 200},
            "declared",
            false,
            "CONSTRAINT_UNSATISFIED:tpot_ms"},
           {"another statistic is unknown",
            {.metric = "ttft_ms", .statistic = "p50", .bound = 500},
            "unknown",
            {},
            "METRIC_NOT_REPORTED:ttft_ms"},
       }) {
    const auto answer = check_constraint(candidate, constraint);
    EXPECT_EQ(to_string(answer.state), state) << why;
    EXPECT_EQ(answer.is_satisfied, satisfied) << why;
    EXPECT_EQ(answer.reason, reason) << why;
  }
}

TEST(Objective, TakesTheOnlyStatisticElseTheDefault) {
  const std::vector<ServingMeasurement> one{{"goodput", "reported", 5}};
  const std::vector<ServingMeasurement> two{{"goodput", "reported", 6}, {"goodput", "mean", 4}};
  const std::vector<ServingCandidate> same{{.run_id = "a", .measurements = one}};
  const std::vector<ServingCandidate> mixed{{.run_id = "a", .measurements = one},
                                            {.run_id = "b", .measurements = two}};
  const ServingObjective objective{.metric = "goodput"};
  EXPECT_EQ(rank_objective(same, objective)[0], (ObjectiveRank{.value = 5, .rank = 1}));
  EXPECT_EQ(rank_objective(mixed, objective)[0], ObjectiveRank{});
  EXPECT_EQ(rank_objective(mixed, objective)[1], (ObjectiveRank{.value = 4, .rank = 1}));
  EXPECT_EQ(default_statistic("ttft_ms"), "p99");
  EXPECT_EQ(default_statistic("goodput"), "mean");
}

TEST(Pareto, IgnoresMetricsWithoutADirection) {
  const std::vector<ServingMeasurement> a{{"goodput", "mean", 5}, {"beauty", "mean", 1}};
  const std::vector<ServingMeasurement> b{{"goodput", "mean", 5}, {"beauty", "mean", 2}};
  const auto answer = pareto(std::vector<ServingCandidate>{{.run_id = "a", .measurements = a},
                                                           {.run_id = "b", .measurements = b}});
  EXPECT_EQ(answer.axes, std::vector<std::string>{"goodput·mean"});
  EXPECT_EQ(answer.frontier, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_TRUE(answer.not_comparable.empty());
}

}  // namespace
}  // namespace ki::policy
