// What a series of samples looks like beyond one number: does it drift, has it two modes? Pure.
#pragma once

#include <optional>
#include <span>

namespace ki::measure {

// Theil-Sen slope times the number of values, over the median: the relative change from the first
// sample to the last. Series over 128 values are first reduced to 128 medians of equal stretches.
// 0 for fewer than three values. Precondition: positive, finite.
double drift_of(std::span<const double> series);

// Two modes: the largest gap of the sorted values is over 5 median absolute deviations (of the
// values on each side around their own median, the larger one) with at least a tenth of the values
// on either side (harness 09 section 2).
struct Modes {
  double low;  // medians of the two parts
  double high;
  double low_share;  // of the samples
};
std::optional<Modes> modes_of(std::span<const double> samples);

}  // namespace ki::measure
