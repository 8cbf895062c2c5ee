#include "ki/measure/batch.h"
#include "ki/measure/caches.h"
#include "ki/measure/paired.h"
#include "ki/stats/philox.h"
#include "ki/stats/summary.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::measure {
namespace {

using sandbox::CallReport;
using sandbox::Cell;

struct Arm {
  const char* name;
  Cell cell;
};

class PairRunner {
 public:
  explicit PairRunner(const PairedPlan& plan) : plan_(plan) {}

  Result<PairedRun> run() {
    KI_TRY(run_.calls_per_sample, find_calls());
    for (int process = 0; process < plan_.processes; ++process) {
      KI_TRY_VOID(run_process(static_cast<std::uint32_t>(process)));
    }
    return std::move(run_);
  }

 private:
  Result<Arm> start(const char* name, const std::function<Result<Cell>(int)>& make, int sets) {
    auto cell = make(sets);
    if (!cell) return std::unexpected(std::move(cell).error().within(name));
    if (cell->ending()) {
      return fail(Code::kInvalidArgument, fmt::format("{}: {}", name, cell->ending()->text));
    }
    return Arm{name, std::move(*cell)};
  }

  // One sample of an arm on the inputs of these numbers.
  Result<CallReport> sample(Arm& arm, int calls, std::uint64_t number) {
    if (plan_.cancel != nullptr && plan_.cancel->load()) return fail(Code::kCancelled, "stopped");
    for (int set = 0; set < calls; ++set) {
      plan_.stage(arm.cell, set, number + static_cast<std::uint64_t>(set));
    }
    sandbox::RingOptions options{
        .count = calls, .waiting = plan_.waiting, .deadline = plan_.deadline};
    if (plan_.is_cold) options.before_thaw = [&] { flush_cell(arm.cell, 0, calls); };
    CallReport report = arm.cell.ring(options);
    if (report.ending) {
      return fail(Code::kInvalidArgument, fmt::format("{}: {}", arm.name, report.ending->text));
    }
    for (int set = 0; set < calls; ++set) {
      const auto& call = report.calls[static_cast<std::size_t>(set)];
      if (call.result != 0) {
        return fail(Code::kInvalidArgument, fmt::format("{}: returned {}", arm.name, call.result));
      }
      if (auto wrong = plan_.check(arm.cell, set, number + static_cast<std::uint64_t>(set))) {
        return fail(Code::kInvalidArgument, fmt::format("{}: {}", arm.name, *wrong));
      }
    }
    return report;
  }

  // The K of both arms: what the faster one needs. Also the cost of an empty ring.
  Result<int> find_calls() {
    double fastest = 0;
    for (const bool is_candidate : {true, false}) {
      KI_TRY(Arm arm, is_candidate ? start("candidate", plan_.start_candidate, 1)
                                   : start("baseline", plan_.start_baseline, 1));
      std::vector<double> times, empty;
      for (int i = 0; i < std::max(plan_.warmup_calls, 3) + 5; ++i) {
        const CallReport ring = arm.cell.ring({.is_empty = true, .waiting = plan_.waiting});
        if (ring.ending)
          return fail(Code::kInvalidArgument, fmt::format("{}: {}", arm.name, ring.ending->text));
        empty.push_back(static_cast<double>(ring.elapsed_ns));
        KI_TRY(const CallReport report, sample(arm, 1, next_number_++));
        times.push_back(static_cast<double>(report.elapsed_ns));
      }
      run_.empty_ns = stats::median(empty);
      empty_deviation_ = stats::kMadToSigma * stats::median_absolute_deviation(empty);
      const double call = std::max(stats::median(times) - run_.empty_ns, 10.0);
      fastest = fastest == 0 ? call : std::min(fastest, call);
    }
    const EmptyCall empty{run_.empty_ns, empty_deviation_, 25,
                          plan_.waiting == sandbox::Waiting::kSpin};
    planned_ns_ = fastest;
    return static_cast<int>(
        calls_per_sample(fastest, empty, static_cast<std::size_t>(plan_.most_calls)));
  }

  static Telemetry telemetry_of(const CallReport& report) {
    return {.run_queue_ns = report.after.wait_ns - report.before.wait_ns,
            .migrations = static_cast<std::uint32_t>(report.after.migrations),
            .major_faults =
                static_cast<std::uint32_t>(report.after.major_faults - report.before.major_faults),
            .was_rearmed = report.was_rearmed};
  }

  Result<void> run_process(std::uint32_t process) {
    const int calls = run_.calls_per_sample;
    KI_TRY(Arm candidate, start("candidate", plan_.start_candidate, calls));
    KI_TRY(Arm baseline, start("baseline", plan_.start_baseline, calls));
    run_.isolation = std::min(candidate.cell.isolation().level, baseline.cell.isolation().level);
    for (int i = 0; i < plan_.warmup_calls; ++i) {
      for (Arm* arm : {&candidate, &baseline}) KI_TRY_VOID(sample(*arm, calls, next_number_));
      next_number_ += static_cast<std::uint64_t>(calls);
    }
    const DelayLimit limit = DelayLimit::of_planned_window(
        static_cast<std::uint64_t>(planned_ns_ * static_cast<double>(calls)));
    stats::Random coins(plan_.seed, process);
    bool candidate_first = false;
    for (int i = 0; i < plan_.rounds; ++i) {
      candidate_first = i % 2 == 0 ? coins.coin() : !candidate_first;
      Round round{.process = process, .candidate_first = candidate_first};
      for (const bool is_candidate : {candidate_first, !candidate_first}) {
        KI_TRY(const CallReport report,
               sample(is_candidate ? candidate : baseline, calls, next_number_));
        (is_candidate ? round.candidate_ns : round.baseline_ns) =
            static_cast<double>(report.elapsed_ns) / calls;
        if (!round.rejected) round.rejected = rejection(telemetry_of(report), limit);
      }
      next_number_ += static_cast<std::uint64_t>(calls);
      run_.rounds.push_back(round);
    }
    return {};
  }

  const PairedPlan& plan_;
  PairedRun run_;
  std::uint64_t next_number_ = 0;
  double planned_ns_ = 0;
  double empty_deviation_ = 0;
};

}  // namespace

Result<PairedRun> run_pairs(const PairedPlan& plan) {
  if (plan.rounds < 2 || plan.rounds % 2 != 0 || plan.processes < 1) {
    return fail(
        Code::kInvalidArgument,
        fmt::format("{} rounds in {} processes; expected an even number of rounds, and a process",
                    plan.rounds, plan.processes));
  }
  return PairRunner(plan).run();
}

}  // namespace ki::measure
