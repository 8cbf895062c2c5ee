// Hodges-Lehmann estimates of a location and of a shift, with the distribution-free intervals that
// belong to the rank tests: a shift outside the interval is one that the test would refuse.
#pragma once

#include "ki/stats/interval.h"

#include <optional>
#include <span>

namespace ki::stats {

struct ShiftEstimate {
  double estimate;
  // Order statistics of the Walsh averages or of the differences, at the smallest confidence of at
  // least the level asked for; nothing when the samples are too few for that level.
  std::optional<Interval> interval;
};

// Median of the n(n+1)/2 Walsh averages (x[i] + x[j]) / 2, i <= j. Preconditions: not empty,
// finite, 0 < level < 1. Takes n^2/2 doubles of memory. The interval is exact for untied values
// (null distribution of the signed-rank test up to kSignedRankExact values, normal beyond) and
// conservative for tied ones.
ShiftEstimate hodges_lehmann(std::span<const double> values, double level = 0.95);

// Median of the differences first[i] - second[j]; the interval comes from the Mann-Whitney
// distribution, exact up to kMannWhitneyExact values in both samples. Takes n m doubles of memory.
ShiftEstimate hodges_lehmann_shift(std::span<const double> first, std::span<const double> second,
                                   double level = 0.95);

}  // namespace ki::stats
