#include "ki/measure/stopping.h"

#include "ki/stats/philox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace ki::measure {
namespace {

struct Series {
  const char* why;
  std::function<double(int)> seconds;
  int stops_at;
  Decision decision;
};

template <class Rule>
void expect_stop(Rule rule, const Series& series) {
  SCOPED_TRACE(series.why);
  for (int i = 0; i < 10'000; ++i) {
    const Decision decision = rule.add(series.seconds(i));
    if (decision == Decision::kContinue) continue;
    EXPECT_EQ(i + 1, series.stops_at);
    EXPECT_EQ(decision, series.decision);
    return;
  }
  FAIL() << "never stopped";
}

// Harness 12, T05.
TEST(StdRelStop, StopsAtTheSamplesOfNvbench) {
  for (const Series& series : std::initializer_list<Series>{
           {"constant", [](int) { return 1e-3; }, 501, Decision::kConverged},
           {"alternating", [](int i) { return i % 2 != 0 ? 1.1e-3 : 0.9e-3; }, 512,
            Decision::kStabilised},
           {"drifting", [](int i) { return 1e-3 * (1 + 1e-4 * i); }, 2880, Decision::kStabilised},
           {"every 50th slow", [](int i) { return i % 50 == 49 ? 1e-2 : 1e-3; }, 576,
            Decision::kStabilised}}) {
    expect_stop(StdRelStop(), series);
  }
}

// Harness 12, T06.
TEST(EntropyStop, StopsAtTheSamplesOfNvbench) {
  const auto sawtooth = [](int i) { return 1e-3 * (1 + 0.01 * (((37 * i) % 101) - 50) / 50.0); };
  for (const Series& series : std::initializer_list<Series>{
           {"constant", [](int) { return 1e-3; }, 10, Decision::kConverged},
           {"alternating", [](int i) { return i % 2 != 0 ? 1.1e-3 : 0.9e-3; }, 5076,
            Decision::kConverged},
           {"rising", [](int i) { return 1e-3 + 1e-9 * i; }, 1874, Decision::kConverged},
           {"seven values", [](int i) { return 1e-3 + 1e-6 * ((3 * i) % 7); }, 332,
            Decision::kConverged},
           {"sawtooth", sawtooth, 362, Decision::kConverged}}) {
    expect_stop(EntropyStop(), series);
  }
  expect_stop(EntropyStop(0.5e-6), {"binned sawtooth", sawtooth, 328, Decision::kConverged});
}

TEST(MedianInterval, IsTheNarrowestPairOfOrderStatisticsAtThatLevel) {
  // n = 10: P(Bin(10, 1/2) < 2) = 11/1024, so (2, 9) holds with 97.85 %, (3, 8) with 89.06 %.
  std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const auto interval = median_interval(values, 0.95);
  EXPECT_EQ(interval.low, 2);
  EXPECT_EQ(interval.high, 9);
  EXPECT_NEAR(interval.level, 1 - 22.0 / 1024, 1e-12);
  EXPECT_EQ(median_interval(values, 0.89).low, 3);
  EXPECT_EQ(median_interval({4}, 0.95).low, 4);
  EXPECT_NEAR(median_interval({4, 5}, 0.95).level, 0.5, 1e-12);
}

TEST(AdaptiveStop, LooksOnlyAtTheGrid) {
  AdaptiveStop stop;
  for (int i = 0; i < 400; ++i) stop.add(1e-3 * (1 + 0.2 * (i % 7)));
  std::vector<std::size_t> counts;
  for (const Look& look : stop.looks()) counts.push_back(look.count);
  EXPECT_EQ(counts, (std::vector<std::size_t>{30, 45, 68, 102, 152, 228, 342}));
  EXPECT_NEAR(stop.looks()[0].interval.level, 0.95, 0.03);
  EXPECT_GT(stop.looks()[3].interval.level, 1 - 0.05 / 16);
}

TEST(AdaptiveStop, ConstantSamplesConvergeWhenThereAreEnough) {
  AdaptiveStop stop;
  int n = 0;
  while (stop.add(1e-3) == Decision::kContinue) ++n;
  EXPECT_EQ(n + 1, 342);  // the first look after 0.3 s
}

TEST(AdaptiveStop, ADriftingSeriesDoesNotConverge) {
  AdaptiveStop stop({.limit_seconds = 3});
  Decision decision = Decision::kContinue;
  for (int i = 0; decision == Decision::kContinue; ++i) decision = stop.add(1e-3 * (1 + 2e-5 * i));
  EXPECT_NE(decision, Decision::kConverged);
}

TEST(AdaptiveStop, ALimitOfTimeEndsIt) {
  AdaptiveStop stop({.limit_seconds = 1});
  stats::Random random(7, 0);
  Decision decision = Decision::kContinue;
  double total = 0;
  while (decision == Decision::kContinue) {
    const double sample = 0.02 * std::exp(random.normal());
    total += sample;
    decision = stop.add(sample);
  }
  EXPECT_EQ(decision, Decision::kLimit);
  EXPECT_GT(total, 1);
}

// Harness 14 section 8: looking again and again must not narrow the interval below what it says.
TEST(AdaptiveStop, TheStoppedIntervalCoversAsOftenAsItSays) {
  int covered = 0;
  int converged = 0;
  constexpr int kRuns = 2000;
  for (int run = 0; run < kRuns; ++run) {
    stats::Random random(20'261'201, static_cast<std::uint64_t>(run));
    AdaptiveStop stop({.limit_seconds = 2});
    Decision decision = Decision::kContinue;
    while (decision == Decision::kContinue) {
      // Log-normal around 1 ms, 4 %, with one sample in twenty up to half slower.
      const double slow = random.uniform() < 0.05 ? 0.5 * random.uniform() : 0;
      decision = stop.add(1e-3 * std::exp(0.04 * random.normal() + slow));
    }
    // The true median of that mixture, from the distribution function solved once numerically.
    constexpr double kMedian = 1e-3 * 1.0024614;
    const auto& interval = stop.looks().back().interval;
    covered += interval.low <= kMedian && kMedian <= interval.high ? 1 : 0;
    converged += decision == Decision::kConverged ? 1 : 0;
  }
  EXPECT_GE(covered, kRuns * 93 / 100);
  EXPECT_GT(converged, kRuns / 2);
}

}  // namespace
}  // namespace ki::measure
