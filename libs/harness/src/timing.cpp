// Statistics of a case from its samples.
#include "ki/harness/run.h"
#include "ki/measure/estimate.h"
#include "ki/stats/summary.h"

#include <algorithm>
#include <map>

namespace ki::harness {

std::optional<Timing> timing_of(const std::vector<Sample>& samples, std::uint32_t calls_a_sample,
                                double empty_ns, std::uint64_t bootstrap_seed) {
  Timing out;
  out.calls_a_sample = calls_a_sample;
  out.empty_ns = empty_ns;
  std::map<std::uint32_t, std::vector<double>> by_process;
  std::vector<double> all;
  std::vector<std::optional<measure::RejectCause>> decisions;
  for (const Sample& sample : samples) {
    decisions.push_back(sample.rejected);
    if (sample.rejected) continue;
    const double ns = static_cast<double>(sample.elapsed_ns) / calls_a_sample;
    by_process[sample.process].push_back(ns);
    all.push_back(ns);
  }
  out.rejections = measure::count_rejections(decisions);
  if (all.empty()) return std::nullopt;
  out.mean = stats::mean(all);
  out.mad = stats::median_absolute_deviation(all);
  out.p05 = stats::quantile(all, 0.05);
  out.p95 = stats::quantile(all, 0.95);
  out.minimum = *std::ranges::min_element(all);
  out.maximum = *std::ranges::max_element(all);
  std::vector<std::vector<double>> processes;
  for (auto& [process, values] : by_process) processes.push_back(std::move(values));
  const measure::Estimate estimate = measure::estimate(processes, bootstrap_seed);
  out.median = estimate.value;
  out.process_medians = estimate.process_medians;
  out.low = estimate.interval.low;
  out.high = estimate.interval.high;
  return out;
}

}  // namespace ki::harness
