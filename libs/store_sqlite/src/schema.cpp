#include "schema.h"

#include "new_file.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <utility>

namespace ki::store_sqlite {
namespace {

constexpr std::array<std::string_view, 6> kBuiltAfterFill = {
    "entries_follow_seq", "entries_follow_version", "entries_keep_digest", "entries_own_digest",
    "entries_row",        "entries_digest"};

// Everything a catalog has before its first entry. Not synced: the caller syncs the whole file
// once.
Result<void> write_schema(Database& database, std::string_view catalog_id, Instant created) {
  KI_TRY_VOID(
      database.execute(fmt::format("PRAGMA page_size = {}; PRAGMA encoding = 'UTF-8'; PRAGMA "
                                   "synchronous = OFF; BEGIN IMMEDIATE",
                                   kPageBytes)));
  for (const Migration& migration : migrations()) {
    KI_TRY_VOID(database.execute(std::string(migration.sql)));
  }
  KI_TRY(Statement statement, database.prepare("INSERT INTO meta (name, value) VALUES (?1, ?2)"));
  const std::string created_text = created.to_string();
  const std::array<std::pair<std::string_view, std::string_view>, 3> facts = {
      {{"catalog_id", catalog_id}, {"created_at", created_text}, {"log_format", "1"}}};
  for (const auto& [name, value] : facts) {
    statement.bind_text(1, name);
    statement.bind_text(2, value);
    KI_TRY_VOID(statement.run());
  }
  KI_TRY_VOID(database.execute(fmt::format(
      "PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT; PRAGMA journal_mode = WAL",
      kApplicationId, migrations().size())));
  return {};
}

using Objects = std::map<std::string, std::pair<std::string, std::string>>;  // name -> type, sql

Result<Objects> read_objects(Database& database) {
  KI_TRY(Statement statement,
         database.prepare("SELECT name, type, coalesce(sql, '') FROM sqlite_schema "
                          "WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"));
  Objects objects;
  for (;;) {
    KI_TRY(const bool row, statement.step());
    if (!row) return objects;
    objects[std::string(statement.text(0))] = {std::string(statement.text(1)),
                                               std::string(statement.text(2))};
  }
}

}  // namespace

std::span<const std::string_view> objects_built_after_fill() { return kBuiltAfterFill; }

Result<void> create_catalog_file(const std::filesystem::path& path, std::string_view catalog_id,
                                 Instant created) {
  const NewDatabaseFile file(path);
  const Result<void> written = [&]() -> Result<void> {
    KI_TRY(Database database,
           Database::open(file.temporary(), Access::kCreate, std::chrono::milliseconds(0)));
    return write_schema(database, catalog_id, created);
  }();
  if (!written) {
    return fail(Error(written.error()).within(fmt::format("making '{}'", path.string())));
  }
  // False: another process has made it meanwhile, which is as good.
  KI_TRY_VOID(file.publish());
  return {};
}

Result<std::size_t> read_schema_version(Database& database, const std::filesystem::path& path) {
  KI_TRY(const std::int64_t application, database.query_integer("PRAGMA application_id"));
  KI_TRY(const std::int64_t version, database.query_integer("PRAGMA user_version"));
  if (application != kApplicationId || version < 1) {
    return fail(Code::kInvalidArgument,
                fmt::format("'{}' is an SQLite file, but not a catalog of ki; name another file",
                            path.string()));
  }
  if (static_cast<std::size_t>(version) > migrations().size()) {
    return fail(
        Code::kUnsupported,
        fmt::format("'{}' has schema {}, written by a newer ki; this one knows schemas up to "
                    "{}: update ki",
                    path.string(), version, migrations().size()));
  }
  return static_cast<std::size_t>(version);
}

Result<void> migrate(Database& database, const std::filesystem::path& path) {
  KI_TRY(const std::size_t before, read_schema_version(database, path));
  if (before == migrations().size()) return {};
  KI_TRY_VOID(database.execute("BEGIN IMMEDIATE"));
  const Result<void> migrated = [&]() -> Result<void> {
    // Again, now that nobody else writes: another process may have done it meanwhile.
    KI_TRY(const std::size_t version, read_schema_version(database, path));
    for (const Migration& migration : migrations().subspan(version)) {
      auto applied = database.execute(std::string(migration.sql));
      if (!applied) {
        return fail(std::move(applied).error().within(fmt::format("migration {}", migration.name)));
      }
    }
    KI_TRY_VOID(database.execute(fmt::format("PRAGMA user_version = {}", migrations().size())));
    return database.execute("COMMIT");
  }();
  if (!migrated && database.in_transaction()) {
    // The first error is the one to report.
    [[maybe_unused]] const auto ignored = database.execute("ROLLBACK");
  }
  return migrated;
}

Result<std::vector<std::string>> schema_differences(Database& database) {
  KI_TRY(Database model, Database::open_in_memory());
  for (const Migration& migration : migrations()) {
    KI_TRY_VOID(model.execute(std::string(migration.sql)));
  }
  KI_TRY(const Objects expected, read_objects(model));
  KI_TRY(const Objects found, read_objects(database));
  std::vector<std::string> problems;
  for (const auto& [name, object] : expected) {
    const auto other = found.find(name);
    if (other == found.end()) {
      problems.push_back(fmt::format("the {} {} is missing", object.first, name));
    } else if (other->second != object) {
      problems.push_back(
          fmt::format("the {} {} is not as this program made it", object.first, name));
    }
  }
  for (const auto& [name, object] : found) {
    if (!expected.contains(name)) {
      problems.push_back(fmt::format("the {} {} does not belong here", object.first, name));
    }
  }
  return problems;
}

}  // namespace ki::store_sqlite
