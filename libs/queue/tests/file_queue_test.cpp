// What only a queue of files must bear: kills, damage, and a second process.
#include "ki/queue/file_queue.h"

#include "ki/io/file.h"
#include "queue_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace ki::queue {
namespace {

namespace fs = std::filesystem;

class FileQueueTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/ki-queue-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::unique_ptr<FileQueue> open() {
    auto queue = FileQueue::open(folder_ / "queue");
    EXPECT_TRUE(queue) << queue.error().to_string();
    return *std::move(queue);
  }
  fs::path folder_;
  const sign::PrivateKey key_ = key_of('k');
};

TEST_F(FileQueueTest, IsReadableByItsOwnerAlone) {
  open();
  struct stat status{};
  ASSERT_EQ(::stat((folder_ / "queue").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

TEST_F(FileQueueTest, KeepsEverythingForTheNextProcess) {
  const Job job = job_of(1);
  JobRecord written;
  {
    const auto queue = open();
    ASSERT_TRUE(queue->submit(sign_job(job, key_), kSolution, kNow));
    const auto leased = queue->lease({this_process("this test"), "vm", true}, kLength, kNow);
    ASSERT_TRUE(leased && *leased);
    ASSERT_TRUE(queue->put_result(*(*leased)->lease, {"a", R"({"x":"\n"})"}, kNow));
    written = *queue->find(job.id, kNow);
  }
  EXPECT_EQ(*open()->find(job.id, kNow), written);
}

TEST_F(FileQueueTest, DamageIsNamedAndHoldsNobodyUp) {
  const Job first = job_of(1), second = job_of(2);
  const auto queue = open();
  ASSERT_TRUE(queue->submit(sign_job(first, key_), kSolution, kNow));
  ASSERT_TRUE(queue->submit(sign_job(second, key_), kSolution, kNow));
  std::ofstream(folder_ / "queue/jobs" / (first.id.to_string() + ".json"), std::ios::trunc) << "{";
  EXPECT_EQ(queue->find(first.id, kNow).error().code(), Code::kCorrupt);
  const auto all = queue->list(kNow);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->damaged, std::vector{first.id.to_string()});
  EXPECT_EQ((*queue->lease(traits_of(1), kLength, kNow))->job.id, second.id);
  std::ofstream(folder_ / "queue/solutions" / (first.solution.hex() + ".json"), std::ios::app)
      << " ";
  EXPECT_EQ(queue->solution(first.solution).error().code(), Code::kCorrupt);
}

TEST_F(FileQueueTest, AHalfWrittenFileIsRemovedByTheNextToOpen) {
  const auto queue = open();
  ASSERT_TRUE(queue->submit(sign_job(job_of(1), key_), kSolution, kNow));
  std::ofstream(folder_ / "queue/jobs/.half.123.tmp") << "{";
  EXPECT_EQ(open()->list(kNow)->jobs.size(), 1U);
  EXPECT_FALSE(fs::exists(folder_ / "queue/jobs/.half.123.tmp"));
}

// Children take jobs and are killed at any moment; each result is written once, none is lost.
TEST_F(FileQueueTest, KillsLoseAndDoubleNothing) {
  constexpr int kJobs = 8;
  for (int i = 0; i < kJobs; ++i) {
    Job job = job_of(i, {"a", "b", "c"});
    job.limits.attempts = 1000;
    ASSERT_TRUE(open()->submit(sign_job(job, key_), kSolution, kNow));
  }
  std::uint64_t random = 12345;
  int kills = 0;
  for (int round = 0; round < 100; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto queue = FileQueue::open(folder_ / "queue");
      if (!queue) ::_exit(3);
      for (;;) {
        const auto leased = (*queue)->lease({this_process("child"), "vm", true}, kLength, kNow);
        if (!leased) ::_exit(4);
        if (!*leased) ::_exit(0);
        const Lease& lease = *(*leased)->lease;
        for (const char* name : {"a", "b", "c"}) {
          ::usleep(300);
          (void)(*queue)->put_result(lease, {name, std::to_string(lease.number)}, kNow);
        }
        (void)(*queue)->finish(lease, Ending::kDone, "", kNow);
      }
    }
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    ::usleep(static_cast<useconds_t>((random >> 33U) % 30'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) {
      ASSERT_EQ(WEXITSTATUS(status), 0);
      break;
    }
    ++kills;
  }
  // Whatever was left is finished by a runner that lives.
  const auto queue = open();
  for (;;) {
    const auto leased = queue->lease({this_process("this test"), "vm", true}, kLength, kNow);
    ASSERT_TRUE(leased);
    if (!*leased) break;
    for (const char* name : {"a", "b", "c"})
      ASSERT_TRUE(queue->put_result(*(*leased)->lease, {name, "last"}, kNow));
    ASSERT_TRUE(queue->finish(*(*leased)->lease, Ending::kDone, "", kNow));
  }
  const auto all = queue->list(kNow);
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->damaged.empty());
  ASSERT_EQ(all->jobs.size(), static_cast<std::size_t>(kJobs));
  for (const JobRecord& record : all->jobs) {
    std::vector<std::string> names;
    for (const CaseOutcome& one : record.results) names.push_back(one.workload);
    std::ranges::sort(names);
    EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c"})) << "none lost, none twice";
    EXPECT_EQ(record.state, State::kDone);
  }
  EXPECT_GT(kills, 0);
}

TEST_F(FileQueueTest, AProcessIsKnownByBootPidAndStart) {
  Holder self = this_process("this test");
  EXPECT_EQ(life_of(self), Life::kAlive);
  Holder other = self;
  ++other.started;
  EXPECT_EQ(life_of(other), Life::kDead) << "another process has the pid now";
  other = self;
  other.boot = "another boot";
  EXPECT_EQ(life_of(other), Life::kUnknown);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  other = self;
  other.pid = child;
  EXPECT_EQ(life_of(other), Life::kDead) << "a zombie does nothing any more";
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace ki::queue
