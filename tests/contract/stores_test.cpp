// The stores that keep the contract.
#include "ki/logbook/logged_store.h"
#include "ki/store_memory/memory_store.h"
#include "ki/store_sqlite/sqlite_store.h"
#include "store_contract.h"

namespace ki::contract {
namespace {

StoreMaker memory_maker() {
  return {.name = "Memory",
          .make = [](const std::filesystem::path& folder,
                     std::chrono::milliseconds busy) -> Result<std::unique_ptr<Store>> {
            return std::make_unique<store_memory::MemoryStore>(folder.filename().string(), busy);
          },
          .reopen = {},
          .open_backup = {}};
}

Result<std::unique_ptr<Store>> open_sqlite(const std::filesystem::path& file,
                                           const store_sqlite::Options& options) {
  KI_TRY(std::unique_ptr<Store> store, store_sqlite::SqliteStore::open(file, options));
  return store;
}

StoreMaker sqlite_maker() {
  return {
      .name = "Sqlite",
      .make =
          [](const std::filesystem::path& folder, std::chrono::milliseconds busy) {
            return open_sqlite(folder / "catalog.db", {.create = true, .busy_timeout = busy});
          },
      .reopen =
          [](const std::filesystem::path& folder) {
            return open_sqlite(folder / "catalog.db", {});
          },
      .open_backup = [](const std::filesystem::path& file) { return open_sqlite(file, {}); },
  };
}

// Without a log a LoggedStore is the store that it wraps.
StoreMaker logged_maker() {
  return {.name = "Logged",
          .make = [](const std::filesystem::path& folder,
                     std::chrono::milliseconds busy) -> Result<std::unique_ptr<Store>> {
            return std::make_unique<logbook::LoggedStore>(
                std::make_unique<store_memory::MemoryStore>(folder.filename().string(), busy));
          },
          .reopen = {},
          .open_backup = {}};
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreContract,
                         testing::Values(memory_maker(), sqlite_maker(), logged_maker()),
                         [](const auto& maker) { return maker.param.name; });
INSTANTIATE_TEST_SUITE_P(Stores, FileStoreContract, testing::Values(sqlite_maker()),
                         [](const auto& maker) { return maker.param.name; });

TEST(MemoryStore, HasNoFileToBackUp) {
  store_memory::MemoryStore store("id");
  const auto file = std::filesystem::temp_directory_path() / "ki-memory-backup";
  EXPECT_TRUE(fails_with(store.backup(file), Code::kUnsupported, "export"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace ki::contract
