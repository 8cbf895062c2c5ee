#include "database.h"

#include "ki/base/check.h"

#include <fmt/format.h>

#include <cstring>

namespace ki::store_sqlite {
namespace {

// A path as an SQLite URI: only '%', '?' and '#' mean something there.
std::string uri(const std::filesystem::path& path, std::string_view parameters) {
  std::string out = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    if (c == '%' || c == '?' || c == '#') {
      out += fmt::format("%{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  out += parameters;
  return out;
}

}  // namespace

Error sqlite_error(int code, sqlite3* connection, std::string_view action) {
  const char* detail = connection == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(connection);
  const int system = connection == nullptr ? 0 : sqlite3_system_errno(connection);
  const auto make = [&](Code result, std::string_view advice) {
    return Error(result, fmt::format("{}: {}{}", action, detail, advice));
  };
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return make(Code::kCorrupt, "; run `ki fsck`, and restore from a backup if it agrees");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return make(Code::kUnavailable, "; another process is using it, try again later");
    case SQLITE_FULL:
      return make(Code::kUnavailable, "; nothing was written: free some disk space and try again");
    case SQLITE_NOMEM:
      return make(Code::kUnavailable, "");
    case SQLITE_CONSTRAINT:
      return make(Code::kConflict, "");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return make(Code::kUnsupported, "; check the permissions of the file and of its folder");
    case SQLITE_TOOBIG:
      return make(Code::kInvalidArgument, "");
    case SQLITE_CANTOPEN:
      return make(Code::kUnavailable, "; check that the folder exists and may be written");
    case SQLITE_IOERR: {
      const Code result = code == SQLITE_IOERR_CORRUPTFS ? Code::kCorrupt : Code::kUnavailable;
      return make(result,
                  system == 0 ? std::string() : fmt::format(" ({})", std::strerror(system)));
    }
    default:
      return make(Code::kInternal, "");
  }
}

void Statement::bind(int parameter, std::int64_t value) {
  KI_CHECK(sqlite3_bind_int64(handle_.get(), parameter, value) == SQLITE_OK);
}

// A null pointer would bind NULL, so that an empty view needs an address.
void Statement::bind_text(int parameter, std::string_view value) {
  KI_CHECK(sqlite3_bind_text64(handle_.get(), parameter, value.empty() ? "" : value.data(),
                               value.size(), SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK);
}

void Statement::bind_blob(int parameter, std::string_view value) {
  KI_CHECK(sqlite3_bind_blob64(handle_.get(), parameter, value.empty() ? "" : value.data(),
                               value.size(), SQLITE_STATIC) == SQLITE_OK);
}

void Statement::bind_null(int parameter) {
  KI_CHECK(sqlite3_bind_null(handle_.get(), parameter) == SQLITE_OK);
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(handle_.get());
    return false;
  }
  sqlite3* const connection = sqlite3_db_handle(handle_.get());
  Error error = sqlite_error(sqlite3_extended_errcode(connection), connection, "the catalog file");
  sqlite3_reset(handle_.get());
  return fail(std::move(error));
}

Result<void> Statement::run() {
  for (;;) {
    KI_TRY(const bool row, step());
    if (!row) return {};
  }
}

void Statement::reset() { sqlite3_reset(handle_.get()); }

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}

std::string_view Statement::text(int column) const {
  // The pointer first, then the length: SQLite may convert in the first call.
  const void* data = sqlite3_column_blob(handle_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  if (data == nullptr) return {};
  return {static_cast<const char*>(data), size};
}

Result<Database> Database::open(const std::filesystem::path& path, Access access,
                                std::chrono::milliseconds busy_timeout) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE;
  switch (access) {
    case Access::kRead:
    case Access::kImmutable:
      flags |= SQLITE_OPEN_READONLY;
      break;
    case Access::kWrite:
      flags |= SQLITE_OPEN_READWRITE;
      break;
    case Access::kCreate:
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
      break;
  }
  sqlite3* connection = nullptr;
  const std::string name = uri(path, access == Access::kImmutable ? "?immutable=1" : "");
  const int code = sqlite3_open_v2(name.c_str(), &connection, flags, nullptr);
  Database database(connection);
  if (code != SQLITE_OK) {
    return fail(sqlite_error(code, connection, fmt::format("opening '{}'", path.string())));
  }
  database.set_busy_timeout(busy_timeout);
  return database;
}

Result<Database> Database::open_in_memory() {
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(
      ":memory:", &connection,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      nullptr);
  Database database(connection);
  if (code != SQLITE_OK)
    return fail(sqlite_error(code, connection, "opening a database in memory"));
  return database;
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return fail(sqlite_error(code, handle_.get(), "the catalog file"));
  KI_CHECK(statement != nullptr);
  return Statement(statement);
}

Result<void> Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return fail(sqlite_error(code, handle_.get(), "the catalog file"));
  return {};
}

Result<std::optional<std::string>> Database::query_text(std::string_view sql) {
  KI_TRY(Statement statement, prepare(sql));
  KI_TRY(const bool row, statement.step());
  if (!row || statement.is_null(0)) return std::nullopt;
  return std::string(statement.text(0));
}

Result<std::int64_t> Database::query_integer(std::string_view sql) {
  KI_TRY(Statement statement, prepare(sql));
  KI_TRY(const bool row, statement.step());
  return row ? statement.integer(0) : 0;
}

bool Database::is_busy() const {
  const int code = sqlite3_errcode(handle_.get()) & 0xff;
  return code == SQLITE_BUSY || code == SQLITE_LOCKED;
}

void Database::set_busy_timeout(std::chrono::milliseconds timeout) {
  sqlite3_busy_timeout(handle_.get(), static_cast<int>(timeout.count()));
}

}  // namespace ki::store_sqlite
