// Statistics of a case from its samples.
#include "ki/harness/run.h"
#include "ki/stats/bootstrap.h"
#include "ki/stats/special.h"
#include "ki/stats/summary.h"

#include <algorithm>
#include <cmath>

namespace ki::harness {
namespace {

constexpr double kLevel = 0.95;

}  // namespace

std::string_view to_string(Cause cause) {
  switch (cause) {
    case Cause::kAccepted:
      return "accepted";
    case Cause::kRunQueueDelay:
      return "run_queue_delay";
    case Cause::kMigration:
      return "migration";
    case Cause::kMajorFault:
      return "major_fault";
    case Cause::kRearmed:
      return "rearmed";
  }
  return "";
}

std::optional<Timing> timing_of(const std::vector<Sample>& samples, std::uint32_t calls_a_sample,
                                double empty_ns, std::uint64_t bootstrap_seed) {
  Timing out;
  out.calls_a_sample = calls_a_sample;
  out.empty_ns = empty_ns;
  std::map<std::uint32_t, std::vector<double>> by_process;
  std::vector<double> all;
  for (const Sample& sample : samples) {
    ++out.by_cause[static_cast<std::size_t>(sample.cause)];
    if (sample.cause != Cause::kAccepted) continue;
    const double ns = static_cast<double>(sample.elapsed_ns) / calls_a_sample;
    by_process[sample.process].push_back(ns);
    all.push_back(ns);
  }
  if (all.empty()) return std::nullopt;
  out.accepted = all.size();
  out.mean = stats::mean(all);
  out.mad = stats::median_absolute_deviation(all);
  out.p05 = stats::quantile(all, 0.05);
  out.p95 = stats::quantile(all, 0.95);
  out.minimum = *std::ranges::min_element(all);
  out.maximum = *std::ranges::max_element(all);
  std::vector<std::vector<double>> processes;
  for (auto& [process, values] : by_process) {
    out.process_medians.push_back(stats::median(values));
    processes.push_back(std::move(values));
  }
  // The median over processes of their medians: what the interval is of.
  out.median = stats::median(out.process_medians);
  const auto bootstrap = stats::bootstrap_hierarchical(
      processes, [](std::span<const double> x) { return stats::median(x); },
      {.bootstrap = {.seed = bootstrap_seed, .replicates = 2000, .level = kLevel}});
  out.low = bootstrap.bootstrap.interval.low;
  out.high = bootstrap.bootstrap.interval.high;
  if (out.process_medians.size() >= 2) {
    const auto n = static_cast<double>(out.process_medians.size());
    const double half = stats::student_t_quantile(0.5 + kLevel / 2, n - 1) *
                        stats::standard_deviation(out.process_medians) / std::sqrt(n);
    const double center = stats::mean(out.process_medians);
    if (2 * half > out.high - out.low) {
      out.low = std::min(center - half, out.median);
      out.high = std::max(center + half, out.median);
    }
  }
  return out;
}

}  // namespace ki::harness
