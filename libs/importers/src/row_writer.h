// RowWriter: the writing thread of an import into an empty catalog. Appends (or restores) what the
// checking thread hands over and folds it into the snapshot.
#pragma once

#include "entry_queue.h"
#include "ki/base/error.h"
#include "ki/catalog/builder.h"
#include "ki/catalog/store.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace ki::importers {

class RowWriter {
 public:
  struct Conflict {
    catalog::Table table;
    std::string key;
    std::uint64_t place;
    std::string message;
  };

  // `builder` may be null. Both must outlive this; nobody else uses them until finish().
  RowWriter(catalog::Transaction& tx, catalog::SnapshotBuilder* builder);
  ~RowWriter();

  // Called by one thread. Does nothing once writing has failed.
  void write(const publish::CheckedRow& row, std::uint32_t version, std::uint64_t seq,
             std::uint64_t place);
  // Waits until everything is written. Afterwards the transaction may be used again.
  Result<void> finish();
  const std::vector<Conflict>& conflicts() const { return conflicts_; }
  // Stops writing, as the transaction will not be committed.
  void abandon() { is_abandoned_ = true; }

 private:
  void run();
  void write_batch(const EntryBatch& batch);

  catalog::Transaction& tx_;
  catalog::SnapshotBuilder* builder_;
  EntryQueue queue_;
  std::unique_ptr<EntryBatch> filling_;
  std::vector<Conflict> conflicts_;  // of the writing thread until finish()
  std::optional<Error> error_;
  std::atomic<bool> is_abandoned_ = false;
  std::thread thread_;
};

}  // namespace ki::importers
