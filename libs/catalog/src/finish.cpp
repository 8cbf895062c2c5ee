#include "finish.h"

#include "ki/catalog/run_status.h"
#include "ki/policy/eligibility.h"
#include "ki/policy/evidence.h"
#include "ki/policy/ranking.h"
#include "slots.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <tuple>

namespace ki::catalog {
namespace {

std::string_view bytes_of(const Bytes16& id) {
  return {reinterpret_cast<const char*>(id.data()), id.size()};
}

// Groups items 0..count-1 by group_of(item) (kNone: left out), keeping their order inside a group.
template <class GroupOf>
void group(std::size_t groups, std::size_t count, GroupOf group_of, std::vector<Slice>& slices,
           std::vector<Index>& items) {
  slices.assign(groups, {});
  for (Index i = 0; i < count; ++i) {
    if (const Index g = group_of(i); g != kNone) ++slices[g].count;
  }
  std::uint32_t total = 0;
  for (Slice& slice : slices) {
    slice.first = total;
    total += slice.count;
    slice.count = 0;
  }
  items.resize(total);
  for (Index i = 0; i < count; ++i) {
    if (const Index g = group_of(i); g != kNone) items[slices[g].first + slices[g].count++] = i;
  }
}

template <class Less>
void sort_groups(const std::vector<Slice>& slices, std::vector<Index>& items, Less less) {
  for (const Slice& slice : slices) {
    const auto first = items.begin() + slice.first;
    std::sort(first, first + slice.count, less);
  }
}

class Finisher {
 public:
  Finisher(Columns<Owned>& columns, std::vector<std::pair<Index, TextRef>>& aliases)
      : c_(columns), aliases_(aliases) {}

  void run() {
    group_aliases();
    judge_runs();
    rank_cohorts();
    count_rows();
    link_rows();
    index_digests_and_slugs();
  }

 private:
  void group_aliases() {
    std::stable_sort(aliases_.begin(), aliases_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    c_.operation_aliases.clear();
    for (OperationRow& op : c_.operations) op.aliases = {};
    for (const auto& [op, alias] : aliases_) {
      Slice& slice = c_.operations[op].aliases;
      if (slice.count == 0) slice.first = static_cast<std::uint32_t>(c_.operation_aliases.size());
      c_.operation_aliases.push_back(alias);
      ++slice.count;
    }
  }

  void judge_runs() {
    for (RunRow& run : c_.runs) run.superseded_by = kNone;
    for (Index i = 0; i < c_.runs.size(); ++i) {
      const RunRow& run = c_.runs[i];
      if (run.supersedes != kNone && (run.flags & run_flags::kPublished) != 0)
        c_.runs[run.supersedes].superseded_by = i;
    }
    for (RunRow& run : c_.runs) {
      const policy::RunFacts facts{.status = kRunStatusNames[run.status],
                                   .published = (run.flags & run_flags::kPublished) != 0,
                                   .retracted = (run.flags & run_flags::kRetracted) != 0,
                                   .superseded = run.superseded_by != kNone,
                                   .has_primary_value = !std::isnan(run.value)};
      run.flags &= ~(run_flags::kEligible | run_flags::kTiedWithPrevious);
      if (policy::is_eligible_v1(facts)) run.flags |= run_flags::kEligible;
      run.rank = 0;
      run.evidence = static_cast<std::uint8_t>(policy::evidence_level(
          {.reproduced_by_kernelindex = (run.flags & run_flags::kReproducedHere) != 0,
           .independent_replications = run.replications,
           .source_available = (run.flags & run_flags::kSourceAvailable) != 0,
           .has_raw_evidence = (run.flags & run_flags::kRawEvidence) != 0}));
    }
  }

  bool is_eligible(Index run) const { return (c_.runs[run].flags & run_flags::kEligible) != 0; }
  bool is_published(Index run) const { return (c_.runs[run].flags & run_flags::kPublished) != 0; }

  void rank_cohorts() {
    std::vector<Slice> slices;
    group(
        c_.cohorts.size(), c_.runs.size(), [&](Index i) { return c_.runs[i].cohort; }, slices,
        c_.cohort_runs);
    std::vector<policy::RankInput> inputs;
    std::vector<policy::Ranked> ranked;
    std::vector<Index> eligible;
    std::vector<Index> rest;
    for (Index k = 0; k < c_.cohorts.size(); ++k) {
      CohortRow& cohort = c_.cohorts[k];
      cohort.runs = slices[k];
      cohort.is_source_native = 0;
      cohort.last_observed_ms = 0;
      cohort.last_published_ms = 0;
      inputs.clear();
      eligible.clear();
      rest.clear();
      for (std::uint32_t i = 0; i < cohort.runs.count; ++i) {
        const Index index = c_.cohort_runs[cohort.runs.first + i];
        const RunRow& run = c_.runs[index];
        if ((run.flags & run_flags::kEligible) == 0) {
          rest.push_back(index);
          continue;
        }
        if ((run.flags & run_flags::kSourceNative) != 0) cohort.is_source_native = 1;
        cohort.last_observed_ms = std::max(cohort.last_observed_ms, run.observed_ms);
        cohort.last_published_ms = std::max(cohort.last_published_ms, run.published_ms);
        const bool has_interval = run.interval != kNone;
        const IntervalRow interval = has_interval ? c_.run_intervals[run.interval] : IntervalRow{};
        inputs.push_back({.value = run.value,
                          .has_interval = has_interval,
                          .low = interval.low,
                          .high = interval.high,
                          .evidence = static_cast<policy::EvidenceLevel>(run.evidence),
                          .observed_at = Instant{run.observed_ms},
                          .id = bytes_of(run.id)});
        eligible.push_back(index);
      }
      policy::rank_v1(inputs,
                      cohort.is_source_native != 0 ? policy::Profile::kSourceNative
                                                   : policy::Profile::kStrictExact,
                      ranked);
      cohort.ranked = static_cast<std::uint32_t>(ranked.size());
      std::uint32_t at = cohort.runs.first;
      for (const policy::Ranked& r : ranked) {
        RunRow& run = c_.runs[eligible[r.index]];
        run.rank = r.rank;
        if (r.tied_with_previous) run.flags |= run_flags::kTiedWithPrevious;
        c_.cohort_runs[at++] = eligible[r.index];
      }
      std::sort(rest.begin(), rest.end(), [&](Index a, Index b) { return newest_first(a, b); });
      for (const Index index : rest) c_.cohort_runs[at++] = index;
    }
  }

  bool newest_first(Index a, Index b) const {
    const RunRow& x = c_.runs[a];
    const RunRow& y = c_.runs[b];
    return std::tie(y.observed_ms, y.id) < std::tie(x.observed_ms, x.id);
  }
  bool fastest_first(Index a, Index b) const {
    const RunRow& x = c_.runs[a];
    const RunRow& y = c_.runs[b];
    return std::tie(x.value, x.observed_ms, x.id) < std::tie(y.value, y.observed_ms, y.id);
  }

  void count_rows() {
    for (OperationRow& op : c_.operations) {
      op.eligible_runs = op.published_runs = op.measured_cohorts = 0;
      op.last_observed_ms = 0;
    }
    for (WorkloadRow& w : c_.workloads) w.eligible_runs = 0;
    for (ImplementationRow& i : c_.implementations) i.eligible_runs = 0;
    for (const RunRow& run : c_.runs) {
      OperationRow& op = c_.operations[c_.workloads[run.workload].operation];
      if ((run.flags & run_flags::kPublished) != 0) ++op.published_runs;
      if ((run.flags & run_flags::kEligible) == 0) continue;
      ++op.eligible_runs;
      op.last_observed_ms = std::max(op.last_observed_ms, run.observed_ms);
      ++c_.workloads[run.workload].eligible_runs;
      ++c_.implementations[run.implementation].eligible_runs;
    }
    for (const CohortRow& cohort : c_.cohorts) {
      if (cohort.ranked != 0) ++c_.operations[cohort.operation].measured_cohorts;
    }
    for (ModelRow& model : c_.models) model.runs = 0;
    for (const ServingRunRow& run : c_.serving_runs) {
      if (run.model != kNone) ++c_.models[run.model].runs;
    }
  }

  void link_rows() {
    const std::size_t operations = c_.operations.size();
    group(
        operations, c_.workloads.size(), [&](Index i) { return c_.workloads[i].operation; },
        c_.operation_workload_slices, c_.operation_workloads);
    group(
        operations, c_.implementations.size(),
        [&](Index i) { return c_.implementations[i].operation; },
        c_.operation_implementation_slices, c_.operation_implementations);
    group(
        operations, c_.cohorts.size(), [&](Index i) { return c_.cohorts[i].operation; },
        c_.operation_cohort_slices, c_.operation_cohorts);
    group(
        c_.workloads.size(), c_.cohorts.size(), [&](Index i) { return c_.cohorts[i].workload; },
        c_.workload_cohort_slices, c_.workload_cohorts);
    const auto larger_first = [&](Index a, Index b) {
      const CohortRow& x = c_.cohorts[a];
      const CohortRow& y = c_.cohorts[b];
      if (x.ranked != y.ranked) return x.ranked > y.ranked;
      return x.key < y.key;
    };
    sort_groups(c_.operation_cohort_slices, c_.operation_cohorts, larger_first);
    sort_groups(c_.workload_cohort_slices, c_.workload_cohorts, larger_first);
    group(
        operations, c_.runs.size(),
        [&](Index i) {
          return is_eligible(i) ? c_.workloads[c_.runs[i].workload].operation : kNone;
        },
        c_.operation_run_slices, c_.operation_runs);
    const auto fastest = [&](Index a, Index b) { return fastest_first(a, b); };
    sort_groups(c_.operation_run_slices, c_.operation_runs, fastest);
    group(
        c_.implementations.size(), c_.runs.size(),
        [&](Index i) { return is_eligible(i) ? c_.runs[i].implementation : kNone; },
        c_.implementation_run_slices, c_.implementation_runs);
    sort_groups(c_.implementation_run_slices, c_.implementation_runs, fastest);
    group(
        c_.cohorts.size(), c_.events.size(), [&](Index i) { return c_.events[i].cohort; },
        c_.cohort_event_slices, c_.cohort_events);
    sort_groups(c_.cohort_event_slices, c_.cohort_events, [&](Index a, Index b) {
      const EventRow& x = c_.events[a];
      const EventRow& y = c_.events[b];
      return std::tie(x.at_ms, x.created_ms, x.id) < std::tie(y.at_ms, y.created_ms, y.id);
    });
    c_.runs_newest.clear();
    for (Index i = 0; i < c_.runs.size(); ++i) {
      if (is_published(i)) c_.runs_newest.push_back(i);
    }
    std::sort(c_.runs_newest.begin(), c_.runs_newest.end(),
              [&](Index a, Index b) { return newest_first(a, b); });
  }

  template <class Row>
  void index_digests(const std::vector<Row>& rows, std::vector<Index>& slots) {
    slots.clear();
    if (rows.empty()) return;
    slots.assign(std::bit_ceil(std::max<std::size_t>(16, 2 * rows.size())), kNone);
    for (Index i = 0; i < rows.size(); ++i) place(slots, hash_of(rows[i].digest), i);
  }

  std::string_view view(TextRef ref) const { return {c_.text.data() + ref.offset, ref.length}; }

  // Rows that share a slug stand in one slot: the newest created wins, then the larger id.
  template <class Row, class Newer>
  void index_slugs(const std::vector<Row>& rows, std::vector<Index>& slots, Newer newer) {
    slots.clear();
    if (rows.empty()) return;
    slots.assign(std::bit_ceil(std::max<std::size_t>(16, 2 * rows.size())), kNone);
    const std::size_t mask = slots.size() - 1;
    for (Index i = 0; i < rows.size(); ++i) {
      const std::string_view slug = view(rows[i].slug);
      std::size_t at = hash_of(slug) & mask;
      while (slots[at] != kNone && view(rows[slots[at]].slug) != slug) at = (at + 1) & mask;
      if (slots[at] == kNone || newer(rows[i], rows[slots[at]])) slots[at] = i;
    }
  }

  void index_digests_and_slugs() {
    index_digests(c_.operations, c_.operation_digest_slots);
    index_digests(c_.workloads, c_.workload_digest_slots);
    index_digests(c_.implementations, c_.implementation_digest_slots);
    index_digests(c_.runs, c_.run_digest_slots);
    const auto later_id = [](const auto& a, const auto& b) { return a.id > b.id; };
    index_slugs(c_.operations, c_.operation_slug_slots, later_id);
    index_slugs(c_.projects, c_.project_slug_slots, later_id);
    index_slugs(c_.implementations, c_.implementation_slug_slots, [](const auto& a, const auto& b) {
      return std::tie(a.created_ms, a.id) > std::tie(b.created_ms, b.id);
    });
  }

  Columns<Owned>& c_;
  std::vector<std::pair<Index, TextRef>>& aliases_;
};

}  // namespace

void finish_columns(Columns<Owned>& columns, std::vector<std::pair<Index, TextRef>>& aliases) {
  Finisher(columns, aliases).run();
}

}  // namespace ki::catalog
