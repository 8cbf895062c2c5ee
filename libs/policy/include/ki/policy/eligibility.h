// Which runs may be ranked, and why not (spec 4.1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ki::policy {

struct RunFacts {
  std::string_view status{};  // "passed", "runtime_error", …
  bool published = false;
  bool retracted = false;
  bool superseded = false;  // by a published run
  bool has_primary_value = false;
  // Read by v2 only.
  bool operation_mismatch = false;  // the implementation's operation is not the workload's
  bool disputed = false;
};

// Empty = eligible. Codes in the order of spec 4.1: UNPUBLISHED, STATUS_<STATUS>, RETRACTED,
// SUPERSEDED, MISSING_PRIMARY_METRIC.
std::vector<std::string> eligibility_v1(const RunFacts& facts);
// As eligibility_v1(facts).empty(), without building the codes.
bool is_eligible_v1(const RunFacts& facts);

// v1, then OPERATION_MISMATCH, DISPUTED. (Staleness and missing samples never exclude a run:
// ranking-v2 answers them with wide bounds.)
std::vector<std::string> eligibility_v2(const RunFacts& facts);
bool is_eligible_v2(const RunFacts& facts);

// What v1 shows beside an eligible run that v2 would exclude: "OPERATION_MISMATCH", "DISPUTED".
std::vector<std::string_view> caveats_v1(const RunFacts& facts);

// A code as words for people: "the run's status is runtime error".
std::string explain_eligibility(std::string_view code);

}  // namespace ki::policy
