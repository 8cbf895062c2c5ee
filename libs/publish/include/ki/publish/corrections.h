// Corrections of published runs (spec 03.7): a run is never changed or removed; a retraction or a
// successor is added to it, audited, and the group's leader sequence goes on when the leader
// changed.
#pragma once

#include "ki/base/clock.h"
#include "ki/base/result.h"
#include "ki/base/uuid.h"
#include "ki/catalog/live.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace ki::publish {

struct Correction {
  std::string run_id;  // the run that was retracted or superseded
  bool is_leader_changed = false;
  // The leader of the run's group afterwards; nothing when no eligible run is left or for serving
  // runs, which have no leaders.
  std::optional<std::string> leader_run_id;
  catalog::Commit commit;
};

// What was found of a run's evidence: derived from facts that are stored, never submitted.
struct Standing {
  std::string run_id;
  bool is_reproduced_here = false;
  std::uint32_t independent_replications = 0;
  // The attestation that was assessed ("<runId> <id>") and its assessment, a JSON object.
  std::string attestation_key;
  std::string assessment;
};

class Corrections {
 public:
  Corrections(catalog::LiveCatalog& catalog, const Clock& clock, UuidSource& ids, std::string actor)
      : catalog_(catalog), clock_(clock), ids_(ids), actor_(std::move(actor)) {}

  // Ids of benchmark runs or serving runs; also digests ("sha256:...").
  // kNotFound: no such run. kConflict: not published, or retracted already.
  Result<Correction> retract(std::string_view run, std::string_view reason);

  // `successor` takes the place of `original`. kInvalidArgument: the run itself, or a run of
  // another workload. kConflict: not published, the successor supersedes a run already, the
  // original has a successor already, or a cycle.
  Result<Correction> supersede(std::string_view original, std::string_view successor,
                               std::string_view reason);

  // Writes what differs from what is stored: columns of runs and assessments of attestations, in
  // one transaction with an audit event for each run that changed. Says how many runs changed.
  Result<std::uint64_t> assess(std::span<const Standing> standings, std::string_view reason);

 private:
  catalog::LiveCatalog& catalog_;
  const Clock& clock_;
  UuidSource& ids_;
  std::string actor_;
};

}  // namespace ki::publish
