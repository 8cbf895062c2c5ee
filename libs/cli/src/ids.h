// What people type to name a row: a UUID, a digest, a slug, or the first digits of either id.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/snapshot.h"

#include <string_view>

namespace ki::cli {

// kNotFound names what was looked for; kInvalidArgument when a short id fits several rows.
Result<catalog::Index> find_run(const catalog::Snapshot& snapshot, std::string_view id);
Result<catalog::Index> find_operation(const catalog::Snapshot& snapshot, std::string_view id);
Result<catalog::Index> find_implementation(const catalog::Snapshot& snapshot, std::string_view id);
Result<catalog::Index> find_project(const catalog::Snapshot& snapshot, std::string_view slug);

}  // namespace ki::cli
