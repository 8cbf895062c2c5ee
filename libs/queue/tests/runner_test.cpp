#include "ki/queue/runner.h"

#include "ki/queue/memory_queue.h"
#include "queue_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace ki::queue {
namespace {

using testing::HasSubstr;

class Script final : public Executor {
 public:
  Result<std::optional<Attempt>> find_published(const Job&) override {
    ++searches;
    return published;
  }
  Result<Attempt> execute(const Job& job, const std::string& solution,
                          const std::atomic<bool>& cancel,
                          const std::function<Result<void>()>& seal) override {
    ++executions;
    EXPECT_EQ(solution, kSolution);
    return action(job, cancel, seal);
  }
  std::function<Result<Attempt>(const Job&, const std::atomic<bool>&,
                                const std::function<Result<void>()>&)>
      action = [](const Job& job, const auto&, const auto& seal) -> Result<Attempt> {
    KI_TRY_VOID(seal());
    return all_of(job);
  };
  static Attempt all_of(const Job& job) {
    Attempt out;
    for (const std::string& one : job.cases) out.results.push_back({one, "{}"});
    return out;
  }
  std::optional<Attempt> published;
  int searches = 0, executions = 0;
};

class RunnerTest : public testing::Test {
 protected:
  RunnerTest() {
    options_.traits = traits_of(10);
    options_.trusted = {key_.public_key()};
  }
  void submit(const Job& job) { ASSERT_TRUE(queue_.submit(sign_job(job, key_), kSolution, kNow)); }
  JobRecord run() {
    auto ended = run_one(queue_, executor_, clock_, options_);
    EXPECT_TRUE(ended) << ended.error().to_string();
    EXPECT_TRUE(*ended);
    return **ended;
  }
  static bool wait_for(const std::atomic<bool>& flag) {
    for (int i = 0; i < 6000 && !flag; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return flag;
  }

  const sign::PrivateKey key_ = key_of('k');
  bool is_dead_ = false;
  MemoryQueue queue_{[this](const Holder&) { return is_dead_ ? Life::kDead : Life::kAlive; }};
  FixedClock clock_{kNow};
  Script executor_;
  RunnerOptions options_;
};

TEST_F(RunnerTest, SeesAJobToItsEnd) {
  EXPECT_FALSE(*run_one(queue_, executor_, clock_, options_)) << "nothing waits";
  submit(job_of(1));
  const JobRecord ended = run();
  EXPECT_EQ(ended.state, State::kDone);
  EXPECT_EQ(ended.results.size(), 2U);
  EXPECT_EQ(executor_.searches, 0) << "a first attempt published nothing before";
}

TEST_F(RunnerTest, BuildsNothingForAKeyThatIsNotTrusted) {
  submit(job_of(1));
  options_.trusted = {key_of('o').public_key()};
  const JobRecord ended = run();
  EXPECT_EQ(ended.state, State::kFailed);
  EXPECT_THAT(ended.message, HasSubstr("no key that this catalog trusts"));
  EXPECT_EQ(executor_.executions, 0);
}

TEST_F(RunnerTest, WhatAnAttemptPublishedBeforeItDiedIsNotDoneAgain) {
  const Job job = job_of(1);
  submit(job);
  ASSERT_TRUE(*queue_.lease(traits_of(9), kLength, kNow));
  is_dead_ = true;
  executor_.published = Script::all_of(job);
  EXPECT_EQ(run().state, State::kDone);
  EXPECT_EQ(executor_.searches, 1);
  EXPECT_EQ(executor_.executions, 0);
}

TEST_F(RunnerTest, TheMachinesFaultIsTriedAgainAndTheJobsIsNot) {
  submit(job_of(1));
  executor_.action = [](const auto&...) -> Result<Attempt> {
    return fail(Code::kUnavailable, "the disk is full");
  };
  EXPECT_EQ(run().state, State::kQueued);
  executor_.action = [](const auto&...) -> Result<Attempt> {
    return fail(Code::kUnsupported, "this needs a GPU");
  };
  const JobRecord ended = run();
  EXPECT_EQ(ended.state, State::kFailed);
  EXPECT_EQ(ended.message, "this needs a GPU");
}

TEST_F(RunnerTest, ACancelledJobIsStopped) {
  const Job job = job_of(1);
  submit(job);
  options_.lease = std::chrono::milliseconds(300);
  executor_.action = [&](const Job&, const std::atomic<bool>& cancel, const auto&) {
    EXPECT_TRUE(queue_.cancel(job.id, "not needed", kNow));
    EXPECT_TRUE(wait_for(cancel));
    return Attempt{.ending = Ending::kCancelled};
  };
  EXPECT_EQ(run().state, State::kCancelled);
}

TEST_F(RunnerTest, AStoppedRunnerGivesItsJobBack) {
  submit(job_of(1));
  std::atomic<bool> stop = false;
  options_.stop = &stop;
  executor_.action = [&](const Job&, const std::atomic<bool>& cancel, const auto&) {
    stop = true;
    EXPECT_TRUE(wait_for(cancel));
    return Attempt{.ending = Ending::kCancelled};
  };
  const JobRecord ended = run();
  EXPECT_EQ(ended.state, State::kQueued);
  EXPECT_EQ(ended.attempts, 0);
}

TEST_F(RunnerTest, AnAttemptHasATimeLimit) {
  Job job = job_of(1);
  job.limits = {1, 1};
  submit(job);
  executor_.action = [&](const Job&, const std::atomic<bool>& cancel, const auto&) {
    EXPECT_TRUE(wait_for(cancel));
    return Attempt{.ending = Ending::kCancelled};
  };
  const JobRecord ended = run();
  EXPECT_EQ(ended.state, State::kFailed);
  EXPECT_THAT(ended.message, HasSubstr("took longer than 1 s"));
}

TEST_F(RunnerTest, AnAttemptThatLostItsLeaseStopsAndPublishesNothing) {
  const Job job = job_of(1);
  submit(job);
  options_.lease = std::chrono::milliseconds(300);
  std::optional<Code> sealed;
  executor_.action = [&](const Job& one, const std::atomic<bool>& cancel, const auto& seal) {
    is_dead_ = true;  // as another runner sees it
    EXPECT_TRUE(*queue_.lease(traits_of(11), kLength, kNow));
    EXPECT_TRUE(wait_for(cancel));
    const auto result = seal();
    if (!result) sealed = result.error().code();
    return Script::all_of(one);
  };
  is_dead_ = false;
  const auto ended = run_one(queue_, executor_, clock_, options_);
  ASSERT_TRUE(ended && *ended);
  EXPECT_EQ(sealed, Code::kConflict);
  EXPECT_TRUE((*ended)->results.empty());
  EXPECT_EQ((*ended)->ignored_results, 2);
}

}  // namespace
}  // namespace ki::queue
