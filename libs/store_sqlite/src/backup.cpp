// Copies of a live catalog.
#include "entry_rows.h"
#include "ki/store_sqlite/sqlite_store.h"
#include "new_file.h"
#include "store_state.h"

#include <fmt/format.h>

namespace ki::store_sqlite {
namespace {

using std::chrono::milliseconds;

// All pages at once, inside one read transaction: writers go on in the write-ahead log meanwhile.
Result<void> copy_pages(Database& source, const std::filesystem::path& to) {
  KI_TRY(Database copy, Database::open(to, Access::kCreate, milliseconds(0)));
  KI_TRY_VOID(copy.execute("PRAGMA synchronous = OFF"));  // the whole file is synced at the end
  sqlite3_backup* backup = sqlite3_backup_init(copy.handle(), "main", source.handle(), "main");
  if (backup == nullptr) {
    return fail(sqlite_error(sqlite3_extended_errcode(copy.handle()), copy.handle(), "copying"));
  }
  const int step = sqlite3_backup_step(backup, -1);
  const int finish = sqlite3_backup_finish(backup);
  if (step != SQLITE_DONE) {
    const int code = finish == SQLITE_OK ? step : finish;
    return fail(sqlite_error(code, nullptr, "copying"));
  }
  return {};
}

Result<catalog::Head> head_of_copy(const std::filesystem::path& path, std::string_view catalog_id) {
  KI_TRY(const std::unique_ptr<SqliteStore> copy, SqliteStore::open(path, {.read_only = true}));
  if (copy->catalog_id() != catalog_id) {
    return fail(Code::kConflict, fmt::format("'{}' is another catalog", path.string()));
  }
  return copy->head();
}

}  // namespace

Result<void> SqliteStore::backup(const std::filesystem::path& to) {
  const auto conflict = [&] {
    return fail(
        Code::kConflict,
        fmt::format("'{}' exists already and is not this backup; name a new file", to.string()));
  };
  std::error_code error;
  if (std::filesystem::exists(to, error)) {
    // The catalog itself is not opened a second time here: closing it would drop SQLite's locks.
    if (std::filesystem::equivalent(to, state_->path, error)) return conflict();
    KI_TRY(const catalog::Head now, head());
    const auto there = head_of_copy(to, catalog_id());
    if (there && there->seq == now.seq && there->chain == now.chain) return {};
    return conflict();
  }
  const NewDatabaseFile file(to);
  const auto copied = [&]() -> Result<bool> {
    KI_TRY(const ReaderPool::Lease reader, state_->readers.borrow());
    if (!reader) {
      return fail(Code::kUnavailable,
                  "the first import into this catalog is under way; back it up when it is done");
    }
    if (auto done = copy_pages(reader->database(), file.temporary()); !done) {
      if (reader->database().is_busy()) {
        return fail(locked_error(state_->path, state_->options.busy_timeout));
      }
      return fail(std::move(done).error());
    }
    KI_TRY_VOID(head_of_copy(file.temporary(), catalog_id()));
    return file.publish();
  }();
  if (!copied) {
    return fail(Error(copied.error()).within(fmt::format("backing up to '{}'", to.string())));
  }
  if (!*copied) return conflict();
  return {};
}

}  // namespace ki::store_sqlite
