// The mismatch vector: where a run differs from what was asked (spec 05.7).
#pragma once

#include "ki/query/facts.h"
#include "ki/query/intent.h"

#include <string>
#include <vector>

namespace ki::query {

struct Mismatch {
  std::string field;
  std::string requested;
  std::string observed;  // "unknown" for missing
  bool operator==(const Mismatch&) const = default;
};

// In this order: hardware.gpu, hardware.architecture, environment.cudaToolkit,
// environment.framework, workload.dtype (one for each requested), workload.layout, framework,
// language, workload.scope, workload.shape, axes.NAME (in the order asked). Requests for a named
// tensor come after the general ones of the same field, as "NAME [2048, 4096]" or "NAME bf16".
// Policy members of the Intent make none. An ambiguous GPU is a mismatch.
// An unbound shape that bind() has not seen matches when exactly one tensor of the case has it.
std::vector<Mismatch> mismatches(const Intent& intent, const RunFacts& run);

// mismatches(intent, run).empty(), without allocation.
bool matches(const Intent& intent, const RunFacts& run);

// Only the part of the case: whether the workload is a case with the shapes, axes and dtypes asked
// for (spec 05.8.1). No allocation.
bool matches_case(const Intent& intent, const CaseFacts& workload);

// How another workload differs from the selected one (spec 05.9): axes.NAME over the names of both,
// in byte order; workload.scope between a case and a suite; nothing between suites.
std::vector<Mismatch> case_differences(const CaseFacts& selected, const CaseFacts& other);

}  // namespace ki::query
