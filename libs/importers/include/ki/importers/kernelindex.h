// Importing a catalog export: the public index's (no header line) or our own (spec 12.1, 17).
// Everything is recomputed and compared; when one line is refused, nothing is stored.
#pragma once

#include "ki/base/clock.h"
#include "ki/base/result.h"
#include "ki/base/uuid.h"
#include "ki/catalog/snapshot.h"
#include "ki/catalog/store.h"
#include "ki/publish/row_checker.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ki::importers {

struct RefusedLine {
  std::uint64_t line = 0;  // 1-based
  std::string table;       // empty when the line names none
  std::string id;          // key of the row, when it has one
  std::string reason;
};

// A mutable column that the export has with another value.
struct ChangedColumn {
  std::string table, key, column;
  std::string before, after;  // JSON
};

struct TableCount {
  std::string table;
  std::uint64_t lines = 0;
  std::uint64_t inserted = 0;
  std::uint64_t changed = 0;
  std::uint64_t unchanged = 0;
  std::uint64_t refused = 0;
};

struct ImportProgress {
  std::uint64_t bytes_read = 0;  // of the file
  std::uint64_t bytes_total = 0;
  std::uint64_t lines = 0;
  std::string_view stage;  // "checking", "importing", "indexing"
};

struct ImportOptions {
  const Clock* clock = nullptr;  // required
  UuidSource* ids = nullptr;     // required: ids of audit events and leader changes
  std::string actor = "importer:kernelindex";
  // The snapshot of the store as of now, when the caller has one: a newer export of a catalog that
  // has rows already needs it, and builds it otherwise.
  std::shared_ptr<const catalog::Snapshot> base;
  bool dry_run = false;
  bool build_snapshot = true;
  std::function<void(const ImportProgress&)> progress;
  const std::atomic<bool>* cancel = nullptr;
  std::size_t max_listed = 1000;  // refused lines, changes, vanished rows that are listed
};

struct ImportReport {
  enum class Outcome : std::uint8_t {
    kImported,
    kUnchanged,  // the store had everything already
    kRefused,    // nothing was stored: see `refused`
    kDryRun,     // nothing was stored: as asked
  };
  Outcome outcome = Outcome::kImported;
  bool is_own_format = false;
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;  // of JSON Lines text
  std::vector<TableCount> tables;
  std::vector<RefusedLine> refused;
  std::uint64_t refused_total = 0;
  std::vector<ChangedColumn> changes;
  std::uint64_t changes_total = 0;
  // Rows of earlier imports that this export no longer has: they stay. (table, key)
  std::vector<std::pair<std::string, std::string>> vanished;
  std::uint64_t vanished_total = 0;
  std::uint64_t retractions = 0;
  std::uint64_t supersessions = 0;
  std::uint64_t leader_changes = 0;
  publish::CatalogFacts facts;
  std::optional<catalog::Commit> commit;  // the last one; nothing when nothing was stored
  // The snapshot after the import, when one was built on the way: give it to
  // LiveCatalog::install(). Null otherwise; refresh() catches up then.
  std::shared_ptr<const catalog::Snapshot> snapshot;

  std::string to_json() const;
};

// Fails with kNotFound, kCorrupt (a damaged, cut or altered file; found before anything is stored),
// kUnavailable (another writer; says who), kCancelled. A refused line is not an Error: see
// ImportReport::outcome.
Result<ImportReport> import_kernelindex(const std::filesystem::path& path, catalog::Store& store,
                                        const ImportOptions& options);

}  // namespace ki::importers
