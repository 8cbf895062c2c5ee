// Publisher: the only writer of manifests (spec 03.3). One publication is one transaction: every
// manifest validated again, every reference checked, all rows or none, and the same bundle twice
// inserts nothing.
#pragma once

#include "ki/base/clock.h"
#include "ki/base/result.h"
#include "ki/base/uuid.h"
#include "ki/catalog/live.h"
#include "ki/manifest/validator.h"
#include "ki/publish/bundle.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ki::publish {

struct PublishOptions {
  bool publish = true;  // false stores runs without publishing them
  // kStrict for new submissions and our own files; kCompat for imported records.
  manifest::Profile profile = manifest::Profile::kStrict;
  // A run whose implementation is of another operation than its workload (spec 03.2 rule 6):
  // refused in submissions, stored and flagged (OPERATION_MISMATCH) in imports.
  bool allow_operation_mismatch = false;
  std::string reason = "publish";  // of the commit, e.g. "import sol"
};

struct EntityCount {
  std::uint64_t inserted = 0;
  std::uint64_t existing = 0;  // stored already, or earlier in the same bundle
};

struct PublishReport {
  std::string source_id;
  // "sources", "projects", "operations", ... in the order of spec 03.3; tables that the bundle
  // does not touch are left out.
  std::vector<std::pair<std::string, EntityCount>> counts;
  std::vector<std::string> run_ids;  // one for each run of the bundle, in its order
  std::uint64_t runs_published = 0;  // new ones, and stored ones that were not published before
  std::uint64_t leader_changes = 0;
  std::vector<std::string> updates;       // of mutable columns: source policy, operation tags
  std::optional<catalog::Commit> commit;  // nothing when the bundle changed nothing
};

// Fails with kInvalidArgument and all issues (pointers start with the list and position:
// "/runs/3/manifest/spec/...") for manifests, references and slugs that do not hold; kConflict
// (code slug_taken) when a slug of an operation already has another meaning; kUnavailable when
// another writer holds the catalog. In every such case nothing is stored.
class Publisher {
 public:
  // `actor` goes to the audit log: "maintainer:cli", "importer:sol-execbench", "<name> (<id>)".
  Publisher(catalog::LiveCatalog& catalog, const Clock& clock, UuidSource& ids, std::string actor)
      : catalog_(catalog), clock_(clock), ids_(ids), actor_(std::move(actor)) {}

  Result<PublishReport> publish(const Bundle& bundle, const PublishOptions& options = {});
  Result<PublishReport> publish(const ServingBundle& bundle, const PublishOptions& options = {});

  // Everything that publish() checks, without storing anything.
  Result<PublishReport> check(const Bundle& bundle, const PublishOptions& options = {});
  Result<PublishReport> check(const ServingBundle& bundle, const PublishOptions& options = {});

 private:
  catalog::LiveCatalog& catalog_;
  const Clock& clock_;
  UuidSource& ids_;
  std::string actor_;
};

}  // namespace ki::publish
