// Who leads a comparison group by the stored leader events.
#pragma once

#include "ki/catalog/snapshot.h"

#include <vector>

namespace ki::views {

// The visible events of a group, oldest first: those whose run is still eligible and improves on
// the visible one before it. (An older observation may be imported later, and a retraction may
// give the lead back to a run that had it.)
inline void visible_events(const catalog::Snapshot& s, catalog::Index cohort,
                           std::vector<catalog::Index>& events) {
  events.clear();
  double best = 0;
  for (const catalog::Index event : s.events_of_cohort(cohort)) {
    const auto& run = s.runs()[s.events()[event].run];
    if ((run.flags & catalog::run_flags::kEligible) == 0) continue;
    if (!events.empty() && !(run.value < best)) continue;
    best = run.value;
    events.push_back(event);
  }
}

}  // namespace ki::views
