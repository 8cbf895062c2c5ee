#include "ki/policy/ranking_v2.h"

#include "ki/base/check.h"
#include "ki/stats/elementary.h"
#include "ki/stats/holm.h"
#include "ki/stats/special.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace ki::policy {
namespace {

constexpr double kNormal975 = 1.959963984540054;    // 97.5 % quantile: half a 95 % interval
constexpr double kNormal9995 = 3.2905267314919255;  // 99.95 %: the 99.9th percentile of |N(0, 1)|
constexpr double kNormal95 = 1.6448536269514722;    // 95 %: TOST at 5 %
constexpr double kPairedLevel = 0.001;              // spec 17, "Strict wins"

// The uncertainty of one run's log value: a standard error, or nothing.
std::optional<double> standard_error(const TestedRun& run) {
  if (run.has_interval && run.low > 0 && run.high >= run.low && std::isfinite(run.high)) {
    return (stats::portable_log(run.high) - stats::portable_log(run.low)) / (2 * kNormal975);
  }
  if (run.samples.size() < 2) return std::nullopt;
  const auto is_measured = [](double sample) { return sample > 0 && std::isfinite(sample); };
  if (!std::ranges::all_of(run.samples, is_measured)) return std::nullopt;
  const auto n = static_cast<double>(run.samples.size());
  double mean = 0;
  for (const double sample : run.samples) mean += stats::portable_log(sample) / n;
  double squares = 0;
  for (const double sample : run.samples) {
    const double deviation = stats::portable_log(sample) - mean;
    squares += deviation * deviation;
  }
  return std::sqrt(squares / (n - 1) / n);
}

// One implementation. `location` and `variance` mean something only when `row.reason` is empty.
struct Candidate {
  RankRow row;
  double location = 0;  // mean log value, smaller is better
  double variance = 0;
  double low = 0;  // 95 % range of the location; of a single run at least its own interval
  double high = 0;
  bool has_paired = false;
};

class Group {
 public:
  Group(std::span<const TestedRun> runs, const RankingV2Options& options)
      : runs_(runs),
        options_(options),
        sign_(options.direction == Direction::kHigherIsBetter ? -1 : 1) {
    collect();
  }

  std::vector<RankRow> rank(std::span<const PairedTest> paired);

 private:
  struct Pair {
    std::uint32_t first;
    std::uint32_t second;
    double difference;  // of locations: first - second, below zero when the first is better
    double p;
    double needed;  // least |difference| that decides
    bool is_equivalent;
    RowVerdict verdict = RowVerdict::kUndecided;  // of the first against the second
  };

  static std::pair<std::uint32_t, std::uint32_t> pair_key(const Pair& pair) {
    return {pair.first, pair.second};
  }

  void collect();
  Candidate summarise(std::span<const std::uint32_t> members) const;
  bool is_better(const TestedRun& a, const TestedRun& b) const;
  std::vector<Pair> pairs(std::span<const PairedTest> paired);
  Pair unpaired(std::uint32_t i, std::uint32_t j) const;
  void decide(std::vector<Pair>& pairs) const;
  std::optional<std::uint32_t> find(std::string_view implementation) const;
  std::vector<std::uint32_t> display_order() const;

  std::span<const TestedRun> runs_;
  const RankingV2Options& options_;
  double sign_;
  std::vector<Candidate> candidates_;  // by implementation
};

bool Group::is_better(const TestedRun& a, const TestedRun& b) const {
  if (a.value != b.value) return sign_ * a.value < sign_ * b.value;
  if (a.observed_at != b.observed_at) return a.observed_at < b.observed_at;
  return a.id < b.id;
}

void Group::collect() {
  std::vector<std::uint32_t> order(runs_.size());
  std::iota(order.begin(), order.end(), 0u);
  // Sums below run in this order, so their last digits don't depend on the order of the input.
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    if (runs_[a].implementation != runs_[b].implementation)
      return runs_[a].implementation < runs_[b].implementation;
    return runs_[a].id < runs_[b].id;
  });
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() &&
           runs_[order[last]].implementation == runs_[order[first]].implementation)
      ++last;
    candidates_.push_back(summarise(std::span(order).subspan(first, last - first)));
    first = last;
  }
}

Candidate Group::summarise(std::span<const std::uint32_t> members) const {
  Candidate candidate;
  RankRow& row = candidate.row;
  const auto k = static_cast<double>(members.size());
  row.implementation = runs_[members[0]].implementation;
  row.runs = static_cast<std::uint32_t>(members.size());
  row.best_run = *std::ranges::min_element(
      members, [&](std::uint32_t a, std::uint32_t b) { return is_better(runs_[a], runs_[b]); });

  const auto is_positive = [&](std::uint32_t i) {
    return runs_[i].value > 0 && std::isfinite(runs_[i].value);
  };
  if (!std::ranges::all_of(members, is_positive)) {
    for (const std::uint32_t i : members) row.value += runs_[i].value / k;
    row.reason = "VALUE_NOT_POSITIVE";
    return candidate;
  }
  double mean = 0;
  double widest = -1;
  for (const std::uint32_t i : members) {
    mean += stats::portable_log(runs_[i].value) / k;
    widest = std::max(widest, standard_error(runs_[i]).value_or(-1));
  }
  // A single run shows the value that was reported, to its last digit.
  row.value = members.size() == 1 ? runs_[members[0]].value : stats::portable_exp(mean);
  candidate.location = sign_ * mean;
  if (!options_.direction) {
    row.reason = "UNKNOWN_DIRECTION";
  } else if (widest < 0) {
    row.reason = "NO_UNCERTAINTY";
  } else if (!options_.between_run_floor) {
    row.reason = "NO_BETWEEN_RUN_FLOOR";
  } else {
    double within = 0;
    double between = 0;
    for (const std::uint32_t i : members) {
      const double error = standard_error(runs_[i]).value_or(widest);
      const double deviation = stats::portable_log(runs_[i].value) - mean;
      within += error * error / k;
      between += k > 1 ? deviation * deviation / (k - 1) : 0;
    }
    // Two runs differ by more than the floor in one A/A comparison of a thousand.
    const double spread = *options_.between_run_floor / kNormal9995;
    candidate.variance = (within + std::max(between, spread * spread / 2)) / k;
    const double half = kNormal975 * std::sqrt(candidate.variance);
    candidate.low = candidate.location - half;
    candidate.high = candidate.location + half;
    const TestedRun& only = runs_[members[0]];
    if (members.size() == 1 && only.has_interval && only.low > 0) {
      const double low = sign_ * stats::portable_log(only.low);
      const double high = sign_ * stats::portable_log(only.high);
      candidate.low = std::min({candidate.low, low, high});
      candidate.high = std::max({candidate.high, low, high});
    }
  }
  return candidate;
}

std::optional<std::uint32_t> Group::find(std::string_view implementation) const {
  const auto at = std::ranges::lower_bound(candidates_, implementation, {},
                                           [](const Candidate& c) { return c.row.implementation; });
  if (at == candidates_.end() || at->row.implementation != implementation) return std::nullopt;
  return static_cast<std::uint32_t>(at - candidates_.begin());
}

Group::Pair Group::unpaired(std::uint32_t i, std::uint32_t j) const {
  const Candidate& a = candidates_[i];
  const Candidate& b = candidates_[j];
  const double difference = a.location - b.location;
  const double deviation = std::sqrt(a.variance + b.variance);
  const double size = std::fabs(difference);
  double p = 1;
  if (size > 0)
    p = deviation > 0 ? std::min(1.0, stats::erfc(size / deviation / std::sqrt(2.0))) : 0;
  // Never strictly behind a row that it overlaps (spec 4.2), touching included.
  if (a.high >= b.low && b.high >= a.low) p = 1;
  return {.first = i,
          .second = j,
          .difference = difference,
          .p = p,
          .needed = std::max(options_.minimum_effect, *options_.between_run_floor),
          .is_equivalent = size + kNormal95 * deviation < options_.minimum_effect};
}

std::vector<Group::Pair> Group::pairs(std::span<const PairedTest> paired) {
  std::vector<Pair> tested;
  if (!options_.direction) return tested;
  for (const PairedTest& test : paired) {
    const auto i = find(test.first);
    const auto j = find(test.second);
    if (!i || !j || *i == *j) continue;
    KI_CHECK(test.p_value >= 0 && test.p_value <= 1);
    candidates_[*i].has_paired = candidates_[*j].has_paired = true;
    // Beyond its own level the test proves nothing; 1 keeps Holm from counting on it.
    const double difference = (*i < *j ? 1 : -1) * sign_ * test.log_ratio;
    tested.push_back({.first = std::min(*i, *j),
                      .second = std::max(*i, *j),
                      .difference = difference,
                      .p = test.p_value <= kPairedLevel ? test.p_value : 1,
                      .needed = std::max(options_.minimum_effect, test.floor),
                      .is_equivalent = test.is_equivalent});
  }
  // Of two tests of one pair the weaker one counts.
  std::ranges::sort(tested, [&](const Pair& a, const Pair& b) {
    if (pair_key(a) != pair_key(b)) return pair_key(a) < pair_key(b);
    if (a.p != b.p) return a.p > b.p;
    return std::fabs(a.difference) < std::fabs(b.difference);
  });
  const auto same = std::ranges::unique(tested, {}, pair_key);
  tested.erase(same.begin(), same.end());

  const std::size_t paired_tests = tested.size();
  std::vector<std::uint32_t> testable;
  for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
    if (candidates_[i].row.reason.empty()) testable.push_back(i);
  }
  for (std::size_t a = 0; a < testable.size(); ++a) {
    for (std::size_t b = a + 1; b < testable.size(); ++b) {
      const auto first = tested.begin();
      const auto last = first + static_cast<std::ptrdiff_t>(paired_tests);
      // Sorted up to `last`; what was pushed since is behind it.
      if (std::ranges::binary_search(first, last, std::pair(testable[a], testable[b]), {},
                                     pair_key))
        continue;
      tested.push_back(unpaired(testable[a], testable[b]));
    }
  }
  std::ranges::sort(tested, {}, pair_key);
  return tested;
}

void Group::decide(std::vector<Pair>& pairs) const {
  std::vector<double> p;
  p.reserve(pairs.size());
  for (const Pair& pair : pairs) p.push_back(pair.p);
  const std::vector<double> adjusted = stats::holm_adjust(p);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool is_decided =
        adjusted[i] <= options_.alpha && std::fabs(pairs[i].difference) >= pairs[i].needed;
    if (is_decided) {
      pairs[i].verdict = pairs[i].difference < 0 ? RowVerdict::kFaster : RowVerdict::kSlower;
    } else if (pairs[i].is_equivalent) {
      pairs[i].verdict = RowVerdict::kEquivalent;
    }
  }
}

std::vector<std::uint32_t> Group::display_order() const {
  std::vector<std::uint32_t> order(candidates_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const RankRow& x = candidates_[a].row;
    const RankRow& y = candidates_[b].row;
    if (x.best != y.best) return x.best < y.best;
    if (x.worst != y.worst) return x.worst < y.worst;
    if (options_.direction && x.value != y.value) return sign_ * x.value < sign_ * y.value;
    return x.implementation < y.implementation;
  });
  return order;
}

RowVerdict reversed(RowVerdict verdict) {
  if (verdict == RowVerdict::kFaster) return RowVerdict::kSlower;
  if (verdict == RowVerdict::kSlower) return RowVerdict::kFaster;
  return verdict;
}

std::vector<RankRow> Group::rank(std::span<const PairedTest> paired) {
  std::vector<Pair> tested = pairs(paired);
  decide(tested);
  const auto n = static_cast<std::uint32_t>(candidates_.size());
  for (Candidate& candidate : candidates_) {
    candidate.row.best = 1;
    candidate.row.worst = n;
    if (candidate.has_paired) candidate.row.reason = {};
  }
  for (const Pair& pair : tested) {
    RankRow& first = candidates_[pair.first].row;
    RankRow& second = candidates_[pair.second].row;
    if (pair.verdict == RowVerdict::kFaster) {
      ++second.best;
      --first.worst;
    } else if (pair.verdict == RowVerdict::kSlower) {
      ++first.best;
      --second.worst;
    }
  }

  const std::vector<std::uint32_t> order = display_order();
  const auto verdict_of = [&](std::uint32_t a, std::uint32_t b) {
    if (!options_.direction) return RowVerdict::kIncomparable;
    const std::pair wanted(std::min(a, b), std::max(a, b));
    const auto pair = std::ranges::lower_bound(tested, wanted, {}, pair_key);
    if (pair == tested.end() || pair_key(*pair) != wanted) return RowVerdict::kInsufficient;
    return pair->first == a ? pair->verdict : reversed(pair->verdict);
  };
  std::vector<RankRow> rows;
  for (const std::uint32_t i : order) {
    RankRow& row = candidates_[i].row;
    if (n == 1) {
      row.verdict = options_.direction ? RowVerdict::kInsufficient : RowVerdict::kIncomparable;
      if (row.reason.empty()) row.reason = "SINGLE_ROW";
    } else {
      row.verdict = verdict_of(i, i == order[0] ? order[1] : order[0]);
      if (row.verdict == RowVerdict::kInsufficient && row.reason.empty())
        row.reason = "OTHER_NOT_TESTED";
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::string_view to_string(RowVerdict verdict) {
  switch (verdict) {
    case RowVerdict::kFaster:
      return "faster";
    case RowVerdict::kSlower:
      return "slower";
    case RowVerdict::kEquivalent:
      return "equivalent";
    case RowVerdict::kUndecided:
      return "undecided";
    case RowVerdict::kInsufficient:
      return "insufficient";
    case RowVerdict::kIncomparable:
      return "incomparable";
  }
  return "";
}

std::vector<RankRow> rank_v2(std::span<const TestedRun> runs, std::span<const PairedTest> paired,
                             const RankingV2Options& options) {
  KI_CHECK(runs.size() <= std::numeric_limits<std::uint32_t>::max());
  return Group(runs, options).rank(paired);
}

}  // namespace ki::policy
