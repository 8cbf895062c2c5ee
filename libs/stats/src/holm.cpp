#include "ki/stats/holm.h"

#include "ki/base/check.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace ki::stats {

std::vector<double> holm_adjust(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (const double value : p) KI_CHECK(value >= 0 && value <= 1);
  std::ranges::sort(
      order, [p](std::size_t a, std::size_t b) { return p[a] != p[b] ? p[a] < p[b] : a < b; });
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (std::size_t step = 0; step < order.size(); ++step) {
    const auto left = static_cast<double>(order.size() - step);
    largest = std::max(largest, std::min(1.0, left * p[order[step]]));
    adjusted[order[step]] = largest;
  }
  return adjusted;
}

}  // namespace ki::stats
