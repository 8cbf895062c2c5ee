// Does the paired comparison tell the truth on this machine? The same kernel in both arms, many
// times: how often the interval of the ratio holds 1, and how wide it is; beside it what comparing
// one process after the other says in the same minutes; then the same with 5 % more work in the
// candidate.
//   bench_aa [--runs N] [--slow-runs N] [--rounds N] [--processes N] [--cell PROGRAM]
// Passes (exit 0): 1 is covered in at least 90 % of the runs, median width at most 8 %, the slow
// candidate never "faster" and "slower" in at least 80 % (harness 14 section 8). Rejected rounds
// are counted; a run without any round left counts as not covered.
#include "ki/machine/lock.h"
#include "ki/measure/caches.h"
#include "ki/measure/paired.h"
#include "ki/sandbox/builder.h"
#include "ki/stats/philox.h"
#include "ki/stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using namespace ki;

constexpr std::int64_t kCount = 131'072;  // floats: 0.5 MiB each way

// WORK parts of the same arithmetic over the buffers: 100, or 105. Built without fused operations,
// as the check computes the same bits.
const char* kSource = R"(
#include <ki/kernel_abi.h>
const uint32_t ki_kernel_abi = KI_KERNEL_ABI;
int32_t entry(const ki_tensor* in, int32_t n_in, ki_tensor* out, int32_t n_out, const ki_exec* exec) {
  const float* x = in[0].data;
  float* y = out[0].data;
  (void)n_in; (void)n_out; (void)exec;
  const int64_t total = in[0].numel * 4 / 100 * WORK;
  const int64_t mask = in[0].numel - 1;
  for (int64_t i = 0; i < total; ++i) y[i & mask] = x[i & mask] * 1.5f + 2;
  return 0;
}
)";

struct Options {
  int runs = 200;
  int slow_runs = 100;
  int rounds = 12;
  int processes = 6;
  std::string cell;
};

struct Bench {
  const sandbox::Host& host;
  Options options;
  std::string same, slow;

  Result<sandbox::Cell> start(const std::string& object, int sets) const {
    return sandbox::Cell::start(host, {.object = object,
                                       .entry = "entry",
                                       .inputs = {{2, {kCount}, kCount * 4}},
                                       .outputs = {{2, {kCount}, kCount * 4}},
                                       .sets = sets,
                                       .cpus = {1}});
  }

  static void stage(sandbox::Cell& cell, int set, std::uint64_t number) {
    auto* x = reinterpret_cast<float*>(cell.tensor(set, 0).data());
    stats::Random random(number, 0);
    const float base = static_cast<float>(random.uniform());
    for (std::int64_t i = 0; i < kCount; ++i) x[i] = base + static_cast<float>(i & 1023);
    std::memset(cell.tensor(set, 1).data(), 0xff, kCount * 4);
  }
  static std::optional<std::string> check(sandbox::Cell& cell, int set, std::uint64_t number) {
    const auto* y = reinterpret_cast<const float*>(cell.tensor(set, 1).data());
    stats::Random random(number, 0);
    const float base = static_cast<float>(random.uniform());
    for (std::int64_t i = 0; i < kCount; ++i) {
      if (y[i] != (base + static_cast<float>(i & 1023)) * 1.5f + 2) return "an output is wrong";
    }
    return std::nullopt;
  }

  Result<measure::PairedRun> pairs(const std::string& candidate, std::uint64_t seed) const {
    return measure::run_pairs({.start_candidate = [&](int sets) { return start(candidate, sets); },
                               .start_baseline = [&](int sets) { return start(same, sets); },
                               .stage = stage,
                               .check = check,
                               .processes = options.processes,
                               .rounds = options.rounds,
                               .seed = seed});
  }

  // As many samples of one process after the other, their medians compared with a bootstrap
  // interval: what most programs do.
  Result<bool> does_sequence_cover(std::uint64_t seed) const {
    std::vector<double> arms[2];
    for (auto& samples : arms) {
      KI_TRY(sandbox::Cell cell, start(same, 1));
      const int count = options.rounds * options.processes;
      for (int i = -3; i < count; ++i) {
        stage(cell, 0, static_cast<std::uint64_t>(i + 3));
        const auto report = cell.ring({.before_thaw = [&] { measure::flush_cell(cell, 0, 1); }});
        if (report.ending) return fail(Code::kInternal, report.ending->text);
        if (i >= 0) samples.push_back(static_cast<double>(report.elapsed_ns));
      }
    }
    std::vector<double> ratios;
    for (std::uint64_t r = 0; r < 1000; ++r) {
      stats::Random random(seed, r);
      double medians[2];
      for (int arm = 0; arm < 2; ++arm) {
        std::vector<double> again(arms[arm].size());
        for (double& value : again) value = arms[arm][random.below(arms[arm].size())];
        medians[arm] = stats::median(again);
      }
      ratios.push_back(medians[0] / medians[1]);
    }
    return stats::quantile(ratios, 0.025) <= 1 && 1 <= stats::quantile(ratios, 0.975);
  }
};

Result<int> run(const Options& options) {
  KI_TRY(const auto lock, machine::MeasuringLock::acquire("bench_aa"));
  KI_TRY(const sandbox::Host host, sandbox::Host::open({.cell_program = options.cell}));
  Bench bench{host, options, {}, {}};
  for (const auto& [work, object] :
       {std::pair("100", &bench.same), std::pair("105", &bench.slow)}) {
    KI_TRY(const auto built,
           sandbox::build(host, {.sources = {{"a.c", kSource}},
                                 .flags = {std::string("-DWORK=") + work, "-ffp-contract=off"}}));
    if (built.outcome != sandbox::BuildOutcome::kBuilt) return fail(Code::kInternal, built.log);
    *object = built.object;
  }
  int covered = 0, sequence_covered = 0, decided = 0;
  std::size_t accepted = 0, total = 0;
  std::vector<double> widths;
  for (int i = 0; i < options.runs; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    KI_TRY(const auto taken, bench.pairs(bench.same, seed));
    const auto judged = measure::judge_pairs(taken.rounds, {}, seed);
    accepted += judged.rejections.accepted;
    total += judged.rejections.total;
    if (judged.log_ratio) {
      const auto interval = judged.ratio_interval();
      covered += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
      widths.push_back(interval.high - interval.low);
    }
    const auto verdict = judged.comparison.verdict;
    decided += verdict == stats::Verdict::kFaster || verdict == stats::Verdict::kSlower ? 1 : 0;
    KI_TRY(const bool sequence, bench.does_sequence_cover(seed));
    sequence_covered += sequence ? 1 : 0;
  }
  const double width = widths.empty() ? 1 : stats::median(widths);
  fmt::print(
      "A/A, interleaved:  1 covered in {} of {}, median width {:.2f} %, called different {}\n",
      covered, options.runs, 100 * width, decided);
  fmt::print("A/A, one after the other: 1 covered in {} of {}\n", sequence_covered, options.runs);
  fmt::print("rounds accepted: {} of {}\n", accepted, total);
  std::fflush(stdout);
  int slower = 0, faster = 0;
  std::vector<double> ratios;
  for (int i = 0; i < options.slow_runs; ++i) {
    const auto seed = static_cast<std::uint64_t>(1'000'000 + i);
    KI_TRY(const auto taken, bench.pairs(bench.slow, seed));
    const auto judged = measure::judge_pairs(taken.rounds, {}, seed);
    slower += judged.comparison.verdict == stats::Verdict::kSlower ? 1 : 0;
    faster += judged.comparison.verdict == stats::Verdict::kFaster ? 1 : 0;
    if (judged.log_ratio) ratios.push_back(judged.ratio());
  }
  fmt::print("5 % more work: slower {} of {}, faster {}, median ratio {:.4f}\n", slower,
             options.slow_runs, faster, ratios.empty() ? 0 : stats::median(ratios));
  const bool is_passed = covered * 10 >= options.runs * 9 && width <= 0.08 && faster == 0 &&
                         slower * 10 >= options.slow_runs * 8;
  fmt::print("{}\n", is_passed ? "PASSED" : "DID NOT PASS");
  return is_passed ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--cell") options.cell = argv[i + 1];
    const int value = std::atoi(argv[i + 1]);
    if (name == "--runs") options.runs = value;
    if (name == "--slow-runs") options.slow_runs = value;
    if (name == "--rounds") options.rounds = value;
    if (name == "--processes") options.processes = value;
  }
  if (options.cell.empty()) {
    const std::string self = argv[0];
    options.cell = self.substr(0, self.find_last_of('/') + 1) + "../bin/ki-cell";
  }
  const auto code = run(options);
  if (!code) {
    fmt::print(stderr, "{}\n", code.error().to_string());
    return 2;
  }
  return *code;
}
