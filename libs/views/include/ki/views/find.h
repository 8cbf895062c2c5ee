// What people and programs type to name a row: a UUID, a digest, a slug, or the first characters of
// a run's id or digest.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/snapshot.h"

#include <string_view>

namespace ki::views {

// kNotFound says what was looked for, and the closest slug where there is one; kInvalidArgument
// when a short run id fits several runs or has fewer than 6 characters.
Result<catalog::Index> find_run(const catalog::Snapshot& snapshot, std::string_view id);
Result<catalog::Index> find_operation(const catalog::Snapshot& snapshot, std::string_view id);
Result<catalog::Index> find_implementation(const catalog::Snapshot& snapshot, std::string_view id);
Result<catalog::Index> find_project(const catalog::Snapshot& snapshot, std::string_view slug);
// A workload of any operation, by UUID or digest.
Result<catalog::Index> find_workload(const catalog::Snapshot& snapshot, std::string_view id);
// A comparison group by its key, "sha256:…".
Result<catalog::Index> find_cohort(const catalog::Snapshot& snapshot, std::string_view key);

}  // namespace ki::views
