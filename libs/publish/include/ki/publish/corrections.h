// Corrections of published runs (spec 03.7): a run is never changed or removed; a retraction or a
// successor is added to it, audited, and the group's leader sequence goes on when the leader
// changed.
#pragma once

#include "ki/base/clock.h"
#include "ki/base/result.h"
#include "ki/base/uuid.h"
#include "ki/catalog/live.h"

#include <optional>
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

 private:
  catalog::LiveCatalog& catalog_;
  const Clock& clock_;
  UuidSource& ids_;
  std::string actor_;
};

}  // namespace ki::publish
