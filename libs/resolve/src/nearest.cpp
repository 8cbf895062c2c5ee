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
  const bool has_plain_axes = scratch_.matcher.binds_plain_axes();
  for (const Index workload : scratch_.workloads) {
    if (snapshot_.workloads()[workload].kind != catalog::WorkloadKind::kCase) continue;
    // Neither side could be a case that differs in several axes.
    if (has_plain_axes && scratch_.matcher.count_other_axes(workload) != 1) continue;
    NearestSide side;
    fill_side(side, workload);
    if (side.runs == 0) continue;
    if (cases.size() == views.size()) views.emplace_back();
    const query::CaseFacts& facts = views[cases.size()].load(snapshot_, workload);
    if (!scratch_.matcher.matches_but_case(facts)) continue;
    cases.push_back({facts, side.runs});
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
      to->query = answer_.texts.copy(
          query::bracket_query(request_.query, *request_.intent, *bracket, *from));
  };
  set(bracket->below, nearest.below);
  set(bracket->above, nearest.above);
}

// The closer side by ratio; the smaller of two as close.
const NearestSide& Resolution::closer_side() const {
  const Nearest& nearest = *answer_.nearest;
  if (!nearest.below) return *nearest.above;
  if (!nearest.above) return *nearest.below;
  const auto distance = [&](const NearestSide& side) {
    const auto value = static_cast<double>(side.value);
    const auto requested = static_cast<double>(nearest.requested);
    return value <= 0 || requested <= 0 ? std::abs(value - requested)
                                        : std::abs(std::log(value / requested));
  };
  return distance(*nearest.above) < distance(*nearest.below) ? *nearest.above : *nearest.below;
}

// Runs of the workload on hardware and with code that match.
void Resolution::fill_side(NearestSide& side, Index workload) {
  side.workload = workload;
  std::uint32_t most = 0;
  for (const Index index : snapshot_.cohorts_of_workload(workload)) {
    const catalog::CohortRow& cohort = snapshot_.cohorts()[index];
    if (cohort.ranked == 0) break;
    if (!scratch_.matcher.environment_matches(cohort.environment)) continue;
    const auto is_faster = [&](Index run) {
      return side.head == kNone || snapshot_.runs()[run].value < snapshot_.runs()[side.head].value;
    };
    const auto runs = snapshot_.runs_of_cohort(index).first(cohort.ranked);
    std::uint32_t count = 0;
    if (!scratch_.matcher.has_code_part()) {
      count = cohort.ranked;
      if (is_faster(runs.front())) side.head = runs.front();
    } else {
      for (const Index run : runs) {
        const Index implementation = snapshot_.runs()[run].implementation;
        if (!scratch_.matcher.code_matches(snapshot_.implementations()[implementation])) continue;
        ++count;
        if (is_faster(run)) side.head = run;
      }
    }
    side.runs += count;
    if (count > most) {
      most = count;
      side.cohort = index;
    }
  }
}

}  // namespace ki::resolve
