#include "ki/measure/shape.h"

#include "ki/stats/summary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace ki::measure {

double drift_of(std::span<const double> series) {
  constexpr std::size_t kMost = 128;
  if (series.size() < 3) return 0;
  std::vector<double> reduced;
  std::span<const double> values = series;
  if (series.size() > kMost) {
    for (std::size_t part = 0; part < kMost; ++part) {
      const std::size_t begin = part * series.size() / kMost;
      const std::size_t end = (part + 1) * series.size() / kMost;
      reduced.push_back(stats::median(series.subspan(begin, end - begin)));
    }
    values = reduced;
  }
  std::vector<double> slopes;
  slopes.reserve(values.size() * (values.size() - 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
    }
  }
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::ranges::nth_element(slopes, middle);
  return *middle * static_cast<double>(values.size()) / stats::median(series);
}

std::optional<Modes> modes_of(std::span<const double> samples) {
  const std::size_t n = samples.size();
  if (n < 20) return std::nullopt;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  // Only a gap with a tenth of the values on either side counts.
  const std::size_t least = std::max<std::size_t>(n / 10, 2);
  std::size_t split = 0;
  double gap = 0;
  for (std::size_t i = least; i + least <= n; ++i) {
    if (sorted[i] - sorted[i - 1] > gap) {
      gap = sorted[i] - sorted[i - 1];
      split = i;
    }
  }
  if (split == 0) return std::nullopt;
  const std::span<const double> all = sorted;
  const auto low = all.first(split);
  const auto high = all.subspan(split);
  const double deviation =
      std::max(stats::median_absolute_deviation(low), stats::median_absolute_deviation(high));
  if (!(gap > 5 * deviation)) return std::nullopt;
  return Modes{stats::median(low), stats::median(high),
               static_cast<double>(split) / static_cast<double>(n)};
}

}  // namespace ki::measure
