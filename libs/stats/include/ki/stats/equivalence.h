// Two one-sided tests (Schuirmann 1987): is a shift shown to lie inside (-margin, margin)?
// "Not shown to differ" is never equivalence.
#pragma once

#include <span>

namespace ki::stats {

struct Equivalence {
  double p_above;  // of the null "shift <= -margin"
  double p_below;  // of the null "shift >= margin"
  double p;        // the larger of both: equivalent at level alpha iff p <= alpha
};

// By Student's t on the mean. Precondition: at least two finite values, margin > 0. Without any
// spread p is 0 or 1, as the mean lies strictly inside the margin or not.
Equivalence tost_student(std::span<const double> differences, double margin);

// By Welch's t on the difference of two means, first - second. Preconditions as above for both.
Equivalence tost_welch(std::span<const double> first, std::span<const double> second,
                       double margin);

// By the exact signed-rank test of differences + margin and differences - margin: no normality
// assumed. Precondition: not empty, finite, margin > 0, tolerance >= 0 (as SignedRankOptions).
Equivalence tost_signed_rank(std::span<const double> differences, double margin,
                             double tolerance = 0);

}  // namespace ki::stats
