#include "ki/measure/batch.h"
#include "ki/measure/caches.h"
#include "ki/measure/estimate.h"
#include "ki/measure/paired.h"
#include "ki/measure/protocol.h"
#include "ki/measure/rejection.h"
#include "ki/measure/sentinel.h"
#include "ki/measure/shape.h"
#include "ki/sandbox/builder.h"
#include "ki/stats/philox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace ki::measure {
namespace {

TEST(Shape, TwoModesAreFoundAndOneIsNot) {
  stats::Random random(3, 0);
  std::vector<double> one, two, skewed;
  for (int i = 0; i < 400; ++i) {
    one.push_back(24 + 0.3 * random.normal());
    two.push_back((i % 3 == 0 ? 25.5 : 22.5) + 0.2 * random.normal());  // harness 12, T07
    skewed.push_back(24 * std::exp(0.3 * std::fabs(random.normal())));
  }
  EXPECT_FALSE(modes_of(one));
  EXPECT_FALSE(modes_of(skewed));
  const auto modes = modes_of(two);
  ASSERT_TRUE(modes);
  EXPECT_NEAR(modes->low, 22.5, 0.1);
  EXPECT_NEAR(modes->high, 25.5, 0.1);
  EXPECT_NEAR(modes->low_share, 2.0 / 3, 0.01);
  // A few slow samples are outliers, not a mode.
  std::vector<double> outliers(one.begin(), one.end());
  for (int i = 0; i < 20; ++i) outliers[static_cast<std::size_t>(i) * 20] = 60;
  EXPECT_FALSE(modes_of(outliers));
}

TEST(Shape, DriftIsTheChangeFromFirstToLast) {
  std::vector<double> series;
  for (int i = 0; i < 2000; ++i) series.push_back(1 + 0.1 * i / 2000.0);
  EXPECT_NEAR(drift_of(series), 0.1 / 1.05, 0.002);
  EXPECT_EQ(drift_of(std::vector<double>(100, 4.0)), 0);
  EXPECT_EQ(drift_of(std::vector<double>{1.0, 2.0}), 0);
  // One wild sample does not make a drift.
  std::vector<double> wild(101, 1.0);
  wild.back() = 100;
  EXPECT_EQ(drift_of(wild), 0);
}

TEST(Rejection, EachCauseByItself) {
  const DelayLimit limit = DelayLimit::of_planned_window(10'000'000);
  EXPECT_EQ(limit.nanoseconds(), 100'000u);
  EXPECT_EQ(DelayLimit::of_planned_window(1000).nanoseconds(), 20'000u);
  EXPECT_FALSE(rejection({}, limit));
  EXPECT_FALSE(rejection({.run_queue_ns = 100'000}, limit));
  EXPECT_EQ(rejection({.run_queue_ns = 100'001}, limit), RejectCause::kRunQueueDelay);
  EXPECT_EQ(rejection({.migrations = 1}, limit), RejectCause::kMigration);
  EXPECT_EQ(rejection({.major_faults = 1}, limit), RejectCause::kMajorFault);
  EXPECT_EQ(rejection({.steal_share = 0.03}, limit), RejectCause::kSteal);
  EXPECT_FALSE(rejection({.steal_share = 0.02}, limit));
  EXPECT_EQ(rejection({.was_rearmed = true}, limit), RejectCause::kNotSpinning);
}

// What a decision can see holds nothing of how long the call took: no duration type converts to it.
TEST(Rejection, SeesNoDuration) {
  static_assert(!std::is_constructible_v<DelayLimit, std::chrono::nanoseconds>);
  static_assert(!std::is_invocable_v<decltype(&rejection), Telemetry, std::uint64_t>);
  static_assert(!std::is_invocable_v<decltype(&rejection), Telemetry, double>);
  static_assert(!std::is_convertible_v<sandbox::CallReport, Telemetry>);
}

TEST(Rejection, MoreThanAFifthIsUnhealthy) {
  std::vector<std::optional<RejectCause>> decisions(100);
  EXPECT_TRUE(count_rejections(decisions).is_healthy());
  for (std::size_t i = 0; i < 20; ++i) decisions[i] = RejectCause::kMigration;
  EXPECT_TRUE(count_rejections(decisions).is_healthy());
  for (std::size_t i = 20; i < 25; ++i) decisions[i] = RejectCause::kRunQueueDelay;
  const RejectionCount count = count_rejections(decisions);
  EXPECT_FALSE(count.is_healthy());
  EXPECT_EQ(count.accepted, 75u);
  EXPECT_EQ(count.by_cause[static_cast<std::size_t>(RejectCause::kRunQueueDelay)], 5u);
  EXPECT_FALSE(count_rejections({}).is_healthy());
}

TEST(Estimate, SixProcessesCoverAsOftenAsTheySay) {
  int six = 0;
  int three = 0;
  constexpr int kRuns = 150;
  for (int run = 0; run < kRuns; ++run) {
    stats::Random random(99, static_cast<std::uint64_t>(run));
    std::vector<std::vector<double>> processes;
    for (int p = 0; p < 6; ++p) {
      const double shift = std::exp(0.02 * random.normal());  // between processes
      auto& samples = processes.emplace_back();
      for (int i = 0; i < 30; ++i) samples.push_back(shift * std::exp(0.03 * random.normal()));
    }
    const Estimate all = estimate(processes, 1);
    EXPECT_LE(all.interval.low, all.value);
    EXPECT_GE(all.interval.high, all.value);
    six += all.interval.low <= 1 && 1 <= all.interval.high ? 1 : 0;
    const Estimate some = estimate(std::span(processes).first(3), 1);
    three += some.interval.low <= 1 && 1 <= some.interval.high ? 1 : 0;
  }
  EXPECT_GE(six, kRuns * 92 / 100);
  EXPECT_GE(three, kRuns * 80 / 100);
}

TEST(Estimate, IsTheSameBitForBitFromTheSameSeed) {
  const std::vector<std::vector<double>> processes = {{1, 2, 3, 4}, {2, 3, 4, 5}, {1, 1, 2, 2}};
  EXPECT_EQ(estimate(processes, 5).interval, estimate(processes, 5).interval);
  EXPECT_EQ(estimate(std::span(processes).first(1), 5).spread, stats::Spread::kWithinProcess);
}

TEST(Batch, RaisesTheCallsUntilTheClockCanTell) {
  const EmptyCall spinning{300, 20, 25, true};
  EXPECT_EQ(calls_per_sample(25, spinning, 1000), 800u);  // harness 12, T10
  EXPECT_EQ(calls_per_sample(25, spinning, 64), 64u);
  EXPECT_EQ(calls_per_sample(30'000, spinning, 64), 1u);
  const EmptyCall sleeping{60'000, 20'000, 25, false};
  EXPECT_EQ(calls_per_sample(30'000, sleeping, 64), 14u);  // 20 deviations are 400 µs
}

TEST(Sentinel, AShiftOfMoreThanTheLimitIsNamed) {
  const std::vector<SentinelReading> before = {{"a", 100}, {"b", 100}, {"c", 100}};
  EXPECT_TRUE(shifts(before, before).empty());
  const auto found = shifts(before, std::vector<SentinelReading>{{"a", 104}, {"b", 94}, {"d", 1}});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].name, "b");
  EXPECT_NEAR(found[0].ratio, 0.94, 1e-12);
  EXPECT_EQ(found[1].name, "c");
  EXPECT_EQ(found[2].name, "d");
}

TEST(Sentinel, ABaselineNeedsTwentySessions) {
  std::vector<double> sessions(19, 100.0);
  EXPECT_FALSE(baseline_of(sessions));
  sessions.push_back(102);
  const auto baseline = baseline_of(sessions);
  ASSERT_TRUE(baseline);
  EXPECT_TRUE(agrees(*baseline, 100.9));
  EXPECT_FALSE(agrees(*baseline, 103));  // T09
}

TEST(Sentinel, EveryOneTakesTime) {
  const auto readings = run_sentinels();
  ASSERT_EQ(readings.size(), 4u);
  for (const auto& reading : readings) EXPECT_GT(reading.nanoseconds, 1000) << reading.name;
}

TEST(Protocol, EveryMemberIsInItsText) {
  const std::string base = Protocol{}.to_string();
  std::vector<Protocol> changed(12);
  changed[0].family = Family::kHot;
  changed[1].processes = 3;
  changed[2].warmup_calls = 4;
  changed[3].warmup_seconds = 1;
  changed[4].least_samples = 10;
  changed[5].stop.target = 0.02;
  changed[6].stop.least_seconds = 1;
  changed[7].stop.enough_samples = 1;
  changed[8].stop.limit_seconds = 1;
  changed[9].stop.limit_samples = 1;
  changed[10].is_spinning = false;
  changed[11].threads = 2;
  for (const Protocol& protocol : changed) EXPECT_NE(protocol.to_string(), base);
  EXPECT_EQ(protocol_for(Family::kCold, 0.1, 1, true).least_samples, 10u);
}

// Simulated arms: log-normal noise that drifts, the second of a pair slower by a hundredth.
std::vector<Round> simulate(std::uint64_t run, double effect, int rounds = 40, int processes = 3) {
  stats::Random random(4242, run);
  std::vector<Round> out;
  for (int p = 0; p < processes; ++p) {
    const double pair_shift = 0.004 * random.normal();
    bool first = false;
    for (int i = 0; i < rounds; ++i) {
      first = i % 2 == 0 ? random.coin() : !first;
      const double level = 1e6 * std::exp(0.1 * std::sin(i * 0.3 + p));
      const auto noise = [&] { return std::exp(0.03 * random.normal()); };
      out.push_back({.process = static_cast<std::uint32_t>(p),
                     .candidate_first = first,
                     .candidate_ns =
                         level * (1 + effect) * std::exp(pair_shift) * noise() * (first ? 1 : 1.01),
                     .baseline_ns = level * noise() * (first ? 1.01 : 1)});
    }
  }
  return out;
}

TEST(JudgePairs, TheSameThingTwiceIsCoveredAndRarelyCalledDifferent) {  // harness 12, T01
  int covered = 0;
  int different = 0;
  for (std::uint64_t run = 0; run < 100; ++run) {
    const PairedJudgement judged = judge_pairs(simulate(run, 0), {}, 1);
    const auto interval = judged.ratio_interval();
    covered += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
    different += judged.comparison.verdict == stats::Verdict::kFaster ||
                         judged.comparison.verdict == stats::Verdict::kSlower
                     ? 1
                     : 0;
  }
  EXPECT_GE(covered, 90);
  EXPECT_LE(different, 3);
}

TEST(JudgePairs, FivePercentMoreWorkIsSeen) {  // T02
  int slower = 0;
  for (std::uint64_t run = 0; run < 100; ++run) {
    const PairedJudgement judged = judge_pairs(simulate(run, 0.05), {}, 1);
    EXPECT_NE(judged.comparison.verdict, stats::Verdict::kFaster);
    slower += judged.comparison.verdict == stats::Verdict::kSlower ? 1 : 0;
    EXPECT_NEAR(judged.ratio(), 1.05, 0.03);
  }
  EXPECT_GE(slower, 95);
}

TEST(JudgePairs, ARejectedRoundTakesItsBlockWithIt) {
  std::vector<Round> rounds = simulate(1, 0);
  rounds[5].rejected = RejectCause::kMigration;
  rounds[5].candidate_ns *= 100;
  const PairedJudgement judged = judge_pairs(rounds, {}, 1);
  EXPECT_EQ(judged.comparison.n_candidate, 118u);
  EXPECT_EQ(judged.rejections.accepted, 119u);
  const PairedJudgement none = judge_pairs({}, {}, 1);
  EXPECT_EQ(none.comparison.verdict, stats::Verdict::kInsufficient);
  EXPECT_FALSE(none.log_ratio);
}

const char* kSource = R"(
#include <ki/kernel_abi.h>
const uint32_t ki_kernel_abi = KI_KERNEL_ABI;
int32_t entry(const ki_tensor* in, int32_t n_in, ki_tensor* out, int32_t n_out, const ki_exec* exec) {
  const float* x = in[0].data;
  float* y = out[0].data;
  for (int repeat = 0; repeat < REPEATS; ++repeat) {
    for (int64_t i = 0; i < in[0].numel; ++i) y[i] = 2 * x[i];
    __asm__ volatile("" ::: "memory");
  }
  return 0;
}
)";

TEST(RunPairs, TellsTwiceTheWorkFromOnceInRealCells) {
  const auto host = sandbox::Host::open();
  if (!host) GTEST_SKIP() << "skipped: " << host.error().to_string();
  constexpr std::int64_t kCount = 65'536;
  const auto build = [&](const char* repeats) {
    return sandbox::build(
        *host, {.sources = {{"a.c", kSource}}, .flags = {std::string("-DREPEATS=") + repeats}});
  };
  const auto once = build("20");
  const auto twice = build("40");
  ASSERT_TRUE(once && twice);
  ASSERT_EQ(once->outcome, sandbox::BuildOutcome::kBuilt) << once->log;
  const auto start = [&](const sandbox::BuildResult& built) {
    return [&](int sets) {
      return sandbox::Cell::start(*host, {.object = built.object,
                                          .entry = "entry",
                                          .inputs = {{2, {kCount}, kCount * 4}},
                                          .outputs = {{2, {kCount}, kCount * 4}},
                                          .sets = sets});
    };
  };
  PairedPlan plan{.start_candidate = start(*twice),
                  .start_baseline = start(*once),
                  .stage =
                      [](sandbox::Cell& cell, int set, std::uint64_t number) {
                        const auto bytes = cell.tensor(set, 0);
                        auto* x = reinterpret_cast<float*>(bytes.data());
                        std::fill_n(x, kCount, static_cast<float>(number + 1));
                        std::ranges::fill(cell.tensor(set, 1), std::byte{0xff});
                      },
                  .check = [](sandbox::Cell& cell, int set,
                              std::uint64_t number) -> std::optional<std::string> {
                    const auto* y = reinterpret_cast<const float*>(cell.tensor(set, 1).data());
                    if (y[7] != 2 * static_cast<float>(number + 1)) return "wrong";
                    return std::nullopt;
                  },
                  .processes = 2,
                  .rounds = 12};
  const auto run = run_pairs(plan);
  ASSERT_TRUE(run) << run.error().to_string();
  EXPECT_EQ(run->rounds.size(), 24u);
  // Rejections are the machine's business here, and so is how large the difference is; that it is
  // one is not.
  std::vector<Round> rounds = run->rounds;
  for (Round& round : rounds) round.rejected.reset();
  const PairedJudgement judged = judge_pairs(rounds, {}, 1);
  EXPECT_GT(judged.ratio(), 1.0);
  plan.check = [](sandbox::Cell&, int, std::uint64_t) {
    return std::optional<std::string>("is wrong");
  };
  const auto wrong = run_pairs(plan);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().to_string().find("is wrong"), std::string::npos);
}

TEST(Caches, FlushedBytesKeepTheirValues) {
  std::vector<std::byte> bytes(100'000, std::byte{7});
  flush_lines(std::span(bytes).subspan(3, 99'000));
  flush_lines({});
  EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{7}; }));
}

}  // namespace
}  // namespace ki::measure
