// A disk without space: kUnavailable, and nothing half done.
#include "sqlite_raw.h"

#include <sys/mount.h>

namespace ki::contract {
namespace {

using testing::IsEmpty;

class SqliteDiskFull : public SqliteFile {
 protected:
  void SetUp() override {
    SqliteFile::SetUp();
    const auto disk = folder_ / "disk";
    std::filesystem::create_directory(disk);
    if (mount("none", disk.c_str(), "tmpfs", 0, "size=4m") != 0) {
      GTEST_SKIP() << "skipped: mounting a small disk needs root";
    }
    is_mounted_ = true;
    file_ = disk / "catalog.db";
  }
  void TearDown() override {
    if (is_mounted_) umount((folder_ / "disk").c_str());
    SqliteFile::TearDown();
  }

  // Appends until the store fails, and commits if it never did; the error, or nothing.
  static std::optional<Error> fill(Store& store) {
    const auto transaction = must_begin(store);
    for (int i = 0; i < 200; ++i) {
      const auto seq = transaction->append(Table::kArtifacts, "big" + std::to_string(i), 0,
                                           std::nullopt, std::string(100'000, 'z'));
      if (!seq) {
        // It stays so: the transaction is broken, and says why again.
        EXPECT_TRUE(fails_with(transaction->append(Table::kReports, "x", 0, std::nullopt, "{}"),
                               Code::kUnavailable));
        EXPECT_TRUE(fails_with(transaction->commit(kNoon, "x"), Code::kUnavailable));
        return seq.error();
      }
    }
    const auto made = transaction->commit(kNoon, "x");
    if (!made) return made.error();
    return std::nullopt;
  }

  static std::unique_ptr<Transaction> must_begin(Store& store) {
    auto begun = store.begin();
    EXPECT_TRUE(succeeds(begun));
    return begun ? *std::move(begun) : nullptr;
  }

  bool is_mounted_ = false;
};

TEST_F(SqliteDiskFull, FirstImportThatDoesNotFitLeavesAnEmptyCatalog) {
  const auto store = reopen({.create = true});
  const std::optional<Error> error = fill(*store);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Code::kUnavailable) << error->to_string();
  EXPECT_THAT(error->to_string(), testing::HasSubstr("free some disk space"));
  EXPECT_EQ(*store->head(), Head{});
  EXPECT_THAT(*store->check_storage(), IsEmpty());
  write_row(*store, Table::kReports, "small", "{}");
  EXPECT_EQ(reopen()->head()->seq, 1U);
}

TEST_F(SqliteDiskFull, LaterImportThatDoesNotFitLeavesTheLogAsItWas) {
  make_catalog(50);
  const auto store = reopen();
  const auto before = read_log(*store);
  for (int round = 0; round < 3; ++round) {
    const std::optional<Error> error = fill(*store);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), Code::kUnavailable) << error->to_string();
    EXPECT_EQ(read_log(*store), before);
  }
  EXPECT_THAT(*store->check_storage(), IsEmpty());
  EXPECT_THAT(check_chain(*store), IsEmpty());
  write_row(*store, Table::kReports, "small", "{}");
  EXPECT_EQ(reopen()->head()->seq, 51U);
}

TEST_F(SqliteDiskFull, BackupThatDoesNotFitLeavesNothing) {
  const auto store = reopen({.create = true});
  {
    const auto transaction = must_begin(*store);
    for (int i = 0; i < 2500; ++i) {
      append(*transaction, Table::kReports, std::to_string(i), 0, std::nullopt,
             std::string(1000, 'x'));
    }
    commit(*transaction);
  }
  const auto copy = file_.parent_path() / "copy.db";
  EXPECT_TRUE(fails_with(store->backup(copy), Code::kUnavailable, "copy.db"));
  int files = 0;
  for (const auto& item : std::filesystem::directory_iterator(file_.parent_path())) {
    EXPECT_EQ(item.path().filename().string().find("copy"), std::string::npos) << item.path();
    ++files;
  }
  EXPECT_GE(files, 1);
  EXPECT_EQ(store->head()->seq, 2500U);
}

TEST_F(SqliteDiskFull, CatalogThatDoesNotFitIsNotMade) {
  std::filesystem::path ballast = file_.parent_path() / "ballast";
  write_bytes(ballast, std::string(4 << 20, 'b'));
  EXPECT_TRUE(fails_with(open({.create = true}), Code::kUnavailable));
  std::filesystem::remove(ballast);
  EXPECT_TRUE(std::filesystem::is_empty(file_.parent_path()));
  EXPECT_TRUE(succeeds(open({.create = true})));
}

}  // namespace
}  // namespace ki::contract
