// The public catalog beside the checkout, imported once per process into a store in memory.
#pragma once

#include "ki/catalog/snapshot.h"
#include "ki/catalog/store.h"
#include "ki/views/records.h"

#include <memory>

namespace ki::views::testing {

struct PublicCatalog {
  std::unique_ptr<catalog::Store> store;
  std::shared_ptr<const catalog::Snapshot> snapshot;
  std::unique_ptr<RecordLedger> ledger;
};

// Null when ../shared is absent.
const PublicCatalog* public_catalog();

}  // namespace ki::views::testing

#define KI_REQUIRE_PUBLIC_CATALOG(name)                      \
  const auto* name = ::ki::views::testing::public_catalog(); \
  if ((name) == nullptr) GTEST_SKIP() << "skipped: ../shared is absent"
