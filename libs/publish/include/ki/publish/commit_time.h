// The time that a transaction writes: later than every commit before it, also when the clock stands
// still or goes back, so that "published later" can be told from the times alone (fsck does).
#pragma once

#include "ki/base/instant.h"
#include "ki/base/result.h"
#include "ki/catalog/store.h"

#include <algorithm>

namespace ki::publish {

// The writer's lock must be held. One millisecond after the last commit at the earliest.
inline Result<Instant> commit_time(catalog::Store& store, Instant now) {
  KI_TRY(const catalog::Head head, store.head());
  if (head.seq == 0) return now;
  KI_TRY(const auto commits, store.commits(head.seq - 1));
  for (const catalog::Commit& commit : commits) now.ms = std::max(now.ms, commit.at.ms + 1);
  return now;
}

}  // namespace ki::publish
