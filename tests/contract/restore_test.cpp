// Transaction::restore: an export comes back at its own places, whole or not at all.
#include "store_contract.h"

#include <algorithm>
#include <random>

namespace ki::contract {
namespace {

using testing::IsEmpty;

class Example {
 public:
  explicit Example(Store& store) : entries(read_log(store)), commits(*store.commits(0)) {}
  std::vector<OwnedEntry> entries;
  std::vector<Commit> commits;

  // Restores everything into an empty catalog; the error of the first step that fails.
  Result<Commit> restore_into(Store& store, bool commits_first) const {
    KI_TRY(const std::unique_ptr<Transaction> transaction, store.begin());
    if (commits_first) KI_TRY_VOID(restore_commits(*transaction));
    for (const OwnedEntry& entry : entries) KI_TRY_VOID(transaction->restore(view(entry)));
    if (!commits_first) KI_TRY_VOID(restore_commits(*transaction));
    return transaction->commit(Instant{5}, "restore");
  }

 private:
  Result<void> restore_commits(Transaction& transaction) const {
    for (const Commit& each : commits) KI_TRY_VOID(transaction.restore(each));
    return {};
  }
};

void expect_empty(Store& store) {
  EXPECT_EQ(*store.head(), Head{});
  EXPECT_THAT(read_log(store), IsEmpty());
  EXPECT_THAT(*store.commits(0), IsEmpty());
  EXPECT_THAT(*store.check_storage(), IsEmpty());
}

TEST_P(StoreContract, RestoredLogIsTheSameInEveryOrder) {
  write_example(*store_);
  const Example original(*store_);
  std::mt19937 random(7);
  for (int round = 0; round < 6; ++round) {
    SCOPED_TRACE(round);
    Example shuffled = original;
    if (round >= 2) {
      std::ranges::shuffle(shuffled.entries, random);
      std::ranges::shuffle(shuffled.commits, random);
    }
    const auto copy = make_store(std::to_string(round));
    const auto made = shuffled.restore_into(*copy, round % 2 == 0);
    ASSERT_TRUE(succeeds(made));
    EXPECT_EQ(*made, original.commits.back()) << "nothing was left for a commit of its own";
    EXPECT_EQ(read_log(*copy), original.entries);
    EXPECT_EQ(*copy->commits(0), original.commits);
    EXPECT_EQ(*copy->head(), *store_->head());
    EXPECT_EQ((*copy->find_digest(Table::kOperations, digest_of("o1")))->seq, 5U);
    EXPECT_THAT(*copy->check_storage(), IsEmpty());
    EXPECT_EQ(write_row(*copy, Table::kSources, "later", "{}").first, 8U);
    EXPECT_THAT(check_chain(*copy), IsEmpty());
  }
}

TEST_P(StoreContract, EntriesBeyondTheRestoredCommitsGetACommitOfTheirOwn) {
  write_example(*store_);
  for (std::size_t kept = 0; kept < 3; ++kept) {
    SCOPED_TRACE(kept);
    Example part(*store_);
    part.commits.erase(part.commits.begin() + static_cast<std::ptrdiff_t>(kept),
                       part.commits.end());
    const auto copy = make_store(std::to_string(kept));
    ASSERT_TRUE(succeeds(part.restore_into(*copy, false)));
    const auto commits = *copy->commits(0);
    ASSERT_EQ(commits.size(), kept + 1);
    EXPECT_EQ(commits.back().first, kept == 0 ? 1U : part.commits[kept - 1].last + 1);
    EXPECT_EQ(commits.back().last, 7U);
    EXPECT_EQ(commits.back().reason, "restore");
    EXPECT_EQ(commits.back().at, Instant{5});
    EXPECT_EQ(*copy->head(), *store_->head());
  }
}

TEST_P(StoreContract, RestoringTransactionSeesTheNewestVersion) {
  write_example(*store_);
  Example example(*store_);
  std::ranges::reverse(example.entries);
  const auto copy = make_store("copy");
  const auto transaction = begin(*copy);
  for (const OwnedEntry& entry : example.entries) {
    ASSERT_TRUE(succeeds(transaction->restore(view(entry))));
  }
  EXPECT_EQ((*transaction->find(Table::kOperations, "o1"))->version, 1U);
  EXPECT_EQ((*transaction->find_digest(Table::kOperations, digest_of("o1")))->version, 1U);
  EXPECT_EQ(*transaction->find(Table::kOperations, "o9"), std::nullopt);
}

struct Damage {
  const char* why;
  std::function<void(Example&)> apply;
  Code code;
  const char* says;
};

TEST_P(StoreContract, DamagedExportIsRefusedAndNothingOfItStays) {
  write_example(*store_);
  const Example original(*store_);
  const auto drop = [](std::size_t i) {
    return [i](Example& e) { e.entries.erase(e.entries.begin() + static_cast<std::ptrdiff_t>(i)); };
  };
  const std::vector<Damage> cases = {
      {"the first entry is missing", drop(0), Code::kInvalidArgument, "entry 1"},
      {"an entry in the middle is missing", drop(3), Code::kInvalidArgument, "entry 4"},
      {"the last entry is missing, its commit is there", drop(6), Code::kInvalidArgument,
       "entry 7"},
      {"all entries are missing", [](Example& e) { e.entries.clear(); }, Code::kInvalidArgument,
       "entry 1"},
      {"the first commit is missing", [](Example& e) { e.commits.erase(e.commits.begin()); },
       Code::kInvalidArgument, "1"},
      {"a commit in the middle is missing",
       [](Example& e) { e.commits.erase(e.commits.begin() + 1); }, Code::kInvalidArgument, "4"},
      {"an entry comes twice", [](Example& e) { e.entries.push_back(e.entries[2]); },
       Code::kConflict, ""},
      {"a commit comes twice", [](Example& e) { e.commits.push_back(e.commits[1]); },
       Code::kConflict, ""},
      {"a body is altered", [](Example& e) { e.entries[3].body = R"({"id":"rX"})"; },
       Code::kCorrupt, "chain"},
      {"a key is altered", [](Example& e) { e.entries[0].key = "s2"; }, Code::kCorrupt, "chain"},
      {"a chain value is altered", [](Example& e) { e.commits[1].chain = digest_of("x"); },
       Code::kCorrupt, "chain"},
      {"two entries are exchanged",
       [](Example& e) { std::swap(e.entries[1].seq, e.entries[2].seq); }, Code::kCorrupt, "chain"},
      {"a version comes before the one it follows",
       [](Example& e) { std::swap(e.entries[1].seq, e.entries[4].seq); }, Code::kConflict, ""},
      {"a version does not follow", [](Example& e) { e.entries[4].version = 2; }, Code::kConflict,
       ""},
      {"a later version has another digest",
       [](Example& e) { e.entries[4].digest = digest_of("x"); }, Code::kConflict, ""},
      {"a later version has no digest", [](Example& e) { e.entries[4].digest = {}; },
       Code::kConflict, ""},
      {"two rows have one key", [](Example& e) { e.entries[2].key = "o1"; }, Code::kConflict, ""},
      {"two rows have one digest", [](Example& e) { e.entries[2].digest = digest_of("o1"); },
       Code::kConflict, ""},
      {"an entry has the seq 0", [](Example& e) { e.entries[0].seq = 0; }, Code::kInvalidArgument,
       "0"},
      {"a commit has no entries", [](Example& e) { e.commits[1].first = e.commits[1].last + 1; },
       Code::kInvalidArgument, ""},
  };
  const auto copy = make_store("copy");
  for (const auto& [why, apply, code, says] : cases) {
    for (const bool commits_first : {true, false}) {
      SCOPED_TRACE(std::string(why) + (commits_first ? ", commits first" : ", entries first"));
      Example damaged = original;
      apply(damaged);
      EXPECT_TRUE(fails_with(damaged.restore_into(*copy, commits_first), code, says));
      expect_empty(*copy);
    }
  }
  // And the same catalog takes the sound export afterwards.
  EXPECT_TRUE(succeeds(original.restore_into(*copy, true)));
  EXPECT_EQ(*copy->head(), *store_->head());
}

TEST_P(StoreContract, RestoreIsRefusedWhereTheLogHasEntries) {
  write_example(*store_);
  const Example example(*store_);
  const auto transaction = begin();
  OwnedEntry next = example.entries[0];
  next.seq = 8;
  next.key = "s2";
  EXPECT_TRUE(fails_with(transaction->restore(view(next)), Code::kConflict, "empty"));
  EXPECT_TRUE(fails_with(transaction->restore(example.commits[0]), Code::kConflict, "empty"));
}

TEST_P(StoreContract, RestoreAndAppendDoNotMix) {
  const Entry entry{.seq = 1, .table = Table::kSources, .key = "a", .digest = {}, .body = "{}"};
  {
    const auto transaction = begin();
    ASSERT_TRUE(succeeds(transaction->restore(entry)));
    EXPECT_TRUE(fails_with(transaction->append(Table::kSources, "b", 0, std::nullopt, "{}"),
                           Code::kConflict, "append"));
  }
  {
    const auto transaction = begin();
    append(*transaction, Table::kSources, "b", 0, std::nullopt, "{}");
    EXPECT_TRUE(fails_with(transaction->restore(entry), Code::kConflict, "restore"));
  }
}

}  // namespace
}  // namespace ki::contract
