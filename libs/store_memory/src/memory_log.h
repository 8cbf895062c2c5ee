// MemoryLog: the committed entries and commits, and whose turn it is to write. Entries never change
// once committed, so that readers hold the lock only while they look for the next one.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ki::store_memory {

using SharedEntry = std::shared_ptr<const catalog::OwnedEntry>;
using RowName = std::pair<catalog::Table, std::string>;  // table and key
using RowDigest = std::pair<catalog::Table, Digest>;

// Entries with what finds them. Version v of a row is rows[name][v].
struct Entries {
  std::vector<SharedEntry> by_seq;  // entry seq is by_seq[seq - 1]
  std::map<RowName, std::vector<SharedEntry>> rows;
  std::map<RowDigest, std::string> owners;  // key of the row with a digest

  void add(SharedEntry entry);
  const std::vector<SharedEntry>* find(catalog::Table table, std::string_view key) const;
};

catalog::Entry view(const catalog::OwnedEntry& entry);

class MemoryLog {
 public:
  explicit MemoryLog(std::chrono::milliseconds busy_timeout) : busy_timeout_(busy_timeout) {}

  Result<void> take_turn();
  void end_turn();

  catalog::Head head() const;
  std::vector<catalog::Commit> commits(catalog::Seq after) const;
  SharedEntry read(catalog::Seq seq) const;
  SharedEntry find(catalog::Table table, std::string_view key, catalog::Seq upto) const;
  SharedEntry find_digest(catalog::Table table, const Digest& digest) const;
  std::optional<std::string> owner(catalog::Table table, const Digest& digest) const;
  // All versions with seq <= upto of the rows whose keys begin with `prefix`, by (key, version).
  std::vector<SharedEntry> rows(catalog::Table table, std::string_view prefix,
                                catalog::Seq upto) const;

  // Makes entries visible, all at once. They follow the head; the turn is the caller's.
  void publish(const std::vector<SharedEntry>& entries,
               const std::vector<catalog::Commit>& commits);

 private:
  const std::chrono::milliseconds busy_timeout_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable freed_;
  bool taken_ = false;
  Entries entries_;
  std::vector<catalog::Commit> commits_;
};

std::unique_ptr<catalog::Transaction> make_transaction(MemoryLog& log);

}  // namespace ki::store_memory
