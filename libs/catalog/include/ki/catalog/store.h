// Store: the port behind which catalogs are kept. A store is an append-only log of entries, each a
// version of one row; the newest version of a key is the row. Nothing is updated or deleted, so
// what was published can be read as of any sequence number, and the log can be chained and proven.
//
// SQLite and memory implement it (modules store_sqlite, store_memory); tests/contract holds the
// suite that every implementation passes.
#pragma once

#include "ki/base/instant.h"
#include "ki/base/result.h"
#include "ki/catalog/table.h"
#include "ki/digest/digest.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::catalog {

// Position in the log: 1 for the first entry; 0 is the empty log. The catalog version that people
// and ETags see is the sequence number of the last committed entry.
using Seq = std::uint64_t;

// One version of one row. Views are valid during the call that hands them out.
struct Entry {
  Seq seq = 0;
  Table table = Table::kSources;
  std::string_view key;          // key_of(table, row)
  std::uint32_t version = 0;     // 0 for the row's first entry
  std::optional<Digest> digest;  // the content digest of tables that have one; same in all versions
  std::string_view body;         // canonical JSON text (RFC 8785) of the stored row
};

struct OwnedEntry {
  Seq seq = 0;
  Table table = Table::kSources;
  std::string key;
  std::uint32_t version = 0;
  std::optional<Digest> digest;
  std::string body;
};

// What one committed transaction left behind.
struct Commit {
  Seq first = 0;  // its entries: first..last
  Seq last = 0;
  Instant at;
  std::string reason;  // e.g. "import kernelindex", "publish", "retract"
  // The log's chain value after it: chain_next() over every entry from the empty log's chain value.
  Digest chain;
};

// SHA-256 over (previous chain value, seq, table, key, version, SHA-256 of the body); for the first
// entry the previous value is empty_chain(). A changed, moved, added or lost entry changes every
// later value.
Digest empty_chain();
Digest chain_next(const Digest& previous, const Entry& entry);

struct Head {
  Seq seq = 0;
  Digest chain = empty_chain();
};

// One writer at a time. Entries become visible and durable together at commit(); a transaction that
// is destroyed without commit leaves no trace.
class Transaction {
 public:
  virtual ~Transaction() = default;
  virtual Head head() const = 0;  // including what this transaction appended

  // Appends a version of a row (`version`: one more than the newest). Fails with kConflict when the
  // key exists and version is 0, when the version is not next, when the digest differs from the
  // row's first version, or when another key of the table has the digest.
  virtual Result<Seq> append(Table table, std::string_view key, std::uint32_t version,
                             const std::optional<Digest>& digest, std::string_view body) = 0;
  // Restores an entry of an export at its own place; only into a log that is empty at begin().
  // Entries may come in any order of seq; commit() checks that none is missing.
  virtual Result<void> restore(const Entry& entry) = 0;
  virtual Result<void> restore(const Commit& commit) = 0;

  // The newest version as this transaction sees it.
  virtual Result<std::optional<OwnedEntry>> find(Table table, std::string_view key) = 0;
  virtual Result<std::optional<OwnedEntry>> find_digest(Table table, const Digest& digest) = 0;

  virtual Result<Commit> commit(Instant at, std::string_view reason) = 0;
};

enum class Step : std::uint8_t { kGoOn, kStop };
using EntryVisitor = std::function<Result<Step>(const Entry&)>;

class Store {
 public:
  virtual ~Store() = default;

  virtual std::string catalog_id() const = 0;  // a UUID made with the catalog
  virtual Result<Head> head() = 0;             // the last committed one

  // Waits at most the store's busy limit for another writer; kUnavailable says who holds the lock.
  virtual Result<std::unique_ptr<Transaction>> begin() = 0;

  // Entries with after < seq <= upto, in order of seq, from one consistent view.
  virtual Result<void> read_since(Seq after, Seq upto, const EntryVisitor& visit) = 0;
  // All versions of a table's rows in order of (key, version).
  Result<void> read_table(Table table, Seq upto, const EntryVisitor& visit) {
    return read_prefix(table, "", upto, visit);
  }
  // Of the rows whose keys begin with `prefix`; costs as many steps as there are such rows.
  virtual Result<void> read_prefix(Table table, std::string_view prefix, Seq upto,
                                   const EntryVisitor& visit) = 0;
  virtual Result<std::optional<OwnedEntry>> read(Seq seq) = 0;
  // The newest version with seq <= upto.
  virtual Result<std::optional<OwnedEntry>> find(Table table, std::string_view key, Seq upto) = 0;
  virtual Result<std::optional<OwnedEntry>> find_digest(Table table, const Digest& digest) = 0;
  virtual Result<std::vector<Commit>> commits(Seq after) = 0;

  // A consistent copy of the store as of now, while others read and write.
  virtual Result<void> backup(const std::filesystem::path& to) = 0;
  // Problems of the storage itself (pages, indexes, triggers), as sentences; empty when none.
  virtual Result<std::vector<std::string>> check_storage() = 0;
};

}  // namespace ki::catalog
