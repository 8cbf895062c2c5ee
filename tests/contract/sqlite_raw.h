// What the tests of the SQLite store do to its file behind its back.
#pragma once

#include "ki/store_sqlite/sqlite_store.h"
#include "store_contract.h"

#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ki::contract {

// A plain connection, as the sqlite3 shell would have.
class RawDatabase {
 public:
  explicit RawDatabase(const std::filesystem::path& file);
  // The message of the failure, or "" for success.
  std::string execute(const std::string& sql);
  // The first column of all rows, as texts.
  std::vector<std::string> query(const std::string& sql);
  std::string query_one(const std::string& sql);

 private:
  struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close(connection); }
  };
  std::unique_ptr<sqlite3, Close> connection_;
};

// A folder with a file "catalog.db" of the store's own.
class SqliteFile : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  Result<std::unique_ptr<store_sqlite::SqliteStore>> open(store_sqlite::Options options = {});
  // Creates the catalog with `rows` entries of about 1 kB in one commit each and closes it.
  void make_catalog(int rows);
  // Expects success.
  std::unique_ptr<store_sqlite::SqliteStore> reopen(store_sqlite::Options options = {});

  std::filesystem::path folder_;
  std::filesystem::path file_;
};

std::string read_bytes(const std::filesystem::path& file);
void write_bytes(const std::filesystem::path& file, std::string_view bytes);
// Overwrites bytes in place.
void damage(const std::filesystem::path& file, std::uint64_t offset, std::string_view bytes);

}  // namespace ki::contract
