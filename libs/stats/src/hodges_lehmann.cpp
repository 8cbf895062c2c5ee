#include "ki/stats/hodges_lehmann.h"

#include "ki/base/check.h"
#include "ki/stats/rank_tests.h"
#include "ki/stats/special.h"
#include "ki/stats/summary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace ki::stats {
namespace {

// How many order statistics to leave out at each end, and the confidence of what remains.
struct Cut {
  std::size_t dropped;
  double level;
};

// The largest cut whose confidence is at least `level` under a symmetric distribution of 0, 1, ...
std::optional<Cut> cut_of_null(std::span<const double> null, double level) {
  const double tail = (1 - level) / 2;
  double below = 0;  // P(W < dropped + 1)
  std::optional<Cut> cut;
  for (std::size_t w = 0; w < null.size(); ++w) {
    below += null[w];
    if (below > tail) break;
    cut = Cut{w, 1 - 2 * below};
  }
  return cut;
}

// The same by the normal approximation with continuity correction.
std::optional<Cut> cut_of_normal(double mean, double sigma, double level) {
  const double edge = std::floor(mean + sigma * normal_quantile((1 - level) / 2) - 0.5);
  if (edge < 0) return std::nullopt;
  return Cut{static_cast<std::size_t>(edge), 1 - 2 * normal_cdf((edge + 0.5 - mean) / sigma)};
}

ShiftEstimate estimate_of(std::vector<double> shifts, std::optional<Cut> cut) {
  ShiftEstimate result{.estimate = median(shifts), .interval = std::nullopt};
  if (!cut || 2 * cut->dropped >= shifts.size()) return result;
  const auto low = shifts.begin() + static_cast<std::ptrdiff_t>(cut->dropped);
  const auto high = shifts.end() - 1 - static_cast<std::ptrdiff_t>(cut->dropped);
  std::nth_element(shifts.begin(), low, shifts.end());
  const double lowest = *low;
  std::nth_element(shifts.begin(), high, shifts.end());
  result.interval = Interval{lowest, *high, cut->level};
  return result;
}

}  // namespace

ShiftEstimate hodges_lehmann(std::span<const double> values, double level) {
  KI_CHECK(!values.empty());
  KI_CHECK(level > 0 && level < 1);
  std::vector<double> averages;
  averages.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j)
      averages.push_back(values[i] / 2 + values[j] / 2);
  }
  std::optional<Cut> cut;
  if (values.size() <= kSignedRankExact) {
    cut = cut_of_null(signed_rank_null(values.size()), level);
  } else {
    const auto n = static_cast<double>(values.size());
    cut = cut_of_normal(n * (n + 1) / 4, std::sqrt(n * (n + 1) * (2 * n + 1) / 24), level);
  }
  return estimate_of(std::move(averages), cut);
}

ShiftEstimate hodges_lehmann_shift(std::span<const double> first, std::span<const double> second,
                                   double level) {
  KI_CHECK(!first.empty() && !second.empty());
  KI_CHECK(level > 0 && level < 1);
  std::vector<double> shifts;
  shifts.reserve(first.size() * second.size());
  for (const double x : first) {
    for (const double y : second) shifts.push_back(x - y);
  }
  std::optional<Cut> cut;
  if (first.size() + second.size() <= kMannWhitneyExact) {
    cut = cut_of_null(mann_whitney_null(first.size(), second.size()), level);
  } else {
    const auto n = static_cast<double>(first.size());
    const auto m = static_cast<double>(second.size());
    cut = cut_of_normal(n * m / 2, std::sqrt(n * m * (n + m + 1) / 12), level);
  }
  return estimate_of(std::move(shifts), cut);
}

}  // namespace ki::stats
