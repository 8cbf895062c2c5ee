// Opening: what is a catalog, what is not, what is damaged, what is newer or older.
#include "sqlite_raw.h"

#include <sys/mount.h>

namespace ki::contract {
namespace {

using store_sqlite::SqliteStore;
using testing::IsEmpty;

class SqliteOpen : public SqliteFile {};

TEST_F(SqliteOpen, MissingFileIsNotFoundUnlessItShallBeMade) {
  EXPECT_TRUE(fails_with(open(), Code::kNotFound, "catalog.db"));
  EXPECT_TRUE(fails_with(open({.create = true, .read_only = true}), Code::kNotFound));
  EXPECT_THAT(std::vector(std::filesystem::directory_iterator(folder_), {}), IsEmpty());
  EXPECT_TRUE(succeeds(open({.create = true})));
  EXPECT_TRUE(succeeds(open()));
}

TEST_F(SqliteOpen, MakingLeavesOnlyTheFile) {
  reopen({.create = true}).reset();
  std::vector<std::string> names;
  for (const auto& item : std::filesystem::directory_iterator(folder_)) {
    names.push_back(item.path().filename());
  }
  EXPECT_THAT(names, testing::ElementsAre("catalog.db"));
}

TEST_F(SqliteOpen, FolderThatDoesNotExistIsNamed) {
  EXPECT_TRUE(fails_with(SqliteStore::open(folder_ / "no" / "c.db", {.create = true}),
                         Code::kUnavailable, "no/c.db"));
  EXPECT_TRUE(fails_with(SqliteStore::open(folder_, {}), Code::kInvalidArgument, folder_.string()));
}

TEST_F(SqliteOpen, IdIsFreshOrAsWished) {
  const std::string first = reopen({.create = true})->catalog_id();
  EXPECT_EQ(first.size(), 36U);
  EXPECT_EQ(reopen()->catalog_id(), first);
  std::filesystem::remove(file_);
  EXPECT_NE(reopen({.create = true})->catalog_id(), first);
  std::filesystem::remove(file_);
  EXPECT_EQ(reopen({.create = true, .catalog_id = "wished"})->catalog_id(), "wished");
  EXPECT_EQ(reopen({.create = true, .catalog_id = "other"})->catalog_id(), "wished")
      << "it was there";
}

TEST_F(SqliteOpen, NameMayHoldWhatAnUriWouldRead) {
  const auto odd = folder_ / "a?mode=memory&b#c%41 'é.db";
  ASSERT_TRUE(succeeds(SqliteStore::open(odd, {.create = true})));
  EXPECT_TRUE(std::filesystem::exists(odd));
  EXPECT_TRUE(succeeds(SqliteStore::open(odd, {.read_only = true})));
}

TEST_F(SqliteOpen, FilesThatAreNoCatalogAreToldApart) {
  struct Case {
    const char* why;
    std::string bytes;
    Code code;
    const char* says;
  };
  const Case cases[] = {
      {"a text", std::string(3000, 'x'), Code::kCorrupt, "ki fsck"},
      {"a short text", "hello", Code::kCorrupt, "empty or cut"},
      {"nothing", "", Code::kCorrupt, "empty"},
      {"zeros", std::string(65536, '\0'), Code::kCorrupt, "ki fsck"},
  };
  for (const auto& [why, bytes, code, says] : cases) {
    SCOPED_TRACE(why);
    write_bytes(file_, bytes);
    for (const bool read_only : {false, true}) {
      EXPECT_TRUE(fails_with(open({.create = true, .read_only = read_only}), code, says));
    }
    EXPECT_EQ(read_bytes(file_), bytes) << "it was left alone";
  }
}

TEST_F(SqliteOpen, DatabaseOfAnotherProgramIsLeftAlone) {
  ASSERT_EQ(RawDatabase(file_).execute("CREATE TABLE bookmarks (url)"), "");
  const std::string before = read_bytes(file_);
  EXPECT_TRUE(fails_with(open({.create = true}), Code::kInvalidArgument, "not a catalog"));
  EXPECT_TRUE(fails_with(open({.read_only = true}), Code::kInvalidArgument, "not a catalog"));
  EXPECT_EQ(read_bytes(file_), before);
}

TEST_F(SqliteOpen, NewerSchemaIsRefused) {
  make_catalog(2);
  ASSERT_EQ(RawDatabase(file_).execute("PRAGMA user_version = 999"), "");
  EXPECT_TRUE(fails_with(open(), Code::kUnsupported, "update ki"));
  EXPECT_TRUE(fails_with(open({.read_only = true}), Code::kUnsupported, "update ki"));
  EXPECT_EQ(RawDatabase(file_).query_one("PRAGMA user_version"), "999");
}

TEST_F(SqliteOpen, FixtureOfEveryOlderSchemaOpensAndIsBroughtUpToDate) {
  int fixtures = 0;
  for (const auto& item :
       std::filesystem::directory_iterator(KI_SOURCE_DIR "/libs/store_sqlite/tests/data")) {
    SCOPED_TRACE(item.path().filename());
    ++fixtures;
    std::filesystem::remove(file_);
    ASSERT_EQ(RawDatabase(file_).execute(read_bytes(item.path())), "");
    const std::string version = RawDatabase(file_).query_one("PRAGMA user_version");
    EXPECT_TRUE(fails_with(open({.read_only = true}), Code::kUnsupported, "write access"))
        << "schema " << version;
    const auto store = reopen();
    EXPECT_EQ(store->catalog_id(), "0198a000-0000-7000-8000-000000000001");
    EXPECT_THAT(check_chain(*store), IsEmpty());
    EXPECT_THAT(*store->check_storage(), IsEmpty());
    EXPECT_EQ(store->head()->seq, 7U);
    EXPECT_EQ((*store->find_digest(Table::kOperations, digest_of("o1")))->version, 1U);
    EXPECT_EQ(write_row(*store, Table::kSources, "s2", "{}").first, 8U);
    EXPECT_TRUE(succeeds(open({.read_only = true})));
  }
  EXPECT_GE(fixtures, 1);
}

TEST_F(SqliteOpen, ReadOnlyStoreReadsAndNeverWrites) {
  make_catalog(3);
  const std::string before = read_bytes(file_);
  {
    const auto store = reopen({.read_only = true});
    EXPECT_THAT(check_chain(*store), IsEmpty());
    EXPECT_EQ(store->head()->seq, 3U);
    EXPECT_TRUE(fails_with(store->begin(), Code::kUnsupported, "read-only"));
    EXPECT_THAT(*store->check_storage(), IsEmpty());
    EXPECT_TRUE(succeeds(store->backup(folder_ / "copy.db")));
  }
  EXPECT_EQ(read_bytes(file_), before);
}

TEST_F(SqliteOpen, ReadOnlyStoreFollowsAWriter) {
  make_catalog(1);
  const auto reader = reopen({.read_only = true});
  const auto writer = reopen();
  write_row(*writer, Table::kReports, "new", "{}");
  EXPECT_EQ(reader->head()->seq, 2U);
}

TEST_F(SqliteOpen, CatalogOnAReadOnlyMediumCanBeRead) {
  const auto medium = folder_ / "medium";
  std::filesystem::create_directory(medium);
  if (mount("none", medium.c_str(), "tmpfs", 0, "size=16m") != 0) {
    GTEST_SKIP() << "skipped: mounting a file system needs root";
  }
  file_ = medium / "catalog.db";
  make_catalog(3);
  ASSERT_EQ(mount("none", medium.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr), 0);
  {
    const auto store = reopen({.read_only = true});
    ASSERT_NE(store, nullptr);
    EXPECT_THAT(check_chain(*store), IsEmpty());
    EXPECT_EQ(store->head()->seq, 3U);
    EXPECT_THAT(*store->check_storage(), IsEmpty());
  }
  EXPECT_FALSE(open());
  umount(medium.c_str());
}

// A cut or overwritten file: an error that says so, or the truth; never a crash, never a wrong
// answer.
class SqliteDamage : public SqliteFile {
 protected:
  void SetUp() override {
    SqliteFile::SetUp();
    make_catalog(200);
    whole_ = read_bytes(file_);
    log_ = read_log(*reopen({.read_only = true}));
  }

  // Reads everything in every way; true when some step said kCorrupt.
  bool is_found_corrupt() {
    bool corrupt = false;
    const auto note = [&](const auto& result) {
      if (result) return;
      EXPECT_EQ(result.error().code(), Code::kCorrupt) << result.error().to_string();
      corrupt = true;
    };
    const auto store = open();
    note(store);
    if (!store) return corrupt;
    const auto true_entry = [&](const Entry& entry) -> Result<catalog::Step> {
      EXPECT_LE(entry.seq, log_.size());
      return catalog::Step::kGoOn;
    };
    note((*store)->head());
    note((*store)->read_since(0, kEverything, true_entry));
    note((*store)->read_table(Table::kReports, kEverything, true_entry));
    note((*store)->commits(0));
    for (Seq seq = 1; seq <= log_.size(); seq += 17) {
      note((*store)->read(seq));
      note((*store)->find(Table::kReports, std::to_string(seq), kEverything));
    }
    const auto problems = (*store)->check_storage();
    note(problems);
    if (problems && !problems->empty()) corrupt = true;
    if (!check_chain(**store).empty()) corrupt = true;
    return corrupt;
  }

  std::string whole_;
  std::vector<OwnedEntry> log_;
};

TEST_F(SqliteDamage, TruncatedFileIsCorrupt) {
  ASSERT_GT(whole_.size(), 20U * 8192);
  for (std::size_t kept :
       {std::size_t{1}, std::size_t{99}, std::size_t{100}, std::size_t{4096}, std::size_t{8192},
        whole_.size() / 2, whole_.size() - 8192, whole_.size() - 8191, whole_.size() - 1}) {
    SCOPED_TRACE(kept);
    write_bytes(file_, std::string_view(whole_).substr(0, kept));
    EXPECT_TRUE(is_found_corrupt());
  }
}

TEST_F(SqliteDamage, OverwrittenPageIsCorrupt) {
  for (std::size_t page = 0; page < whole_.size() / 8192; page += 5) {
    SCOPED_TRACE(page);
    write_bytes(file_, whole_);
    damage(file_, page * 8192, std::string(8192, '\x5a'));
    EXPECT_TRUE(is_found_corrupt());
  }
}

// One changed byte inside a text is invisible to SQLite; the chain sees it.
TEST_F(SqliteDamage, ChangedByteOfABodyBreaksTheChain) {
  const std::size_t body = whole_.find(std::string(900, 'x'));
  ASSERT_NE(body, std::string::npos);
  damage(file_, body + 450, "y");
  const auto store = reopen();
  EXPECT_THAT(check_chain(*store), testing::Not(IsEmpty()));
}

// A torn write-ahead log ends where its checksums end: what is read is a whole number of commits.
TEST_F(SqliteDamage, TornLogGivesWholeCommitsOnly) {
  const auto wal = std::filesystem::path(file_.string() + "-wal");
  std::string log;
  {
    const auto store = reopen();
    for (int i = 0; i < 20; ++i) {
      const auto transaction = *store->begin();
      for (const char* half : {"a", "b"}) {
        append(*transaction, Table::kReports, std::to_string(i) + half, 0, std::nullopt,
               std::string(2000, 'y'));
      }
      commit(*transaction);
    }
    log = read_bytes(wal);
  }
  ASSERT_GT(log.size(), 100'000U);
  for (std::size_t cut = 0; cut <= log.size(); cut += 12007) {
    for (const bool overwritten : {false, true}) {
      SCOPED_TRACE(std::to_string(cut) + (overwritten ? " overwritten" : " cut"));
      write_bytes(file_, whole_);
      write_bytes(wal, std::string_view(log).substr(0, cut));
      if (overwritten)
        write_bytes(wal,
                    std::string(log).replace(cut, std::string::npos, log.size() - cut, '\x11'));
      std::filesystem::remove(file_.string() + "-shm");
      const auto store = open();
      if (!store) {
        EXPECT_EQ(store.error().code(), Code::kCorrupt) << store.error().to_string();
        continue;
      }
      const Seq last = (*store)->head()->seq;
      EXPECT_GE(last, 200U);
      EXPECT_EQ(last % 2, 0U) << "half a commit";
      EXPECT_THAT(check_chain(**store), IsEmpty());
      EXPECT_THAT(*(*store)->check_storage(), IsEmpty());
    }
  }
}

}  // namespace
}  // namespace ki::contract
