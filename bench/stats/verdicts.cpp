// Question: how often does the decision rule call a winner where there is none, and how surely does
// it see a real effect, in each noise family? Prints one row a family: false wins in A/A
// comparisons, the noise floor F, the power at max(2F, 2 x minimum effect), and the false wins of
// the same test on two sequential series. Exits with 1 when a bar of spec 17 is missed.
#include "ki/stats/compare_paired.h"
#include "ki/stats/noise_floor.h"
#include "ki/stats_testing/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace {

using ki::stats::Comparison;
using ki::stats::Random;
using ki::stats::Verdict;
using ki::stats_testing::NoiseFamily;

constexpr std::size_t kPairs = 30;
constexpr std::uint64_t kMostFalseWins =
    131;  // in 10^5: 100 expected, plus 3.1 standard deviations
constexpr double kLeastPower = 0.95;

struct Plan {
  std::uint64_t comparisons = 100'000;
  std::uint64_t floor_comparisons = 20'000;
  std::uint64_t power_comparisons = 10'000;
  std::uint64_t seed = 20'260'816;
};

struct Row {
  std::uint64_t false_wins = 0;
  std::uint64_t significant = 0;  // p <= alpha, whatever the effect
  std::uint64_t equivalent = 0;
  double floor = 0;
  double effect = 0;
  double power = 0;
  double sequential = 0;
};

bool is_win(const Comparison& comparison) {
  return comparison.verdict == Verdict::kFaster || comparison.verdict == Verdict::kSlower;
}

// Streams of one family and purpose are numbered, so that any row can be recomputed alone.
Random stream_of(const Plan& plan, NoiseFamily family, std::uint64_t purpose, std::uint64_t index) {
  return {plan.seed, (static_cast<std::uint64_t>(family) << 48) | (purpose << 40) | index};
}

Row simulate(NoiseFamily family, const Plan& plan, const ki::stats::DecisionRule& rule) {
  const ki::stats::Quantity quantity{.cohort = "simulation", .unit = "ns"};
  const auto compare = [&](const std::vector<ki::stats::Pair>& pairs) {
    return compare_paired(quantity, quantity, pairs, rule);
  };
  Row row;
  std::vector<double> distances;
  for (std::uint64_t i = 0; i < plan.floor_comparisons; ++i) {
    auto random = stream_of(plan, family, 0, i);
    distances.push_back(
        std::fabs(compare(draw_pairs(family, kPairs, 0, random)).log_ratio.value_or(0)));
  }
  row.floor = ki::stats::NoiseFloor::measured(std::move(distances)).value().log_ratio();

  for (std::uint64_t i = 0; i < plan.comparisons; ++i) {
    auto random = stream_of(plan, family, 1, i);
    const auto comparison = compare(draw_pairs(family, kPairs, 0, random));
    row.false_wins += is_win(comparison) ? 1 : 0;
    row.significant += comparison.p.value_or(1) <= rule.alpha ? 1 : 0;
    row.equivalent += comparison.verdict == Verdict::kEquivalent ? 1 : 0;
  }

  row.effect = std::max(2 * row.floor, 2 * rule.minimum_effect);
  std::uint64_t seen = 0;
  for (std::uint64_t i = 0; i < plan.power_comparisons; ++i) {
    auto random = stream_of(plan, family, 2, i);
    const double effect = i % 2 == 0 ? row.effect : -row.effect;
    const auto wanted = effect > 0 ? Verdict::kSlower : Verdict::kFaster;
    seen += compare(draw_pairs(family, kPairs, effect, random)).verdict == wanted ? 1 : 0;
  }
  row.power = static_cast<double>(seen) / static_cast<double>(plan.power_comparisons);

  std::uint64_t sequential = 0;
  for (std::uint64_t i = 0; i < plan.power_comparisons; ++i) {
    auto random = stream_of(plan, family, 3, i);
    sequential += is_win(compare(draw_sequential(family, kPairs, 0, random))) ? 1 : 0;
  }
  row.sequential = static_cast<double>(sequential) / static_cast<double>(plan.power_comparisons);
  return row;
}

int run(const Plan& plan) {
  const ki::stats::DecisionRule rule;
  const auto started = std::chrono::steady_clock::now();
  fmt::print(
      "{} pairs, {} A/A comparisons a family, floor from {}, power from {}, minimum effect {} %, "
      "seed {}\n",
      kPairs, plan.comparisons, plan.floor_comparisons, plan.power_comparisons,
      100 * rule.minimum_effect, plan.seed);
  fmt::print("{:<15} {:>10} {:>10} {:>11} {:>8} {:>9} {:>8} {:>11}\n", "family", "false wins",
             "p <= 0.001", "equivalent", "F", "effect", "power", "sequential");
  bool is_good = true;
  const double bar =
      static_cast<double>(kMostFalseWins) * static_cast<double>(plan.comparisons) / 100'000;
  const auto report = [&](NoiseFamily family, double least_power) {
    const auto row = simulate(family, plan, rule);
    fmt::print("{:<15} {:>10} {:>10} {:>11} {:>6.3f} % {:>7.3f} % {:>6.2f} % {:>9.2f} %\n",
               to_string(family), row.false_wins, row.significant, row.equivalent, 100 * row.floor,
               100 * row.effect, 100 * row.power, 100 * row.sequential);
    is_good = is_good && static_cast<double>(row.false_wins) <= bar && row.power >= least_power;
  };
  for (const auto family : ki::stats_testing::kNoiseFamilies) report(family, kLeastPower);
  for (const auto family : ki::stats_testing::kHarshFamilies) report(family, 0);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  fmt::print("bars: false wins <= {:.0f}, power >= {:.0f} %: {}; {:.0f} s\n", bar,
             100 * kLeastPower, is_good ? "met" : "MISSED", took.count());
  return is_good ? 0 : 1;
}

}  // namespace

// bench_stats_verdicts [COMPARISONS [SEED]]
int main(int argc, char** argv) {
  Plan plan;
  const auto read = [](std::string_view text, std::uint64_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() && number > 0;
  };
  if (argc > 3 || (argc > 1 && !read(argv[1], plan.comparisons)) ||
      (argc > 2 && !read(argv[2], plan.seed))) {
    fmt::print(stderr,
               "usage: bench_stats_verdicts [COMPARISONS [SEED]], both whole numbers above 0\n");
    return 2;
  }
  return run(plan);
}
