// Samples: numbers that a statistic may be computed from. What the outside hands over is checked
// once, here, and refused with every fault named; a fault is never dropped or averaged away.
#pragma once

#include "ki/base/result.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ki::stats {

enum class SampleFault : std::uint8_t {
  kNotANumber,
  kInfinite,
  kNegative,  // a duration below zero: the clock or the subtraction of an overhead is wrong
  kZero,      // below the resolution of the timer; never "infinitely fast"
};

// Stable: "NOT_A_NUMBER", "INFINITE", "NEGATIVE", "ZERO".
std::string_view to_string(SampleFault fault);

// What is wrong with a value as a duration, throughput or other positive quantity, or nothing.
std::optional<SampleFault> fault_of_positive(double value);

// At least one value, all finite, in the order in which they were taken.
class Samples {
 public:
  // Any finite values, for example log ratios. kInvalidArgument when empty, or with one issue for
  // each value that is not finite (pointer "/INDEX", code as to_string(SampleFault)).
  static Result<Samples> finite(std::vector<double> values);

  // Finite values above zero: durations, rates, ratios. Fails as finite(), also for zeros and
  // negatives.
  static Result<Samples> positive(std::vector<double> values);

  std::span<const double> values() const { return values_; }
  std::size_t size() const { return values_.size(); }
  operator std::span<const double>() const {
    return values_;
  }  // NOLINT(google-explicit-constructor)

 private:
  explicit Samples(std::vector<double> values) : values_(std::move(values)) {}
  std::vector<double> values_;
};

// How finely a series of positive values is resolved, as far as the values themselves show it.
struct Resolution {
  std::size_t distinct;  // number of different values
  double step;           // smallest difference of two different values; 0 when all are equal
  // Every value is exactly a binary32 number, as a timer read through a `float` gives. Values with
  // short binary fractions look the same, so this is a hint, not a fault.
  bool single_precision;
  double single_precision_step;  // distance of neighbouring binary32 numbers at the largest value
};
Resolution resolution_of(const Samples& samples);

}  // namespace ki::stats
