// Rank tests with ties: Mann-Whitney U of two samples, Wilcoxon signed-rank of paired differences.
// "Exact" is the permutation distribution of the midranks at hand, ties included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ki::stats {

enum class Alternative : std::uint8_t {
  kTwoSided,
  kLess,     // the first sample tends to smaller values; the differences tend below zero
  kGreater,  // the opposite
};

enum class NullDistribution : std::uint8_t {
  kAuto,    // exact up to kMannWhitneyAutoExact values or kSignedRankExact differences, else normal
  kExact,   // as kAuto, with the larger limit kMannWhitneyExact
  kNormal,  // normal approximation, variance corrected for ties
};

inline constexpr std::size_t kMannWhitneyAutoExact = 60;  // both samples together: below 10 ms
inline constexpr std::size_t kMannWhitneyExact = 200;
inline constexpr std::size_t kSignedRankExact = 500;

struct RankTestOptions {
  Alternative alternative = Alternative::kTwoSided;
  NullDistribution null = NullDistribution::kAuto;
  bool continuity_correction = true;  // of the normal approximation
};

enum class Degenerate : std::uint8_t {
  kNo,
  kAllEqual,  // nothing to rank: every value is tied, or every difference is zero; p is 1
};

struct RankTestResult {
  double statistic;  // U of the first sample, or W+ (sum of the ranks of positive differences)
  double p;          // in (0, 1]; never NaN
  bool exact;        // whether the exact distribution was used
  bool has_ties;
  std::size_t used;  // values ranked; zeros of a signed-rank test are not
  Degenerate degenerate;
};

// U counts pairs (i, j) with first[i] > second[j], ties for one half. Two-sided exact p: the
// probability of a U at least as far from its mean. Preconditions: both not empty, finite.
RankTestResult mann_whitney(std::span<const double> first, std::span<const double> second,
                            const RankTestOptions& options = {});

struct SignedRankOptions {
  Alternative alternative = Alternative::kTwoSided;
  NullDistribution null = NullDistribution::kAuto;
  bool continuity_correction = true;
  // Differences no larger than this are zero, and sizes no further apart share their midrank:
  // rounding, such as that of another unit, must not decide a rank.
  double tolerance = 0;
};

// Zeros are dropped, ties share midranks. Precondition: finite; may be empty (p = 1).
RankTestResult signed_rank(std::span<const double> differences,
                           const SignedRankOptions& options = {});

// Probabilities of W+ = 0, 1, ..., n(n+1)/2 for n untied differences. Precondition: n <=
// kSignedRankExact.
std::vector<double> signed_rank_null(std::size_t n);

// Probabilities of U = 0, 1, ..., n m for untied samples. Precondition: n + m <= kMannWhitneyExact.
std::vector<double> mann_whitney_null(std::size_t n, std::size_t m);

}  // namespace ki::stats
