#include "ki/views/catalog_version.h"

#include "ki/resolve/ranks.h"

namespace ki::views {

const resolve::Resolver& CatalogVersion::resolver() const {
  std::call_once(index_made_, [this] {
    index_ = std::make_unique<resolve::SearchIndex>(*snapshot_);
    resolver_ = std::make_unique<resolve::Resolver>(*snapshot_, *index_);
  });
  return *resolver_;
}

const RecordLedger& CatalogVersion::ledger() const {
  std::call_once(ledger_made_, [this] { ledger_ = std::make_unique<RecordLedger>(*snapshot_); });
  return *ledger_;
}

Result<const ServingFacts*> CatalogVersion::serving() const {
  std::call_once(serving_read_, [this] { serving_ = read_serving_facts(*snapshot_, store_); });
  if (!*serving_) return fail(serving_->error());
  return &**serving_;
}

Result<const ServingTable*> CatalogVersion::serving_table() const {
  std::call_once(table_read_, [this] { serving_table_ = read_serving_table(*snapshot_, store_); });
  if (!*serving_table_) return fail(serving_table_->error());
  return &**serving_table_;
}

std::span<const catalog::Index> CatalogVersion::cohorts_by_key() const {
  std::call_once(cohorts_ordered_,
                 [this] { cohorts_by_key_ = resolve::cohorts_by_key(*snapshot_); });
  return cohorts_by_key_;
}

void CatalogVersion::prepare() const {
  resolver();
  ledger();
  (void)serving();
}

Result<Instant> CatalogVersion::committed_at() const {
  if (snapshot_->seq() == 0) return Instant{0};
  KI_TRY(const auto commits, store_.commits(snapshot_->seq() - 1));
  if (commits.empty()) {
    return fail(Code::kCorrupt, "the catalog's last commit is missing from the store; run ki fsck");
  }
  return commits.front().at;
}

}  // namespace ki::views
