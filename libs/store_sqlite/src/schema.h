// The schema of a catalog file: its migrations, how a file is made, recognised and brought up to
// date.
#pragma once

#include "database.h"
#include "ki/base/instant.h"
#include "ki/base/result.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::store_sqlite {

struct Migration {
  std::string_view name;  // "0001-log"
  std::string_view sql;
};

// In order; the schema version of a file (PRAGMA user_version) is the number of those applied.
std::span<const Migration> migrations();

// PRAGMA application_id: "KIdx" in ASCII, so that `file` and other programs can tell.
constexpr std::int64_t kApplicationId = 0x4B496478;

// Bytes a page; see docs/internals/store.md for the measurement.
constexpr int kPageBytes = 8192;

// Insert checks and unique indexes that the first fill of an empty log builds at its end.
std::span<const std::string_view> objects_built_after_fill();

// Makes a catalog file that appears under its name whole, or not at all. Success when the file has
// appeared meanwhile: another process made it.
Result<void> create_catalog_file(const std::filesystem::path& path, std::string_view catalog_id,
                                 Instant created);

// The schema version of an open file. Fails when it is not a catalog or newer than this program.
Result<std::size_t> read_schema_version(Database& database, const std::filesystem::path& path);

// Applies the migrations that are missing, in one transaction. Waits for other writers.
Result<void> migrate(Database& database, const std::filesystem::path& path);

// How the objects of the file's schema differ from this program's, as sentences.
Result<std::vector<std::string>> schema_differences(Database& database);

}  // namespace ki::store_sqlite
