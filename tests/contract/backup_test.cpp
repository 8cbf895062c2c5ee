// Store::backup: a consistent copy of a live catalog.
#include "store_contract.h"

#include <fstream>
#include <thread>

namespace ki::contract {
namespace {

using testing::IsEmpty;

std::unique_ptr<Store> open(const StoreMaker& maker, const std::filesystem::path& file) {
  auto opened = maker.open_backup(file);
  EXPECT_TRUE(succeeds(opened));
  return opened ? *std::move(opened) : nullptr;
}

TEST_P(FileStoreContract, BackupIsTheSameCatalog) {
  write_example(*store_);
  ASSERT_TRUE(succeeds(store_->backup(folder_ / "copy.db")));
  const auto copy = open(GetParam(), folder_ / "copy.db");
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->catalog_id(), store_->catalog_id());
  EXPECT_EQ(read_log(*copy), read_log(*store_));
  EXPECT_EQ(*copy->commits(0), *store_->commits(0));
  EXPECT_THAT(*copy->check_storage(), IsEmpty());
}

TEST_P(FileStoreContract, BackupOfAnEmptyCatalogIsOne) {
  ASSERT_TRUE(succeeds(store_->backup(folder_ / "copy.db")));
  EXPECT_EQ(open(GetParam(), folder_ / "copy.db")->catalog_id(), store_->catalog_id());
}

TEST_P(FileStoreContract, BackupHoldsOnlyWhatIsCommitted) {
  write_example(*store_);
  const auto transaction = begin();
  append(*transaction, Table::kReports, "open", 0, std::nullopt, "{}");
  ASSERT_TRUE(succeeds(store_->backup(folder_ / "copy.db")));
  EXPECT_EQ(open(GetParam(), folder_ / "copy.db")->head()->seq, 7U);
}

TEST_P(FileStoreContract, BackupIsConsistentWhileOthersWrite) {
  write_example(*store_);
  std::atomic<bool> done{false};
  std::jthread writer([&] {
    for (int i = 0; !done.load(); ++i) {
      const auto transaction = begin();
      for (const char* half : {"a", "b"}) {
        append(*transaction, Table::kReports, std::to_string(i) + half, 0, std::nullopt,
               std::string(3000, 'x'));
      }
      commit(*transaction);
    }
  });
  for (int i = 0; i < 5; ++i) {
    const auto file = folder_ / ("copy" + std::to_string(i));
    const Seq before = store_->head()->seq;
    ASSERT_TRUE(succeeds(store_->backup(file)));
    const auto copy = open(GetParam(), file);
    ASSERT_NE(copy, nullptr);
    EXPECT_GE(copy->head()->seq, before);
    EXPECT_EQ(copy->head()->seq % 2, 1U) << "a torn commit";
    EXPECT_THAT(check_chain(*copy), IsEmpty());
    EXPECT_THAT(*copy->check_storage(), IsEmpty());
  }
  done = true;
}

TEST_P(FileStoreContract, BackupNeverOverwritesAnExistingFile) {
  write_example(*store_);
  const auto text = folder_ / "notes.txt";
  std::ofstream(text) << "precious";
  EXPECT_TRUE(fails_with(store_->backup(text), Code::kConflict, "notes.txt"));
  std::string kept;
  std::getline(std::ifstream(text), kept);
  EXPECT_EQ(kept, "precious");

  const auto old = folder_ / "old.db";
  ASSERT_TRUE(succeeds(store_->backup(old)));
  EXPECT_TRUE(succeeds(store_->backup(old))) << "the same backup again";
  write_row(*store_, Table::kReports, "newer", "{}");
  EXPECT_TRUE(fails_with(store_->backup(old), Code::kConflict, "old.db"));
  EXPECT_EQ(open(GetParam(), old)->head()->seq, 7U);

  const auto other = make_store("other");
  ASSERT_TRUE(succeeds(other->backup(folder_ / "other.db")));
  EXPECT_TRUE(fails_with(store_->backup(folder_ / "other.db"), Code::kConflict, "other.db"));
}

TEST_P(FileStoreContract, BackupThatFailsLeavesNothing) {
  write_example(*store_);
  EXPECT_FALSE(store_->backup(folder_ / "no such folder" / "copy.db"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "no such folder"));
}

}  // namespace
}  // namespace ki::contract
