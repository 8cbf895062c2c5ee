// SqliteStore: a catalog in one SQLite file, in write-ahead-log mode with full durability.
//
// Threads: every member function of SqliteStore may be called from any thread at any time; readers
// use connections of their own and never wait for the writer. A Transaction belongs to one thread
// at a time and must be destroyed before its store. Nothing of it survives a fork(). Processes: any
// number may have one file open; one of them writes at a time.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ki::store_sqlite {

struct Options {
  bool create = false;     // make the file when there is none
  bool read_only = false;  // never write: begin() is refused, nothing is migrated
  // How long begin() and open() wait for another writer.
  std::chrono::milliseconds busy_timeout{5000};
  // The id of a catalog that is made here; a fresh UUID without one.
  std::optional<std::string> catalog_id = {};
};

class SqliteStore final : public catalog::Store {
 public:
  // Opens a catalog, brings an older schema up to date (forward only) and sets a crashed writer's
  // leftovers right. Fails with
  //   kNotFound      no such file, and `create` is false
  //   kUnsupported   the file was written by a newer program, or an older one is opened read-only
  //   kInvalidArgument  an SQLite file that is not a catalog
  //   kCorrupt       not an SQLite file, damaged pages, or a log that does not end with a commit
  //   kUnavailable   another process holds the lock (named in the message), or the disk is full
  static Result<std::unique_ptr<SqliteStore>> open(const std::filesystem::path& path,
                                                   const Options& options = {});
  ~SqliteStore() override;

  std::string catalog_id() const override;
  Result<catalog::Head> head() override;
  Result<std::unique_ptr<catalog::Transaction>> begin() override;
  Result<void> read_since(catalog::Seq after, catalog::Seq upto,
                          const catalog::EntryVisitor& visit) override;
  Result<void> read_prefix(catalog::Table table, std::string_view prefix, catalog::Seq upto,
                           const catalog::EntryVisitor& visit) override;
  Result<std::optional<catalog::OwnedEntry>> read(catalog::Seq seq) override;
  Result<std::optional<catalog::OwnedEntry>> find(catalog::Table table, std::string_view key,
                                                  catalog::Seq upto) override;
  Result<std::optional<catalog::OwnedEntry>> find_digest(catalog::Table table,
                                                         const Digest& digest) override;
  Result<std::vector<catalog::Commit>> commits(catalog::Seq after) override;
  // Copies to a new file, which appears under its name only when it is whole and synced. A file
  // that is already there is left alone: success when it is this catalog at the same head, else
  // kConflict.
  Result<void> backup(const std::filesystem::path& to) override;
  // Pages, indexes and constraints (SQLite's integrity check), every object of the schema against
  // this program's, the settings that durability needs, and that commits cover the log.
  Result<std::vector<std::string>> check_storage() override;

  struct State;  // private; named here for the functions in src/

 private:
  explicit SqliteStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ki::store_sqlite
