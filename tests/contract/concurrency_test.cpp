// One writer at a time; readers on any thread, never disturbed.
#include "store_contract.h"

#include <atomic>
#include <thread>

namespace ki::contract {
namespace {

using std::chrono::milliseconds;
using testing::IsEmpty;

TEST_P(StoreContract, SecondWriterIsToldWhoHoldsTheLock) {
  for (const char* round : {"on an empty log", "on a log with entries"}) {
    SCOPED_TRACE(round);
    const auto store = make_store(round, milliseconds(20));
    if (std::string_view(round) != "on an empty log") write_example(*store);
    const auto first = begin(*store);
    EXPECT_TRUE(fails_with(store->begin(), Code::kUnavailable, "process"));
    append(*first, Table::kReports, "a", 0, std::nullopt, "{}");
    commit(*first);
    EXPECT_TRUE(succeeds(store->begin()));
  }
}

TEST_P(StoreContract, SecondWriterWaitsForTheFirst) {
  write_example(*store_);
  auto first = begin();
  append(*first, Table::kReports, "first", 0, std::nullopt, "{}");
  std::atomic<bool> committed{false};
  std::jthread second([&] {
    const auto transaction = begin();
    EXPECT_TRUE(committed.load()) << "it began while the first was open";
    EXPECT_EQ(append(*transaction, Table::kReports, "second", 0, std::nullopt, "{}"), 9U);
    commit(*transaction);
  });
  committed = true;
  commit(*first);
  second.join();
  EXPECT_EQ(store_->head()->seq, 9U);
}

TEST_P(StoreContract, ReadersSeeOnlyWholeCommitsWhileOthersWrite) {
  constexpr int kCommits = 60;
  constexpr Seq kEntriesEach = 5;
  std::atomic<bool> done{false};
  std::vector<std::jthread> readers;
  for (int reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&] {
      Seq newest = 0;
      while (!done.load()) {
        const auto head = store_->head();
        ASSERT_TRUE(succeeds(head));
        EXPECT_EQ(head->seq % kEntriesEach, 0U) << "a torn commit";
        EXPECT_GE(head->seq, newest) << "the log went back";
        newest = head->seq;
        const auto log = read_log(*store_);
        EXPECT_EQ(log.size() % kEntriesEach, 0U);
        EXPECT_GE(log.size(), newest);
        if (newest > 0) {
          EXPECT_TRUE(*store_->find(Table::kReports, std::to_string(newest), kEverything));
        }
      }
    });
  }
  for (int i = 0; i < kCommits; ++i) {
    const auto transaction = begin();
    for (Seq j = 0; j < kEntriesEach; ++j) {
      append(*transaction, Table::kReports, std::to_string(transaction->head().seq + 1), 0,
             std::nullopt, std::string(400, 'x'));
    }
    commit(*transaction);
  }
  done = true;
  readers.clear();
  EXPECT_THAT(check_chain(*store_), IsEmpty());
}

TEST_P(StoreContract, WritersOnManyThreadsTakeTurns) {
  constexpr int kThreads = 4;
  constexpr int kEach = 15;
  {
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < kThreads; ++writer) {
      writers.emplace_back([&, writer] {
        for (int i = 0; i < kEach; ++i) {
          write_row(*store_, Table::kReports, std::to_string(writer) + "." + std::to_string(i),
                    "{}");
        }
      });
    }
  }
  EXPECT_EQ(store_->head()->seq, static_cast<Seq>(kThreads * kEach));
  EXPECT_EQ(store_->commits(0)->size(), static_cast<std::size_t>(kThreads * kEach));
  EXPECT_THAT(check_chain(*store_), IsEmpty());
}

}  // namespace
}  // namespace ki::contract
