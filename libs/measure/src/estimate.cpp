#include "ki/measure/estimate.h"

#include "ki/base/check.h"
#include "ki/stats/special.h"
#include "ki/stats/summary.h"

#include <algorithm>
#include <cmath>

namespace ki::measure {
namespace {
constexpr double kLevel = 0.95;
}

std::string_view to_string(IntervalMethod method) {
  return method == IntervalMethod::kStudentT ? "student_t" : "hierarchical_bootstrap";
}

double Estimate::half_width() const {
  return value == 0 ? 0 : (interval.high - interval.low) / 2 / std::fabs(value);
}

Estimate estimate(std::span<const std::vector<double>> processes, std::uint64_t seed) {
  KI_CHECK(!processes.empty());
  const auto bootstrap = stats::bootstrap_hierarchical(
      processes, [](std::span<const double> values) { return stats::median(values); },
      {.bootstrap = {.seed = seed, .replicates = 2000, .level = kLevel}});
  Estimate out{.value = bootstrap.bootstrap.estimate,
               .interval = bootstrap.bootstrap.interval,
               .method = IntervalMethod::kHierarchicalBootstrap,
               .spread = bootstrap.spread,
               .process_medians = {}};
  for (const auto& process : processes) out.process_medians.push_back(stats::median(process));
  if (out.process_medians.size() >= 2) {
    const auto n = static_cast<double>(out.process_medians.size());
    const double half = stats::student_t_quantile(0.5 + kLevel / 2, n - 1) *
                        stats::standard_deviation(out.process_medians) / std::sqrt(n);
    if (2 * half > out.interval.high - out.interval.low) {
      const double center = stats::mean(out.process_medians);
      out.interval = {center - half, center + half, kLevel};
      out.method = IntervalMethod::kStudentT;
    }
  }
  out.interval.low = std::min(out.interval.low, out.value);
  out.interval.high = std::max(out.interval.high, out.value);
  return out;
}

}  // namespace ki::measure
