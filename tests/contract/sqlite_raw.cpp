#include "sqlite_raw.h"

#include <fstream>
#include <iterator>

namespace ki::contract {

using store_sqlite::Options;
using store_sqlite::SqliteStore;

RawDatabase::RawDatabase(const std::filesystem::path& file) {
  sqlite3* connection = nullptr;
  EXPECT_EQ(sqlite3_open(file.c_str(), &connection), SQLITE_OK);
  connection_.reset(connection);
}

std::string RawDatabase::execute(const std::string& sql) {
  const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? "" : sqlite3_errmsg(connection_.get());
}

std::vector<std::string> RawDatabase::query(const std::string& sql) {
  std::vector<std::string> rows;
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(connection_.get(), sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
      << sqlite3_errmsg(connection_.get());
  while (sqlite3_step(statement) == SQLITE_ROW) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    rows.emplace_back(text == nullptr ? "NULL" : text);
  }
  EXPECT_EQ(sqlite3_finalize(statement), SQLITE_OK) << sqlite3_errmsg(connection_.get());
  return rows;
}

std::string RawDatabase::query_one(const std::string& sql) {
  const auto rows = query(sql);
  EXPECT_EQ(rows.size(), 1U) << sql;
  return rows.empty() ? "" : rows[0];
}

void SqliteFile::SetUp() {
  folder_ = make_folder("sqlite");
  file_ = folder_ / "catalog.db";
}

void SqliteFile::TearDown() { std::filesystem::remove_all(folder_); }

Result<std::unique_ptr<SqliteStore>> SqliteFile::open(Options options) {
  return SqliteStore::open(file_, options);
}

void SqliteFile::make_catalog(int rows) {
  const auto store = reopen({.create = true});
  for (int i = 1; i <= rows; ++i) {
    write_row(*store, Table::kReports, std::to_string(i), std::string(1000, 'x'));
  }
}

std::unique_ptr<SqliteStore> SqliteFile::reopen(Options options) {
  auto store = open(options);
  EXPECT_TRUE(succeeds(store));
  return store ? *std::move(store) : nullptr;
}

std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void damage(const std::filesystem::path& file, std::uint64_t offset, std::string_view bytes) {
  std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(offset));
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace ki::contract
