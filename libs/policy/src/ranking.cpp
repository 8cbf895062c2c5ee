#include "ki/policy/ranking.h"

#include "ki/base/check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ki::policy {
namespace {

// What a run must overlap in order to tie with every member of a set at once.
class Overlap {
 public:
  bool is_empty() const { return count_ == 0; }

  void add(const RankInput& run) {
    ++count_;
    has_intervals_ &= run.has_interval;
    highest_low_ = std::max(highest_low_, run.low);
    lowest_high_ = std::min(lowest_high_, run.high);
  }

  void add(const Overlap& other) {
    count_ += other.count_;
    has_intervals_ &= other.has_intervals_;
    highest_low_ = std::max(highest_low_, other.highest_low_);
    lowest_high_ = std::min(lowest_high_, other.lowest_high_);
  }

  // Touching counts.
  bool is_met_by(const RankInput& run) const {
    return has_intervals_ && run.has_interval && lowest_high_ >= run.low &&
           run.high >= highest_low_;
  }

 private:
  std::uint32_t count_ = 0;
  bool has_intervals_ = true;
  double highest_low_ = -std::numeric_limits<double>::infinity();
  double lowest_high_ = std::numeric_limits<double>::infinity();
};

// Members of the open chain. Runs come in order of value, so those that are equal to the next run,
// and tie with it whatever their intervals, are the last ones.
class Chain {
 public:
  // Adds the run when it ties with every member.
  bool join(const RankInput& run, Profile profile) {
    if (!equal_.is_empty() && run.value != last_value_) {
      below_.add(equal_);
      equal_ = {};
    }
    const bool ties =
        below_.is_empty() || (profile == Profile::kStrictExact && below_.is_met_by(run));
    if (ties) add(run);
    return ties;
  }

  void restart(const RankInput& run) {
    *this = {};
    add(run);
  }

 private:
  void add(const RankInput& run) {
    equal_.add(run);
    last_value_ = run.value;
  }

  Overlap below_;  // value smaller than the last one
  Overlap equal_;  // value equal to the last one
  double last_value_ = 0;
};

void close_chain(std::span<const RankInput> runs, std::span<Ranked> chain, std::uint32_t rank) {
  std::ranges::sort(chain, [&](const Ranked& a, const Ranked& b) {
    const RankInput& x = runs[a.index];
    const RankInput& y = runs[b.index];
    if (x.evidence != y.evidence) return x.evidence > y.evidence;
    if (x.observed_at != y.observed_at) return x.observed_at > y.observed_at;
    return x.id < y.id;
  });
  for (Ranked& entry : chain) {
    entry.rank = rank;
    entry.tied_with_previous = &entry != chain.data();
  }
}

}  // namespace

std::string_view to_string(Profile profile) {
  switch (profile) {
    case Profile::kStrictExact:
      return "strict_exact";
    case Profile::kSourceNative:
      return "source_native";
  }
  return "";
}

void rank_v1(std::span<const RankInput> runs, Profile profile, std::vector<Ranked>& out) {
  KI_CHECK(runs.size() <= std::numeric_limits<std::uint32_t>::max());
  out.resize(runs.size());
  for (std::uint32_t i = 0; i < out.size(); ++i) out[i] = {.index = i};
  if (out.empty()) return;
  // The stable input order of spec 4.2 for equal values.
  std::ranges::sort(out, [&](const Ranked& a, const Ranked& b) {
    const RankInput& x = runs[a.index];
    const RankInput& y = runs[b.index];
    if (x.value != y.value) return x.value < y.value;
    if (x.observed_at != y.observed_at) return x.observed_at < y.observed_at;
    return x.id < y.id;
  });

  Chain chain;
  std::uint32_t rank = 1;
  std::size_t first = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const RankInput& run = runs[out[i].index];
    KI_CHECK(std::isfinite(run.value));
    if (i == 0) {
      chain.restart(run);
    } else if (!chain.join(run, profile)) {
      close_chain(runs, std::span(out).subspan(first, i - first), rank);
      chain.restart(run);
      first = i;
      ++rank;
    }
  }
  close_chain(runs, std::span(out).subspan(first), rank);
}

std::vector<Ranked> rank_v1(std::span<const RankInput> runs, Profile profile) {
  std::vector<Ranked> out;
  rank_v1(runs, profile, out);
  return out;
}

}  // namespace ki::policy
