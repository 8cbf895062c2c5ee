#include "ki/score/audit.h"

#include <fmt/format.h>

#include <cmath>

namespace ki::score {
namespace {

constexpr double kSlack = 0.05;

}  // namespace

std::vector<std::string> audit(const Published& p) {
  std::vector<std::string> out;
  if (p.score && !(*p.score >= 0 && *p.score <= 1)) {
    out.push_back(fmt::format("the score {} is outside 0 to 1", *p.score));
  }
  if (p.score && p.mean_speedup && *p.mean_speedup > 0) {
    const double r = *p.mean_speedup;
    const double at_zero_bound = r / (1 + r);  // S of a uniform suite whose bound is 0
    if (r > 1 && *p.score < at_zero_bound - kSlack) {
      out.push_back(fmt::format("a mean speedup of {} gives a score of at least {:.4f}, not {}", r,
                                at_zero_bound, *p.score));
    }
    if (r < 1 && *p.score > at_zero_bound + kSlack) {
      out.push_back(fmt::format("a mean speedup of {} gives a score of at most {:.4f}, not {}", r,
                                at_zero_bound, *p.score));
    }
  }
  if (p.fast_1_count && p.fast_1_total && p.mean_speedup) {
    if (*p.fast_1_count == 0 && *p.mean_speedup > 1.5) {
      out.push_back(fmt::format("no case is faster than the baseline, and the mean speedup is {}",
                                *p.mean_speedup));
    }
    if (*p.fast_1_total > 0 && *p.fast_1_count == *p.fast_1_total && *p.mean_speedup < 1) {
      out.push_back(fmt::format(
          "every case is faster than the baseline, and the mean speedup is {}", *p.mean_speedup));
    }
  }
  if (p.fast_1_count && p.fast_1_total &&
      (*p.fast_1_count < 0 || *p.fast_1_count > *p.fast_1_total)) {
    out.push_back(fmt::format("{} of {} cases is no count", *p.fast_1_count, *p.fast_1_total));
  }
  return out;
}

std::optional<double> implied_bound_ratio(double score, double speedup) {
  const double slope = 2 * score - 1;
  if (std::abs(slope) < 1e-9) return std::nullopt;
  return (score * (speedup + 1) - speedup) / slope;
}

}  // namespace ki::score
