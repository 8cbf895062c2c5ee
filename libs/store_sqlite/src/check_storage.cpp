// Whether the file can be trusted as storage: what SQLite knows of its pages, what this program
// knows of its schema and settings, and that the log and its commits fit together. Contents
// (digests, chain, references) are checked above, by `ki fsck`.
#include "entry_rows.h"
#include "ki/store_sqlite/sqlite_store.h"
#include "schema.h"
#include "store_state.h"

#include <fmt/format.h>

namespace ki::store_sqlite {
namespace {

using Problems = std::vector<std::string>;

// Adds each row of a query that yields sentences.
Result<void> add_rows(Database& database, std::string_view sql, std::string_view prefix,
                      Problems& problems) {
  KI_TRY(Statement statement, database.prepare(sql));
  for (;;) {
    KI_TRY(const bool row, statement.step());
    if (!row) return {};
    const std::string_view text = statement.text(0);
    if (text != "ok") problems.push_back(fmt::format("{}{}", prefix, text));
  }
}

struct Setting {
  std::string_view pragma;
  std::string_view expected;
  std::string_view meaning;
};

// Settings that are kept in the file. Those of a connection are checked when the writer opens it.
constexpr Setting kSettings[] = {
    {"encoding", "UTF-8", "texts are not stored as UTF-8"},
    {"journal_mode", "wal", "the file is not in write-ahead-log mode"},
};

Result<void> check_settings(Database& database, Problems& problems) {
  for (const Setting& setting : kSettings) {
    KI_TRY(const std::optional<std::string> value,
           database.query_text(fmt::format("PRAGMA {}", setting.pragma)));
    if (value.value_or("") != setting.expected) {
      problems.push_back(fmt::format("{}: {} is {} instead of {}", setting.meaning, setting.pragma,
                                     value.value_or("not set"), setting.expected));
    }
  }
  return {};
}

// Sentences about entries and commits that do not fit together.
constexpr std::string_view kLogProblems =
    "SELECT 'the log has ' || count(*) || ' entries, but numbers ' || min(seq) || ' to ' || "
    "max(seq)"
    "  FROM entries HAVING count(*) > 0 AND (min(seq) <> 1 OR max(seq) <> count(*)) "
    "UNION ALL "
    "SELECT 'the commit of entries ' || first || ' to ' || last || ' does not follow the one "
    "before'"
    "  FROM (SELECT first, last, lag(last, 1, 0) OVER (ORDER BY last) AS before FROM commits)"
    "  WHERE first <> before + 1 "
    "UNION ALL "
    "SELECT 'the log ends at entry ' || e || ', but the last commit at ' || c"
    "  FROM (SELECT coalesce((SELECT max(seq) FROM entries), 0) AS e,"
    "               coalesce((SELECT max(last) FROM commits), 0) AS c) WHERE e <> c";

Result<void> check_file(Database& database, Problems& problems) {
  KI_TRY_VOID(add_rows(database, "PRAGMA integrity_check", "", problems));
  KI_TRY_VOID(add_rows(database, "SELECT \"table\" FROM pragma_foreign_key_check",
                       "a foreign key points nowhere in ", problems));
  KI_TRY(const Problems schema, schema_differences(database));
  problems.insert(problems.end(), schema.begin(), schema.end());
  return add_rows(database, kLogProblems, "", problems);
}

}  // namespace

Result<std::vector<std::string>> SqliteStore::check_storage() {
  Problems problems;
  KI_TRY(const ReaderPool::Lease reader, state_->readers.borrow());
  if (!reader) {
    return fail(Code::kUnavailable,
                "the first import into this catalog is under way; check it when it is done");
  }
  auto checked = check_file(reader->database(), problems);
  // A read-only connection to a file that nobody has open does not tell its mode.
  if (checked && !state_->options.read_only) checked = check_settings(reader->database(), problems);
  if (!checked) {
    if (reader->database().is_busy()) {
      return fail(locked_error(state_->path, state_->options.busy_timeout));
    }
    if (checked.error().code() != Code::kCorrupt) return fail(std::move(checked).error());
    problems.push_back(checked.error().to_string());
  }
  return problems;
}

}  // namespace ki::store_sqlite
