// Facts of policy verified-cpu-v1 (harness 14 section 1) from the records that a run rests on.
// Pure: what only a catalog knows (trust, log, author) is filled in by whoever has one.
#pragma once

#include "ki/harness/record.h"
#include "ki/policy/verified_cpu.h"

#include <span>
#include <string>

namespace ki::rerun {

// Clauses (a) to (g) of one record, which holds one case. `is_built_from_named_source` says what
// the record does: that the sources were built; that they are the published ones is for the
// catalog to say.
policy::VerifiedCpuFacts facts_of(const harness::Record& record, policy::HostClass host);

// How the published numbers of a run differ from what its records give: sizes, median and interval
// of a case; the cases and their mean of a suite. Empty: not at all.
std::string difference(const json::Value& run_spec, const json::Value& workload_manifest,
                       std::span<const harness::Record> records);

// Of a run over several records, as of a suite: a clause holds where it holds for each.
policy::VerifiedCpu verified_by_all(std::span<const policy::VerifiedCpuFacts> facts);

}  // namespace ki::rerun
