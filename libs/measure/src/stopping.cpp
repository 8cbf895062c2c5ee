#include "ki/measure/stopping.h"

#include "ki/base/check.h"
#include "ki/measure/shape.h"
#include "ki/stats/special.h"
#include "ki/stats/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

namespace ki::measure {
namespace {

// P(fewer than k of n fair coins fall heads).
double binomial_below(std::size_t n, std::size_t k) {
  if (k == 0) return 0;
  return stats::incomplete_beta(static_cast<double>(n - k + 1), static_cast<double>(k), 0.5);
}

// Sum of squared distances from `center`, over n - 1, rooted.
double spread_around(std::span<const double> values, double center) {
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

}  // namespace

std::string_view to_string(Decision decision) {
  switch (decision) {
    case Decision::kContinue:
      return "continue";
    case Decision::kConverged:
      return "converged";
    case Decision::kStabilised:
      return "stabilised";
    case Decision::kLimit:
      return "limit";
  }
  return "continue";
}

stats::Interval median_interval(std::vector<double> samples, double level) {
  KI_CHECK(!samples.empty() && level > 0 && level < 1);
  std::ranges::sort(samples);
  const std::size_t n = samples.size();
  // The pair of order statistics (k, n + 1 - k), k from 1, misses with probability 2 P(below k).
  std::size_t k = 1;
  while (2 * (k + 1) <= n && 2 * binomial_below(n, k + 1) <= 1 - level) ++k;
  return {samples[k - 1], samples[n - k], 1 - 2 * binomial_below(n, k)};
}

Decision AdaptiveStop::add(double seconds) {
  samples_.push_back(seconds);
  total_ += seconds;
  if (samples_.size() >= next_look_) {
    const Decision decision = look();
    next_look_ =
        static_cast<std::size_t>(std::ceil(30 * std::pow(1.5, static_cast<double>(looks_.size()))));
    if (decision != Decision::kContinue) return decision;
  }
  if (total_ > options_.limit_seconds || samples_.size() >= options_.limit_samples) {
    return Decision::kLimit;
  }
  return Decision::kContinue;
}

Decision AdaptiveStop::look() {
  const auto number = static_cast<double>(looks_.size() + 1);
  const double level = 1 - 0.05 / (number * number);
  const double median = stats::median(samples_);
  const stats::Interval interval = median_interval(samples_, level);
  looks_.push_back({.count = samples_.size(),
                    .interval = interval,
                    .half_width = (interval.high - interval.low) / 2 / median,
                    .drift = drift_of(samples_)});
  const Look& now = looks_.back();
  const bool has_enough =
      total_ >= options_.least_seconds || samples_.size() >= options_.enough_samples;
  if (has_enough && now.half_width <= options_.target &&
      std::fabs(now.drift) < options_.target / 2) {
    return Decision::kConverged;
  }
  if (has_enough && looks_.size() >= 4 && now.count >= 200) {
    const Look& before = looks_[looks_.size() - 4];
    if (now.half_width > 0.95 * before.half_width) return Decision::kStabilised;
  }
  return Decision::kContinue;
}

Decision StdRelStop::add(double seconds) {
  constexpr std::size_t kWindow = 512;
  constexpr std::size_t kLeastNoise = 64;
  const double nanoseconds = std::round(seconds * 1e12) * 1e-3;
  samples_.push_back(nanoseconds);
  total_ += nanoseconds;
  const std::size_t n = samples_.size();
  // Below five samples the deviation says nothing.
  if (n >= 5) {
    const double mean = total_ / static_cast<double>(n);
    noise_.push_back(spread_around(samples_, mean) / mean);
    if (noise_.size() > kWindow) noise_.pop_front();
  }
  if (n < options_.least_samples || total_ <= options_.least_seconds * 1e9) {
    return Decision::kContinue;
  }
  if (noise_.back() < options_.max_noise) return Decision::kConverged;
  if (noise_.size() < kLeastNoise || n % 16 != 0) return Decision::kContinue;
  const std::vector<double> window(noise_.begin(), noise_.end());
  double mean = 0;
  for (const double value : window) mean += value;
  mean /= static_cast<double>(window.size());
  return spread_around(window, mean) / mean < 0.05 ? Decision::kStabilised : Decision::kContinue;
}

Decision EntropyStop::add(double seconds) {
  constexpr std::size_t kWindow = 299;
  constexpr double kMaxDegrees = 0.048;
  constexpr double kLeastFit = 0.36;
  ++count_;
  ++counts_[bin_ > 0 ? std::nearbyint(seconds / bin_) : seconds];
  double entropy = 0;
  for (const auto& [time, count] : counts_) {
    const double share = static_cast<double>(count) / static_cast<double>(count_);
    entropy -= share * std::log2(share);
  }
  entropies_.push_back(entropy);
  if (entropies_.size() > kWindow) entropies_.pop_front();
  if (count_ < 10 || count_ % 2 != 0) return Decision::kContinue;
  // A line through the window: flat, and a line at all.
  const auto n = static_cast<double>(entropies_.size());
  const double middle = (n - 1) / 2;
  double mean = 0;
  for (const double value : entropies_) mean += value;
  mean /= n;
  double products = 0;
  double squares = 0;
  double index = -middle;
  for (const double value : entropies_) {
    products += index * (value - mean);
    squares += index * index;
    index += 1;
  }
  const double slope = products / squares;
  if (std::atan(slope) * 180 / std::numbers::pi > kMaxDegrees) return Decision::kContinue;
  double total = 0;
  double rest = 0;
  index = -middle;
  for (const double value : entropies_) {
    const double fitted = mean + slope * index;
    total += (value - mean) * (value - mean) / n;
    rest += (value - fitted) * (value - fitted) / n;
    index += 1;
  }
  const double fit = total <= std::numeric_limits<double>::epsilon() ? 1 : 1 - rest / total;
  return fit >= kLeastFit ? Decision::kConverged : Decision::kContinue;
}

}  // namespace ki::measure
