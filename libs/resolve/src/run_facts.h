// What the policies ask about a run of the snapshot.
#pragma once

#include "ki/catalog/run_status.h"
#include "ki/catalog/snapshot.h"
#include "ki/policy/eligibility.h"
#include "ki/policy/ranking.h"

#include <cmath>
#include <string_view>

namespace ki::resolve {

inline policy::RunFacts run_facts(const catalog::RunRow& run) {
  using namespace catalog::run_flags;
  return {.status = catalog::kRunStatusNames[run.status],
          .published = (run.flags & kPublished) != 0,
          .retracted = (run.flags & kRetracted) != 0,
          .superseded = run.superseded_by != catalog::kNone,
          .has_primary_value = !std::isnan(run.value),
          .operation_mismatch = (run.flags & kOperationMismatch) != 0,
          .disputed = false};
}

// UUIDs order as bytes like their texts.
inline std::string_view id_bytes(const catalog::Bytes16& id) {
  return {reinterpret_cast<const char*>(id.data()), id.size()};
}

inline policy::RankInput rank_input(const catalog::Snapshot& snapshot, const catalog::RunRow& run) {
  policy::RankInput input{.value = run.value,
                          .has_interval = run.interval != catalog::kNone,
                          .low = 0,
                          .high = 0,
                          .evidence = static_cast<policy::EvidenceLevel>(run.evidence),
                          .observed_at = Instant{run.observed_ms},
                          .id = id_bytes(run.id)};
  if (input.has_interval) {
    const catalog::IntervalRow& interval = snapshot.columns().run_intervals[run.interval];
    input.low = interval.low;
    input.high = interval.high;
  }
  return input;
}

}  // namespace ki::resolve
