// Checks on published suite aggregates (harness 07 section 4): what a score, a speedup and a count
// of faster cases can and cannot be together. Findings, never corrections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ki::score {

struct Published {
  std::optional<double> score;         // mean S
  std::optional<double> mean_speedup;  // of T_b / T_k
  std::optional<std::int64_t> fast_1_count, fast_1_total;
};

// One sentence each; empty when nothing contradicts. Suites vary from case to case, so the bounds
// of a uniform suite are only held against a score that leaves them by more than 0.05.
std::vector<std::string> audit(const Published& published);

// For a suite whose cases all have r = T_b / T_k: u = T_SOL / T_k that gives the score S, or
// nothing at S = 1/2, which every u gives.
std::optional<double> implied_bound_ratio(double score, double speedup);

}  // namespace ki::score
