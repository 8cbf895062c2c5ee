// Records that projects gained and lost lately.
#pragma once

#include "ki/views/records.h"

#include <vector>

namespace ki::views {

struct ProjectMoves {
  std::uint32_t gained = 0;
  std::uint32_t lost = 0;  // to another project
};
// One a project: announced changes of leader at most 30 days before `now`, by the instant of the
// change.
std::vector<ProjectMoves> project_moves(const RecordLedger& ledger, RecordPolicy policy,
                                        Instant now);

// Whether a step of the ledger is announced under the policy.
inline bool is_announced(const RecordStep& step, RecordPolicy policy) {
  return policy == RecordPolicy::kRankingV1 ? step.kind != policy::StepKind::kFirst
                                            : step.kind == policy::StepKind::kBreak;
}
// Position in ledger.steps() of the record that an announced step displaced.
inline std::uint32_t displaced(const RecordLedger& ledger, std::uint32_t step,
                               RecordPolicy policy) {
  return policy == RecordPolicy::kRankingV1 ? step - 1 : ledger.steps()[step].standing;
}

}  // namespace ki::views
