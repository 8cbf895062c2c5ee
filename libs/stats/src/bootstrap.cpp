#include "ki/stats/bootstrap.h"

#include "ki/base/check.h"
#include "ki/stats/philox.h"
#include "ki/stats/special.h"
#include "ki/stats/summary.h"

#include <algorithm>
#include <cmath>

namespace ki::stats {
namespace {

void check_options(const BootstrapOptions& options) {
  KI_CHECK(options.level > 0 && options.level < 1);
  KI_CHECK(options.replicates >= 100);
}

std::vector<double> replicate_all(std::span<const double> samples, const Statistic& statistic,
                                  const BootstrapOptions& options) {
  std::vector<double> replicates;
  replicates.reserve(options.replicates);
  std::vector<double> resample(samples.size());
  for (std::size_t r = 0; r < options.replicates; ++r) {
    Random random(options.seed, r);
    for (double& value : resample) value = samples[random.below(samples.size())];
    replicates.push_back(statistic(resample));
  }
  std::ranges::sort(replicates);
  return replicates;
}

BootstrapResult result_of(double estimate, std::span<const double> sorted, double low, double high,
                          double level) {
  return {.estimate = estimate,
          .interval = {quantile_of_sorted(sorted, low), quantile_of_sorted(sorted, high), level},
          .standard_error = standard_deviation(sorted)};
}

BootstrapResult percentile_of(double estimate, std::span<const double> sorted, double level) {
  const double tail = (1 - level) / 2;
  return result_of(estimate, sorted, tail, 1 - tail, level);
}

// Efron's acceleration from the jackknife; 0 when the statistic does not react to any sample.
double acceleration(std::span<const double> samples, const Statistic& statistic) {
  std::vector<double> left(samples.size() - 1);
  std::vector<double> values;
  for (std::size_t out = 0; out < samples.size(); ++out) {
    std::copy(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(out), left.begin());
    std::copy(samples.begin() + static_cast<std::ptrdiff_t>(out) + 1, samples.end(),
              left.begin() + static_cast<std::ptrdiff_t>(out));
    values.push_back(statistic(left));
  }
  const double center = mean(values);
  double cubes = 0;
  double squares = 0;
  for (const double value : values) {
    const double distance = center - value;
    squares += distance * distance;
    cubes += distance * distance * distance;
  }
  return squares == 0 ? 0 : cubes / (6 * squares * std::sqrt(squares));
}

void draw_blocks(std::span<const double> series, std::size_t block, Random& random,
                 std::vector<double>& resample) {
  resample.clear();
  while (resample.size() < series.size()) {
    const std::size_t start = random.below(series.size());
    const std::size_t count = std::min(block, series.size() - resample.size());
    for (std::size_t i = 0; i < count; ++i) resample.push_back(series[(start + i) % series.size()]);
  }
}

}  // namespace

BootstrapResult bootstrap_percentile(std::span<const double> samples, const Statistic& statistic,
                                     const BootstrapOptions& options) {
  KI_CHECK(!samples.empty());
  check_options(options);
  return percentile_of(statistic(samples), replicate_all(samples, statistic, options),
                       options.level);
}

BootstrapResult bootstrap_bca(std::span<const double> samples, const Statistic& statistic,
                              const BootstrapOptions& options) {
  KI_CHECK(!samples.empty());
  check_options(options);
  const double estimate = statistic(samples);
  const auto sorted = replicate_all(samples, statistic, options);
  // Resamples with the same sum in another order differ by rounding only, which must not count as
  // "below".
  const double rounding = 1e-12 * std::fabs(estimate);
  const auto first = std::ranges::lower_bound(sorted, estimate - rounding);
  const auto last = std::ranges::upper_bound(sorted, estimate + rounding);
  const auto below =
      static_cast<double>(first - sorted.begin()) + 0.5 * static_cast<double>(last - first);
  const double fraction = below / static_cast<double>(sorted.size());
  if (samples.size() < 2 || fraction <= 0 || fraction >= 1) {
    return percentile_of(estimate, sorted, options.level);
  }
  const double bias = normal_quantile(fraction);
  const double a = acceleration(samples, statistic);
  const auto adjusted = [&](double probability) {
    const double z = bias + normal_quantile(probability);
    const double scale = 1 - a * z;
    // Past the pole the map folds back; its limit is the end of the distribution on that side.
    if (scale <= 0) return z > 0 ? 1.0 : 0.0;
    return normal_cdf(bias + z / scale);
  };
  const double tail = (1 - options.level) / 2;
  return result_of(estimate, sorted, adjusted(tail), adjusted(1 - tail), options.level);
}

HierarchicalResult bootstrap_hierarchical(std::span<const std::vector<double>> processes,
                                          const Statistic& statistic,
                                          const HierarchicalOptions& options) {
  KI_CHECK(!processes.empty());
  check_options(options.bootstrap);
  std::vector<std::size_t> blocks;
  std::vector<double> per_process;
  for (const auto& series : processes) {
    KI_CHECK(!series.empty());
    blocks.push_back(options.block_length > 0 ? std::min(options.block_length, series.size())
                                              : block_length_of(series));
    per_process.push_back(statistic(series));
  }
  const double estimate = median(per_process);

  std::vector<double> replicates;
  replicates.reserve(options.bootstrap.replicates);
  std::vector<double> resample;
  for (std::size_t r = 0; r < options.bootstrap.replicates; ++r) {
    Random random(options.bootstrap.seed, r);
    for (double& value : per_process) {
      const std::size_t chosen = random.below(processes.size());
      draw_blocks(processes[chosen], blocks[chosen], random, resample);
      value = statistic(resample);
    }
    replicates.push_back(median(per_process));
  }
  std::ranges::sort(replicates);
  return {.bootstrap = percentile_of(estimate, replicates, options.bootstrap.level),
          .spread = processes.size() == 1 ? Spread::kWithinProcess : Spread::kBetweenProcess,
          .block_lengths = std::move(blocks)};
}

double integrated_autocorrelation_time(std::span<const double> series) {
  if (series.size() < 4) return 1;
  const double center = mean(series);
  const auto covariance = [&](std::size_t lag) {
    double sum = 0;
    for (std::size_t i = lag; i < series.size(); ++i)
      sum += (series[i] - center) * (series[i - lag] - center);
    return sum;
  };
  const double spread = covariance(0);
  if (spread == 0) return 1;
  double time = -1;
  for (std::size_t lag = 0; lag + 1 < series.size(); lag += 2) {
    const double pair = (covariance(lag) + covariance(lag + 1)) / spread;
    if (pair <= 0) break;
    time += 2 * pair;
  }
  return std::max(1.0, time);
}

std::size_t block_length_of(std::span<const double> series) {
  KI_CHECK(!series.empty());
  std::size_t root = 1;
  while (root * root * root < series.size()) ++root;
  const auto decorrelated =
      static_cast<std::size_t>(std::ceil(2 * integrated_autocorrelation_time(series)));
  return std::min(series.size(), std::max(root, decorrelated));
}

}  // namespace ki::stats
