// Assessment: what the signed statements of a catalog are worth, and the evidence levels that
// follow. Derived from what is stored and trusted now; never submitted.
#pragma once

#include "ki/base/clock.h"
#include "ki/base/result.h"
#include "ki/base/uuid.h"
#include "ki/catalog/live.h"
#include "ki/policy/verified_cpu.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::rerun {

inline constexpr std::string_view kPolicy = "verified-cpu-v1";

struct Assessment {
  std::string run_id, attestation_key;
  bool is_verified = false;
  std::string label;  // "Verified · vm, clocks not controlled"; empty when not verified
  std::vector<policy::VerifiedClause> clauses;  // (a) to (i); empty when `problem` is set
  std::string problem;                          // why the statement could not be read or believed
  std::string key_id;                           // who signed; empty when nobody known did
  std::string owner, machine, host_class;
  std::optional<std::uint64_t> log_index;  // of the statement
  std::vector<std::string> notes;          // "its key was revoked later, from log index 41 on"
  std::uint32_t replications = 0;          // trusted runners that differ in owner and machine

  // {"clauses","hostClass","isVerified","keyId","label","logIndex","machine","notes","owner",
  //  "policy","problem","replications"}, canonical.
  std::string to_json() const;
};

// Of the statement that is stored as `key` ("<runId> <id>") in table attestations, alone: without
// what other runners say. Fails only for what the catalog should hold and does not.
Result<Assessment> assess_statement(catalog::LiveCatalog& catalog, std::string_view key);

struct Assessed {
  std::vector<Assessment> assessments;
  std::uint64_t runs_changed = 0;
};
// Assesses the statements about these runs, and about every run of the same implementation and
// workload, as those may replicate one another; all statements when `run_ids` is empty. Stores what
// differs. Idempotent.
Result<Assessed> assess(catalog::LiveCatalog& catalog, std::span<const std::string> run_ids,
                        const Clock& clock, UuidSource& ids, std::string_view actor);

}  // namespace ki::rerun
