#include "project_moves.h"

#include "ki/views/changes.h"

namespace ki::views {

std::vector<ProjectMoves> project_moves(const RecordLedger& ledger, RecordPolicy policy,
                                        Instant now) {
  const catalog::Snapshot& s = ledger.snapshot();
  std::vector<ProjectMoves> moves(s.projects().size());
  const auto project_of = [&](const RecordStep& step) {
    return s.implementations()[s.runs()[step.run].implementation].project;
  };
  for (const std::uint32_t i : ledger.changes()) {
    const RecordStep& step = ledger.steps()[i];
    if (!is_announced(step, policy)) continue;
    const std::int64_t at = s.events()[step.event].at_ms;
    if (at > now.ms || at <= now.ms - kFeedWindowMs) continue;
    const Index winner = project_of(step);
    const Index loser = project_of(ledger.steps()[displaced(ledger, i, policy)]);
    ++moves[winner].gained;
    if (loser != winner) ++moves[loser].lost;
  }
  return moves;
}

}  // namespace ki::views
