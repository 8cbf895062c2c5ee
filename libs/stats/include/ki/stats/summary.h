// Location and spread of one series. Preconditions of all: not empty and finite, as Samples proves;
// anything else is a bug and stops the process. Results do not depend on the order of the values,
// except in the last digits of mean and variance.
#pragma once

#include <cstdint>
#include <span>

namespace ki::stats {

// Hyndman and Fan, "Sample quantiles in statistical packages" (1996): the definitions 7 (linear
// between the order statistics, R's default) and 8 (median-unbiased whatever the distribution).
enum class QuantileType : std::uint8_t { k7, k8 };

// Precondition: 0 <= probability <= 1.
double quantile(std::span<const double> values, double probability,
                QuantileType type = QuantileType::k7);

// The same, of values that are already in ascending order (not checked).
double quantile_of_sorted(std::span<const double> sorted, double probability,
                          QuantileType type = QuantileType::k7);

// Mean of the two middle values when their number is even.
double median(std::span<const double> values);

// Median of the distances from the median; raw. Times kMadToSigma it estimates a normal's sigma.
double median_absolute_deviation(std::span<const double> values);
inline constexpr double kMadToSigma = 1.482602218505602;  // 1 / normal_quantile(3/4)

double interquartile_range(std::span<const double> values, QuantileType type = QuantileType::k7);

double mean(std::span<const double> values);  // compensated sum

// Mean after dropping floor(fraction * n) values at each end. Precondition: 0 <= fraction < 1/2.
double trimmed_mean(std::span<const double> values, double fraction);

// Two passes around the mean; divisor n - 1. 0 for a single value.
double variance(std::span<const double> values);
double standard_deviation(std::span<const double> values);

// Sum with the rounding errors carried along (Neumaier 1974).
double compensated_sum(std::span<const double> values);

}  // namespace ki::stats
