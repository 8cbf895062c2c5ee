#include "ki/stats/noise_floor.h"

#include "ki/stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ki::stats {
namespace {

Result<void> check_count(std::size_t comparisons) {
  if (comparisons >= NoiseFloor::kLeastComparisons) return {};
  return fail(
      Code::kInvalidArgument,
      fmt::format(
          "{} A/A comparisons; a noise floor needs at least {}, so that its 99.9th percentile is "
          "seen and not guessed",
          comparisons, NoiseFloor::kLeastComparisons));
}

}  // namespace

Result<NoiseFloor> NoiseFloor::measured(std::vector<double> absolute_log_ratios) {
  KI_TRY_VOID(check_count(absolute_log_ratios.size()));
  for (std::size_t i = 0; i < absolute_log_ratios.size(); ++i) {
    const double value = absolute_log_ratios[i];
    if (!std::isfinite(value) || value < 0) {
      return fail(Code::kInvalidArgument,
                  fmt::format("A/A comparison {} has |log ratio| {}; expected a finite number >= 0",
                              i, value));
    }
  }
  std::ranges::sort(absolute_log_ratios);
  const double floor = quantile_of_sorted(absolute_log_ratios, kQuantile, QuantileType::k8);
  const std::size_t comparisons = absolute_log_ratios.size();
  return NoiseFloor(floor, comparisons, std::move(absolute_log_ratios));
}

Result<NoiseFloor> NoiseFloor::stated(double log_ratio, std::size_t comparisons) {
  KI_TRY_VOID(check_count(comparisons));
  if (!std::isfinite(log_ratio) || log_ratio < 0) {
    return fail(Code::kInvalidArgument,
                fmt::format("noise floor {}; expected a finite log ratio >= 0", log_ratio));
  }
  return NoiseFloor(log_ratio, comparisons, {});
}

std::optional<double> NoiseFloor::p(double log_ratio) const {
  const double distance = std::fabs(log_ratio);
  if (sorted_.empty()) {
    if (distance > log_ratio_) return 1 - kQuantile;
    return std::nullopt;
  }
  const auto beyond = sorted_.end() - std::ranges::lower_bound(sorted_, distance);
  return (1 + static_cast<double>(beyond)) / (1 + static_cast<double>(sorted_.size()));
}

}  // namespace ki::stats
