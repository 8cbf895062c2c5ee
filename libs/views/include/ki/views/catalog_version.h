// CatalogVersion: one version of the catalog with all that answers are made from. Immutable; any
// number of threads may read one.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/snapshot.h"
#include "ki/catalog/store.h"
#include "ki/resolve/resolver.h"
#include "ki/views/lists.h"
#include "ki/views/records.h"
#include "ki/views/serving.h"

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace ki::views {

class CatalogVersion {
 public:
  // The store must outlive it.
  CatalogVersion(std::shared_ptr<const catalog::Snapshot> snapshot, catalog::Store& store)
      : snapshot_(std::move(snapshot)), store_(store) {}

  const catalog::Snapshot& snapshot() const { return *snapshot_; }
  catalog::Store& store() const { return store_; }

  // Each of these is made at its first use: linear in the catalog.
  const resolve::Resolver& resolver() const;
  const RecordLedger& ledger() const;
  Result<const ServingFacts*> serving() const;
  // Every serving run, decoded.
  Result<const ServingTable*> serving_table() const;
  std::span<const catalog::Index> cohorts_by_key() const;
  // Makes them now, so that no reader waits.
  void prepare() const;

  // When this version was committed; the beginning of time for an empty catalog.
  Result<Instant> committed_at() const;

 private:
  std::shared_ptr<const catalog::Snapshot> snapshot_;
  catalog::Store& store_;
  mutable std::once_flag index_made_, ledger_made_, serving_read_, table_read_, cohorts_ordered_;
  mutable std::unique_ptr<resolve::SearchIndex> index_;
  mutable std::unique_ptr<resolve::Resolver> resolver_;
  mutable std::unique_ptr<RecordLedger> ledger_;
  mutable std::optional<Result<ServingFacts>> serving_;
  mutable std::optional<Result<ServingTable>> serving_table_;
  mutable std::vector<catalog::Index> cohorts_by_key_;
};

}  // namespace ki::views
