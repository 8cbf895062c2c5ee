// The contract of a queue, once, for every implementation.
#include "ki/io/file.h"
#include "ki/queue/file_queue.h"
#include "ki/queue/memory_queue.h"
#include "queue_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <set>
#include <thread>

namespace ki::queue {
namespace {

using testing::HasSubstr;

class Contract : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const LifeOf life = [this](const Holder& holder) {
      const auto found = lives_.find(holder.pid);
      return found == lives_.end() ? Life::kAlive : found->second;
    };
    if (GetParam() == "memory") {
      queue_ = std::make_unique<MemoryQueue>(life);
      return;
    }
    std::string pattern = "/tmp/ki-queue-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    auto opened = FileQueue::open(folder_, life);
    ASSERT_TRUE(opened) << opened.error().to_string();
    queue_ = *std::move(opened);
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  JobRecord submit(const Job& job, Instant now = kNow) {
    auto record = queue_->submit(sign_job(job, key_), kSolution, now);
    EXPECT_TRUE(record) << record.error().to_string();
    return *record;
  }
  JobRecord lease(int pid, Instant now = kNow) {
    auto leased = queue_->lease(traits_of(pid), kLength, now);
    EXPECT_TRUE(leased && *leased);
    return **leased;
  }
  bool is_idle(int pid, Instant now = kNow) {
    const auto leased = queue_->lease(traits_of(pid), kLength, now);
    return leased && !*leased;
  }
  JobRecord find(const Job& job, Instant now = kNow) { return *queue_->find(job.id, now); }
  Stored put(const Lease& lease, const std::string& name, const std::string& text = "{}") {
    const auto stored = queue_->put_result(lease, {name, text}, kNow);
    EXPECT_TRUE(stored) << stored.error().to_string();
    return *stored;
  }

  const sign::PrivateKey key_ = key_of('k');
  std::map<std::int64_t, Life> lives_;
  std::filesystem::path folder_;
  std::unique_ptr<Queue> queue_;
};

TEST_P(Contract, AJobGoesFromQueuedToDoneWithOneResultACase) {
  const Job job = job_of(1);
  EXPECT_EQ(submit(job).state, State::kQueued);
  const JobRecord leased = lease(10);
  EXPECT_EQ(leased.job, job);
  EXPECT_EQ(leased.state, State::kLeased);
  EXPECT_TRUE(is_idle(11)) << "a leased job is nobody else's";
  EXPECT_EQ(put(*leased.lease, "a", R"({"run":1})"), Stored::kStored);
  EXPECT_EQ(put(*leased.lease, "b"), Stored::kStored);
  const auto done = queue_->finish(*leased.lease, Ending::kDone, "", kNow);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->state, State::kDone);
  EXPECT_EQ(find(job).result_of("a")->text, R"({"run":1})");
  EXPECT_EQ(find(job).ignored_results, 0);
  EXPECT_TRUE(is_idle(10));
  EXPECT_EQ(*queue_->solution(job.solution), kSolution);
}

TEST_P(Contract, TheOldestFittingJobComesFirst) {
  Job bare = job_of(1);
  bare.runner.host_class = "bare";
  const Job second = job_of(2), third = job_of(3);
  submit(third);
  submit(bare);
  submit(second);
  EXPECT_EQ(lease(10).job.id, second.id);
  EXPECT_EQ(lease(11).job.id, third.id);
  EXPECT_TRUE(is_idle(12)) << "this runner is a vm";
  RunnerTraits other = traits_of(13);
  other.host_class = "bare";
  EXPECT_EQ((*queue_->lease(other, kLength, kNow))->job.id, bare.id);
}

TEST_P(Contract, AnIdIsUsedOnce) {
  const Job job = job_of(1);
  submit(job);
  const auto again = queue_->submit(sign_job(job, key_), kSolution, kNow);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), Code::kConflict);
}

TEST_P(Contract, WhatDoesNotBelongTogetherIsRefused) {
  EXPECT_EQ(queue_->submit(sign_job(job_of(1), key_), "{}", kNow).error().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(queue_->submit(sign_job(job_of(1), key_), kSolution, later(3600)).error().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(queue_->find(job_of(1).id, kNow).error().code(), Code::kNotFound);
  submit(job_of(1));
  EXPECT_EQ(queue_->put_result(*lease(10).lease, {"c", "{}"}, kNow).error().code(),
            Code::kInvalidArgument);
}

TEST_P(Contract, ASecondResultOfACaseIsIgnoredAndCounted) {
  const Job job = job_of(1);
  submit(job);
  const JobRecord leased = lease(10);
  EXPECT_EQ(put(*leased.lease, "a", "1"), Stored::kStored);
  EXPECT_EQ(put(*leased.lease, "a", "2"), Stored::kIgnored);
  EXPECT_EQ(find(job).result_of("a")->text, "1");
  EXPECT_EQ(find(job).ignored_results, 1);
}

TEST_P(Contract, ALeaseThatIsNotRenewedIsLostAndItsResultsAreIgnored) {
  const Job job = job_of(1);
  submit(job);
  const JobRecord first = lease(10);
  EXPECT_TRUE(is_idle(11, later(59)));
  ASSERT_TRUE(queue_->renew(*first.lease, kLength, later(50)));
  EXPECT_TRUE(is_idle(11, later(109)));
  const JobRecord second = lease(11, later(110));
  EXPECT_GT(second.lease->number, first.lease->number);
  EXPECT_EQ(put(*first.lease, "a", "late"), Stored::kIgnored);
  EXPECT_EQ(queue_->renew(*first.lease, kLength, later(110)).error().code(), Code::kConflict);
  EXPECT_EQ(queue_->finish(*first.lease, Ending::kDone, "", later(110)).error().code(),
            Code::kConflict);
  EXPECT_EQ(put(*second.lease, "a", "right"), Stored::kStored);
  EXPECT_EQ(find(job, later(110)).result_of("a")->text, "right");
  EXPECT_EQ(find(job, later(110)).ignored_results, 1);
}

TEST_P(Contract, TheJobOfADeadRunnerIsGivenAwayAtOnce) {
  submit(job_of(1));
  lease(10);
  lives_[10] = Life::kDead;
  const JobRecord second = lease(11);
  EXPECT_EQ(second.attempts, 2);
  EXPECT_THAT(second.events[second.events.size() - 2].what, HasSubstr("died"));
}

TEST_P(Contract, ASealedLeaseEndsOnlyWithItsHolder) {
  const Job job = job_of(1);
  submit(job);
  const JobRecord first = lease(10);
  ASSERT_TRUE(queue_->seal(*first.lease, kNow));
  EXPECT_TRUE(is_idle(11, later(3000))) << "what is being published is not done twice";
  EXPECT_EQ(queue_->cancel(job.id, "no", kNow).error().code(), Code::kConflict);
  EXPECT_EQ(put(*first.lease, "a"), Stored::kStored);
  EXPECT_EQ(put(*first.lease, "b"), Stored::kStored);
  lives_[10] = Life::kDead;
  EXPECT_EQ(find(job).state, State::kDone) << "every result was there";
}

TEST_P(Contract, AttemptsAreLimited) {
  Job job = job_of(1);
  job.limits.attempts = 2;
  submit(job);
  ASSERT_TRUE(queue_->finish(*lease(10).lease, Ending::kRetry, "the disk is full", kNow));
  EXPECT_EQ(find(job).state, State::kQueued);
  ASSERT_TRUE(queue_->finish(*lease(10).lease, Ending::kRetry, "the disk is full", kNow));
  EXPECT_EQ(find(job).state, State::kFailed);
  EXPECT_THAT(find(job).message, HasSubstr("the disk is full; that was attempt 2 of 2"));
  EXPECT_TRUE(is_idle(10));
}

TEST_P(Contract, AStoppedRunnerGivesTheAttemptBack) {
  Job job = job_of(1);
  job.limits.attempts = 1;
  submit(job);
  const JobRecord first = lease(10);
  ASSERT_TRUE(queue_->finish(*first.lease, Ending::kReleased, "stopped", kNow));
  const JobRecord second = lease(10);
  EXPECT_EQ(second.attempts, 1);
  EXPECT_NE(second.lease->number, first.lease->number) << "numbers are not used again";
  EXPECT_EQ(put(*first.lease, "a"), Stored::kIgnored);
}

TEST_P(Contract, AnAttemptWithoutEveryResultIsNotDone) {
  const Job job = job_of(1);
  submit(job);
  const JobRecord leased = lease(10);
  put(*leased.lease, "a");
  ASSERT_TRUE(queue_->finish(*leased.lease, Ending::kDone, "", kNow));
  EXPECT_EQ(find(job).state, State::kQueued);
  EXPECT_EQ(put(*lease(10).lease, "a"), Stored::kIgnored) << "written once, also by attempt 2";
}

TEST_P(Contract, QueuedJobsAreCancelledAtOnceAndRunningOnesWhenTheyStop) {
  const Job queued = job_of(1), running = job_of(2), orphan = job_of(3);
  submit(queued);
  ASSERT_TRUE(queue_->cancel(queued.id, "not needed", kNow));
  EXPECT_EQ(find(queued).state, State::kCancelled);
  EXPECT_EQ(find(queued).message, "not needed");
  EXPECT_EQ(queue_->cancel(queued.id, "again", kNow).error().code(), Code::kConflict);
  submit(running);
  const JobRecord leased = lease(10);
  ASSERT_TRUE(queue_->cancel(running.id, "not needed", kNow));
  EXPECT_EQ(find(running).state, State::kLeased);
  EXPECT_TRUE(queue_->renew(*leased.lease, kLength, kNow)->is_cancel_asked);
  EXPECT_EQ(queue_->seal(*leased.lease, kNow).error().code(), Code::kCancelled);
  ASSERT_TRUE(queue_->finish(*leased.lease, Ending::kCancelled, "cancelled as asked", kNow));
  EXPECT_EQ(find(running).state, State::kCancelled);
  submit(orphan);
  lease(10);
  ASSERT_TRUE(queue_->cancel(orphan.id, "not needed", kNow));
  lives_[10] = Life::kDead;
  EXPECT_EQ(find(orphan).state, State::kCancelled) << "nobody is left who could stop";
}

TEST_P(Contract, AJobThatWaitsTooLongExpires) {
  const Job job = job_of(1);
  submit(job);
  EXPECT_EQ(find(job, later(3599)).state, State::kQueued);
  EXPECT_TRUE(is_idle(10, later(3600)));
  EXPECT_EQ(find(job, later(3600)).state, State::kExpired);
}

TEST_P(Contract, OneRunnerGetsAJobHoweverManyAsk) {
  constexpr int kJobs = 12, kThreads = 6;
  for (int i = 0; i < kJobs; ++i) submit(job_of(i, {"a"}));
  std::atomic<int> finished = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (;;) {
        const auto leased = queue_->lease(traits_of(100 + t), kLength, kNow);
        if (!leased || !*leased) return;
        const Lease& lease = *(*leased)->lease;
        (void)queue_->put_result(lease, {"a", "{}"}, kNow);
        if (queue_->finish(lease, Ending::kDone, "", kNow)) ++finished;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(finished, kJobs);
  const auto all = queue_->list(kNow);
  ASSERT_EQ(all->jobs.size(), static_cast<std::size_t>(kJobs));
  for (const JobRecord& record : all->jobs) {
    EXPECT_EQ(record.state, State::kDone);
    EXPECT_EQ(record.leases, 1);
    EXPECT_EQ(record.ignored_results, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Queues, Contract, testing::Values("memory", "file"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace ki::queue
