#include "ki/logbook/logged_store.h"

#include "ki/publish/corrections.h"
#include "log_world.h"

namespace ki::logbook {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class LoggedStoreTest : public LogWorld {
 protected:
  std::vector<std::string> types() {
    std::vector<std::string> all;
    for (const std::string& text : leaf_texts()) {
      all.emplace_back(tlog::to_string(tlog::read_entry(text)->type));
    }
    return all;
  }
};

TEST_F(LoggedStoreTest, IsTheInnerStoreUntilTheLogBegins) {
  publish(1, 2);
  EXPECT_THAT(leaf_texts(), IsEmpty());
  EXPECT_FALSE(*check_log(store_));
}

TEST_F(LoggedStoreTest, BackFillsOnceInTheOrderOfPublication) {
  publish(1, 2);
  const LogHead head = begin();
  EXPECT_THAT(types(), ElementsAre("audit_head", "operation", "workload", "implementation",
                                   "implementation", "protocol", "environment", "run", "run"));
  EXPECT_EQ(head.tree.size(), 9U);
  EXPECT_THAT(problems(), IsEmpty());
  const auto again = begin_log(store_, kOrigin, "test", clock_.now(), ids_);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), Code::kConflict);
}

TEST_F(LoggedStoreTest, LogsAPublicationInItsOwnTransaction) {
  begin();
  publish(1, 1);
  EXPECT_THAT(types(), ElementsAre("audit_head", "audit_head", "operation", "workload",
                                   "implementation", "protocol", "environment", "run"));
  // The rows and their leaves became visible together.
  const auto commits = *store_.commits(0);
  EXPECT_THAT(commits, SizeIs(2));
  const auto last = *store_.read(commits.back().last);
  EXPECT_EQ(last->table, catalog::Table::kLogHeads);
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(LoggedStoreTest, GivesTheSameLeavesWhetherBegunBeforeOrAfter) {
  publish(1, 3);
  publish(4, 2);
  begin();
  std::vector<std::string> after;
  for (const std::string& text : leaf_texts()) {
    if (text.find("audit_head") == text.npos) after.push_back(text.substr(text.find("\"digest\"")));
  }
  LoggedStore other(
      std::make_unique<store_memory::MemoryStore>("0198a000-0000-7000-8000-000000000002"));
  UuidSource ids(7);
  ASSERT_TRUE(begin_log(other, kOrigin, "test", clock_.now(), ids));
  auto live = *catalog::LiveCatalog::open(other, std::nullopt);
  publish::Publisher publisher(*live, clock_, ids, "test");
  ASSERT_TRUE(publisher.publish(publish::group_bundle({{"999"}, {"998"}, {"997"}}, 1)));
  ASSERT_TRUE(publisher.publish(publish::group_bundle({{"996"}, {"995"}}, 4)));
  std::vector<std::string> before;
  ASSERT_TRUE(other.read_since(0, other.head()->seq,
                               [&](const catalog::Entry& entry) -> Result<catalog::Step> {
                                 if (entry.table == catalog::Table::kLogEntries) {
                                   const std::string text = read_log_row(entry.body)->text;
                                   if (text.find("audit_head") == text.npos)
                                     before.push_back(text.substr(text.find("\"digest\"")));
                                 }
                                 return catalog::Step::kGoOn;
                               }));
  EXPECT_EQ(before, after);
}

TEST_F(LoggedStoreTest, LogsCorrectionsAndNeverARecordTwice) {
  begin();
  const auto runs = publish(1, 2);
  publish(1, 2);  // the same again
  auto live = *catalog::LiveCatalog::open(store_, std::nullopt);
  publish::Corrections corrections(*live, clock_, ids_, "test");
  ASSERT_TRUE(corrections.retract(runs[0], "wrong clock"));
  const auto all = types();
  EXPECT_EQ(std::ranges::count(all, "run"), 2);
  EXPECT_EQ(all.back(), "retraction");
  const auto row = *store_.find(catalog::Table::kBenchmarkRuns, runs[0], store_.head()->seq);
  EXPECT_EQ(tlog::read_entry(leaf_texts().back())->parents, std::vector{*row->digest});
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(LoggedStoreTest, LogsARunWhenItIsPublishedAndNotBefore) {
  begin();
  auto live = *catalog::LiveCatalog::open(store_, std::nullopt);
  publish::Publisher publisher(*live, clock_, ids_, "test");
  const auto bundle = publish::group_bundle({{"999"}}, 1);
  ASSERT_TRUE(publisher.publish(bundle, {.publish = false}));
  EXPECT_EQ(std::ranges::count(types(), "run"), 0);
  ASSERT_TRUE(publisher.publish(bundle));
  EXPECT_EQ(std::ranges::count(types(), "run"), 1);
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(LoggedStoreTest, AnAbandonedTransactionLeavesNoLeaf) {
  begin();
  const auto before = leaf_texts();
  {
    const auto tx = *store_.begin();
    ASSERT_TRUE(tx->append(catalog::Table::kTrustedKeys, "k", 0, std::nullopt, "{}"));
  }
  EXPECT_EQ(leaf_texts(), before);
}

TEST_F(LoggedStoreTest, TheCheckFindsEveryTampering) {
  publish(1, 2);
  begin();
  publish(3, 1);
  const auto with = [&](publish::AlteredStore::Edit edit) {
    publish::AlteredStore altered(store_, std::move(edit));
    const auto check = check_log(altered);
    EXPECT_TRUE(check);
    return (*check)->problems;
  };
  EXPECT_THAT(with([](catalog::OwnedEntry&) { return true; }), IsEmpty());
  using catalog::Table;
  // A row changed, which no leaf names: the chain says so.
  EXPECT_THAT(with([](catalog::OwnedEntry& e) {
                if (e.table == Table::kProjects) e.body += ' ';
                return true;
              }),
              Not(IsEmpty()));
  // A leaf lost, changed, or a row that has none.
  EXPECT_THAT(with([](catalog::OwnedEntry& e) {
                return e.table != Table::kLogEntries || !e.key.starts_with("operation ");
              }),
              Not(IsEmpty()));
  EXPECT_THAT(with([](catalog::OwnedEntry& e) {
                if (e.table == Table::kLogEntries)
                  e.body.replace(e.body.find("\"at\":\"") + 6, 4, "1999");
                return true;
              }),
              testing::Contains(HasSubstr("is not that of the")));
  int runs = 0;
  EXPECT_THAT(
      with([&](catalog::OwnedEntry& e) { return e.table != Table::kBenchmarkRuns || ++runs != 3; }),
      testing::Contains(HasSubstr("no row asks for")));
}

}  // namespace
}  // namespace ki::logbook
