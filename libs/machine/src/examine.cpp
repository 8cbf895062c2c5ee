// Performs what health.h judges.
#include "ki/machine/health.h"
#include "ki/machine/lock.h"
#include "ki/measure/sentinel.h"
#include "ki/sandbox/builder.h"
#include "ki/sandbox/cell.h"
#include "ki/stats/summary.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace ki::machine {
namespace {

// Its output depends on every input, so that a call that did nothing is noticed.
constexpr const char* kProbeSource = R"(#include <ki/kernel_abi.h>
const uint32_t ki_kernel_abi = KI_KERNEL_ABI;
int32_t probe(const ki_tensor* in, int32_t n_in, ki_tensor* out, int32_t n_out, const ki_exec* exec) {
  const float* x = in[0].data;
  float* y = out[0].data;
  (void)n_in; (void)n_out; (void)exec;
  for (int64_t i = 0; i < in[0].numel; ++i) y[i] = 3 * x[i] + 1;
  return 0;
}
)";
constexpr std::int64_t kCount = 262'144;

double now_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

void examine_clock(Examination& out) {
  std::vector<double> pairs;
  double step = 1e9;
  for (int i = 0; i < 2000; ++i) {
    const double first = now_ns();
    const double second = now_ns();
    pairs.push_back(second - first);
    if (second > first) step = std::min(step, second - first);
  }
  out.clock_step_ns = step;
  out.clock_cost_ns = stats::median(pairs);
}

struct Ticks {
  double steal = 0;
  double total = 0;
};
Ticks processor_ticks() {
  std::ifstream in("/proc/stat");
  std::string name;
  in >> name;
  Ticks out;
  for (int field = 0; field < 8; ++field) {
    double value = 0;
    in >> value;
    out.total += value;
    if (field == 7) out.steal = value;
  }
  return out;
}

// Nanoseconds that this thread was ready to run and did not.
double own_wait_ns() {
  std::ifstream in(fmt::format("/proc/self/task/{}/schedstat", ::syscall(SYS_gettid)));
  double run = 0, wait = 0;
  in >> run >> wait;
  return wait;
}

// Spins on each processor in turn.
double worst_wait_share(int processors) {
  double worst = 0;
  std::thread spinner([&] {
    for (int cpu = 0; cpu < std::min(processors, 64); ++cpu) {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(cpu, &set);
      if (::sched_setaffinity(0, sizeof set, &set) != 0) continue;
      const double before = own_wait_ns();
      const double begin = now_ns();
      while (now_ns() - begin < 5e8 / processors) {
      }
      worst = std::max(worst, (own_wait_ns() - before) / (now_ns() - begin));
    }
  });
  spinner.join();
  return worst;
}

void examine_cell(Examination& out) {
  const auto host = sandbox::Host::open();
  if (!host) {
    out.no_sandbox = host.error().to_string();
    return;
  }
  out.isolation = host->isolation();
  const auto built = sandbox::build(*host, {.sources = {{"probe.c", kProbeSource}}});
  if (!built || built->outcome != sandbox::BuildOutcome::kBuilt) return;
  out.compiler = built->compiler.version;
  out.machine_flags = built->compiler.machine_flags;
  auto cell = sandbox::Cell::start(*host, {.object = built->object,
                                           .entry = "probe",
                                           .inputs = {{2, {kCount}, kCount * 4}},
                                           .outputs = {{2, {kCount}, kCount * 4}}});
  if (!cell || cell->ending()) return;
  out.isolation = cell->isolation();
  const auto waiting = out.processors >= 2 ? sandbox::Waiting::kSpin : sandbox::Waiting::kSleep;
  std::vector<double> empty, calls, freezes;
  for (int i = 0; i < 30; ++i) {
    const auto ring = cell->ring({.is_empty = true, .waiting = waiting});
    if (ring.ending) return;
    empty.push_back(static_cast<double>(ring.elapsed_ns));
    freezes.push_back(static_cast<double>(ring.freeze_ns));
    auto* x = reinterpret_cast<float*>(cell->tensor(0, 0).data());
    std::fill_n(x, kCount, static_cast<float>(i));
    const auto report = cell->ring({.waiting = waiting});
    if (report.ending || report.calls[0].result != 0) return;
    const auto* y = reinterpret_cast<const float*>(cell->tensor(0, 1).data());
    for (std::int64_t k = 0; k < kCount; ++k) {
      if (y[k] != 3 * static_cast<float>(i) + 1) return;
    }
    if (i >= 5) calls.push_back(static_cast<double>(report.elapsed_ns));
  }
  out.has_called = true;
  out.empty_call_ns = stats::median(empty);
  out.freeze_ns = stats::median(freezes);
  out.call_spread = stats::median_absolute_deviation(calls) / stats::median(calls);
}

}  // namespace

Examination examine(const Snapshot& snapshot) {
  Examination out;
  out.host_class = host_class_of(snapshot);
  out.processors = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  const auto is_true = [&](const char* name) {
    const Member* member = snapshot.find(name);
    return member != nullptr && member->value && std::holds_alternative<bool>(*member->value) &&
           std::get<bool>(*member->value);
  };
  out.has_invariant_clock = is_true("tsc_constant") && is_true("tsc_nonstop");
  out.other_holder = MeasuringLock::holder();
  double load = 0;
  if (::getloadavg(&load, 1) == 1) out.load = load;
  examine_clock(out);
  const Ticks before = processor_ticks();
  out.wait_share = worst_wait_share(out.processors);
  const auto first = measure::run_sentinels();
  examine_cell(out);
  const auto second = measure::run_sentinels();
  for (const auto& shift : measure::shifts(first, second)) {
    out.moved_sentinels.push_back(
        fmt::format("{} ({:+.1f} %)", shift.name, 100 * (shift.ratio - 1)));
  }
  const Ticks after = processor_ticks();
  if (after.total > before.total)
    out.steal_share = (after.steal - before.steal) / (after.total - before.total);
  return out;
}

}  // namespace ki::machine
