// What does it cost to rank one cohort? By number of runs; the largest cohort of the public catalog
// has 260.
#include "ki/policy/ranking.h"
#include "ki/policy/ranking_v2.h"

#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

namespace ki::policy {
namespace {

struct Cohort {
  explicit Cohort(std::size_t n) {
    std::mt19937_64 random(n);
    for (std::size_t i = 0; i < n; ++i)
      ids.push_back("01a0032f-7923-7628-b00a-" + std::to_string(random()));
    for (const std::string& id : ids) {
      const auto value = static_cast<double>(10000 + random() % 5000);
      runs.push_back({.value = value,
                      .has_interval = true,
                      .low = value * 0.998,
                      .high = value * 1.002,
                      .observed_at = Instant{static_cast<std::int64_t>(random() % 1000000)},
                      .id = id});
      tested.push_back({.id = id,
                        .implementation = ids[runs.size() / 2],
                        .value = value,
                        .has_interval = true,
                        .low = value * 0.998,
                        .high = value * 1.002});
    }
  }
  std::vector<std::string> ids;
  std::vector<RankInput> runs;
  std::vector<TestedRun> tested;
};

void rank_by_v1(benchmark::State& state) {
  const Cohort cohort(static_cast<std::size_t>(state.range(0)));
  std::vector<Ranked> out;
  for (auto _ : state) {
    rank_v1(cohort.runs, Profile::kStrictExact, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(rank_by_v1)->Arg(4)->Arg(32)->Arg(260)->Arg(10000);

void rank_by_v2(benchmark::State& state) {
  const Cohort cohort(static_cast<std::size_t>(state.range(0)));
  const RankingV2Options options{.direction = Direction::kLowerIsBetter, .between_run_floor = 0.01};
  for (auto _ : state) benchmark::DoNotOptimize(rank_v2(cohort.tested, {}, options));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(rank_by_v2)->Arg(4)->Arg(32)->Arg(260);

}  // namespace
}  // namespace ki::policy

BENCHMARK_MAIN();
