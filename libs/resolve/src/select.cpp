// Which workload and which cohort lead the answer (spec 05.8): those with the most runs that answer
// the whole request come first, so that filters choose the cohort.
#include "ki/base/text.h"
#include "resolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace ki::resolve {

void Resolution::count_matching() {
  all_matching_ = 0;
  if (++scratch_.epoch == 0) {
    scratch_.counts.assign(scratch_.counts.size(), {});
    scratch_.epoch = 1;
  }
  if (scratch_.counts.size() < snapshot_.workloads().size())
    scratch_.counts.resize(snapshot_.workloads().size());
  scratch_.workloads.clear();
  for (const Index index : snapshot_.cohorts_of_operation(operation_)) {
    const catalog::CohortRow& cohort = snapshot_.cohorts()[index];
    if (cohort.ranked == 0) break;  // ordered by ranked runs
    WorkloadCount& count = scratch_.counts[cohort.workload];
    if (count.epoch != scratch_.epoch) {
      count = {scratch_.epoch, 0, index};
      scratch_.workloads.push_back(cohort.workload);
    }
    const std::uint32_t matching = matching_runs(index);
    count.matching += matching;
    all_matching_ += matching;
  }
}

void Resolution::select() {
  if (select_requested_cohort()) return;
  if (answer_.nearest) {
    const NearestSide& closer = closer_side();
    answer_.selected = {closer.workload, closer.cohort, SelectedBecause::kNearestCase};
    return;
  }
  const Index workload = choose_workload();
  if (workload == kNone) return;
  answer_.selected.workload = workload;
  answer_.selected.cohort = choose_cohort(workload);
}

std::uint32_t Resolution::matching_runs(Index cohort) {
  if (intent_->objective_metric) {
    const Index metric = snapshot_.cohorts()[cohort].metric;
    if (snapshot_.name(snapshot_.metrics()[metric].metric) != *intent_->objective_metric) return 0;
  }
  return scratch_.matcher.matching_runs(cohort);
}

bool Resolution::select_requested_cohort() {
  if (!request_.cohort) return false;
  const Index cohort = snapshot_.find_cohort(*request_.cohort);
  const bool is_known = cohort != kNone && snapshot_.cohorts()[cohort].operation == operation_ &&
                        snapshot_.cohorts()[cohort].ranked > 0;
  if (!is_known) {
    const std::string key = request_.cohort->to_string();
    if (std::ranges::find(answer_.issues, "UNKNOWN_COHORT", &query::Issue::code) ==
        answer_.issues.end()) {
      add_issue(key, "UNKNOWN_COHORT",
                fmt::format("the operation has no comparison group {}", quote(key)));
    }
    return false;
  }
  answer_.selected = {snapshot_.cohorts()[cohort].workload, cohort,
                      SelectedBecause::kRequestedCohort};
  return true;
}

// The earliest of the fastest runs: what spec 05.8 calls "first seen".
Index Resolution::fastest_run(Index workload) const {
  Index best = kNone;
  const auto key = [&](Index run) {
    const catalog::RunRow& row = snapshot_.runs()[run];
    return std::tuple(row.value, row.observed_ms, row.id);
  };
  for (const Index index : snapshot_.cohorts_of_workload(workload)) {
    const catalog::CohortRow& cohort = snapshot_.cohorts()[index];
    if (cohort.ranked == 0) break;
    const auto runs = snapshot_.runs_of_cohort(index).first(cohort.ranked);
    const double lowest = snapshot_.runs()[runs.front()].value;
    for (const Index run : runs) {
      if (snapshot_.runs()[run].value > lowest) break;
      if (best == kNone || key(run) < key(best)) best = run;
    }
  }
  return best;
}

bool Resolution::comes_first(Index workload, Index other) const {
  const catalog::RunRow& a = snapshot_.runs()[fastest_run(workload)];
  const catalog::RunRow& b = snapshot_.runs()[fastest_run(other)];
  return std::tie(a.value, a.observed_ms, a.id) < std::tie(b.value, b.observed_ms, b.id);
}

Index Resolution::choose_workload() {
  const auto& workloads = scratch_.workloads;
  Selected& selected = answer_.selected;
  if (workloads.empty()) {
    const auto all = snapshot_.workloads_of_operation(operation_);
    if (all.empty()) return kNone;
    const auto match =
        std::ranges::find_if(all, [&](Index w) { return scratch_.matcher.workload_matches(w); });
    selected.because = match != all.end() && intent_->binds_case() ? SelectedBecause::kCaseMatches
                                                                   : SelectedBecause::kMostRuns;
    return match != all.end() ? *match : all.front();
  }
  const bool nothing_matches = all_matching_ == 0;
  // Smaller is better in each place.
  struct Key {
    std::uint32_t missing;  // ~matching
    bool is_other_case;
    std::size_t mismatches;
    std::uint32_t unmeasured;  // ~runs
    auto operator<=>(const Key&) const = default;
  };
  const auto key_of = [&](Index workload) {
    const WorkloadCount& count = scratch_.counts[workload];
    Key key{~count.matching, false, 0, ~snapshot_.workloads()[workload].eligible_runs};
    if (nothing_matches) {
      key.is_other_case = intent_->binds_case() && !scratch_.matcher.is_case(workload);
      key.mismatches = scratch_.matcher.count_mismatches(choose_cohort(workload));
    }
    return key;
  };
  Index best = workloads.front();
  Key best_key = key_of(best);
  for (const Index workload : std::span(workloads).subspan(1)) {
    const Key key = key_of(workload);
    if (key < best_key || (key == best_key && comes_first(workload, best))) {
      best = workload;
      best_key = key;
    }
  }
  if (!nothing_matches) {
    selected.because =
        scratch_.matcher.has_any() ? SelectedBecause::kAnswersRequest : SelectedBecause::kMostRuns;
  } else if (intent_->binds_case() && !best_key.is_other_case) {
    selected.because = SelectedBecause::kCaseMatches;
  } else {
    selected.because = SelectedBecause::kFewestMismatches;
    // A case that is stored but nobody measured is what was asked for.
    if (intent_->binds_case()) {
      for (const Index workload : snapshot_.workloads_of_operation(operation_)) {
        if (!scratch_.matcher.is_case(workload)) continue;
        selected.because = SelectedBecause::kCaseMatches;
        return workload;
      }
    }
  }
  return best;
}

// The cohort with the most matching runs; where none has any, the one that differs least; then the
// largest.
Index Resolution::choose_cohort(Index workload) {
  Index best = kNone;
  std::uint32_t best_matching = 0;
  std::size_t best_mismatches = 0;
  for (const Index index : snapshot_.cohorts_of_workload(workload)) {
    if (snapshot_.cohorts()[index].ranked == 0) break;
    const std::uint32_t matching = matching_runs(index);
    const std::size_t mismatches =
        matching > 0 || !scratch_.matcher.has_any() ? 0 : scratch_.matcher.count_mismatches(index);
    const bool is_better =
        matching != best_matching ? matching > best_matching : mismatches < best_mismatches;
    if (best == kNone || is_better) {
      best = index;
      best_matching = matching;
      best_mismatches = mismatches;
    }
  }
  return best;
}

void Resolution::list_cohorts() {
  const Selected& selected = answer_.selected;
  if (selected.workload == kNone) return;
  for (const Index index : snapshot_.cohorts_of_workload(selected.workload)) {
    const catalog::CohortRow& cohort = snapshot_.cohorts()[index];
    if (cohort.ranked == 0) break;
    CohortOption option;
    option.cohort = index;
    option.runs = cohort.ranked;
    option.matching = matching_runs(index);
    option.head = snapshot_.runs_of_cohort(index).front();
    option.label = snapshot_.name(snapshot_.environments()[cohort.environment].product);
    answer_.cohort_options.push_back(option);
  }
  std::ranges::sort(answer_.cohort_options, [&](const CohortOption& a, const CohortOption& b) {
    if (a.matching != b.matching) return a.matching > b.matching;
    if (a.runs != b.runs) return a.runs > b.runs;
    return snapshot_.cohorts()[a.cohort].key < snapshot_.cohorts()[b.cohort].key;
  });
  label_cohorts();
}

}  // namespace ki::resolve
