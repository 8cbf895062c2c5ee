// Runs side by side (spec 07.3): whether they may be compared, and what differs first.
#pragma once

#include "ki/catalog/snapshot.h"
#include "ki/json/writer.h"
#include "ki/resolve/compare.h"

namespace ki::views {

// {illustrative, runs, comparable, profile, comparisonKey, fields, firstMaterialMismatch,
// explanation, missingIds, policyVersion, catalogVersion}. The snapshot is the one compared in.
void write_json(json::Writer& w, const catalog::Snapshot& snapshot,
                const resolve::Comparison& comparison);

}  // namespace ki::views
