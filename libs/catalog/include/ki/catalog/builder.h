// SnapshotBuilder: folds log entries into the arrays of a snapshot. Folding the same entries gives
// the same snapshot, whether all at once or onto an older snapshot.
//
// Stored bodies. Every table except these two stores the row as an export shows it:
//   benchmark_runs  {id, runDigest, implementationId, workloadId, sourceId, publishedAt, reported,
//                    reproducedByKernelindex, independentReplicationCount, sourceAvailable,
//                    installable, licenseExpression, supersedesId, retractedAt, retractionReason,
//                    createdAt?, run: <BenchmarkRun manifest>, protocolDocument,
//                    environmentDocument}
//                   Everything else of spec 03.1 is derived from the manifests (spec 03.4).
//   documents       {documentDigest, specDigest, manifest}: a protocol or environment manifest,
//   keyed by the
//                   digest of its whole canonical text, so that many runs share one.
// Measurements are derived from run manifests and not stored.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/snapshot.h"
#include "ki/catalog/store.h"
#include "ki/json/value.h"

#include <memory>

namespace ki::catalog {

class SnapshotBuilder {
 public:
  SnapshotBuilder();
  // Goes on from a snapshot: entries after base.seq() follow.
  explicit SnapshotBuilder(const Snapshot& base);
  ~SnapshotBuilder();
  SnapshotBuilder(SnapshotBuilder&&) noexcept;
  SnapshotBuilder& operator=(SnapshotBuilder&&) noexcept;

  // Applies an entry whose body is parsed as `row` (a newer version of a key replaces the older).
  // Fails with kCorrupt when a reference points nowhere or a member has the wrong type.
  Result<void> apply(const Entry& entry, const json::Value& row);
  // Parses the body, then the same.
  Result<void> apply(const Entry& entry);

  // Computes cohorts' order, ranks (ranking-v1), lookups and adjacency. The builder is empty
  // afterwards.
  std::shared_ptr<const Snapshot> finish(const Head& head) &&;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Folds the whole log of a store up to its head.
Result<std::shared_ptr<const Snapshot>> build_snapshot(Store& store);

}  // namespace ki::catalog
