// The measured neighbours of a case that nobody measured (spec 05.10). Nothing is interpolated.
#include "ki/query/bracket.h"
#include "resolution.h"

#include <algorithm>
#include <cmath>

namespace ki::resolve {

void Resolution::find_nearest() {
  // A measured case that is asked for is not bracketed: other filters are what does not match.
  for (const Index workload : scratch_.workloads) {
    if (scratch_.matcher.is_case(workload)) return;
  }
  auto& views = scratch_.case_views;  // the facts point into them
  std::vector<query::BracketCase> cases;
  std::vector<Index> workloads;
  for (const Index workload : scratch_.workloads) {
    if (snapshot_.workloads()[workload].kind != catalog::WorkloadKind::kCase) continue;
    NearestSide side;
    fill_side(side, workload);
    if (side.runs == 0) continue;
    if (cases.size() == views.size()) views.emplace_back();
    cases.push_back({views[cases.size()].load(snapshot_, workload), side.runs});
    workloads.push_back(workload);
  }
  const auto bracket =
      query::bracket(*intent_, cases, &scratch_.operation.load(snapshot_, operation_));
  if (!bracket) return;
  Nearest& nearest = answer_.nearest.emplace();
  nearest.axis = answer_.texts.copy(bracket->axis);
  nearest.requested = bracket->requested;
  const auto set = [&](const std::optional<query::BracketSide>& from,
                       std::optional<NearestSide>& to) {
    if (!from) return;
    to.emplace();
    fill_side(*to, workloads[from->index]);
    to->value = from->value;
    if (!request_.query.empty())
      to->query = answer_.texts.copy(query::bracket_query(request_.query, *bracket, *from));
  };
  set(bracket->below, nearest.below);
  set(bracket->above, nearest.above);
  if (answer_.selected.because == SelectedBecause::kRequestedCohort) return;

  // The closer side leads, by ratio; the smaller of two as close.
  const auto distance = [&](const NearestSide& side) {
    if (side.value <= 0 || nearest.requested <= 0)
      return std::abs(static_cast<double>(side.value - nearest.requested));
    return std::abs(
        std::log(static_cast<double>(side.value) / static_cast<double>(nearest.requested)));
  };
  const NearestSide* closer = nearest.below ? &*nearest.below : &*nearest.above;
  if (nearest.below && nearest.above && distance(*nearest.above) < distance(*nearest.below))
    closer = &*nearest.above;
  answer_.selected = {closer->workload, closer->cohort, SelectedBecause::kNearestCase};
}

// Runs of the workload that match everything but the case.
void Resolution::fill_side(NearestSide& side, Index workload) {
  side.workload = workload;
  if (!scratch_.matcher.workload_matches_but_case(workload)) return;
  std::uint32_t most = 0;
  for (const Index index : snapshot_.cohorts_of_workload(workload)) {
    const catalog::CohortRow& cohort = snapshot_.cohorts()[index];
    if (cohort.ranked == 0) break;
    if (!scratch_.matcher.environment_matches(cohort.environment)) continue;
    std::uint32_t count = 0;
    for (const Index run : snapshot_.runs_of_cohort(index).first(cohort.ranked)) {
      const catalog::RunRow& row = snapshot_.runs()[run];
      if (scratch_.matcher.has_code_part() &&
          !scratch_.matcher.code_matches(snapshot_.implementations()[row.implementation])) {
        continue;
      }
      ++count;
      if (side.head == kNone || row.value < snapshot_.runs()[side.head].value) side.head = run;
    }
    side.runs += count;
    if (count > most) {
      most = count;
      side.cohort = index;
    }
  }
}

}  // namespace ki::resolve
