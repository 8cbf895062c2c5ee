#include "world.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <thread>

namespace ki::sandbox {
namespace {

const char* kDouble = R"(
ENTRY {
  const float* x = in[0].data;
  float* y = out[0].data;
  for (int64_t i = 0; i < in[0].numel; ++i) y[i] = 2 * x[i];
  return 0;
})";

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

TEST(Cell, CallsTheEntryPointOnceARing) {
  KI_CELL(cell, kDouble);
  for (int call = 0; call < 5; ++call) {
    cell.place(0, 0, 64 * static_cast<std::size_t>(call));
    cell.place(0, 1, cell.slack(1) / 64 * 64);
    auto x = floats(cell.tensor(0, 0));
    std::iota(x.begin(), x.end(), static_cast<float>(call));
    std::ranges::fill(cell.tensor(0, 1), std::byte{0xff});
    const CallReport report = cell.ring({});
    ASSERT_FALSE(report.ending) << report.ending->text;
    ASSERT_EQ(report.calls.size(), 1u);
    EXPECT_EQ(report.calls[0].result, 0);
    EXPECT_FALSE(report.calls[0].mxcsr_changed);
    EXPECT_GT(report.elapsed_ns, 0u);
    EXPECT_FALSE(report.late_write);
    EXPECT_TRUE(report.broken_canaries.empty());
    const auto y = floats(cell.tensor(0, 1));
    for (std::size_t i = 0; i < y.size(); ++i) {
      ASSERT_EQ(y[i], 2 * (static_cast<float>(i) + static_cast<float>(call)));
    }
  }
}

TEST(Cell, RunsThroughSeveralArgumentSetsInOneRing) {
  KI_CELL(cell, kDouble, 256, 8);
  for (int set = 0; set < 8; ++set) {
    std::ranges::fill(floats(cell.tensor(set, 0)), static_cast<float>(set));
  }
  const CallReport report = cell.ring({.first_set = 0, .count = 8});
  ASSERT_FALSE(report.ending) << report.ending->text;
  EXPECT_EQ(report.calls.size(), 8u);
  for (int set = 0; set < 8; ++set)
    EXPECT_EQ(floats(cell.tensor(set, 1))[255], 2.f * static_cast<float>(set));
}

TEST(Cell, TheParentMaySleepInsteadOfSpin) {
  KI_CELL(cell, kDouble);
  for (int i = 0; i < 20; ++i) {
    const CallReport report = cell.ring({.waiting = Waiting::kSleep});
    ASSERT_FALSE(report.ending) << report.ending->text;
  }
}

TEST(Cell, AnEmptyRingCostsNoCall) {
  KI_CELL(cell, kDouble);
  std::vector<std::uint64_t> costs;
  for (int i = 0; i < 20; ++i) {
    const CallReport report = cell.ring({.is_empty = true});
    ASSERT_FALSE(report.ending);
    EXPECT_TRUE(report.calls.empty());
    costs.push_back(report.elapsed_ns);
  }
  // The best of them: other work on this machine may keep either side waiting.
  EXPECT_LT(std::ranges::min(costs), 1'000'000u);
}

TEST(Cell, TheCandidateIsStoppedBetweenRings) {
  KI_CELL(cell, kDouble);
  cell.ring({});
  const std::string stat = text_of(fmt::format("/proc/{}/stat", cell.pid()));
  EXPECT_EQ(stat[stat.rfind(')') + 2], 'T');
}

TEST(Cell, RunsAsTheSpareUidSeenFromOutside) {
  KI_CELL(cell, kDouble);
  if (::geteuid() != 0) GTEST_SKIP() << "skipped: only root can run cells as another user";
  const std::string status = text_of(fmt::format("/proc/{}/status", cell.pid()));
  const std::string line = status.substr(
      status.find("Uid:"), status.find('\n', status.find("Uid:")) - status.find("Uid:"));
  std::istringstream parts(line.substr(4));
  std::uint32_t uid = 0;
  int count = 0;
  for (; parts >> uid; ++count) {
    EXPECT_GE(uid, 64123u);
    EXPECT_LT(uid, 64123u + 64);
  }
  EXPECT_EQ(count, 4);
}

TEST(Cell, TwoCellsHaveTwoUids) {
  KI_CELL(first, kDouble);
  KI_CELL(second, kDouble);
  if (::geteuid() != 0) GTEST_SKIP() << "skipped: only root can run cells as another user";
  EXPECT_NE(first.isolation().find("uid")->observed, second.isolation().find("uid")->observed);
}

TEST(Cell, IsolationIsFullAsRootWithControlGroupsAndEveryFactSaysWhatWasSeen) {
  KI_CELL(cell, kDouble);
  const IsolationReport& report = cell.isolation();
  for (const IsolationFact& fact : report.facts) EXPECT_FALSE(fact.observed.empty()) << fact.id;
  if (::geteuid() != 0) {
    EXPECT_EQ(report.level, IsolationLevel::kNone);
    return;
  }
  for (const IsolationFact& fact : report.facts) {
    if (fact.id == "limits" && !fact.holds) GTEST_SKIP() << "skipped: " << fact.observed;
    EXPECT_TRUE(fact.holds || !fact.is_required) << fact.id << ": " << fact.observed;
  }
  EXPECT_EQ(report.level, IsolationLevel::kFull);
}

TEST(Cell, AFactThatNobodyLookedForLowersTheLevel) {
  const auto fact = [](const char* id, bool holds = true) {
    return IsolationFact{id, holds, true, "seen"};
  };
  std::vector<IsolationFact> facts = {fact("uid"),     fact("namespaces"), fact("root"),
                                      fact("seccomp"), fact("privileges"), fact("limits"),
                                      fact("freeze"),  fact("fds")};
  EXPECT_EQ(level_of(facts), IsolationLevel::kFull);
  facts[5].holds = false;
  EXPECT_EQ(level_of(facts), IsolationLevel::kPartial);
  facts[5].holds = true;
  for (const std::size_t i : {0u, 1u, 2u, 3u, 4u, 6u, 7u}) {
    auto fewer = facts;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(level_of(fewer), IsolationLevel::kNone) << facts[i].id;
  }
}

TEST(Cell, NothingIsLeftBehind) {
  int pid = 0;
  {
    KI_CELL(cell, kDouble);
    pid = cell.pid();
    cell.ring({});
  }
  EXPECT_NE(::kill(pid, 0), 0);
  for (const char* folder : {"/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids"}) {
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             folder, std::filesystem::directory_options::skip_permission_denied, error)) {
      if (!entry.is_directory(error)) continue;
      EXPECT_FALSE(
          entry.path().filename().string().starts_with(fmt::format("ki-cell-{}-", ::getpid())))
          << entry.path();
    }
  }
}

struct Death {
  const char* why;
  const char* body;
  const char* reason;
  const char* text;  // part of it
};
const Death kDeaths[] = {
    {"a null pointer", "ENTRY { *(volatile int*)8 = 1; return 0; }", "signal_SEGV", "0x8"},
    {"abort", "ENTRY { abort(); }", "signal_ABRT", "SIGABRT"},
    {"a division by zero", "ENTRY { volatile int z = 0, n = 7; return n / z; }", "signal_FPE",
     "SIGFPE"},
    {"an illegal instruction", "ENTRY { __builtin_trap(); }", "signal_ILL", "SIGILL"},
    {"writing an input", "ENTRY { *(volatile float*)in[0].data = 1; return 0; }", "input_write",
     "read-only input"},
    {"writing far behind an output",
     "ENTRY { ((volatile char*)out[0].data)[20000] = 1; return 0; }", "oob", "guard"},
    {"reading far before an input", "ENTRY { return ((volatile char*)in[0].data)[-5000]; }", "oob",
     "guard"},
    {"making an input writable",
     "ENTRY { void* p = (void*)((uintptr_t)in[0].data & ~4095ul);\n"
     "  if (mprotect(p, 4096, PROT_READ | PROT_WRITE) != 0) abort();\n"
     "  return 0; }",
     "signal_ABRT", "SIGABRT"},
    {"leaving", "ENTRY { _exit(7); }", "exited", "code 7"},
    {"over the memory limit",
     "ENTRY { for (int i = 0; i < 1024; ++i) { char* p = malloc(1 << 20); if (!p) abort();"
     " memset(p, 1, 1 << 20); *(char* volatile*)&p; } return 0; }",
     "resource_exceeded", "memory limit"},
};

class CellDeath : public ::testing::TestWithParam<Death> {};
TEST_P(CellDeath, IsNamed) {
  const Death& death = GetParam();
  SCOPED_TRACE(death.why);
  KI_CELL(cell, death.body, 1024, 1, 1, std::uint64_t{64} << 20);
  if (std::string(death.reason) == "resource_exceeded" && !cell.isolation().find("limits")->holds) {
    GTEST_SKIP() << "skipped: no control group limits memory here";
  }
  const CallReport report = cell.ring({});
  ASSERT_TRUE(report.ending);
  EXPECT_EQ(report.ending->reason(), death.reason) << report.ending->text;
  EXPECT_NE(report.ending->text.find(death.text), std::string::npos) << report.ending->text;
  // A dead cell stays dead, and says so again.
  EXPECT_EQ(cell.ring({}).ending->reason(), death.reason);
}
INSTANTIATE_TEST_SUITE_P(Table, CellDeath, ::testing::ValuesIn(kDeaths),
                         [](const auto& each) { return fmt::format("Case{}", each.index); });

TEST(Cell, ACallOverItsDeadlineIsKilled) {
  KI_CELL(cell, "ENTRY { for (;;) { } }");
  const auto begin = std::chrono::steady_clock::now();
  const CallReport report = cell.ring({.deadline = std::chrono::milliseconds(100)});
  ASSERT_TRUE(report.ending);
  EXPECT_EQ(report.ending->cause, EndCause::kTimeout);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(Cell, ObjectsThatCannotBeLoadedSayWhy) {
  std::string why;
  const Host* host = shared_host(why);
  if (host == nullptr) GTEST_SKIP() << "skipped: " << why;
  struct Case {
    const char* why;
    std::string source;
    const char* text;
  };
  for (const auto& [reason, source, text] : std::initializer_list<Case>{
           {"no ABI", "int entry(void) { return 0; }", "ki_kernel_abi"},
           {"another ABI", "const unsigned ki_kernel_abi = 2; int entry(void) { return 0; }",
            "not 1"},
           {"no entry point", "const unsigned ki_kernel_abi = 1;", "entry"}}) {
    SCOPED_TRACE(reason);
    const auto built = compiled(*host, source);
    ASSERT_TRUE(built) << built.error().to_string();
    ASSERT_EQ(built->outcome, BuildOutcome::kBuilt) << built->log;
    const auto cell = Cell::start(*host, {.object = built->object, .entry = "entry"});
    ASSERT_TRUE(cell) << cell.error().to_string();
    ASSERT_TRUE(cell->ending());
    EXPECT_EQ(cell->ending()->cause, EndCause::kLoadFailed);
    EXPECT_NE(cell->ending()->text.find(text), std::string::npos) << cell->ending()->text;
  }
  const auto cell = Cell::start(*host, {.object = "not an object", .entry = "entry"});
  ASSERT_TRUE(cell) << cell.error().to_string();
  ASSERT_TRUE(cell->ending());
  EXPECT_EQ(cell->ending()->reason(), "load_error");
}

TEST(Cell, AFloodOfStderrIsCutAndBlocksNobody) {
  KI_CELL(cell, R"(
ENTRY {
  static char line[1024];
  memset(line, 'x', sizeof line);
  for (int i = 0; i < 16384; ++i) (void)!write(2, line, sizeof line);
  return 0;
})");
  const CallReport report = cell.ring({.deadline = std::chrono::milliseconds(5'000)});
  ASSERT_FALSE(report.ending) << report.ending->text;
  cell.stop();
  EXPECT_LE(cell.log().size(), (std::size_t{1} << 20) + 100);
  EXPECT_GT(cell.log().size(), 1000u);
}

TEST(Cell, BytesWrittenBesideAnOutputAreFound) {
  KI_CELL(cell, "ENTRY { ((char*)out[0].data)[4096] = 1; return 0; }");
  const CallReport report = cell.ring({});
  ASSERT_FALSE(report.ending) << report.ending->text;
  EXPECT_EQ(report.broken_canaries, std::vector<int>{1});
}

TEST(Cell, AChangedRoundingModeIsSeen) {
  KI_CELL(cell,
          "ENTRY { unsigned m = 0x9fc0; __asm__ volatile(\"ldmxcsr %0\" :: \"m\"(m)); return 0; }");
  const CallReport report = cell.ring({});
  ASSERT_FALSE(report.ending);
  EXPECT_TRUE(report.calls[0].mxcsr_changed);
  // The next call starts from the default again.
  EXPECT_EQ(cell.ring({}).calls[0].mxcsr & ~0x3fu, 0x9fc0u);
}

TEST(Cell, WorkAfterTheAnswerIsSeenAsProcessorTimeAndAsALateWrite) {
  KI_CELL(cell, R"(
#include <pthread.h>
static float* volatile g_out;
static volatile unsigned g_turns;
static void* work(void* p) {
  for (;;) {
    float* out = g_out;
    for (int i = 0; i < 1024; ++i) ((volatile float*)out)[i] += 1;
    ++g_turns;
  }
  return p;
}
ENTRY {
  static pthread_t thread;
  g_out = out[0].data;
  if (!thread && pthread_create(&thread, 0, work, 0)) return 3;
  // Answers while the other thread is at work.
  for (unsigned turn = g_turns; g_turns - turn < 2;) { }
  return 0;
})",
          1024, 1, 2);
  int late = 0;
  std::uint64_t run = 0;
  std::uint64_t window = 0;
  // Lines are a sample, and the other thread may be off its processor: some rings show nothing.
  for (int i = 0; i < 1000 && (i < 30 || late == 0); ++i) {
    const CallReport report = cell.ring({.waiting = Waiting::kSleep});
    ASSERT_FALSE(report.ending) << report.ending->text;
    EXPECT_EQ(report.calls[0].result, 0);
    late += report.late_write ? 1 : 0;
    run += report.after.run_ns - report.before.run_ns - report.spin_ns;
    window += report.elapsed_ns;
    EXPECT_EQ(report.after.threads, 2u);
  }
  EXPECT_GT(late, 0);
  EXPECT_GT(run, 0u) << "of " << window << " ns, by both threads";
}

TEST(Cell, ThreadsBeyondThePlanAreRefused) {
  KI_CELL(cell, R"(
#include <pthread.h>
static void* work(void* p) { pause(); return p; }
ENTRY {
  pthread_t thread;
  int made = 0;
  while (made < 8 && pthread_create(&thread, 0, work, 0) == 0) ++made;
  return made;
})",
          1024, 1, 4);
  const CallReport report = cell.ring({});
  ASSERT_FALSE(report.ending) << report.ending->text;
  if (!cell.isolation().find("limits")->holds)
    GTEST_SKIP() << "skipped: no limit of processes here";
  EXPECT_EQ(report.calls[0].result, 3);
}

TEST(Cell, OutputsOfOneCallAreTheParentsAloneUntilTheNext) {
  KI_CELL(cell, kDouble);
  cell.ring({});
  auto y = floats(cell.tensor(0, 1));
  std::ranges::fill(y, -1.f);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(std::ranges::all_of(y, [](float v) { return v == -1.f; }));
}

}  // namespace
}  // namespace ki::sandbox
