#include "ki/stats/compare_paired.h"
#include "ki/stats/compare_unpaired.h"
#include "ki/stats/philox.h"
#include "ki/stats_testing/noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ki::stats {
namespace {

using stats_testing::draw_pairs;
using stats_testing::NoiseFamily;

const Quantity kLatency{.cohort = "rmsnorm/h200", .unit = "ns"};
const DecisionRule kRule;

std::vector<Pair> pairs_of(NoiseFamily family, double effect, std::uint64_t stream,
                           std::size_t count = 30) {
  Random random(31, stream);
  return draw_pairs(family, count, effect, random);
}

Comparison compare(const std::vector<Pair>& pairs, const DecisionRule& rule = kRule) {
  return compare_paired(kLatency, kLatency, pairs, rule);
}

std::vector<Pair> mirrored(std::vector<Pair> pairs) {
  for (auto& pair : pairs) {
    std::swap(pair.candidate, pair.baseline);
    pair.candidate_first = !pair.candidate_first;
  }
  return pairs;
}

Verdict opposite(Verdict verdict) {
  if (verdict == Verdict::kFaster) return Verdict::kSlower;
  if (verdict == Verdict::kSlower) return Verdict::kFaster;
  return verdict;
}

// --- paired ---

TEST(PairedVerdict, AClearEffectWinsWithItsIntervalAndReason) {
  const auto comparison = compare(pairs_of(NoiseFamily::kNormal, -0.05, 0));
  EXPECT_EQ(comparison.verdict, Verdict::kFaster);
  EXPECT_EQ(to_string(comparison.verdict), "faster");
  ASSERT_FALSE(comparison.reasons.empty());
  EXPECT_EQ(to_string(comparison.reasons[0].code), "SIGNIFICANT_EFFECT");
  EXPECT_NE(comparison.reasons[0].text.find("% lower; signed-rank p = "), std::string::npos);
  EXPECT_NEAR(comparison.ratio().value(), std::exp(-0.05), 0.01);
  const auto interval = comparison.ratio_interval().value();
  EXPECT_LT(interval.low, comparison.ratio().value());
  EXPECT_GT(interval.high, comparison.ratio().value());
  EXPECT_LT(interval.high, 1);
  EXPECT_GE(interval.level, 0.95);
  EXPECT_LE(comparison.p.value(), 0.001);
  EXPECT_EQ(comparison.n_candidate, 30U);
  EXPECT_EQ(comparison.effect_floor, kRule.minimum_effect);
}

TEST(PairedVerdict, ForThroughputTheHigherSideWins) {
  const Quantity throughput{.cohort = "c", .unit = "op/s", .direction = Direction::kHigherIsBetter};
  const auto pairs = pairs_of(NoiseFamily::kNormal, 0.05, 1);
  EXPECT_EQ(compare_paired(throughput, throughput, pairs, kRule).verdict, Verdict::kFaster);
  EXPECT_EQ(compare(pairs).verdict, Verdict::kSlower);
}

TEST(PairedVerdict, SwappingTheSidesMirrorsTheAnswerExactly) {
  for (const auto family : stats_testing::kNoiseFamilies) {
    for (std::uint64_t stream = 0; stream < 60; ++stream) {
      const double effect = 0.004 * static_cast<double>(stream % 10);
      const auto pairs = pairs_of(family, effect, stream);
      const auto forward = compare(pairs);
      const auto backward = compare(mirrored(pairs));
      EXPECT_EQ(backward.verdict, opposite(forward.verdict));
      EXPECT_EQ(backward.p, forward.p);
      EXPECT_EQ(backward.equivalence_p, forward.equivalence_p);
      EXPECT_EQ(*backward.log_ratio, -*forward.log_ratio);
      EXPECT_EQ(backward.log_interval->low, -forward.log_interval->high);
      EXPECT_EQ(backward.log_interval->high, -forward.log_interval->low);
      EXPECT_EQ(backward.reasons[0].code, forward.reasons[0].code);
    }
  }
}

TEST(PairedVerdict, DoesNotDependOnTheUnitOfTheSamples) {
  for (const auto family : stats_testing::kNoiseFamilies) {
    for (std::uint64_t stream = 0; stream < 60; ++stream) {
      auto pairs = pairs_of(family, 0.004 * static_cast<double>(stream % 10), stream);
      const auto in_ns = compare(pairs);
      for (auto& pair : pairs) {
        pair.candidate /= 1000;
        pair.baseline /= 1000;
      }
      const auto in_us = compare(pairs);
      EXPECT_EQ(in_us.verdict, in_ns.verdict);
      EXPECT_EQ(in_us.p, in_ns.p);
      EXPECT_EQ(in_us.equivalence_p, in_ns.equivalence_p);
      EXPECT_NEAR(*in_us.log_ratio, *in_ns.log_ratio, 1e-13);
    }
  }
}

TEST(PairedVerdict, DoesNotDependOnTheOrderOfThePairs) {
  for (const auto family : stats_testing::kNoiseFamilies) {
    auto pairs = pairs_of(family, 0.01, 70);
    const auto before = compare(pairs);
    Random random(32, 0);
    for (std::size_t i = pairs.size(); i > 1; --i) std::swap(pairs[i - 1], pairs[random.below(i)]);
    const auto after = compare(pairs);
    EXPECT_EQ(after.verdict, before.verdict);
    EXPECT_EQ(after.p, before.p);
    EXPECT_EQ(after.log_ratio, before.log_ratio);
    EXPECT_EQ(after.log_interval, before.log_interval);
  }
}

TEST(PairedVerdict, ASignificantButTinyEffectIsNoWin) {
  const auto comparison =
      compare(pairs_of(NoiseFamily::kDrift, 0.003, 2), {.minimum_effect = 0.005});
  EXPECT_LE(comparison.p.value(), 0.001);
  EXPECT_EQ(comparison.verdict, Verdict::kEquivalent);
  EXPECT_EQ(compare(pairs_of(NoiseFamily::kDrift, 0.003, 2), {.minimum_effect = 0.001}).verdict,
            Verdict::kSlower);
}

TEST(PairedVerdict, NoiseWithoutEffectIsUndecidedNotEquivalent) {
  const auto comparison = compare(pairs_of(NoiseFamily::kBimodal, 0, 3));
  EXPECT_EQ(comparison.verdict, Verdict::kUndecided);
  EXPECT_TRUE(comparison.has(ReasonCode::kNotSignificant));
}

// golang/go#19634: "no statistical difference" is the wrong thing to say when all are equal.
TEST(PairedVerdict, AllEqualSamplesAreEqualWithinResolution) {
  std::vector<Pair> pairs;
  for (int i = 0; i < 20; ++i) pairs.push_back({12'000, 12'000, i % 3 == 0});
  const auto comparison = compare(pairs);
  EXPECT_EQ(comparison.verdict, Verdict::kEquivalent);
  EXPECT_EQ(comparison.reasons[0].code, ReasonCode::kEqualWithinResolution);
  EXPECT_EQ(comparison.p, 1);
  EXPECT_EQ(comparison.ratio(), 1);
}

TEST(PairedVerdict, EqualReadingsOfACoarseTimerShowNothing) {
  std::vector<Pair> pairs;
  for (int i = 0; i < 20; ++i) pairs.push_back({12'000, 12'000, i % 3 == 0});
  const auto comparison = compare(pairs, {.resolution = 1'000});
  EXPECT_EQ(comparison.verdict, Verdict::kUndecided);
  EXPECT_EQ(comparison.reasons[0].code, ReasonCode::kResolutionTooCoarse);
  EXPECT_EQ(compare(pairs, {.resolution = 32}).verdict, Verdict::kEquivalent);
}

TEST(PairedVerdict, TooFewPairsForAnyOutcomeToReachAlphaAreInsufficient) {
  EXPECT_EQ(least_pairs(0.001), 11U);
  EXPECT_EQ(least_pairs(0.05), 6U);
  const auto pairs = pairs_of(NoiseFamily::kDrift, 0.1, 4, 10);
  EXPECT_EQ(compare(pairs).verdict, Verdict::kInsufficient);
  EXPECT_TRUE(compare(pairs).has(ReasonCode::kTooFewPairs));
  EXPECT_EQ(compare(pairs_of(NoiseFamily::kDrift, 0.1, 4, 11)).verdict, Verdict::kSlower);
  EXPECT_TRUE(compare({}).has(ReasonCode::kNoSamples));
}

struct BadSample {
  const char* why;
  double value;
  const char* code;
};

TEST(PairedVerdict, AnInvalidSampleFlagsTheComparisonAndNeverWins) {
  for (const auto& [why, value, code] :
       {BadSample{"clock went back (nvbench#370)", -7250, "NEGATIVE"},
        BadSample{"below resolution", 0, "ZERO"},
        BadSample{"failed sample", std::numeric_limits<double>::quiet_NaN(), "NOT_A_NUMBER"},
        BadSample{"overflow", std::numeric_limits<double>::infinity(), "INFINITE"}}) {
    SCOPED_TRACE(why);
    auto pairs = pairs_of(NoiseFamily::kNormal, 0.5, 5);
    pairs[3].candidate = value;
    const auto comparison = compare(pairs);
    EXPECT_EQ(comparison.verdict, Verdict::kInsufficient);
    ASSERT_EQ(comparison.reasons.size(), 1U);
    EXPECT_EQ(comparison.reasons[0].code, ReasonCode::kInvalidSamples);
    EXPECT_EQ(comparison.reasons[0].text,
              std::string("candidate 1 of 30 samples ") + code + ": at 3");
    EXPECT_FALSE(comparison.p);
    EXPECT_FALSE(comparison.ratio());
  }
}

TEST(PairedVerdict, AnOrderThatNoCoinGaveIsInsufficient) {
  auto pairs = pairs_of(NoiseFamily::kNormal, 0.2, 6);
  for (auto& pair : pairs) pair.candidate_first = true;
  EXPECT_EQ(compare(pairs).verdict, Verdict::kInsufficient);
  EXPECT_TRUE(compare(pairs).has(ReasonCode::kOrderNotRandomised));
}

// A pair of which the second is always 4 % slower hides 3 % from a test that ignores the order
// (mega-evm#327); blocks of both orders find it.
std::vector<Pair> pairs_with_slot_effect(double effect, bool balanced, std::uint64_t stream) {
  Random random(33, stream);
  std::vector<Pair> pairs;
  for (int block = 0; block < 15; ++block) {
    const bool first = random.coin();
    for (const bool candidate_first : {first, balanced ? !first : random.coin()}) {
      const double candidate =
          effect + (candidate_first ? -0.04 : 0.04) / 2 + 0.003 * random.normal();
      const double baseline = (candidate_first ? 0.04 : -0.04) / 2 + 0.003 * random.normal();
      pairs.push_back({10'000 * std::exp(candidate), 10'000 * std::exp(baseline), candidate_first});
    }
  }
  return pairs;
}

TEST(PairedVerdict, BalancedBlocksFindThreePercentUnderAFourPercentOrderEffect) {
  int found = 0;
  int found_by_coin = 0;
  for (std::uint64_t stream = 0; stream < 200; ++stream) {
    const auto balanced =
        compare_paired(kLatency, kLatency, pairs_with_slot_effect(-0.03, true, stream), kRule,
                       PairDesign::kBalancedBlocks);
    found += balanced.verdict == Verdict::kFaster ? 1 : 0;
    EXPECT_NEAR(balanced.ratio().value(), std::exp(-0.03), 0.005);
    const auto coin = compare(pairs_with_slot_effect(-0.03, false, stream));
    found_by_coin += coin.verdict == Verdict::kFaster ? 1 : 0;
    EXPECT_TRUE(coin.has(ReasonCode::kOrderEffect));
  }
  EXPECT_EQ(found, 200);
  EXPECT_LT(found_by_coin, 150);
}

TEST(PairedVerdict, BalancedBlocksRarelyWinWithoutAnEffect) {
  int wins = 0;
  for (std::uint64_t stream = 0; stream < 5000; ++stream) {
    const auto comparison =
        compare_paired(kLatency, kLatency, pairs_with_slot_effect(0, true, stream),
                       {.minimum_effect = 0}, PairDesign::kBalancedBlocks);
    wins +=
        comparison.verdict == Verdict::kFaster || comparison.verdict == Verdict::kSlower ? 1 : 0;
  }
  EXPECT_LE(wins, 14);  // 5 expected; P(more than 14) < 0.001
}

TEST(PairedVerdict, BlocksInOneOrderAreRefused) {
  auto pairs = pairs_with_slot_effect(0, true, 1);
  pairs[4].candidate_first = pairs[5].candidate_first;
  EXPECT_TRUE(compare_paired(kLatency, kLatency, pairs, kRule, PairDesign::kBalancedBlocks)
                  .has(ReasonCode::kOrderNotBalanced));
  pairs = pairs_with_slot_effect(0, true, 1);
  pairs.pop_back();
  const auto odd = compare_paired(kLatency, kLatency, pairs, kRule, PairDesign::kBalancedBlocks);
  EXPECT_EQ(odd.verdict, Verdict::kInsufficient);
  EXPECT_EQ(odd.reasons.at(0).text, "29 pairs do not fill blocks of two");
}

TEST(PairedVerdict, DifferentThingsAreIncomparableWithEachDifferenceNamed) {
  const Quantity other{
      .cohort = "rmsnorm/a100", .unit = "us", .direction = Direction::kHigherIsBetter};
  const auto comparison =
      compare_paired(kLatency, other, pairs_of(NoiseFamily::kNormal, 0.5, 7), kRule);
  EXPECT_EQ(comparison.verdict, Verdict::kIncomparable);
  EXPECT_TRUE(comparison.has(ReasonCode::kDifferentCohort));
  EXPECT_TRUE(comparison.has(ReasonCode::kDifferentUnit));
  EXPECT_TRUE(comparison.has(ReasonCode::kDifferentDirection));
  EXPECT_FALSE(comparison.ratio());
}

// sanity-io/sanity#14648: a 5 % rule fired on 57 % of windows of pure noise.
TEST(PairedVerdict, WideNoiseAloneAlmostNeverWins) {
  int wins = 0;
  constexpr int kComparisons = 4000;
  for (int i = 0; i < kComparisons; ++i) {
    Random random(34, static_cast<std::uint64_t>(i));
    const double variation = 0.11 + 0.11 * random.uniform();
    std::vector<Pair> pairs;
    for (int k = 0; k < 30; ++k) {
      const double candidate = std::exp(variation * random.normal());
      const double baseline = std::exp(variation * random.normal());
      pairs.push_back({candidate, baseline, random.coin()});
    }
    const auto verdict = compare(pairs, {.minimum_effect = 0.05}).verdict;
    wins += verdict == Verdict::kFaster || verdict == Verdict::kSlower ? 1 : 0;
  }
  EXPECT_LE(wins, 12);  // 4 expected of 4000; P(more than 12) < 0.001
}

TEST(PairedVerdictDeathTest, ARuleOutOfRangeIsABug) {
  EXPECT_DEATH(compare({}, {.minimum_effect = -1}), "minimum_effect");
  EXPECT_DEATH(compare({}, {.alpha = 0}), "alpha");
}

// --- unpaired ---

RunEvidence run(double value, double half_width) {
  return {.value = value, .interval = Interval{value - half_width, value + half_width, 0.95}};
}

Comparison compare_runs(const std::vector<RunEvidence>& candidate,
                        const std::vector<RunEvidence>& baseline,
                        const std::optional<NoiseFloor>& floor, const DecisionRule& rule = kRule) {
  return compare_unpaired(kLatency, kLatency, candidate, baseline, floor, rule);
}

TEST(UnpairedVerdict, WithoutABetweenRunFloorEvenAHugeDifferenceIsInsufficient) {
  const auto comparison = compare_runs({run(100, 1)}, {run(900, 1)}, std::nullopt);
  EXPECT_EQ(comparison.verdict, Verdict::kInsufficient);
  EXPECT_EQ(comparison.reasons[0].code, ReasonCode::kNoBetweenRunFloor);
  EXPECT_TRUE(comparison.has(ReasonCode::kWithinRunInterval));
  const auto interval = comparison.ratio_interval().value();
  EXPECT_NEAR(interval.low, 99.0 / 901, 1e-12);
  EXPECT_NEAR(interval.high, 101.0 / 899, 1e-12);
  EXPECT_NEAR(interval.level, 0.90, 1e-12);
}

TEST(UnpairedVerdict, OnlyBeyondTheMeasuredFloorThereIsAWin) {
  const auto floor = NoiseFloor::stated(0.05, 5000).value();
  const auto faster = compare_runs({run(90, 1)}, {run(100, 1)}, floor);
  EXPECT_EQ(faster.verdict, Verdict::kFaster);
  EXPECT_EQ(faster.reasons[0].code, ReasonCode::kBeyondBetweenRunFloor);
  EXPECT_EQ(faster.effect_floor, 0.05);
  EXPECT_NEAR(faster.p.value(), 0.001, 1e-15);
  EXPECT_EQ(compare_runs({run(100, 1)}, {run(90, 1)}, floor).verdict, Verdict::kSlower);
  const auto within = compare_runs({run(98, 1)}, {run(100, 1)}, floor);
  EXPECT_EQ(within.verdict, Verdict::kInsufficient);
  EXPECT_EQ(within.reasons[0].code, ReasonCode::kWithinBetweenRunFloor);
}

TEST(UnpairedVerdict, InsideTheMinimumEffectWithTheFloorIsEquivalent) {
  const auto floor = NoiseFloor::stated(0.01, 5000).value();
  EXPECT_EQ(compare_runs({run(100, 1)}, {run(101, 1)}, floor, {.minimum_effect = 0.03}).verdict,
            Verdict::kEquivalent);
  const auto small = compare_runs({run(100, 1)}, {run(102.5, 1)}, floor, {.minimum_effect = 0.03});
  EXPECT_EQ(small.verdict, Verdict::kUndecided);
  EXPECT_TRUE(small.has(ReasonCode::kBelowMinimumEffect));
}

TEST(UnpairedVerdict, MissingUncertaintyNeverWins) {
  const auto floor = NoiseFloor::stated(0.05, 5000).value();
  const RunEvidence bare{.value = 1};
  const auto comparison = compare_runs({bare}, {run(100, 1)}, floor);
  EXPECT_EQ(comparison.verdict, Verdict::kInsufficient);
  EXPECT_EQ(comparison.reasons[0].code, ReasonCode::kMissingUncertainty);
  EXPECT_FALSE(comparison.ratio());
  EXPECT_EQ(compare_runs({run(100, 1)}, {bare}, floor).verdict, Verdict::kInsufficient);
}

TEST(UnpairedVerdict, ABareRunBesideTestedOnesTakesNoPart) {
  const auto floor = NoiseFloor::stated(0.05, 5000).value();
  const auto comparison = compare_runs({run(100, 1), {.value = 1}}, {run(101, 1)}, floor);
  EXPECT_EQ(comparison.verdict, Verdict::kInsufficient);
  EXPECT_TRUE(comparison.has(ReasonCode::kWithinBetweenRunFloor));
  EXPECT_TRUE(comparison.has(ReasonCode::kRunsLeftOut));
  EXPECT_EQ(comparison.n_candidate, 1U);
}

TEST(UnpairedVerdict, AllRunsCountNotTheBest) {
  const auto floor = NoiseFloor::stated(0.05, 5000).value();
  EXPECT_EQ(compare_runs({run(50, 1), run(101, 1), run(102, 1)}, {run(100, 1)}, floor).verdict,
            Verdict::kInsufficient);
}

TEST(UnpairedVerdict, AnIntervalThatDoesNotHoldItsValueIsNoUncertainty) {
  const auto floor = NoiseFloor::stated(0.05, 5000).value();
  const RunEvidence odd{.value = 10, .interval = Interval{20, 30, 0.95}};
  EXPECT_TRUE(compare_runs({odd}, {run(100, 1)}, floor).has(ReasonCode::kMissingUncertainty));
}

TEST(UnpairedVerdict, InvalidSamplesAreNamed) {
  const RunEvidence negative{.value = 3, .samples = {3, -1.78, 2}};
  const auto comparison = compare_runs({negative}, {run(0, 1)}, std::nullopt);
  EXPECT_EQ(comparison.verdict, Verdict::kInsufficient);
  ASSERT_EQ(comparison.reasons.size(), 2U);
  EXPECT_EQ(comparison.reasons[0].text, "candidate 1 of 3 samples NEGATIVE: at 1");
  EXPECT_EQ(comparison.reasons[1].text, "baseline 1 of 1 samples ZERO: at 0");
}

TEST(UnpairedVerdict, SamplesWithoutAFloorGiveAnIntervalOnly) {
  Random random(35, 0);
  RunEvidence left{.value = 0}, right{.value = 0};
  for (int i = 0; i < 40; ++i) {
    left.samples.push_back(100 * std::exp(0.01 * random.normal()));
    right.samples.push_back(110 * std::exp(0.01 * random.normal()));
  }
  const auto comparison = compare_runs({left}, {right}, std::nullopt);
  EXPECT_EQ(comparison.verdict, Verdict::kInsufficient);
  EXPECT_NEAR(comparison.ratio().value(), 100.0 / 110, 0.01);
  EXPECT_LT(comparison.ratio_interval()->high, 1);
}

TEST(UnpairedVerdict, SwappingTheSidesMirrorsTheAnswer) {
  const auto floor = NoiseFloor::stated(0.02, 5000).value();
  for (int percent = 90; percent <= 110; ++percent) {
    const std::vector left = {run(percent, 1), run(percent + 3, 1)};
    const std::vector right = {run(100, 1), run(99, 1), run(104, 1)};
    for (const auto& between : {std::optional(floor), std::optional<NoiseFloor>()}) {
      const auto forward = compare_runs(left, right, between);
      const auto backward = compare_runs(right, left, between);
      EXPECT_EQ(backward.verdict, opposite(forward.verdict));
      EXPECT_EQ(*backward.log_ratio, -*forward.log_ratio);
      EXPECT_EQ(backward.p, forward.p);
    }
  }
}

TEST(UnpairedVerdict, EmptySidesAndOtherCohortsHaveTheirOwnVerdicts) {
  EXPECT_TRUE(compare_runs({}, {run(1, 0.1)}, std::nullopt).has(ReasonCode::kNoSamples));
  const Quantity other{.cohort = "x", .unit = "ns"};
  const std::vector one = {run(1, 0.1)};
  EXPECT_EQ(compare_unpaired(kLatency, other, one, one, std::nullopt, kRule).verdict,
            Verdict::kIncomparable);
}

// guelfoweb/orbit#295: two runs of the same thing 21.9 % apart; the floor says that this is what
// happens.
TEST(UnpairedVerdict, DeltasInsideTheFloorAreNoFindings) {
  std::vector<double> between_runs;
  for (int i = 0; i < 5000; ++i) {
    Random random(36, static_cast<std::uint64_t>(i));
    between_runs.push_back(std::fabs(0.08 * random.normal()));
  }
  const auto floor = NoiseFloor::measured(std::move(between_runs)).value();
  ASSERT_GT(floor.log_ratio(), std::log(1.219));
  for (const double delta : {0.219, 0.12, -0.05, 0.031}) {
    EXPECT_TRUE(compare_runs({run(100 * (1 + delta), 1)}, {run(100, 1)}, floor)
                    .has(ReasonCode::kWithinBetweenRunFloor));
  }
}

// --- names, floor and groups ---

TEST(ReasonCodes, HaveDistinctUpperCaseNames) {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(ReasonCode::kWithinRunInterval); ++code) {
    const auto name = to_string(static_cast<ReasonCode>(code));
    EXPECT_FALSE(name.empty());
    EXPECT_EQ(name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_"), std::string_view::npos)
        << name;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST(Verdicts, HaveTheSixNames) {
  std::vector<std::string_view> names;
  for (int verdict = 0; verdict <= static_cast<int>(Verdict::kInsufficient); ++verdict) {
    names.push_back(to_string(static_cast<Verdict>(verdict)));
  }
  EXPECT_EQ(names, (std::vector<std::string_view>{"faster", "slower", "equivalent", "undecided",
                                                  "incomparable", "insufficient"}));
}

TEST(NoiseFloor, IsTheHighestPerMilleOfItsComparisons) {
  std::vector<double> values;
  for (int i = 1; i <= 9999; ++i) values.push_back(i / 10'000.0);
  const auto floor = NoiseFloor::measured(values).value();
  EXPECT_NEAR(floor.log_ratio(), 0.999, 1e-4);
  EXPECT_EQ(floor.comparisons(), 9999U);
  EXPECT_NEAR(floor.p(0.9995).value(), 6.0 / 10'000, 1e-12);
  EXPECT_NEAR(floor.p(-2).value(), 1.0 / 10'000, 1e-12);
  EXPECT_EQ(floor.p(0).value(), 1);
}

TEST(NoiseFloor, RefusesTooFewComparisonsAndBadOnes) {
  EXPECT_FALSE(NoiseFloor::measured(std::vector<double>(4999, 0.1)));
  EXPECT_FALSE(NoiseFloor::stated(0.1, 20));
  EXPECT_FALSE(NoiseFloor::stated(-0.1, 5000));
  EXPECT_FALSE(NoiseFloor::measured(std::vector<double>(5000, -0.1)));
  EXPECT_NE(NoiseFloor::stated(0.1, 20).error().message().find("5000"), std::string::npos);
}

TEST(Group, OnlyWinsThatHoldTogetherRemain) {
  std::vector<Comparison> group;
  for (const double p : {1e-6, 0.001, 0.8}) {
    auto comparison = without_numbers(p < 0.5 ? Verdict::kFaster : Verdict::kUndecided, {});
    comparison.p = p;
    group.push_back(comparison);
  }
  for (int i = 0; i < 60; ++i) {
    auto comparison = without_numbers(Verdict::kUndecided, {});
    comparison.p = 0.5;
    group.push_back(comparison);
  }
  group.push_back(without_numbers(Verdict::kInsufficient, {}));
  hold_simultaneously(group, 0.05);
  EXPECT_EQ(group[0].verdict, Verdict::kFaster);
  EXPECT_EQ(group[1].verdict, Verdict::kUndecided);
  EXPECT_EQ(group[1].reasons.at(0).code, ReasonCode::kNotSimultaneous);
  EXPECT_EQ(group.back().verdict, Verdict::kInsufficient);
}

}  // namespace
}  // namespace ki::stats
