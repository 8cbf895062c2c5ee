#include "run_world.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace ki::harness {
namespace {

using problem::Status;

class Run : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    host_ = shared_host(why);
    if (host_ == nullptr) GTEST_SKIP() << "skipped: no sandbox here: " << why;
  }
  const sandbox::Host* host_ = nullptr;
};

TEST_F(Run, TheReferenceOfEveryProblemPassesItsSmallestCaseBothWays) {
  for (const auto& entry : std::filesystem::directory_iterator(kProblems)) {
    const std::string name = entry.path().filename();
    SCOPED_TRACE(name);
    const problem::Problem problem = load(name);
    const auto file = entry.path() / "solutions" / "reference" / "solution.json";
    if (!std::filesystem::exists(file)) continue;
    const auto solution = problem::load_solution(file, problem.definition, problem::Mode::kStrict);
    ASSERT_TRUE(solution) << solution.error().to_string();
    std::string smallest;
    std::int64_t least = INT64_MAX;
    const RunPlan plan = make_plan(problem, {}, {}).value();
    for (const CasePlan& one : plan.cases) {
      if (one.bytes < least) smallest = problem.workloads[one.workload].uuid;
      least = std::min(least, one.bytes);
    }
    if (least > (std::int64_t{8} << 20)) continue;
    const auto result = run_solution(*host_, problem, *solution,
                                     {.cases = {smallest},
                                      .processes = 1,
                                      .deadline = std::chrono::milliseconds(2000),
                                      .has_held_out = true});
    ASSERT_TRUE(result) << result.error().to_string();
    const CaseResult& one = result->cases.front();
    if (one.strict.reason == "timing_failed") {
      // Judged right; a machine that gives the cell no processor can time nothing.
      EXPECT_GE(one.calls.size(), 12U);
      continue;
    }
    EXPECT_EQ(one.strict.status, Status::kPassed)
        << one.strict.reason << ": " << one.strict.detail << result->build.log;
    EXPECT_EQ(one.compatible.status, Status::kPassed)
        << one.compatible.reason << ": " << one.compatible.detail;
    ASSERT_TRUE(one.timing);
    EXPECT_GT(one.timing->median, 0);
    EXPECT_LE(one.timing->low, one.timing->median);
    EXPECT_GE(one.timing->high, one.timing->median);
    EXPECT_EQ(result->held_out.status, Status::kPassed) << result->held_out.detail;
    const bool is_constant = name == "fixed_gather";
    EXPECT_EQ(std::ranges::count(one.flags, "constant_inputs"), is_constant ? 1 : 0);
  }
}

TEST_F(Run, EveryCallHasInputsThatWereNeverSeen) {
  const problem::Problem problem = load("vec_add");
  const auto solution =
      problem::load_solution(kProblems / "vec_add/solutions/reference/solution.json",
                             problem.definition, problem::Mode::kStrict);
  const auto result = run_solution(*host_, problem, *solution, {.cases = {"n65536"}});
  ASSERT_TRUE(result) << result.error().to_string();
  const CaseResult& one = result->cases.front();
  std::set<std::string> seen;
  std::size_t repeated = 0;
  for (const CallFact& call : one.calls)
    repeated += seen.insert(call.inputs.to_string()).second ? 0 : 1;
  // Hidden round 0 comes back three times in the judging process and once in a fresh one.
  EXPECT_EQ(repeated, 4U);
  EXPECT_GE(one.calls.size(), 3U + 6 + 3 + 2 * (3 + 10));
  EXPECT_EQ(one.samples.size() * one.timing->calls_a_sample,
            static_cast<std::size_t>(
                std::ranges::count(one.calls, judge::Phase::kTimed, &CallFact::phase)))
      << "every sample belongs to checked calls";
}

TEST_F(Run, OneKeyGivesTheSameInputsAndAnotherGivesOthers) {
  const problem::Problem problem = load("sum_reduce");
  const auto solution =
      problem::load_solution(kProblems / "sum_reduce/solutions/reference/solution.json",
                             problem.definition, problem::Mode::kStrict);
  const auto digests = [&](std::uint64_t seed) {
    std::vector<std::string> out;
    const auto result =
        run_solution(*host_, problem, *solution,
                     {.cases = {"rows37-columns4099"}, .seed = seed, .processes = 1});
    EXPECT_TRUE(result);
    for (const CallFact& call : result->cases.front().calls) {
      if (call.phase == judge::Phase::kPublic || call.phase == judge::Phase::kHidden)
        out.push_back(call.inputs.to_string());
    }
    return out;
  };
  const auto once = digests(5);
  EXPECT_EQ(once, digests(5));
  for (const std::string& other : digests(6)) EXPECT_EQ(std::ranges::count(once, other), 0);
}

TEST_F(Run, TellsTheProgressAndStopsWhenItIsCancelled) {
  const problem::Problem problem = load("vec_add");
  const auto solution =
      problem::load_solution(kProblems / "vec_add/solutions/reference/solution.json",
                             problem.definition, problem::Mode::kStrict);
  const RunPlan plan =
      make_plan(problem, {}, {.cases = {}, .processes = 2, .is_quick = true}).value();
  std::atomic<bool> cancel = false;
  std::vector<std::string> told;
  const auto result = run({.problem = problem,
                           .solution = *solution,
                           .plan = plan,
                           .host = *host_,
                           .key = judge::RunKey::of_seed(1),
                           .progress =
                               [&](const Progress& p) {
                                 told.push_back(p.what);
                                 if (p.what.starts_with("time")) cancel = true;
                               },
                           .cancel = &cancel});
  ASSERT_TRUE(result) << result.error().to_string();
  EXPECT_TRUE(result->was_cancelled);
  EXPECT_TRUE(result->cases.empty()) << "half a case is no case";
  EXPECT_EQ(exit_code_of(*result), 4);
  EXPECT_EQ(told.front(), "build");
}

TEST(Plan, CountsWhatARunWillDo) {
  const problem::Problem problem = load("vec_add");
  const auto plan = make_plan(problem, {}, {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->cases.size(), 3U);
  EXPECT_EQ(plan->cases[0].bytes, 3 * 65536 * 4);
  EXPECT_EQ(plan->cases[0].public_rounds, 10);
  EXPECT_GT(plan->estimate_s, 1);
  EXPECT_LT(plan->estimate_s, 120);
  const auto unknown = make_plan(problem, {}, {.cases = {"n65537"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code(), Code::kNotFound);
  EXPECT_THAT(unknown.error().message(), testing::HasSubstr("did you mean 'n65536'"));
}

TEST(Timing, TakesAcceptedSamplesAloneAndTheWiderInterval) {
  std::vector<Sample> samples;
  for (std::uint32_t process = 1; process <= 6; ++process) {
    for (std::uint64_t i = 0; i < 20; ++i)
      samples.push_back({.process = process, .elapsed_ns = 1000 * process + i % 5});
    samples.push_back({.process = process,
                       .elapsed_ns = 1'000'000,
                       .rejected = measure::RejectCause::kRunQueueDelay});
  }
  const auto timing = timing_of(samples, 1, 300, 7);
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->rejections.accepted, 120U);
  EXPECT_EQ(
      timing->rejections.by_cause[static_cast<std::size_t>(measure::RejectCause::kRunQueueDelay)],
      6U);
  EXPECT_EQ(timing->median, 3502);
  EXPECT_EQ(timing->maximum, 6004);
  // t on six process medians 1002, 2002, ..., 6002.
  EXPECT_LT(timing->low, 3502 - 1950);
  EXPECT_GT(timing->high, 3502 + 1950);
  const auto again = timing_of(samples, 1, 300, 7);
  EXPECT_EQ(timing->low, again->low);
  EXPECT_EQ(timing_of(samples, 2, 300, 7)->median, 1751);
  EXPECT_FALSE(timing_of({}, 1, 0, 7));
}

}  // namespace
}  // namespace ki::harness
