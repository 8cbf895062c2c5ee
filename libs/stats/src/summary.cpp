#include "ki/stats/summary.h"

#include "ki/base/check.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ki::stats {
namespace {

void check_values(std::span<const double> values) {
  KI_CHECK(!values.empty());
  for (const double value : values) KI_CHECK(std::isfinite(value));
}

// Half the sum without overflow, symmetric in sign.
double midpoint(double a, double b) {
  const double sum = a + b;
  return std::isfinite(sum) ? sum / 2 : a / 2 + b / 2;
}

double median_in_place(std::span<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return midpoint(*std::max_element(values.begin(), middle), *middle);
}

class Sum {
 public:
  void add(double value) {
    const double sum = sum_ + value;
    lost_ += std::fabs(sum_) >= std::fabs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
    sum_ = sum;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace

double quantile_of_sorted(std::span<const double> sorted, double probability, QuantileType type) {
  KI_CHECK(!sorted.empty());
  KI_CHECK(probability >= 0 && probability <= 1);
  const auto n = static_cast<double>(sorted.size());
  double position = 0;  // 1-based, between order statistics
  switch (type) {
    case QuantileType::k7:
      position = (n - 1) * probability + 1;
      break;
    case QuantileType::k8:
      position = (n + 1.0 / 3) * probability + 1.0 / 3;
      break;
  }
  if (position <= 1) return sorted.front();
  if (position >= n) return sorted.back();
  const double below = std::floor(position);
  const auto index = static_cast<std::size_t>(below);
  const double fraction = position - below;
  const double lower = sorted[index - 1];
  const double upper = sorted[index];
  return fraction == 0 ? lower : lower + fraction * (upper - lower);
}

double quantile(std::span<const double> values, double probability, QuantileType type) {
  check_values(values);
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return quantile_of_sorted(sorted, probability, type);
}

double median(std::span<const double> values) {
  check_values(values);
  std::vector<double> copy(values.begin(), values.end());
  return median_in_place(copy);
}

double median_absolute_deviation(std::span<const double> values) {
  const double center = median(values);
  std::vector<double> distances(values.begin(), values.end());
  for (double& value : distances) value = std::fabs(value - center);
  return median_in_place(distances);
}

double interquartile_range(std::span<const double> values, QuantileType type) {
  check_values(values);
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return quantile_of_sorted(sorted, 0.75, type) - quantile_of_sorted(sorted, 0.25, type);
}

double compensated_sum(std::span<const double> values) {
  Sum sum;
  for (const double value : values) sum.add(value);
  return sum.value();
}

double mean(std::span<const double> values) {
  check_values(values);
  return compensated_sum(values) / static_cast<double>(values.size());
}

double trimmed_mean(std::span<const double> values, double fraction) {
  check_values(values);
  KI_CHECK(fraction >= 0 && fraction < 0.5);
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const auto dropped = static_cast<std::size_t>(fraction * static_cast<double>(sorted.size()));
  return mean(std::span(sorted).subspan(dropped, sorted.size() - 2 * dropped));
}

double variance(std::span<const double> values) {
  const double center = mean(values);
  if (values.size() == 1) return 0;
  Sum squares;
  Sum rest;  // what the rounding of the mean left over
  for (const double value : values) {
    const double distance = value - center;
    squares.add(distance * distance);
    rest.add(distance);
  }
  const auto n = static_cast<double>(values.size());
  const double corrected = squares.value() - rest.value() * rest.value() / n;
  return std::max(0.0, corrected) / (n - 1);
}

double standard_deviation(std::span<const double> values) { return std::sqrt(variance(values)); }

}  // namespace ki::stats
