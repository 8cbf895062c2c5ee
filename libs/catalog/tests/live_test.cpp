#include "ki/catalog/live.h"

#include "ki/store_memory/memory_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace ki::catalog {
namespace {

void publish_report(Store& store, int number) {
  auto transaction = store.begin();
  ASSERT_TRUE(transaction) << transaction.error().to_string();
  const std::string key = "report-" + std::to_string(number);
  ASSERT_TRUE((*transaction)->append(Table::kReports, key, 0, std::nullopt, "{}"));
  ASSERT_TRUE((*transaction)->commit(Instant{number}, "report"));
}

TEST(LiveCatalog, ReadersNeverSeeTheLogGoBackWhileItIsCaughtUp) {
  constexpr int kPublications = 200;
  store_memory::MemoryStore store("0198a000-0000-7000-8000-000000000001");
  auto live = LiveCatalog::open(store, std::nullopt);
  ASSERT_TRUE(live) << live.error().to_string();
  std::atomic<bool> is_done{false};
  {
    std::vector<std::jthread> threads;
    for (int reader = 0; reader < 3; ++reader) {
      threads.emplace_back([&] {
        Seq newest = 0;
        while (!is_done.load()) {
          const auto snapshot = (*live)->current();
          EXPECT_GE(snapshot->seq(), newest);
          EXPECT_EQ(snapshot->seq(), snapshot->head().seq);
          newest = snapshot->seq();
        }
      });
    }
    // Two that catch up: the later head stays, whichever is first.
    threads.emplace_back([&] {
      while (!is_done.load()) EXPECT_TRUE((*live)->refresh());
    });
    for (int number = 1; number <= kPublications; ++number) {
      publish_report(store, number);
      EXPECT_TRUE((*live)->refresh());
    }
    is_done = true;
  }
  EXPECT_EQ((*live)->current()->seq(), Seq{kPublications});
  EXPECT_EQ((*live)->current()->head().chain, store.head()->chain);
}

TEST(LiveCatalog, AnOlderSnapshotIsNotInstalled) {
  store_memory::MemoryStore store("0198a000-0000-7000-8000-000000000001");
  auto live = LiveCatalog::open(store, std::nullopt);
  ASSERT_TRUE(live) << live.error().to_string();
  const auto older = (*live)->current();
  publish_report(store, 1);
  ASSERT_TRUE(*(*live)->refresh());
  (*live)->install(older);
  EXPECT_EQ((*live)->current()->seq(), 1U);
  EXPECT_FALSE(*(*live)->refresh()) << "there is nothing new";
}

}  // namespace
}  // namespace ki::catalog
