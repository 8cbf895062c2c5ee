// Merger: puts the rows of an export into a catalog that has rows already (spec 17, "Importing a
// newer export"). Known rows stay; their mutable columns are applied as new versions and audited.
#pragma once

#include "ki/base/instant.h"
#include "ki/base/result.h"
#include "ki/base/uuid.h"
#include "ki/catalog/store.h"
#include "ki/importers/kernelindex.h"
#include "ki/json/reader.h"
#include "ki/publish/row_checker.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ki::importers {

class Merger {
 public:
  enum class Done : std::uint8_t { kInserted, kChanged, kUnchanged };

  // `checker` learns which ids of the export stand for rows that the catalog has under another id.
  Merger(catalog::Store& store, catalog::Transaction& tx, publish::RowChecker& checker,
         const ImportOptions& options, ImportReport& report, Instant now);

  // Reads what lookups need from the store.
  Result<void> prepare();
  // An Error of kInvalidArgument or kConflict refuses the row; others end the import.
  Result<Done> put(const publish::CheckedRow& row);
  // Rows of earlier imports that the export no longer has.
  Result<void> report_vanished();

  std::uint64_t inserted() const { return inserted_; }
  std::uint64_t changed() const { return changed_; }
  const std::vector<catalog::OwnedEntry>& entries() const { return entries_; }

 private:
  Result<std::optional<catalog::OwnedEntry>> find_known(const publish::CheckedRow& row);
  Result<bool> is_known_event(const publish::CheckedRow& row);
  Result<Done> compare(const publish::CheckedRow& row, const catalog::OwnedEntry& stored);
  Result<void> audit(std::string_view action, std::string_view target_kind, std::string_view target,
                     std::string_view reason, std::string_view prior_state);
  Result<void> append(catalog::Table table, std::string_view key, std::uint32_t version,
                      const std::optional<Digest>& digest, std::string_view body);

  catalog::Store& store_;
  catalog::Transaction& tx_;
  publish::RowChecker& checker_;
  const ImportOptions& options_;
  ImportReport& report_;
  Instant now_;
  json::Reader stored_reader_, given_reader_;
  std::unordered_map<std::string, std::string> ids_by_slug_;  // "<table> <slug>" -> id
  std::unordered_set<std::string> events_;                    // "<group> <run> <cause>"
  bool are_events_read_ = false;
  std::uint64_t inserted_ = 0, changed_ = 0;
  std::vector<catalog::OwnedEntry> entries_;  // everything that was appended
};

}  // namespace ki::importers
