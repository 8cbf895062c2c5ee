#include "ki/stats/rank_tests.h"

#include "ki/base/check.h"
#include "ki/stats/special.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ki::stats {
namespace {

// Midranks times two, so that they are whole; and the sum of t^3 - t over the groups of ties.
struct Ranking {
  std::vector<std::uint32_t> doubled;  // same order as the keys
  double tie_sum = 0;
};

// Ranks `keys`, which ascend; neighbours no further apart than `tolerance` are tied.
Ranking rank_ascending(std::span<const double> keys, double tolerance) {
  Ranking ranking;
  ranking.doubled.resize(keys.size());
  for (std::size_t begin = 0; begin < keys.size();) {
    std::size_t end = begin + 1;
    while (end < keys.size() && keys[end] - keys[end - 1] <= tolerance) ++end;
    const auto doubled = static_cast<std::uint32_t>(begin + end + 1);  // ranks begin+1 ... end
    std::fill(ranking.doubled.begin() + static_cast<std::ptrdiff_t>(begin),
              ranking.doubled.begin() + static_cast<std::ptrdiff_t>(end), doubled);
    const auto t = static_cast<double>(end - begin);
    ranking.tie_sum += t * t * t - t;
    begin = end;
  }
  return ranking;
}

// Divides whole weights by two where all are even: half the work, the same distribution.
std::uint32_t halve(std::vector<std::uint32_t>& weights) {
  if (std::ranges::any_of(weights, [](std::uint32_t w) { return w % 2 != 0; })) return 1;
  for (auto& weight : weights) weight /= 2;
  return 2;
}

// Probability of each sum of a random subset of `weights`, each member in or out by a fair coin.
std::vector<double> subset_sum_null(std::span<const std::uint32_t> weights) {
  std::size_t total = 0;
  for (const auto weight : weights) total += weight;
  std::vector<double> probability(total + 1, 0.0);
  probability[0] = 1;
  std::size_t reach = 0;
  for (const std::size_t weight : weights) {
    reach += weight;
    for (std::size_t sum = reach + 1; sum-- > weight;) {
      probability[sum] = 0.5 * (probability[sum] + probability[sum - weight]);
    }
    for (std::size_t sum = 0; sum < weight; ++sum) probability[sum] *= 0.5;
  }
  return probability;
}

// Number of subsets of `size` members of `weights`, by their sum.
std::vector<double> subset_counts(std::span<const std::uint32_t> weights, std::size_t size) {
  std::vector<std::uint32_t> sorted(weights.begin(), weights.end());
  std::ranges::sort(sorted, std::greater<>());
  std::size_t largest = 0;
  for (std::size_t i = 0; i < size; ++i) largest += sorted[i];
  const std::size_t stride = largest + 1;
  std::vector<double> counts((size + 1) * stride, 0.0);
  counts[0] = 1;
  std::size_t seen = 0;
  for (const std::size_t weight : weights) {
    ++seen;
    for (std::size_t members = std::min(size, seen); members >= 1; --members) {
      const double* from = counts.data() + (members - 1) * stride;
      double* to = counts.data() + members * stride + weight;
      for (std::size_t sum = 0; sum + weight < stride; ++sum) to[sum] += from[sum];
    }
  }
  return {counts.end() - static_cast<std::ptrdiff_t>(stride), counts.end()};
}

// p of `observed` under `weight`s (any positive scale) of the sums 0, 1, ...; `doubled_mean` = 2
// E(sum).
double exact_p(std::span<const double> weight, std::size_t observed, std::size_t doubled_mean,
               Alternative alternative) {
  double total = 0;
  double extreme = 0;
  const auto distance = [doubled_mean](std::size_t sum) {
    return 2 * sum > doubled_mean ? 2 * sum - doubled_mean : doubled_mean - 2 * sum;
  };
  const std::size_t limit = distance(observed);
  for (std::size_t sum = 0; sum < weight.size(); ++sum) {
    total += weight[sum];
    const bool is_extreme = alternative == Alternative::kTwoSided ? distance(sum) >= limit
                            : alternative == Alternative::kLess   ? sum <= observed
                                                                  : sum >= observed;
    if (is_extreme) extreme += weight[sum];
  }
  return std::min(1.0, extreme / total);
}

double normal_p(double distance, double sigma, Alternative alternative,
                bool continuity_correction) {
  const double correction = continuity_correction ? 0.5 : 0.0;
  switch (alternative) {
    case Alternative::kTwoSided:
      return std::min(
          1.0, 2 * normal_upper_tail(std::max(0.0, std::fabs(distance) - correction) / sigma));
    case Alternative::kLess:
      return normal_cdf((distance + correction) / sigma);
    case Alternative::kGreater:
      return normal_upper_tail((distance - correction) / sigma);
  }
  return 1;
}

struct Tagged {
  double key;
  bool is_first;  // of the first sample, or a positive difference
};

std::vector<double> sort_keys(std::vector<Tagged>& tagged) {
  std::ranges::sort(tagged, {}, &Tagged::key);
  std::vector<double> keys;
  keys.reserve(tagged.size());
  for (const auto& item : tagged) keys.push_back(item.key);
  return keys;
}

std::size_t first_sum(std::span<const Tagged> tagged, std::span<const std::uint32_t> ranks) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < tagged.size(); ++i) {
    if (tagged[i].is_first) sum += ranks[i];
  }
  return sum;
}

}  // namespace

RankTestResult mann_whitney(std::span<const double> first, std::span<const double> second,
                            const RankTestOptions& options) {
  KI_CHECK(!first.empty() && !second.empty());
  std::vector<Tagged> tagged;
  tagged.reserve(first.size() + second.size());
  for (const double value : first) tagged.push_back({value, true});
  for (const double value : second) tagged.push_back({value, false});
  for (const auto& item : tagged) KI_CHECK(std::isfinite(item.key));
  const auto keys = sort_keys(tagged);
  auto ranking = rank_ascending(keys, 0);

  const auto n = static_cast<double>(first.size());
  const auto m = static_cast<double>(second.size());
  const double all = n + m;
  const std::size_t doubled_sum = first_sum(tagged, ranking.doubled);
  const double u = 0.5 * static_cast<double>(doubled_sum) - n * (n + 1) / 2;
  RankTestResult result{.statistic = u,
                        .p = 1,
                        .exact = true,
                        .has_ties = ranking.tie_sum > 0,
                        .used = keys.size(),
                        .degenerate = Degenerate::kNo};
  if (keys.front() == keys.back()) {
    result.degenerate = Degenerate::kAllEqual;
    return result;
  }
  const std::size_t limit = options.null == NullDistribution::kExact  ? kMannWhitneyExact
                            : options.null == NullDistribution::kAuto ? kMannWhitneyAutoExact
                                                                      : 0;
  result.exact = keys.size() <= limit;
  if (result.exact) {
    // Of the smaller sample: fewer subsets to count. Its sum mirrors the other's.
    const bool swapped = second.size() < first.size();
    const std::size_t size = swapped ? second.size() : first.size();
    std::size_t total = 0;
    for (const auto rank : ranking.doubled) total += rank;
    std::size_t observed = swapped ? total - doubled_sum : doubled_sum;
    observed /= halve(ranking.doubled);
    // E(sum) = size (N + 1) / 2 ranks, in doubled ranks size (N + 1); after halving half of it.
    std::size_t scaled_total = 0;
    for (const auto rank : ranking.doubled) scaled_total += rank;
    // 2 E = 2 size total / N; total / N = (N + 1) or (N + 1) / 2, so the product is whole.
    const std::size_t doubled_mean = 2 * size * scaled_total / keys.size();
    auto alternative = options.alternative;
    if (swapped && alternative != Alternative::kTwoSided) {
      alternative = alternative == Alternative::kLess ? Alternative::kGreater : Alternative::kLess;
    }
    result.p = exact_p(subset_counts(ranking.doubled, size), observed, doubled_mean, alternative);
    return result;
  }
  const double variance = n * m / 12 * ((all + 1) - ranking.tie_sum / (all * (all - 1)));
  result.p = normal_p(u - n * m / 2, std::sqrt(variance), options.alternative,
                      options.continuity_correction);
  return result;
}

RankTestResult signed_rank(std::span<const double> differences, const SignedRankOptions& options) {
  std::vector<Tagged> tagged;
  tagged.reserve(differences.size());
  for (const double difference : differences) {
    KI_CHECK(std::isfinite(difference));
    if (std::fabs(difference) > options.tolerance)
      tagged.push_back({std::fabs(difference), difference > 0});
  }
  RankTestResult result{.statistic = 0,
                        .p = 1,
                        .exact = true,
                        .has_ties = false,
                        .used = tagged.size(),
                        .degenerate = Degenerate::kAllEqual};
  if (tagged.empty()) return result;
  const auto keys = sort_keys(tagged);
  auto ranking = rank_ascending(keys, options.tolerance);
  const std::size_t doubled_sum = first_sum(tagged, ranking.doubled);
  result.statistic = 0.5 * static_cast<double>(doubled_sum);
  result.has_ties = ranking.tie_sum > 0;
  result.degenerate = Degenerate::kNo;
  result.exact = options.null != NullDistribution::kNormal && keys.size() <= kSignedRankExact;
  if (result.exact) {
    const std::size_t observed = doubled_sum / halve(ranking.doubled);
    const auto null = subset_sum_null(ranking.doubled);
    result.p = exact_p(null, observed, null.size() - 1, options.alternative);
    return result;
  }
  const auto n = static_cast<double>(keys.size());
  const double variance = n * (n + 1) * (2 * n + 1) / 24 - ranking.tie_sum / 48;
  result.p = normal_p(result.statistic - n * (n + 1) / 4, std::sqrt(variance), options.alternative,
                      options.continuity_correction);
  return result;
}

std::vector<double> signed_rank_null(std::size_t n) {
  KI_CHECK(n <= kSignedRankExact);
  std::vector<std::uint32_t> ranks(n);
  for (std::size_t i = 0; i < n; ++i) ranks[i] = static_cast<std::uint32_t>(i + 1);
  return subset_sum_null(ranks);
}

std::vector<double> mann_whitney_null(std::size_t n, std::size_t m) {
  KI_CHECK(n > 0 && m > 0 && n + m <= kMannWhitneyExact);
  // U is symmetric in the sizes; ranks 0 ... N-1 make the smallest sum n (n - 1) / 2.
  const std::size_t size = std::min(n, m);
  std::vector<std::uint32_t> ranks(n + m);
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<std::uint32_t>(i);
  const auto counts = subset_counts(ranks, size);
  const std::size_t smallest = size * (size - 1) / 2;
  std::vector<double> probability(counts.begin() + static_cast<std::ptrdiff_t>(smallest),
                                  counts.end());
  double total = 0;
  for (const double count : probability) total += count;
  for (double& count : probability) count /= total;
  return probability;
}

}  // namespace ki::stats
