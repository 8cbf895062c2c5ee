// The reading members of Store: which entries, in which order, as of which sequence number.
#include "store_contract.h"

namespace ki::contract {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

std::vector<Seq> seqs(const std::vector<OwnedEntry>& entries) {
  std::vector<Seq> out;
  for (const OwnedEntry& entry : entries) out.push_back(entry.seq);
  return out;
}

TEST_P(StoreContract, ReadSinceGivesEntriesAfterUpToInOrder) {
  write_example(*store_);
  EXPECT_THAT(seqs(read_log(*store_)), ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(seqs(read_log(*store_, 2, 5)), ElementsAre(3, 4, 5));
  EXPECT_THAT(seqs(read_log(*store_, 6)), ElementsAre(7));
  EXPECT_THAT(seqs(read_log(*store_, 7)), IsEmpty());
  EXPECT_THAT(seqs(read_log(*store_, 5, 5)), IsEmpty());
  EXPECT_THAT(seqs(read_log(*store_, 5, 3)), IsEmpty());
  EXPECT_THAT(seqs(read_log(*store_, 0, 0)), IsEmpty());
  EXPECT_THAT(seqs(read_log(*store_, kEverything)), IsEmpty());
  EXPECT_EQ(read_log(*store_, 4, 5)[0], (OwnedEntry{5, Table::kOperations, "o1", 1, digest_of("o1"),
                                                    R"({"id":"o1","tags":[]})"}));
}

TEST_P(StoreContract, ReadTableGivesAllVersionsByKeyThenVersion) {
  {
    const auto transaction = begin();
    append(*transaction, Table::kOperations, "b", 0, digest_of("b"), "b0");
    append(*transaction, Table::kSources, "x", 0, std::nullopt, "x0");
    append(*transaction, Table::kOperations, "a", 0, digest_of("a"), "a0");
    append(*transaction, Table::kOperations, "b", 1, digest_of("b"), "b1");
    append(*transaction, Table::kOperations, "B", 0, digest_of("B"), "B0");
    append(*transaction, Table::kOperations, "\xC3\xA9", 0, digest_of("e"), "e0");
    append(*transaction, Table::kOperations, "a", 1, digest_of("a"), "a1");
    append(*transaction, Table::kOperations, "a b", 0, digest_of("ab"), "ab0");
    commit(*transaction);
  }
  std::vector<std::string> bodies;
  for (const OwnedEntry& entry : read_rows(*store_, Table::kOperations))
    bodies.push_back(entry.body);
  // By bytes: capitals first, accents last, whatever the locale.
  EXPECT_THAT(bodies, ElementsAre("B0", "a0", "a1", "ab0", "b0", "b1", "e0"));
  EXPECT_THAT(seqs(read_rows(*store_, Table::kOperations, 4)), ElementsAre(3, 1, 4));
  EXPECT_THAT(read_rows(*store_, Table::kWorkloads), IsEmpty());
  EXPECT_THAT(read_rows(*store_, Table::kOperations, 0), IsEmpty());
}

TEST_P(StoreContract, ReadGivesTheEntryAtASeq) {
  write_example(*store_);
  EXPECT_THAT(*store_->read(2), Optional(OwnedEntry{2, Table::kOperations, "o1", 0, digest_of("o1"),
                                                    R"({"id":"o1"})"}));
  EXPECT_EQ(*store_->read(0), std::nullopt);
  EXPECT_EQ(*store_->read(8), std::nullopt);
  EXPECT_EQ(*store_->read(kEverything), std::nullopt);
}

TEST_P(StoreContract, FindGivesTheNewestVersionAsOfASeq) {
  write_example(*store_);
  const auto version_at = [&](Seq upto) -> std::optional<std::uint32_t> {
    const auto found = *store_->find(Table::kOperations, "o1", upto);
    return found ? std::optional(found->version) : std::nullopt;
  };
  EXPECT_EQ(version_at(1), std::nullopt);
  EXPECT_THAT(version_at(2), Optional(0U));
  EXPECT_THAT(version_at(4), Optional(0U));
  EXPECT_THAT(version_at(5), Optional(1U));
  EXPECT_THAT(version_at(kEverything), Optional(1U));
  EXPECT_EQ(version_at(0), std::nullopt);
  EXPECT_EQ(*store_->find(Table::kSources, "o1", kEverything), std::nullopt) << "another table";
  EXPECT_EQ(*store_->find(Table::kOperations, "O1", kEverything), std::nullopt) << "another case";
}

TEST_P(StoreContract, FindDigestGivesTheNewestVersionOfTheRow) {
  write_example(*store_);
  const auto found = *store_->find_digest(Table::kOperations, digest_of("o1"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->seq, 5U);
  EXPECT_EQ(found->version, 1U);
  EXPECT_EQ(*store_->find_digest(Table::kBenchmarkRuns, digest_of("o1")), std::nullopt);
  EXPECT_EQ(*store_->find_digest(Table::kOperations, digest_of("nothing")), std::nullopt);
}

TEST_P(StoreContract, RowsAreReadByTheBeginningOfTheirKey) {
  auto tx = *store_->begin();
  for (const std::string_view key : {"a 1", "a 2", "ab 1", "a", "b 1"})
    ASSERT_TRUE(succeeds(tx->append(Table::kRunArtifacts, key, 0, std::nullopt, "{}")));
  ASSERT_TRUE(succeeds(tx->append(Table::kRunArtifacts, "a 1", 1, std::nullopt, "{}")));
  ASSERT_TRUE(succeeds(tx->append(Table::kReports, "a 3", 0, std::nullopt, "{}")));
  ASSERT_TRUE(succeeds(tx->commit(Instant{}, "rows")));
  const auto keys = [&](std::string_view prefix, Seq upto) {
    std::vector<std::string> out;
    EXPECT_TRUE(succeeds(store_->read_prefix(
        Table::kRunArtifacts, prefix, upto, [&](const Entry& entry) -> Result<catalog::Step> {
          out.push_back(std::string(entry.key) + " v" + std::to_string(entry.version));
          return catalog::Step::kGoOn;
        })));
    return out;
  };
  EXPECT_THAT(keys("a ", kEverything), ElementsAre("a 1 v0", "a 1 v1", "a 2 v0"));
  EXPECT_THAT(keys("a ", 1), ElementsAre("a 1 v0"));
  EXPECT_THAT(keys("b", kEverything), ElementsAre("b 1 v0"));
  EXPECT_THAT(keys("c", kEverything), ElementsAre());
  EXPECT_EQ(keys("", kEverything).size(), 6U);
}

TEST_P(StoreContract, VisitorStopsTheReading) {
  write_example(*store_);
  std::vector<Seq> seen;
  const auto until_two = [&](const Entry& entry) -> Result<catalog::Step> {
    seen.push_back(entry.seq);
    return seen.size() == 2 ? catalog::Step::kStop : catalog::Step::kGoOn;
  };
  EXPECT_TRUE(succeeds(store_->read_since(0, kEverything, until_two)));
  EXPECT_THAT(seen, ElementsAre(1, 2));
  seen.clear();
  EXPECT_TRUE(succeeds(store_->read_table(Table::kOperations, kEverything, until_two)));
  EXPECT_THAT(seen, ElementsAre(2, 5));
}

TEST_P(StoreContract, ErrorOfAVisitorComesBack) {
  write_example(*store_);
  int calls = 0;
  const auto refuse = [&](const Entry&) -> Result<catalog::Step> {
    ++calls;
    return fail(Code::kCancelled, "enough");
  };
  EXPECT_TRUE(fails_with(store_->read_since(0, kEverything, refuse), Code::kCancelled, "enough"));
  EXPECT_TRUE(fails_with(store_->read_table(Table::kOperations, kEverything, refuse),
                         Code::kCancelled, "enough"));
  EXPECT_EQ(calls, 2);
}

TEST_P(StoreContract, VisitorMayReadAndWriteTheStore) {
  write_example(*store_);
  std::vector<Seq> seen;
  const auto read =
      store_->read_since(0, kEverything, [&](const Entry& entry) -> Result<catalog::Step> {
        seen.push_back(entry.seq);
        EXPECT_EQ((*store_->read(entry.seq))->body, entry.body);
        EXPECT_EQ(read_log(*store_, entry.seq - 1, entry.seq).size(), 1U);
        write_row(*store_, Table::kReports, std::to_string(entry.seq), "{}");
        return catalog::Step::kGoOn;
      });
  EXPECT_TRUE(succeeds(read));
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 4, 5, 6, 7)) << "one view: not what came meanwhile";
  EXPECT_EQ(store_->head()->seq, 14U);
}

}  // namespace
}  // namespace ki::contract
