// What commit() makes visible, what a transaction that never commits leaves, and what commits say.
#include "store_contract.h"

namespace ki::contract {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST_P(StoreContract, EmptyLogHasTheEmptyHead) {
  EXPECT_EQ(*store_->head(), (Head{0, catalog::empty_chain()}));
  EXPECT_THAT(*store_->commits(0), IsEmpty());
  EXPECT_THAT(read_log(*store_), IsEmpty());
  EXPECT_EQ(*store_->read(1), std::nullopt);
  EXPECT_THAT(*store_->check_storage(), IsEmpty());
}

TEST_P(StoreContract, EntriesBecomeVisibleTogetherAtCommit) {
  for (const char* round : {"on an empty log", "on a log with entries"}) {
    SCOPED_TRACE(round);
    const Head before = *store_->head();
    const auto transaction = begin();
    append(*transaction, Table::kOperations, round, 0, digest_of(round), "{}");
    append(*transaction, Table::kSources, round, 0, std::nullopt, "{}");
    EXPECT_EQ(*store_->head(), before);
    EXPECT_THAT(read_log(*store_), SizeIs(before.seq));
    EXPECT_EQ(*store_->find(Table::kSources, round, kEverything), std::nullopt);
    EXPECT_EQ(*store_->find_digest(Table::kOperations, digest_of(round)), std::nullopt);
    EXPECT_EQ(*store_->read(before.seq + 1), std::nullopt);
    EXPECT_THAT(read_rows(*store_, Table::kSources), SizeIs(before.seq / 2));
    commit(*transaction);
    EXPECT_EQ(store_->head()->seq, before.seq + 2);
    EXPECT_THAT(read_log(*store_), SizeIs(before.seq + 2));
    EXPECT_NE(*store_->find_digest(Table::kOperations, digest_of(round)), std::nullopt);
  }
}

TEST_P(StoreContract, DestroyedTransactionLeavesNoTrace) {
  for (const char* round : {"on an empty log", "on a log with entries"}) {
    SCOPED_TRACE(round);
    const Head before = *store_->head();
    {
      const auto transaction = begin();
      append(*transaction, Table::kOperations, "lost", 0, digest_of("lost"), "{}");
    }
    EXPECT_EQ(*store_->head(), before);
    EXPECT_EQ(*store_->find(Table::kOperations, "lost", kEverything), std::nullopt);
    {
      const auto transaction = begin();
      EXPECT_EQ(*transaction->find(Table::kOperations, "lost"), std::nullopt);
      // Neither the key nor the digest is taken.
      const std::string key = std::string("kept ") + round;
      EXPECT_EQ(append(*transaction, Table::kOperations, key, 0, digest_of(key), "{}"),
                before.seq + 1);
      commit(*transaction);
    }
    EXPECT_THAT(check_chain(*store_), IsEmpty());
    EXPECT_THAT(*store_->check_storage(), IsEmpty());
  }
}

TEST_P(StoreContract, CommitsTellTheirEntriesTimeReasonAndChain) {
  write_example(*store_);
  const auto log = read_log(*store_);
  ASSERT_THAT(log, SizeIs(7));
  std::vector<Digest> chain = {catalog::empty_chain()};
  for (const OwnedEntry& entry : log)
    chain.push_back(catalog::chain_next(chain.back(), view(entry)));
  EXPECT_THAT(*store_->commits(0), ElementsAre(Commit{1, 3, kNoon, "first import", chain[3]},
                                               Commit{4, 5, kNoon, "publish", chain[5]},
                                               Commit{6, 7, kNoon, "retract", chain[7]}));
  EXPECT_EQ(*store_->head(), (Head{7, chain[7]}));
}

TEST_P(StoreContract, CommitReturnsWhatCommitsTell) {
  const auto transaction = begin();
  append(*transaction, Table::kSources, "a", 0, std::nullopt, "{}");
  const auto made = transaction->commit(Instant{-1}, "é 'quoted'");
  ASSERT_TRUE(succeeds(made));
  EXPECT_THAT(*store_->commits(0), ElementsAre(*made));
  EXPECT_EQ(made->at, Instant{-1});
  EXPECT_EQ(made->reason, "é 'quoted'");
}

TEST_P(StoreContract, CommitsAfterASeqAreThoseThatEndLater) {
  write_example(*store_);
  const auto lasts = [&](Seq after) {
    const std::vector<Commit> commits = *store_->commits(after);
    std::vector<Seq> seqs;
    for (const Commit& each : commits) seqs.push_back(each.last);
    return seqs;
  };
  EXPECT_THAT(lasts(0), ElementsAre(3, 5, 7));
  EXPECT_THAT(lasts(2), ElementsAre(3, 5, 7)) << "in the middle of a commit";
  EXPECT_THAT(lasts(3), ElementsAre(5, 7));
  EXPECT_THAT(lasts(7), IsEmpty());
  EXPECT_THAT(lasts(kEverything), IsEmpty());
}

// An import that finds nothing new must not grow the log.
TEST_P(StoreContract, CommitOfNothingChangesNothing) {
  for (int round = 0; round < 2; ++round) {
    SCOPED_TRACE(round == 0 ? "on an empty log" : "on a log with entries");
    const Head before = *store_->head();
    const std::size_t commits = store_->commits(0)->size();
    {
      const auto transaction = begin();
      const Commit made = commit(*transaction);
      EXPECT_EQ(made.first, before.seq + 1) << "no entries: first is beyond last";
      EXPECT_EQ(made.last, before.seq);
      EXPECT_EQ(made.chain, before.chain);
    }
    EXPECT_EQ(*store_->head(), before);
    EXPECT_THAT(*store_->commits(0), SizeIs(commits));
    write_row(*store_, Table::kSources, std::to_string(round), "{}");
  }
}

TEST_P(StoreContract, TransactionIsOverAfterCommit) {
  const auto transaction = begin();
  append(*transaction, Table::kSources, "a", 0, std::nullopt, "{}");
  commit(*transaction);
  EXPECT_TRUE(fails_with(transaction->append(Table::kSources, "b", 0, std::nullopt, "{}"),
                         Code::kConflict, "over"));
  EXPECT_TRUE(fails_with(transaction->commit(kNoon, "again"), Code::kConflict, "over"));
  EXPECT_TRUE(fails_with(transaction->find(Table::kSources, "a"), Code::kConflict, "over"));
  // Its turn ended with it, although the object is still there.
  write_row(*store_, Table::kSources, "c", "{}");
  EXPECT_EQ(store_->head()->seq, 2U);
}

TEST_P(StoreContract, CatalogIdStaysTheSame) {
  const std::string id = store_->catalog_id();
  EXPECT_FALSE(id.empty());
  write_example(*store_);
  EXPECT_EQ(store_->catalog_id(), id);
}

TEST_P(FileStoreContract, ReopenedStoreHoldsTheSameLog) {
  write_example(*store_);
  const std::string id = store_->catalog_id();
  const auto log = read_log(*store_);
  const auto commits = *store_->commits(0);
  store_.reset();
  auto again = GetParam().reopen(folder_ / "first");
  ASSERT_TRUE(succeeds(again));
  store_ = *std::move(again);
  EXPECT_EQ(store_->catalog_id(), id);
  EXPECT_EQ(read_log(*store_), log);
  EXPECT_EQ(*store_->commits(0), commits);
  EXPECT_EQ(write_row(*store_, Table::kSources, "later", "{}").first, 8U);
  EXPECT_THAT(check_chain(*store_), IsEmpty());
}

}  // namespace
}  // namespace ki::contract
