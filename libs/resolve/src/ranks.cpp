#include "ki/resolve/ranks.h"

#include "ki/policy/metrics.h"
#include "ki/policy/ranking_v2.h"
#include "run_facts.h"

#include <algorithm>
#include <numeric>

namespace ki::resolve {
namespace {

void append_v2(const catalog::Snapshot& snapshot, Index cohort_index,
               std::vector<RankBoundsEntry>& entries) {
  const catalog::CohortRow& cohort = snapshot.cohorts()[cohort_index];
  std::vector<policy::TestedRun> runs;
  std::vector<Index> indexes;
  for (const Index index : snapshot.runs_of_cohort(cohort_index)) {
    const catalog::RunRow& run = snapshot.runs()[index];
    if (!policy::is_eligible_v2(run_facts(run))) continue;
    const policy::RankInput input = rank_input(snapshot, run);
    runs.push_back({.id = input.id,
                    .implementation = id_bytes(snapshot.implementations()[run.implementation].id),
                    .value = run.value,
                    .has_interval = input.has_interval,
                    .low = input.low,
                    .high = input.high,
                    .samples = {},
                    .evidence = input.evidence,
                    .observed_at = input.observed_at});
    indexes.push_back(index);
  }
  if (runs.empty()) return;
  const catalog::MetricRow& metric = snapshot.metrics()[cohort.metric];
  policy::RankingV2Options options;
  if (const policy::Metric* known =
          policy::find_metric(snapshot.name(metric.metric), snapshot.name(metric.unit))) {
    options.direction = known->direction;
  }
  const auto rows = policy::rank_v2(runs, {}, options);
  for (const policy::RankRow& row : rows) {
    const Index best = indexes[row.best_run];
    entries.push_back({.cohort = cohort_index,
                       .implementation = snapshot.runs()[best].implementation,
                       .best_run = best,
                       .runs = row.runs,
                       .best = row.best,
                       .worst = row.worst,
                       .cohort_size = static_cast<std::uint32_t>(rows.size()),
                       .value = row.value,
                       .verdict = policy::to_string(row.verdict),
                       .reason = row.reason});
  }
}

void append_v1(const catalog::Snapshot& snapshot, Index cohort_index,
               std::vector<RankEntry>& entries) {
  const catalog::CohortRow& cohort = snapshot.cohorts()[cohort_index];
  for (const Index run : snapshot.runs_of_cohort(cohort_index).first(cohort.ranked)) {
    const catalog::RunRow& row = snapshot.runs()[run];
    entries.push_back(
        {.run = run,
         .cohort = cohort_index,
         .rank = row.rank,
         .cohort_size = cohort.ranked,
         .is_tied_with_previous = (row.flags & catalog::run_flags::kTiedWithPrevious) != 0});
  }
}

}  // namespace

std::vector<Index> cohorts_by_key(const catalog::Snapshot& snapshot) {
  std::vector<Index> order(snapshot.cohorts().size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, [&](Index a, Index b) {
    return snapshot.cohorts()[a].key < snapshot.cohorts()[b].key;
  });
  return order;
}

std::vector<RankEntry> ranks_v1(const catalog::Snapshot& snapshot) {
  std::vector<RankEntry> entries;
  for (const Index index : cohorts_by_key(snapshot)) append_v1(snapshot, index, entries);
  return entries;
}

std::vector<RankEntry> ranks_v1(const catalog::Snapshot& snapshot, Index cohort) {
  std::vector<RankEntry> entries;
  append_v1(snapshot, cohort, entries);
  return entries;
}

std::vector<RankBoundsEntry> ranks_v2(const catalog::Snapshot& snapshot) {
  std::vector<RankBoundsEntry> entries;
  for (const Index index : cohorts_by_key(snapshot)) append_v2(snapshot, index, entries);
  return entries;
}

std::vector<RankBoundsEntry> ranks_v2(const catalog::Snapshot& snapshot, Index cohort) {
  std::vector<RankBoundsEntry> entries;
  append_v2(snapshot, cohort, entries);
  return entries;
}

}  // namespace ki::resolve
