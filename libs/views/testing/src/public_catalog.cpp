#include "ki/views_testing/public_catalog.h"

#include "ki/base/check.h"
#include "ki/catalog/builder.h"
#include "ki/importers/kernelindex.h"
#include "ki/store_memory/memory_store.h"

#include <cstdio>
#include <filesystem>

namespace ki::views::testing {
namespace {

std::unique_ptr<PublicCatalog> load() {
  const auto path = std::filesystem::path(KI_SOURCE_DIR).parent_path() / "shared" / "data" /
                    "catalog-2026-08-16.jsonl.zst";
  if (!std::filesystem::exists(path)) return nullptr;
  auto catalog = std::make_unique<PublicCatalog>();
  catalog->store =
      std::make_unique<store_memory::MemoryStore>("00000000-0000-7000-8000-000000000001");
  const FixedClock clock(Instant{1'787'000'000'000});  // 2026-08-17
  UuidSource ids(1);
  importers::ImportOptions options;
  options.clock = &clock;
  options.ids = &ids;
  const auto report = importers::import_kernelindex(path, *catalog->store, options);
  if (!report) std::fprintf(stderr, "%s\n", report.error().to_string().c_str());
  KI_CHECK(report.has_value());
  KI_CHECK(report->outcome == importers::ImportReport::Outcome::kImported);
  auto snapshot = catalog::build_snapshot(*catalog->store);
  KI_CHECK(snapshot.has_value());
  catalog->snapshot = *snapshot;
  catalog->ledger = std::make_unique<RecordLedger>(*catalog->snapshot);
  return catalog;
}

}  // namespace

const PublicCatalog* public_catalog() {
  static const std::unique_ptr<PublicCatalog> kCatalog = load();
  return kCatalog.get();
}

}  // namespace ki::views::testing
