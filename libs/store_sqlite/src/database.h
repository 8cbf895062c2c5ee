// Database and Statement: SQLite's C interface as owning values that return Results.
// Each is used by one thread at a time (SQLITE_OPEN_NOMUTEX).
#pragma once

#include "ki/base/result.h"
#include "ki/digest/digest.h"

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace ki::store_sqlite {

inline constexpr std::chrono::milliseconds kLongestPause{50};

enum class Access : std::uint8_t { kRead, kWrite, kCreate, kImmutable };

// The Error of an SQLite result code: what a caller does next, and what a person can do about it.
Error sqlite_error(int code, sqlite3* connection, std::string_view action);

class Statement {
 public:
  Statement() = default;

  // Parameters are numbered from 1. Texts and blobs are not copied: they must live until reset().
  void bind(int parameter, std::int64_t value);
  void bind_text(int parameter, std::string_view value);
  void bind_blob(int parameter, std::string_view value);
  void bind_null(int parameter);

  // True when there is a row; false when done (the statement is then reset).
  Result<bool> step();
  // Runs to the end, ignoring rows.
  Result<void> run();
  void reset();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  std::string_view text(int column) const;  // valid until the next step; works for blobs too

  explicit operator bool() const { return handle_ != nullptr; }

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  explicit Statement(sqlite3_stmt* statement) : handle_(statement) {}
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

// Resets a statement when a scope ends, so that no read transaction outlives a call.
class ResetAtExit {
 public:
  explicit ResetAtExit(Statement& statement) : statement_(statement) {}
  ~ResetAtExit() { statement_.reset(); }
  ResetAtExit(const ResetAtExit&) = delete;
  ResetAtExit& operator=(const ResetAtExit&) = delete;

 private:
  Statement& statement_;
};

class Database {
 public:
  static Result<Database> open(const std::filesystem::path& path, Access access,
                               std::chrono::milliseconds busy_timeout);
  static Result<Database> open_in_memory();

  Result<Statement> prepare(std::string_view sql);
  Result<void> execute(const std::string& sql);  // one or more statements; rows are ignored
  // The first column of the first row of a query, as text; nothing when there is no row.
  Result<std::optional<std::string>> query_text(std::string_view sql);
  Result<std::int64_t> query_integer(std::string_view sql);  // 0 when there is no row

  bool in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }
  // Whether the last call failed because of another connection's lock.
  bool is_busy() const;
  void set_busy_timeout(std::chrono::milliseconds timeout);
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
  };
  explicit Database(sqlite3* connection) : handle_(connection) {}
  std::unique_ptr<sqlite3, Close> handle_;
};

// Runs `step` again while another connection's lock stops it, until the deadline. SQLite waits by
// itself in most places, but not where it changes the journal mode or sees that waiting could
// deadlock.
template <class Step>
auto until_free(Database& database, std::chrono::steady_clock::time_point deadline,
                const Step& step) {
  for (auto pause = std::chrono::milliseconds(1);; pause = std::min(2 * pause, kLongestPause)) {
    auto result = step();
    if (result || !database.is_busy() || std::chrono::steady_clock::now() >= deadline) {
      return result;
    }
    if (database.in_transaction()) {
      [[maybe_unused]] const auto ignored = database.execute("ROLLBACK");
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace ki::store_sqlite
