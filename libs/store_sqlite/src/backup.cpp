// Copies of a live catalog.
#include "entry_rows.h"
#include "ki/io/file.h"
#include "ki/store_sqlite/sqlite_store.h"
#include "schema.h"
#include "store_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

namespace ki::store_sqlite {
namespace {

using std::chrono::milliseconds;

void remove_database(const std::filesystem::path& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    std::error_code ignored;
    std::filesystem::remove(path.string() + suffix, ignored);
  }
}

// All pages at once, inside one read transaction: writers go on in the write-ahead log meanwhile.
Result<void> copy_pages(Database& source, const std::filesystem::path& to) {
  KI_TRY(Database copy, Database::open(to, Access::kCreate, milliseconds(0)));
  KI_TRY_VOID(copy.execute("PRAGMA synchronous = FULL"));
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

Result<void> sync_file(const std::filesystem::path& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
  if (fd < 0) return fail(io::system_error(errno, "cannot open", path));
  const bool synced = ::fsync(fd) == 0;
  const int saved = errno;
  ::close(fd);
  if (!synced) return fail(io::system_error(saved, "cannot sync", path));
  return {};
}

}  // namespace

Result<void> SqliteStore::backup(const std::filesystem::path& to) {
  std::error_code error;
  if (std::filesystem::exists(to, error)) {
    // The catalog itself is not opened a second time here: closing it would drop SQLite's locks.
    const bool is_itself = std::filesystem::equivalent(to, state_->path, error);
    KI_TRY(const catalog::Head now, head());
    if (!is_itself) {
      const auto there = head_of_copy(to, catalog_id());
      if (there && there->seq == now.seq && there->chain == now.chain) return {};
    }
    return fail(
        Code::kConflict,
        fmt::format("'{}' exists already and is not this backup; name a new file", to.string()));
  }
  const std::filesystem::path temporary = to.string() + fmt::format(".new-{}", ::getpid());
  const auto copied = [&]() -> Result<void> {
    KI_TRY(const ReaderPool::Lease reader, state_->readers.borrow());
    if (!reader) {
      return fail(Code::kUnavailable,
                  "the first import into this catalog is under way; back it up when it is done");
    }
    remove_database(temporary);
    if (auto done = copy_pages(reader->database(), temporary); !done) {
      if (reader->database().is_busy()) {
        return fail(locked_error(state_->path, state_->options.busy_timeout));
      }
      return done;
    }
    KI_TRY_VOID(head_of_copy(temporary, catalog_id()));
    return sync_file(temporary, O_RDONLY);
  }();
  if (!copied) {
    remove_database(temporary);
    return fail(Error(copied.error()).within(fmt::format("backing up to '{}'", to.string())));
  }
  // A link, not a rename: it replaces nothing that appeared meanwhile.
  const bool linked = ::link(temporary.c_str(), to.c_str()) == 0;
  const int saved = errno;
  remove_database(temporary);
  if (!linked) return fail(io::system_error(saved, "cannot make", to));
  const std::filesystem::path folder = to.parent_path();
  return sync_file(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
}

}  // namespace ki::store_sqlite
