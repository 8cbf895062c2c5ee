#include "ki/stats/equivalence.h"

#include "ki/base/check.h"
#include "ki/stats/rank_tests.h"
#include "ki/stats/special.h"
#include "ki/stats/summary.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ki::stats {
namespace {

Equivalence tost_of_t(double shift, double standard_error, double degrees, double margin) {
  if (standard_error == 0) {
    const double above = shift > -margin ? 0.0 : 1.0;
    const double below = shift < margin ? 0.0 : 1.0;
    return {above, below, std::max(above, below)};
  }
  const double above = student_t_upper_tail((shift + margin) / standard_error, degrees);
  const double below = student_t_cdf((shift - margin) / standard_error, degrees);
  return {above, below, std::max(above, below)};
}

}  // namespace

Equivalence tost_student(std::span<const double> differences, double margin) {
  KI_CHECK(differences.size() >= 2 && margin > 0);
  const auto n = static_cast<double>(differences.size());
  return tost_of_t(mean(differences), std::sqrt(variance(differences) / n), n - 1, margin);
}

Equivalence tost_welch(std::span<const double> first, std::span<const double> second,
                       double margin) {
  KI_CHECK(first.size() >= 2 && second.size() >= 2 && margin > 0);
  const auto n = static_cast<double>(first.size());
  const auto m = static_cast<double>(second.size());
  const double from_first = variance(first) / n;
  const double from_second = variance(second) / m;
  const double sum = from_first + from_second;
  // Welch-Satterthwaite; written with shares so that tiny variances do not underflow.
  const double share = sum == 0 ? 0 : from_first / sum;
  const double degrees = 1 / (share * share / (n - 1) + (1 - share) * (1 - share) / (m - 1));
  return tost_of_t(mean(first) - mean(second), std::sqrt(sum), degrees, margin);
}

Equivalence tost_signed_rank(std::span<const double> differences, double margin, double tolerance) {
  KI_CHECK(!differences.empty() && margin > 0);
  std::vector<double> shifted(differences.begin(), differences.end());
  for (double& value : shifted) value += margin;
  const double above =
      signed_rank(shifted, {.alternative = Alternative::kGreater, .tolerance = tolerance}).p;
  for (std::size_t i = 0; i < shifted.size(); ++i) shifted[i] = differences[i] - margin;
  const double below =
      signed_rank(shifted, {.alternative = Alternative::kLess, .tolerance = tolerance}).p;
  return {above, below, std::max(above, below)};
}

}  // namespace ki::stats
