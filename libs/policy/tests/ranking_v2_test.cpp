#include "ki/policy/ranking_v2.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>
#include <string>

namespace ki::policy {
namespace {

TestedRun run(std::string_view id, std::string_view implementation, double value) {
  return {.id = id, .implementation = implementation, .value = value};
}
TestedRun run(std::string_view id, std::string_view implementation, double value, double low,
              double high) {
  TestedRun tested = run(id, implementation, value);
  tested.has_interval = true;
  tested.low = low;
  tested.high = high;
  return tested;
}

const RankingV2Options kLatency{.direction = Direction::kLowerIsBetter, .between_run_floor = 0.01};

// "a1-2 faster, b1-2 slower": implementation, bounds, verdict, and the reason when there is one.
std::string shown(std::span<const RankRow> rows) {
  std::string text;
  for (const RankRow& row : rows) {
    if (!text.empty()) text += ", ";
    text += std::string(row.implementation) + std::to_string(row.best) + "-" +
            std::to_string(row.worst) + " " + std::string(to_string(row.verdict));
    if (!row.reason.empty()) text += " " + std::string(row.reason);
  }
  return text;
}
std::string ranks(const std::vector<TestedRun>& runs, const RankingV2Options& options = kLatency,
                  const std::vector<PairedTest>& paired = {}) {
  return shown(rank_v2(runs, paired, options));
}

TEST(RankingV2, OrdersStrictlyOnlyWhatIsDecided) {
  // F14: v1 put B with A and C behind both, though B and C overlap exactly as A and B do.
  EXPECT_EQ(ranks({run("1", "a", 2, 1, 3), run("2", "b", 3, 2.5, 4), run("3", "c", 4, 3.5, 5)}),
            "a1-3 undecided, b1-3 undecided, c1-3 undecided");
  EXPECT_EQ(
      ranks({run("1", "a", 2, 1.7, 2.4), run("2", "b", 3, 2.2, 4), run("3", "c", 4, 3.5, 4.6)}),
      "a1-2 undecided, b1-3 undecided, c2-3 slower");
}

TEST(RankingV2, LetsNobodyWinWithoutUncertainty) {
  // F15: v1 gives the run without an interval a strict #1.
  EXPECT_EQ(ranks({run("1", "a", 100), run("2", "b", 100.1, 95, 105)}),
            "a1-2 insufficient NO_UNCERTAINTY, b1-2 insufficient OTHER_NOT_TESTED");
  EXPECT_EQ(ranks({run("1", "a", 1), run("2", "b", 100, 99, 101), run("3", "c", 200, 199, 201)}),
            "b1-2 insufficient OTHER_NOT_TESTED, a1-3 insufficient NO_UNCERTAINTY, c2-3 slower")
      << "nor lose: a hundredfold difference is not evidence";
}

TEST(RankingV2, NeedsAFloorBetweenRuns) {
  RankingV2Options options = kLatency;
  options.between_run_floor.reset();
  EXPECT_EQ(ranks({run("1", "a", 100, 99, 101), run("2", "b", 200, 199, 201)}, options),
            "a1-2 insufficient NO_BETWEEN_RUN_FLOOR, b1-2 insufficient NO_BETWEEN_RUN_FLOOR");
  options.between_run_floor = 0.8;  // a factor of 2.2
  EXPECT_EQ(ranks({run("1", "a", 100, 99, 101), run("2", "b", 200, 199, 201)}, options),
            "a1-2 undecided, b1-2 undecided");
}

TEST(RankingV2, TakesTheDirectionFromTheMetric) {
  const std::vector<TestedRun> runs{run("1", "a", 100, 99, 101), run("2", "b", 200, 199, 201)};
  RankingV2Options options = kLatency;
  EXPECT_EQ(ranks(runs, options), "a1-1 faster, b2-2 slower");
  options.direction = Direction::kHigherIsBetter;
  EXPECT_EQ(ranks(runs, options), "b1-1 faster, a2-2 slower");
  options.direction.reset();
  EXPECT_EQ(ranks(runs, options),
            "a1-2 incomparable UNKNOWN_DIRECTION, b1-2 incomparable UNKNOWN_DIRECTION");
}

TEST(RankingV2, UsesAllRunsOfAnImplementationNotTheBest) {
  // The lucky run of b is under every run of a, but its other two are not.
  const auto rows =
      rank_v2(std::vector<TestedRun>{run("1", "a", 100, 99.9, 100.1),
                                     run("2", "a", 100, 99.9, 100.1), run("3", "b", 90, 89.9, 90.1),
                                     run("4", "b", 110, 109, 111), run("5", "b", 110, 109, 111)},
              {}, kLatency);
  EXPECT_EQ(shown(rows), "a1-2 undecided, b1-2 undecided");
  EXPECT_EQ(rows[0].runs, 2u);
  EXPECT_EQ(rows[1].runs, 3u);
  EXPECT_EQ(rows[1].best_run, 2u);
  EXPECT_NEAR(rows[1].value, std::cbrt(90.0 * 110 * 110), 1e-9);
}

TEST(RankingV2, CountsARunWithoutUncertaintyAsNoEvidenceOfItsOwn) {
  const auto bounds_with = [](const std::vector<TestedRun>& more) {
    std::vector<TestedRun> runs{run("1", "a", 100, 99, 101), run("2", "b", 110, 109, 111)};
    runs.insert(runs.end(), more.begin(), more.end());
    return ranks(runs);
  };
  EXPECT_EQ(bounds_with({}), "a1-1 faster, b2-2 slower");
  EXPECT_EQ(bounds_with({run("3", "b", 60)}), "b1-2 undecided, a1-2 undecided")
      << "an untested run far away only makes the row less certain, never the winner";
}

TEST(RankingV2, ReadsSamplesWhereThereIsNoInterval) {
  const std::vector<double> fast{99, 100, 101, 100, 99, 101};
  const std::vector<double> slow{119, 120, 121, 120, 119, 121};
  const std::vector<double> broken{100, 0, 100};
  std::vector<TestedRun> runs{run("1", "a", 100), run("2", "b", 120)};
  runs[0].samples = fast;
  runs[1].samples = slow;
  EXPECT_EQ(ranks(runs), "a1-1 faster, b2-2 slower");
  runs[0].samples = broken;
  EXPECT_EQ(ranks(runs), "a1-2 insufficient NO_UNCERTAINTY, b1-2 insufficient OTHER_NOT_TESTED")
      << "zero is below the resolution, not infinitely fast (problem N10)";
}

TEST(RankingV2, RefusesValuesThatHaveNoRatio) {
  EXPECT_EQ(ranks({run("1", "a", 0, 0, 1), run("2", "b", 5, 4, 6)}),
            "a1-2 insufficient VALUE_NOT_POSITIVE, b1-2 insufficient OTHER_NOT_TESTED");
}

TEST(RankingV2, OfASingleRowSaysNothing) {
  EXPECT_EQ(ranks({run("1", "a", 5, 4, 6)}), "a1-1 insufficient SINGLE_ROW")
      << "never \"fastest\" of one";
  EXPECT_EQ(ranks({}), "");
}

TEST(RankingV2, ShowsEquivalenceOnlyInsideTheMinimumEffect) {
  RankingV2Options options = kLatency;
  options.minimum_effect = 0.05;
  EXPECT_EQ(ranks({run("1", "a", 100, 99.5, 100.5), run("2", "b", 100.5, 100, 101)}, options),
            "a1-2 equivalent, b1-2 equivalent");
  EXPECT_EQ(ranks({run("1", "a", 100, 80, 120), run("2", "b", 100.5, 80, 120)}, options),
            "a1-2 undecided, b1-2 undecided")
      << "not shown to differ is not equivalent";
}

TEST(RankingV2, PrefersAPairedTestAndItsOwnLevel) {
  const std::vector<TestedRun> runs{run("1", "a", 100), run("2", "b", 101)};
  const auto with = [&](double p, double log_ratio, double floor = 0) {
    return ranks(
        runs, kLatency,
        {{.first = "b", .second = "a", .log_ratio = log_ratio, .p_value = p, .floor = floor}});
  };
  EXPECT_EQ(with(0.0001, 0.02), "a1-1 faster, b2-2 slower") << "paired evidence needs no interval";
  EXPECT_EQ(with(0.0001, -0.02), "b1-1 faster, a2-2 slower")
      << "the test counts, not the reported values";
  EXPECT_EQ(with(0.0011, 0.02), "a1-2 undecided, b1-2 undecided") << "p above 0.001";
  EXPECT_EQ(with(0.0001, 0.004), "a1-2 undecided, b1-2 undecided") << "below the minimum effect";
  EXPECT_EQ(with(0.0001, 0.02, 0.03), "a1-2 undecided, b1-2 undecided")
      << "below the floor of the design";
}

TEST(RankingV2, DoesNotDependOnInputOrder) {
  std::vector<TestedRun> runs{run("1", "a", 100, 98, 103),  run("2", "a", 104, 101, 106),
                              run("3", "b", 120, 118, 121), run("4", "c", 101.3),
                              run("5", "c", 99, 97, 101),   run("6", "d", 120)};
  std::vector<PairedTest> paired{
      {.first = "d", .second = "b", .log_ratio = 0.1, .p_value = 0.0005},
      {.first = "b", .second = "d", .log_ratio = -0.02, .p_value = 0.0009},
      {.first = "a", .second = "x", .log_ratio = 1, .p_value = 0}};
  const auto answer = [&] {
    auto rows = rank_v2(runs, paired, kLatency);
    std::string text = shown(rows);
    for (const RankRow& row : rows) {
      text += "|" + std::string(runs[row.best_run].id) + " " + std::to_string(row.value);
    }
    return text;
  };
  const std::string expected = answer();
  int orders = 0;
  do {
    ASSERT_EQ(answer(), expected);
    std::ranges::rotate(paired, paired.begin() + 1);
    ++orders;
  } while (std::ranges::next_permutation(runs, {}, &TestedRun::id).found);
  EXPECT_EQ(orders, 720);
}

TEST(RankingV2, IsTheSameInEveryUnit) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 500; ++i) {
    std::deque<std::string> names;
    std::vector<TestedRun> runs;
    for (std::size_t n = 2 + random() % 6; n > 0; --n) {
      const double value = 100 + static_cast<double>(random() % 40);
      names.push_back(std::to_string(n));
      runs.push_back(run(names.back(), names[names.size() / 2], value, value * 0.98, value * 1.02));
    }
    const std::string expected = ranks(runs);
    for (TestedRun& scaled : runs) {
      scaled.value *= 4096;
      scaled.low *= 4096;
      scaled.high *= 4096;
    }
    ASSERT_EQ(ranks(runs), expected);
  }
}

// Twenty equal implementations, three runs each, honest intervals and an honest floor: how often
// does any bound of the group exclude a rank?
TEST(RankingV2, BoundsHoldForTheWholeGroupAtOnce) {
  std::mt19937_64 random(20260815);
  std::normal_distribution<double> normal;
  const auto wrong_groups = [&](double true_log_ratio_of_last, double& power) {
    constexpr int kGroups = 400;
    constexpr double kBetween = 0.01;
    constexpr double kWithin = 0.004;
    int wrong = 0;
    power = 0;
    std::vector<std::string> names;
    for (int i = 0; i < 60; ++i) names.push_back(std::to_string(1000 + i));
    for (int g = 0; g < kGroups; ++g) {
      std::vector<TestedRun> runs;
      for (std::size_t i = 0; i < 60; ++i) {
        const bool is_last = i >= 57;
        const double center = (is_last ? true_log_ratio_of_last : 0) + kBetween * normal(random);
        const double value = 1000 * std::exp(center + kWithin * normal(random));
        runs.push_back(run(names[i], names[i / 3], value, value * std::exp(-1.96 * kWithin),
                           value * std::exp(1.96 * kWithin)));
      }
      // The 99.9th percentile of |difference of two runs|.
      const RankingV2Options options{.direction = Direction::kLowerIsBetter,
                                     .between_run_floor = 3.29 * std::sqrt(2.0) * kBetween};
      bool is_wrong = false;
      for (const RankRow& row : rank_v2(runs, {}, options)) {
        const bool is_last = row.implementation == names[19];
        if (true_log_ratio_of_last == 0) {
          is_wrong |= row.best != 1 || row.worst != 20;
        } else if (is_last) {
          power += row.best == 20 ? 1.0 / kGroups : 0;
          is_wrong |= row.worst != 20;
        } else {
          is_wrong |= row.best != 1 || row.worst < 19;
        }
      }
      wrong += is_wrong ? 1 : 0;
    }
    return static_cast<double>(wrong) / kGroups;
  };
  double power = 0;
  EXPECT_LE(wrong_groups(0, power), 0.05);
  EXPECT_LE(wrong_groups(0.1, power), 0.05);
  EXPECT_GE(power, 0.95) << "and a real difference of twice the floor is found";
}

}  // namespace
}  // namespace ki::policy
