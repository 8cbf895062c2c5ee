// NoiseFloor: how far apart two measurements of the same thing come out, by measuring it: A/A
// comparisons of the same number of samples and the same design (spec 17, "Strict wins between two
// sets of samples").
#pragma once

#include "ki/base/result.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace ki::stats {

class NoiseFloor {
 public:
  static constexpr std::size_t kLeastComparisons = 5000;
  static constexpr double kQuantile = 0.999;

  // From the |log ratio| of each A/A comparison. kInvalidArgument for fewer than kLeastComparisons,
  // or a value that is negative or not finite.
  static Result<NoiseFloor> measured(std::vector<double> absolute_log_ratios);

  // A floor that a protocol states without the comparisons behind it. Errors as measured().
  static Result<NoiseFloor> stated(double log_ratio, std::size_t comparisons);

  double log_ratio() const {
    return log_ratio_;
  }  // 99.9th percentile (quantile type 8) or as stated
  std::size_t comparisons() const { return comparisons_; }

  // Share of A/A comparisons at least this far apart, counting the one asked about: (1 + k) / (1 +
  // n). Of a stated floor only 0.001 beyond it, nothing within.
  std::optional<double> p(double log_ratio) const;

 private:
  NoiseFloor(double log_ratio, std::size_t comparisons, std::vector<double> sorted)
      : log_ratio_(log_ratio), comparisons_(comparisons), sorted_(std::move(sorted)) {}

  double log_ratio_;
  std::size_t comparisons_;
  std::vector<double> sorted_;  // empty for a stated floor
};

}  // namespace ki::stats
