// MergeWriter: takes checked rows of an export into a catalog that has rows already (spec 17,
// "Importing a newer export"): new rows are appended, changed mutable columns become new versions
// and are audited, rows that are known under another id are matched by digest, and nothing is
// deleted.
#pragma once

#include "ki/catalog/builder.h"
#include "ki/catalog/store.h"
#include "ki/importers/kernelindex.h"
#include "ki/json/reader.h"
#include "ki/publish/row_checker.h"

#include <map>
#include <string>
#include <unordered_set>

namespace ki::importers {

class MergeWriter {
 public:
  MergeWriter(catalog::Store& store, catalog::Transaction& tx, publish::RowChecker& checker,
              const ImportOptions& options, Instant now, ImportReport& report)
      : store_(store), tx_(tx), checker_(checker), options_(options), now_(now), report_(report) {}

  // Tables that each catalog writes for itself.
  static bool is_own_history(catalog::Table table);

  // Before a row is checked: when its digest is known here under another id, references to that id
  // are read as ours from now on.
  void see_ids(catalog::Table table, const json::Value& row);
  // Fails with kConflict when the row contradicts what is stored.
  Result<void> write(const publish::CheckedRow& row, TableCount& count);

  bool has_appended() const { return has_appended_; }
  // Reports rows that this catalog has and the export lacks, in the tables that the export has.
  Result<void> find_vanished();
  // The leader histories of the groups that changed.
  Result<void> sync_leaders();

 private:
  Result<void> update(const publish::CheckedRow& row, const catalog::OwnedEntry& known,
                      TableCount& count);
  Result<void> fold_new(catalog::SnapshotBuilder& builder, catalog::Table table,
                        const std::unordered_set<std::string>& keys, catalog::Seq after);
  bool is_appending() const { return !options_.dry_run && report_.refused_total == 0; }

  catalog::Store& store_;
  catalog::Transaction& tx_;
  publish::RowChecker& checker_;
  const ImportOptions& options_;
  Instant now_;
  ImportReport& report_;
  json::Reader known_reader_{json::Limits{.max_bytes = std::size_t{64} << 20, .max_depth = 72}};
  json::Reader row_reader_{json::Limits{.max_bytes = std::size_t{64} << 20, .max_depth = 72}};
  std::map<catalog::Table, std::unordered_set<std::string>> seen_;
  bool has_appended_ = false;
};

}  // namespace ki::importers
