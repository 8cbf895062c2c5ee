// Leader histories: what new and corrected runs do to each comparison group's leader (spec 03.6,
// 03.7). Works on two snapshots, before and after a transaction's runs.
#pragma once

#include "ki/base/instant.h"
#include "ki/base/result.h"
#include "ki/base/uuid.h"
#include "ki/catalog/snapshot.h"
#include "ki/catalog/store.h"
#include "ki/policy/records.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::publish {

struct LeaderSync {
  std::uint64_t record_events = 0;   // v1, appended
  std::uint64_t leader_changes = 0;  // appended
  // The groups whose leader changed, with the new one's id (nothing: no eligible run is left).
  std::vector<std::pair<Digest, std::optional<std::string>>> changed;
};

// Appends to `tx` the v1 record events and the leader changes of every group that runs with entries
// after `before` belong to. `after` holds those entries; neither snapshot holds what this appends.
// Runs that lost their eligibility make retraction or supersession changes, newly eligible ones
// new_run or late_observation changes.
Result<LeaderSync> sync_leaders(catalog::Transaction& tx, const catalog::Snapshot& before,
                                const catalog::Snapshot& after, Instant now, UuidSource& ids);

// The body of a leader_changes row.
std::string leader_change_row(const Uuid& id, const Digest& group,
                              const policy::LeaderChange& change);
// The body of a record_events row.
std::string record_event_row(const Uuid& id, const Digest& group, std::string_view run,
                             std::optional<std::string_view> previous, std::string_view cause,
                             Instant at, Instant created);

// The body of an audit_events row (spec 03.9). `prior_state` is a JSON object, or empty for none.
std::string audit_event_row(const Uuid& id, std::string_view actor, std::string_view action,
                            std::string_view target_kind, std::string_view target_id,
                            std::optional<std::string_view> reason, std::string_view prior_state,
                            Instant at);

}  // namespace ki::publish
