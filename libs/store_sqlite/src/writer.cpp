#include "writer.h"

#include "entry_rows.h"
#include "ki/base/clock.h"
#include "schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ki::store_sqlite {
namespace {

constexpr std::string_view kSettings =
    "PRAGMA synchronous = FULL;"
    "PRAGMA foreign_keys = ON;"
    "PRAGMA trusted_schema = OFF;"
    "PRAGMA recursive_triggers = ON;"  // REPLACE fires the triggers that refuse deletion
    "PRAGMA cell_size_check = ON;"
    "PRAGMA journal_size_limit = 67108864";

// A write-ahead log is folded back after a commit that leaves it this long (SQLite's default), and
// the file is cut when it is much longer than usual.
constexpr int kFoldWalPages = 1000;
constexpr int kCutWalPages = 8 * kFoldWalPages;

// An SQLite built without one of them would ignore the setting and say nothing.
Result<void> check_settings(Database& database) {
  constexpr std::pair<std::string_view, std::int64_t> kExpected[] = {
      {"PRAGMA synchronous", 2}, {"PRAGMA foreign_keys", 1}, {"PRAGMA recursive_triggers", 1}};
  for (const auto& [pragma, expected] : kExpected) {
    KI_TRY(const std::int64_t value, database.query_integer(pragma));
    if (value != expected) {
      return fail(Code::kUnsupported,
                  fmt::format("this SQLite library cannot guard a catalog: {} is {} instead of {}",
                              pragma, value, expected));
    }
  }
  return {};
}

}  // namespace

Error locked_error(const std::filesystem::path& path, std::chrono::milliseconds waited) {
  return Error(Code::kUnavailable,
               fmt::format("'{}' is locked by {}; waited {} ms for it. Try again when it is done",
                           path.string(), WriterNote(path).describe_holder(), waited.count()));
}

Result<std::unique_ptr<Writer>> Writer::open(const std::filesystem::path& path,
                                             std::chrono::milliseconds busy_timeout) {
  auto database = Database::open(path, Access::kWrite, busy_timeout);
  if (!database) return fail(std::move(database).error());
  const Deadline deadline = std::chrono::steady_clock::now() + busy_timeout;
  const auto prepared = until_free(*database, deadline, [&]() -> Result<void> {
    KI_TRY_VOID(database->execute(std::string(kSettings)));
    KI_TRY_VOID(read_schema_version(*database, path));
    KI_TRY_VOID(migrate(*database, path));
    KI_TRY_VOID(database->query_text("PRAGMA journal_mode = WAL"));
    return check_settings(*database);
  });
  if (!prepared) {
    if (database->is_busy()) return fail(locked_error(path, busy_timeout));
    return fail(Error(prepared.error()).within(fmt::format("opening '{}'", path.string())));
  }
  std::unique_ptr<Writer> writer(new Writer(path, busy_timeout, *std::move(database)));
  sqlite3_wal_hook(
      writer->database_.handle(),
      [](void* pages, sqlite3*, const char*, int count) {
        *static_cast<int*>(pages) = count;
        return SQLITE_OK;
      },
      &writer->wal_pages_);
  return writer;
}

Result<void> Writer::take_turn(Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (!freed_.wait_until(lock, deadline, [&] { return !taken_; })) {
    return fail(locked_error(path_, busy_timeout_));
  }
  taken_ = true;
  return {};
}

void Writer::end_turn() {
  {
    const std::lock_guard lock(mutex_);
    taken_ = false;
  }
  freed_.notify_one();
}

Result<void> Writer::begin_immediate(Deadline deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  database_.set_busy_timeout(std::max(left, std::chrono::milliseconds(0)));
  auto begun = database_.execute("BEGIN IMMEDIATE");
  const bool busy = !begun && database_.is_busy();
  database_.set_busy_timeout(busy_timeout_);
  if (busy) return fail(locked_error(path_, busy_timeout_));
  return begun;
}

Result<catalog::Head> Writer::committed_head() {
  KI_TRY(Statement statement, database_.prepare(kReadHead));
  KI_TRY(const catalog::Head head, read_head(statement));
  KI_TRY(const std::int64_t last, database_.query_integer("SELECT max(seq) FROM entries"));
  if (last != to_column(head.seq)) {
    return fail(Code::kCorrupt,
                fmt::format("'{}' ends at entry {}, but its last commit at {}; run `ki fsck`",
                            path_.string(), last, head.seq));
  }
  return head;
}

// An empty log has nothing that a rollback journal must save: its first entries are then written
// once instead of twice (log, then file). Only while nobody else has the file open.
bool Writer::try_take_file(ReaderPool& readers) {
  if (!readers.suspend()) return false;
  database_.set_busy_timeout(std::chrono::milliseconds(0));
  const auto mode = database_.query_text("PRAGMA journal_mode = TRUNCATE");
  database_.set_busy_timeout(busy_timeout_);
  has_file_alone_ = mode && *mode == "truncate";
  if (!has_file_alone_) readers.resume();
  return has_file_alone_;
}

void Writer::give_file_back(ReaderPool& readers) {
  if (!has_file_alone_) return;
  // Others may be reading just now: then the next open() or begin() sets the mode.
  [[maybe_unused]] const auto mode = database_.query_text("PRAGMA journal_mode = WAL");
  has_file_alone_ = false;
  readers.resume();
}

void Writer::abandon() {
  // SQLite has rolled back by itself after some failures.
  if (database_.in_transaction()) {
    [[maybe_unused]] const auto ignored = database_.execute("ROLLBACK");
  }
}

Result<catalog::Head> Writer::begin_in_turn(ReaderPool& readers, Deadline deadline) {
  KI_TRY(const std::int64_t entries, database_.query_integer("SELECT max(seq) FROM entries"));
  // Triggers make SQLite keep the pages that each insert touches until it has succeeded: in memory,
  // or every insert costs system calls. The first fill has no triggers, but sorts for its indexes
  // in files.
  KI_TRY_VOID(
      database_.execute(entries == 0 ? "PRAGMA temp_store = FILE" : "PRAGMA temp_store = MEMORY"));
  KI_TRY_VOID(database_.execute(std::string(kDailyCache)));
  if (entries == 0) {
    try_take_file(readers);
  } else {
    // Only after a first fill whose last step was disturbed is it not so already.
    [[maybe_unused]] const auto mode = database_.query_text("PRAGMA journal_mode = WAL");
  }
  KI_TRY_VOID(begin_immediate(deadline));
  KI_TRY(const catalog::Head head, committed_head());
  if (head.seq == 0 || !has_file_alone_) return head;
  // Another process filled the log between the two looks.
  abandon();
  give_file_back(readers);
  KI_TRY_VOID(begin_immediate(deadline));
  return committed_head();
}

Result<catalog::Head> Writer::begin(ReaderPool& readers) {
  const Deadline deadline = std::chrono::steady_clock::now() + busy_timeout_;
  KI_TRY_VOID(take_turn(deadline));
  auto head = begin_in_turn(readers, deadline);
  if (!head) {
    abandon();
    give_file_back(readers);
    end_turn();
    return head;
  }
  note_.write(SystemClock().now());
  return head;
}

Result<void> Writer::commit(ReaderPool& readers) {
  auto committed = database_.execute("COMMIT");
  if (!committed) {
    roll_back(readers);
    return committed;
  }
  note_.remove();
  fold_log();
  give_file_back(readers);
  end_turn();
  return {};
}

// What is committed is safe in the log: a failure here only means that it stays longer.
void Writer::fold_log() {
  if (wal_pages_ < kFoldWalPages) return;
  const bool cut = wal_pages_ >= kCutWalPages;
  database_.set_busy_timeout(std::chrono::milliseconds(0));
  sqlite3_wal_checkpoint_v2(database_.handle(), nullptr,
                            cut ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE, nullptr,
                            nullptr);
  database_.set_busy_timeout(busy_timeout_);
  wal_pages_ = 0;
}

void Writer::roll_back(ReaderPool& readers) {
  abandon();
  note_.remove();
  give_file_back(readers);
  end_turn();
}

}  // namespace ki::store_sqlite
