// Transaction::append: what is accepted, what is refused, and what a transaction sees of itself.
#include "store_contract.h"

namespace ki::contract {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST_P(StoreContract, FirstEntryHasSeqOneAndOthersFollow) {
  const auto transaction = begin();
  EXPECT_EQ(append(*transaction, Table::kSources, "a", 0, std::nullopt, "{}"), 1U);
  EXPECT_EQ(append(*transaction, Table::kProjects, "a", 0, std::nullopt, "{}"), 2U);
  EXPECT_EQ(append(*transaction, Table::kSources, "a", 1, std::nullopt, "{}"), 3U);
}

struct Refusal {
  const char* why;
  Table table;
  const char* key;
  std::uint32_t version;
  std::optional<Digest> digest;
  const char* says;
};

std::vector<Refusal> refusals() {
  return {
      {"the key exists and version is 0", Table::kSources, "s1", 0, std::nullopt, "s1"},
      {"the key exists, with its own digest", Table::kOperations, "o2", 0, digest_of("o2"), "o2"},
      {"the version is the newest again", Table::kOperations, "o1", 1, digest_of("o1"), "o1"},
      {"the version leaves one out", Table::kOperations, "o1", 3, digest_of("o1"), "o1"},
      {"the version is not next to 0", Table::kOperations, "o2", 2, digest_of("o2"), "o2"},
      {"the row does not exist yet", Table::kOperations, "o9", 1, digest_of("o9"), "o9"},
      {"the row exists in another table only", Table::kProjects, "s1", 1, std::nullopt, "s1"},
      {"the digest differs from the first version", Table::kOperations, "o2", 1, digest_of("x"),
       "o2"},
      {"the digest is missing in a later version", Table::kOperations, "o2", 1, std::nullopt, "o2"},
      {"the first version had no digest", Table::kSources, "s1", 1, digest_of("x"), "s1"},
      {"another key of the table has the digest", Table::kOperations, "o9", 0, digest_of("o1"),
       "o1"},
  };
}

TEST_P(StoreContract, AppendRefusesWhatWouldChangeAPublishedRow) {
  write_example(*store_);
  const Head before = *store_->head();
  const auto transaction = begin();
  for (const Refusal& refusal : refusals()) {
    SCOPED_TRACE(refusal.why);
    EXPECT_TRUE(fails_with(
        transaction->append(refusal.table, refusal.key, refusal.version, refusal.digest, "{}"),
        Code::kConflict, refusal.says));
    EXPECT_EQ(transaction->head(), before) << "a refused append leaves no trace";
  }
}

TEST_P(StoreContract, AppendRefusesTheSameInTheTransactionThatWroteTheRow) {
  const auto transaction = begin();
  append(*transaction, Table::kSources, "s1", 0, std::nullopt, "{}");
  append(*transaction, Table::kOperations, "o1", 0, digest_of("o1"), "{}");
  append(*transaction, Table::kOperations, "o2", 0, digest_of("o2"), "{}");
  append(*transaction, Table::kOperations, "o1", 1, digest_of("o1"), "{}");
  const Head before = transaction->head();
  for (const Refusal& refusal : refusals()) {
    SCOPED_TRACE(refusal.why);
    EXPECT_TRUE(fails_with(
        transaction->append(refusal.table, refusal.key, refusal.version, refusal.digest, "{}"),
        Code::kConflict, refusal.says));
    EXPECT_EQ(transaction->head(), before);
  }
}

TEST_P(StoreContract, RefusedAppendLeavesTheTransactionUsable) {
  const auto transaction = begin();
  append(*transaction, Table::kSources, "a", 0, std::nullopt, "1");
  EXPECT_FALSE(transaction->append(Table::kSources, "a", 0, std::nullopt, "2"));
  EXPECT_EQ(append(*transaction, Table::kSources, "b", 0, std::nullopt, "3"), 2U);
  commit(*transaction);
  EXPECT_THAT(read_log(*store_), ElementsAre(OwnedEntry{1, Table::kSources, "a", 0, {}, "1"},
                                             OwnedEntry{2, Table::kSources, "b", 0, {}, "3"}));
}

TEST_P(StoreContract, OneDigestMayBelongToRowsOfTwoTables) {
  const auto transaction = begin();
  append(*transaction, Table::kBenchmarkRuns, "a", 0, digest_of("x"), "{}");
  append(*transaction, Table::kServingRuns, "b", 0, digest_of("x"), "{}");
  commit(*transaction);
  EXPECT_EQ((*store_->find_digest(Table::kBenchmarkRuns, digest_of("x")))->key, "a");
  EXPECT_EQ((*store_->find_digest(Table::kServingRuns, digest_of("x")))->key, "b");
}

TEST_P(StoreContract, RowsWithoutDigestDoNotCollide) {
  const auto transaction = begin();
  append(*transaction, Table::kSources, "a", 0, std::nullopt, "{}");
  append(*transaction, Table::kSources, "b", 0, std::nullopt, "{}");
  commit(*transaction);
  EXPECT_EQ(store_->head()->seq, 2U);
}

TEST_P(StoreContract, TransactionSeesWhatItAppendedOnTopOfWhatIsCommitted) {
  write_example(*store_);
  const auto transaction = begin();
  append(*transaction, Table::kOperations, "o1", 2, digest_of("o1"), "newer");
  append(*transaction, Table::kWorkloads, "w1", 0, digest_of("w1"), "first");

  const OwnedEntry newer{8, Table::kOperations, "o1", 2, digest_of("o1"), "newer"};
  EXPECT_THAT(*transaction->find(Table::kOperations, "o1"), Optional(newer));
  EXPECT_THAT(*transaction->find_digest(Table::kOperations, digest_of("o1")), Optional(newer));
  const OwnedEntry first{9, Table::kWorkloads, "w1", 0, digest_of("w1"), "first"};
  EXPECT_THAT(*transaction->find(Table::kWorkloads, "w1"), Optional(first));
  EXPECT_THAT(*transaction->find_digest(Table::kWorkloads, digest_of("w1")), Optional(first));
  EXPECT_EQ((*transaction->find(Table::kSources, "s1"))->seq, 1U);
  EXPECT_EQ(*transaction->find(Table::kSources, "w1"), std::nullopt);
  EXPECT_EQ(*transaction->find_digest(Table::kWorkloads, digest_of("o1")), std::nullopt);
}

TEST_P(StoreContract, TransactionOnAnEmptyLogSeesWhatItAppended) {
  const auto transaction = begin();
  EXPECT_EQ(*transaction->find(Table::kOperations, "o1"), std::nullopt);
  append(*transaction, Table::kOperations, "o1", 0, digest_of("o1"), "a");
  append(*transaction, Table::kOperations, "o2", 0, digest_of("o2"), "b");
  append(*transaction, Table::kOperations, "o1", 1, digest_of("o1"), "c");
  const OwnedEntry newest{3, Table::kOperations, "o1", 1, digest_of("o1"), "c"};
  EXPECT_THAT(*transaction->find(Table::kOperations, "o1"), Optional(newest));
  EXPECT_THAT(*transaction->find_digest(Table::kOperations, digest_of("o1")), Optional(newest));
  EXPECT_EQ(*transaction->find_digest(Table::kOperations, digest_of("o9")), std::nullopt);
}

TEST_P(StoreContract, HeadOfATransactionFollowsItsAppends) {
  write_example(*store_);
  const auto transaction = begin();
  Head expected = *store_->head();
  EXPECT_EQ(transaction->head(), expected);
  append(*transaction, Table::kSources, "s2", 0, std::nullopt, "{}");
  expected.chain = catalog::chain_next(
      expected.chain,
      {.seq = ++expected.seq, .table = Table::kSources, .key = "s2", .digest = {}, .body = "{}"});
  EXPECT_EQ(transaction->head(), expected);
}

TEST_P(StoreContract, TextsComeBackByteForByte) {
  const std::string long_body(300'000, 'x');
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"quote's \"key\" %_?", R"({"a":"it's"})"},
      {"\xF0\x9F\x98\x80 \xEF\xAC\xB3", "\"\xF0\x9F\x98\x80\""},
      {std::string("nul\0inside", 10), std::string("\0\0", 2)},
      {"", ""},
      {"long", long_body},
      {"A", "upper"},
      {"a", "lower"},
      {"a ", "trailing space"},
      {std::string(5000, 'k'), "long key"},
  };
  {
    const auto transaction = begin();
    for (const auto& [key, body] : rows)
      append(*transaction, Table::kSources, key, 0, std::nullopt, body);
    for (const auto& [key, body] : rows) {
      EXPECT_EQ((*transaction->find(Table::kSources, key))->body, body) << key;
    }
    commit(*transaction);
  }
  Seq seq = 0;
  for (const auto& [key, body] : rows) {
    EXPECT_THAT(*store_->find(Table::kSources, key, kEverything),
                Optional(OwnedEntry{++seq, Table::kSources, key, 0, {}, body}));
  }
}

TEST_P(StoreContract, ManyEntriesInOneFirstTransactionAreAllFound) {
  constexpr int kCount = 20'000;
  {
    const auto transaction = begin();
    for (int i = 0; i < kCount; ++i) {
      const std::string key = std::to_string(i);
      append(*transaction, Table::kBenchmarkRuns, key, 0, digest_of(key), "body " + key);
      if (i % 100 == 99)
        append(*transaction, Table::kBenchmarkRuns, key, 1, digest_of(key), "newer");
    }
    EXPECT_EQ((*transaction->find(Table::kBenchmarkRuns, "12345"))->body, "body 12345");
    EXPECT_EQ((*transaction->find_digest(Table::kBenchmarkRuns, digest_of("199")))->body, "newer");
    EXPECT_TRUE(
        fails_with(transaction->append(Table::kBenchmarkRuns, "x", 0, digest_of("777"), "{}"),
                   Code::kConflict));
    commit(*transaction);
  }
  EXPECT_EQ(store_->head()->seq, kCount + kCount / 100);
  EXPECT_THAT(check_chain(*store_), testing::IsEmpty());
  EXPECT_EQ((*store_->find_digest(Table::kBenchmarkRuns, digest_of("777")))->key, "777");
  EXPECT_THAT(*store_->check_storage(), testing::IsEmpty());
}

}  // namespace
}  // namespace ki::contract
