#include "ki/versus/versus.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace ki::versus {
namespace {

class VersusTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto host = sandbox::Host::open();
    if (!host) GTEST_SKIP() << "skipped: " << host.error().to_string();
    host_.emplace(std::move(*host));
    const auto folder = std::filesystem::path(KI_SOURCE_DIR) / "problems" / "vec_add";
    auto problem = problem::load_problem(folder, problem::Mode::kStrict);
    ASSERT_TRUE(problem) << problem.error().to_string();
    problem_.emplace(std::move(*problem));
    auto solution = problem::load_solution(folder / "solutions" / "reference" / "solution.json",
                                           problem_->definition, problem::Mode::kStrict);
    ASSERT_TRUE(solution) << solution.error().to_string();
    reference_.emplace(std::move(*solution));
    harness::PlanOptions options;
    options.cases = {problem_->workloads.front().uuid};
    auto plan = harness::make_plan(*problem_, {}, options);
    ASSERT_TRUE(plan) << plan.error().to_string();
    plan_.emplace(std::move(*plan));
  }

  // The reference with something else instead of `from`.
  problem::Solution changed(const std::string& from, const std::string& to) const {
    problem::Solution out = *reference_;
    for (problem::SourceFile& source : out.sources) {
      const auto at = source.content.find(from);
      if (at != std::string::npos) source.content.replace(at, from.size(), to);
    }
    return out;
  }

  Result<VersusResult> versus(const problem::Solution& candidate) const {
    return compare({.problem = *problem_,
                    .candidate = candidate,
                    .baseline = *reference_,
                    .plan = *plan_,
                    .host = *host_,
                    .key = judge::RunKey::of_seed(1),
                    .rounds = 12,
                    .processes = 2});
  }

  std::optional<sandbox::Host> host_;
  std::optional<problem::Problem> problem_;
  std::optional<problem::Solution> reference_;
  std::optional<harness::RunPlan> plan_;
};

TEST_F(VersusTest, ASolutionAgainstItselfGivesARatioFromPairs) {
  const auto result = versus(*reference_);
  ASSERT_TRUE(result) << result.error().to_string();
  ASSERT_EQ(result->cases.size(), 1u);
  const VersusCase& one = result->cases[0];
  EXPECT_EQ(one.failure, "");
  EXPECT_EQ(one.run.rounds.size(), 24u);
  ASSERT_TRUE(one.judgement);
  EXPECT_NE(one.judgement->comparison.verdict, stats::Verdict::kIncomparable);
  std::size_t first = 0;
  for (const measure::Round& round : one.run.rounds) first += round.candidate_first ? 1u : 0u;
  EXPECT_EQ(first, 12u) << "blocks of two are balanced";
}

TEST_F(VersusTest, AWrongArmIsAFailureOfTheCaseNotATime) {
  const auto result = versus(changed("x[i] + y", "x[i] - y"));
  ASSERT_TRUE(result) << result.error().to_string();
  EXPECT_NE(result->cases[0].failure.find("candidate: output 0 is wrong"), std::string::npos)
      << result->cases[0].failure;
  EXPECT_FALSE(result->cases[0].judgement);
  EXPECT_EQ(result->ratio, 0);
}

TEST_F(VersusTest, AnArmThatDoesNotBuildSaysSo) {
  const auto result = versus(changed("#include", "#inclde"));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().to_string().find("the candidate (vec_add_reference) does not build"),
            std::string::npos)
      << result.error().to_string();
}

}  // namespace
}  // namespace ki::versus
