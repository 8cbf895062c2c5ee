// What is published is immutable, also for other programs: triggers refuse, and check_storage()
// tells when somebody has worked around them.
#include "sqlite_raw.h"

namespace ki::contract {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class SqliteGuard : public SqliteFile {
 protected:
  void SetUp() override {
    SqliteFile::SetUp();
    const auto store = reopen({.create = true});
    {
      auto transaction = *store->begin();
      append(*transaction, Table::kOperations, "o1", 0, digest_of("o1"), R"({"id":"o1"})");
      append(*transaction, Table::kOperations, "o1", 1, digest_of("o1"), R"({"id":"o1","a":1})");
      append(*transaction, Table::kSources, "s1", 0, std::nullopt, R"({"id":"s1"})");
      commit(*transaction);
    }
    log_ = read_log(*store);
  }
  std::vector<OwnedEntry> log_;
};

struct Attack {
  const char* why;
  const char* sql;
  const char* says;
};

TEST_F(SqliteGuard, PlainConnectionCannotChangeWhatIsPublished) {
  const Attack attacks[] = {
      {"a body", "UPDATE entries SET body = '{}' WHERE seq = 1", "entries are never changed"},
      {"all bodies", "UPDATE entries SET body = '{}'", "entries are never changed"},
      {"a key", "UPDATE OR REPLACE entries SET key = 'o2' WHERE seq = 1",
       "entries are never changed"},
      {"one entry", "DELETE FROM entries WHERE seq = 3", "entries are never deleted"},
      {"all entries", "DELETE FROM entries", "entries are never deleted"},
      {"replacing by seq", "REPLACE INTO entries VALUES (3, 1, 's2', 0, NULL, 'x')",
       "only appended"},
      {"replacing by row", "REPLACE INTO entries VALUES (4, 1, 's1', 0, NULL, 'x')",
       "follow one another"},
      {"replacing by digest",
       "REPLACE INTO entries SELECT 4, 3, 'o2', 0, digest, 'x' FROM entries WHERE seq = 1",
       "another row of this table has this content digest"},
      {"a gap in seq", "INSERT INTO entries VALUES (5, 1, 's2', 0, NULL, 'x')", "only appended"},
      {"seq 0", "INSERT INTO entries VALUES (0, 1, 's2', 0, NULL, 'x')", "only appended"},
      {"a seq of SQLite's choice",
       "INSERT INTO entries (tbl, key, version, body) VALUES (1, 's2', 0, 'x')", "only appended"},
      {"a version left out", "INSERT INTO entries VALUES (4, 1, 's1', 2, NULL, 'x')",
       "follow one another"},
      {"a version without a first", "INSERT INTO entries VALUES (4, 1, 's2', 1, NULL, 'x')",
       "follow one another"},
      {"another digest in a later version",
       "INSERT INTO entries VALUES (4, 3, 'o1', 2, zeroblob(32), 'x')", "never changes"},
      {"no digest in a later version", "INSERT INTO entries VALUES (4, 3, 'o1', 2, NULL, 'x')",
       "never changes"},
      {"a digest of 31 bytes", "INSERT INTO entries VALUES (4, 3, 'o2', 0, zeroblob(31), 'x')",
       "entries_digest_sha256"},
      {"a body that is no text", "INSERT INTO entries VALUES (4, 1, 's2', 0, NULL, x'00')",
       "cannot store BLOB"},
      {"a table number out of range", "INSERT INTO entries VALUES (4, 256, 's2', 0, NULL, 'x')",
       "entries_tbl_byte"},
      {"a chain value", "UPDATE commits SET chain = zeroblob(32)", "commits are never changed"},
      {"a commit", "DELETE FROM commits", "commits are never deleted"},
      {"replacing a commit", "REPLACE INTO commits VALUES (3, 1, 0, 'x', zeroblob(32))",
       "follow one another"},
      {"a commit that leaves entries out",
       "INSERT INTO commits VALUES (9, 5, 0, 'x', zeroblob(32))", "follow one another"},
      {"a commit of nothing", "INSERT INTO commits VALUES (4, 4, 0, 'x', zeroblob(32))",
       "end at an entry"},
      {"the catalog's id", "UPDATE meta SET value = 'x' WHERE name = 'catalog_id'",
       "never changed"},
      {"removing the id", "DELETE FROM meta", "never deleted"},
      {"replacing the id", "REPLACE INTO meta VALUES ('catalog_id', 'x')", "never changed"},
  };
  for (const auto& [why, sql, says] : attacks) {
    SCOPED_TRACE(why);
    RawDatabase raw(file_);
    EXPECT_THAT(raw.execute(sql), HasSubstr(says));
  }
  const auto store = reopen();
  EXPECT_EQ(read_log(*store), log_);
  EXPECT_THAT(*store->check_storage(), IsEmpty());
  EXPECT_THAT(check_chain(*store), IsEmpty());
}

TEST_F(SqliteGuard, CheckStorageTellsWhatIsNotAsItShouldBe) {
  const Attack attacks[] = {
      {"a trigger is gone", "DROP TRIGGER entries_never_change",
       "trigger entries_never_change is missing"},
      {"an index is gone", "DROP INDEX entries_digest", "index entries_digest is missing"},
      {"a trigger does nothing",
       "DROP TRIGGER entries_never_leave; CREATE TRIGGER entries_never_leave BEFORE DELETE ON "
       "entries "
       "BEGIN SELECT 1; END",
       "entries_never_leave is not as this program made it"},
      {"an index is not unique",
       "DROP INDEX entries_row; CREATE INDEX entries_row ON entries (tbl, key)",
       "index entries_row is not as this program made it"},
      {"a strange trigger", "CREATE TRIGGER spy AFTER INSERT ON entries BEGIN SELECT 1; END",
       "trigger spy does not belong here"},
      {"a strange table", "CREATE TABLE notes (text)", "table notes does not belong here"},
      {"a view is gone", "DROP VIEW operations", "view operations is missing"},
      {"the journal mode", "PRAGMA journal_mode = DELETE", ""},
      {"an entry is gone", "DROP TRIGGER entries_never_leave; DELETE FROM entries WHERE seq = 2",
       "2 entries, but numbers 1 to 3"},
  };
  for (const auto& [why, sql, says] : attacks) {
    SCOPED_TRACE(why);
    TearDown();
    SetUp();
    {
      RawDatabase raw(file_);
      ASSERT_EQ(raw.execute(sql), "");
    }
    const auto problems = reopen()->check_storage();
    ASSERT_TRUE(succeeds(problems));
    if (std::string_view(says).empty()) {
      EXPECT_THAT(*problems, IsEmpty()) << "opening for writing sets it right";
    } else {
      EXPECT_THAT(*problems, Contains(HasSubstr(says)));
    }
  }
}

TEST_F(SqliteGuard, MissingEntryIsFoundWhileReading) {
  {
    RawDatabase raw(file_);
    ASSERT_EQ(raw.execute("DROP TRIGGER entries_never_leave; DELETE FROM entries WHERE seq = 2"),
              "");
  }
  const auto store = reopen();
  const auto read = store->read_since(
      0, kEverything, [](const Entry&) -> Result<catalog::Step> { return catalog::Step::kGoOn; });
  EXPECT_TRUE(fails_with(read, Code::kCorrupt, "entry 2 is missing"));
}

TEST_F(SqliteGuard, LogThatDoesNotEndWithACommitIsNotOpened) {
  {
    RawDatabase raw(file_);
    ASSERT_EQ(raw.execute("INSERT INTO entries VALUES (4, 1, 's2', 0, NULL, '{}')"), "");
  }
  EXPECT_TRUE(fails_with(open(), Code::kCorrupt, "ki fsck"));
  EXPECT_TRUE(fails_with(open({.read_only = true}), Code::kCorrupt, "ki fsck"));
}

TEST_F(SqliteGuard, TableThatThisProgramDoesNotKnowIsToldFromDamage) {
  {
    RawDatabase raw(file_);
    ASSERT_EQ(raw.execute("INSERT INTO entries VALUES (4, 200, 'x', 0, NULL, '{}');"
                          "INSERT INTO commits VALUES (4, 4, 0, 'later', zeroblob(32))"),
              "");
  }
  EXPECT_TRUE(fails_with(reopen()->read(4), Code::kUnsupported, "update ki"));
}

TEST_F(SqliteGuard, ViewsShowTheNewestVersionOfEachRow) {
  RawDatabase raw(file_);
  EXPECT_EQ(raw.query_one("SELECT count(*) FROM operations"), "1");
  EXPECT_EQ(raw.query_one("SELECT version FROM operations WHERE id = 'o1'"), "1");
  EXPECT_EQ(raw.query_one("SELECT body FROM operations"), R"({"id":"o1","a":1})");
  EXPECT_EQ(raw.query_one("SELECT digest FROM log WHERE seq = 1"), digest_of("o1").hex());
  EXPECT_EQ(raw.query_one("SELECT table_name FROM log WHERE seq = 3"), "sources");
  // Each view compiles, and the numbers are the program's.
  for (const catalog::TableInfo& info : catalog::tables()) {
    SCOPED_TRACE(info.name);
    const std::string name(info.name);
    raw.query("SELECT * FROM " + name);
    EXPECT_EQ(raw.query_one("SELECT tbl FROM table_names WHERE name = '" + name + "'"),
              std::to_string(static_cast<int>(info.table)));
  }
  EXPECT_EQ(raw.query_one("SELECT count(*) FROM table_names"),
            std::to_string(catalog::tables().size()));
}

}  // namespace
}  // namespace ki::contract
