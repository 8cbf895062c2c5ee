// kill -9 of a runner at any moment, with a build, an oracle or a cell alive: no result is lost or
// doubled, and nothing is left running.
#include "ki/queue/file_queue.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace ki::queue {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

const std::string kProblem = std::string(KI_SOURCE_DIR) + "/problems/vec_add";

class QueueKill : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/ki-queue-kill-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    // Orphans of a killed runner become children of this process, so that none is overlooked.
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string catalog() const { return (folder_ / "catalog.db").string(); }

  pid_t start(std::vector<std::string> args) const {
    args.insert(args.begin(), (fs::read_symlink("/proc/self/exe").parent_path() / "ki").string());
    args.insert(args.end(), {"--catalog", catalog()});
    const pid_t child = ::fork();
    if (child != 0) return child;
    const int log = ::open((folder_ / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    std::vector<char*> argv;
    for (std::string& one : args) argv.push_back(one.data());
    argv.push_back(nullptr);
    ::execv(argv.front(), argv.data());
    ::_exit(127);
  }
  int finish(pid_t child) const {
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string log() const {
    std::ifstream in(folder_ / "log");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void submit() const {
    ASSERT_EQ(finish(start({"job", "submit", kProblem, "--solution",
                            kProblem + "/solutions/reference/solution.json", "--case", "n65536",
                            "--case", "n1048576", "--quick", "--attempts", "1000"})),
              0)
        << log();
  }
  QueueListing listing() const {
    const auto queue = FileQueue::open(catalog() + ".queue");
    EXPECT_TRUE(queue);
    const auto now =
        std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
    return *(*queue)->list(Instant{now.time_since_epoch().count()});
  }
  bool has_open_job() const {
    const QueueListing all = listing();
    return std::ranges::any_of(all.jobs, [](const JobRecord& one) { return !is_final(one.state); });
  }
  // True when every descendant has died within 30 s.
  static bool all_are_dead() {
    for (const auto end = steady_clock::now() + std::chrono::seconds(30);
         steady_clock::now() < end;) {
      const pid_t reaped = ::waitpid(-1, nullptr, WNOHANG);
      if (reaped < 0) return true;
      if (reaped == 0) ::usleep(5000);
    }
    return false;
  }

  fs::path folder_;
};

TEST_F(QueueKill, AtAnyMomentLosesAndDoublesNothing) {
  submit();
  // How long one job takes here and now.
  const auto begin = steady_clock::now();
  const std::vector<std::string> runner = {"runner", "--once", "--wait", "--any-load"};
  const int first = finish(start({"runner", "--once", "--any-load"}));
  if (log().find("another measurement") != std::string::npos)
    GTEST_SKIP() << "skipped: another measurement runs on this machine";
  if (first == 3 || log().find("sandbox") != std::string::npos)
    GTEST_SKIP() << "skipped: no sandbox here: " << log();
  ASSERT_EQ(first, 0) << log();
  const auto length = std::chrono::duration_cast<std::chrono::microseconds>(
      std::min<steady_clock::duration>(steady_clock::now() - begin, std::chrono::seconds(8)));

  const int wanted = ::getenv("KI_LONG") != nullptr ? 50 : 5;
  std::uint64_t random = 20'260'815;
  std::vector<pid_t> killed;
  while (static_cast<int>(killed.size()) < wanted) {
    if (!has_open_job()) submit();
    const pid_t child = start(runner);
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto delay = length * static_cast<std::int64_t>((random >> 33U) % 1000) / 1000;
    ::usleep(static_cast<useconds_t>(delay.count()));
    ::kill(child, SIGKILL);
    if (finish(child) == -1) killed.push_back(child);
    ASSERT_TRUE(all_are_dead()) << "a process outlived its runner";
  }

  // The next runner cleans up and finishes.
  while (has_open_job()) ASSERT_EQ(finish(start(runner)), 0) << log();
  EXPECT_TRUE(all_are_dead());
  const QueueListing all = listing();
  EXPECT_TRUE(all.damaged.empty());
  for (const JobRecord& one : all.jobs) {
    EXPECT_EQ(one.state, State::kDone) << one.message;
    EXPECT_EQ(one.results.size(), 2U);
    EXPECT_EQ(one.ignored_results, 0);
  }
  EXPECT_TRUE(fs::is_empty(catalog() + ".queue/work")) << "what attempts kept is gone";
  // Control groups carry the pid of the process that made them.
  std::error_code error;
  for (fs::recursive_directory_iterator it("/sys/fs/cgroup", error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    for (const pid_t pid : killed) {
      EXPECT_FALSE(name.starts_with("ki-cell-" + std::to_string(pid) + "-")) << it->path();
    }
  }
}

}  // namespace
}  // namespace ki::queue
