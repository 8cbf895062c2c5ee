// LiveCatalog: a store with its current snapshot. Readers take current() once per request and wait
// for nothing but the copy of a pointer; refresh() folds what was committed since, here or in
// another process, and swaps the pointer.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/snapshot.h"
#include "ki/catalog/store.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

namespace ki::catalog {

class LiveCatalog {
 public:
  // Opens the snapshot file beside the store when there is one and it is sound and of this catalog,
  // folds what the log has beyond it, or rebuilds it from the store. Without a path nothing is
  // kept.
  static Result<std::unique_ptr<LiveCatalog>> open(
      Store& store, std::optional<std::filesystem::path> snapshot_file);

  std::shared_ptr<const Snapshot> current() const {
    const std::scoped_lock lock(pointer_);
    return current_;
  }

  // Catches up with the store. True when the snapshot changed. Safe to call from any thread.
  Result<bool> refresh();
  // Installs a snapshot, if it is newer than the current one. Safe to call from any thread.
  void install(std::shared_ptr<const Snapshot> snapshot);
  // Writes the current snapshot to the snapshot file, when there is one and it is behind.
  Result<void> save();

  Store& store() { return store_; }

 private:
  LiveCatalog(Store& store, std::optional<std::filesystem::path> snapshot_file)
      : store_(store), snapshot_file_(std::move(snapshot_file)) {}

  Store& store_;
  std::optional<std::filesystem::path> snapshot_file_;
  std::mutex refresh_;  // one refresh at a time; readers never take it
  // A mutex held for the copy of a pointer: std::atomic<std::shared_ptr> of libstdc++ 12 has a data
  // race between load() and store().
  mutable std::mutex pointer_;
  std::shared_ptr<const Snapshot> current_;
  Seq saved_ = 0;
};

}  // namespace ki::catalog
