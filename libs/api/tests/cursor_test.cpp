#include "ki/api/cursor.h"

#include "api_world.h"

#include <set>

namespace ki::api::testing {
namespace {

std::string next_cursor(const json::Value& root) {
  const json::Value* next = root.find("nextCursor");
  return next == nullptr || next->is_null() ? std::string() : std::string(next->string());
}

class CursorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    catalog_.source("bench");
    catalog_.project("team");
    catalog_.operation({.slug = "gemm"});
    catalog_.operation({.slug = "norm"});
    workload_ = catalog_.workload("gemm", 8);
    catalog_.implementation({.slug = "a", .project = "team", .operation = "gemm"});
  }
  std::string run(double value, const char* observed = "2026-01-01") {
    return catalog_.run(
        {.implementation = "a", .workload = workload_, .value = value, .observed = observed});
  }
  std::shared_ptr<const Site> publish() { return site_of(catalog_.finish(), catalog_.store()); }

  views::testing::SmallCatalog catalog_;
  std::string workload_;
};

TEST_F(CursorTest, TenThousandRunsOfOneInstantComeOnceEachWhileOthersArrive) {
  std::set<std::string> wanted;
  for (int i = 0; i < 10'000; ++i) wanted.insert(run(1000 + i));
  auto site = publish();
  std::set<std::string> seen;
  std::string cursor;
  int pages = 0;
  do {
    Values values = {{"limit", "200"}};
    if (!cursor.empty()) values.emplace_back("cursor", cursor);
    const Outcome outcome = ask(site, "listRuns", values);
    ASSERT_EQ(outcome.status(), 200) << outcome.code();
    const auto page = outcome.json();
    for (const json::Value& item : page.root.find("runs")->items()) {
      EXPECT_TRUE(seen.emplace(item.find("id")->string()).second) << "a row twice";
    }
    cursor = next_cursor(page.root);
    // Every tenth page, runs of the same instant and newer ones are published.
    if (++pages % 10 == 0) {
      run(1);
      run(2, "2026-02-01");
      site = publish();
    }
  } while (!cursor.empty());
  for (const std::string& id : wanted) EXPECT_TRUE(seen.contains(id)) << id;
}

TEST_F(CursorTest, AListWhoseRowsMoveExpiresWithItsCatalogVersion) {
  auto site = publish();
  const auto first = ask(site, "listOperations", {{"limit", "1"}}).json();
  const std::string cursor = next_cursor(first.root);
  ASSERT_FALSE(cursor.empty());
  const auto second = ask(site, "listOperations", {{"limit", "1"}, {"cursor", cursor}}).json();
  EXPECT_NE(second.root.find("operations")->items()[0].find("slug")->string(),
            first.root.find("operations")->items()[0].find("slug")->string());
  EXPECT_EQ(next_cursor(second.root), "");
  run(5);
  site = publish();
  const Outcome expired = ask(site, "listOperations", {{"limit", "1"}, {"cursor", cursor}});
  EXPECT_EQ(expired.status(), 410);
  EXPECT_EQ(expired.code(), "CURSOR_EXPIRED");
}

TEST_F(CursorTest, ACursorIsBoundToItsListFiltersAndIndex) {
  for (int i = 0; i < 3; ++i) run(10 + i);
  const auto site = publish();
  const std::string cursor = next_cursor(ask(site, "listRuns", {{"limit", "1"}}).json().root);
  ASSERT_FALSE(cursor.empty());
  EXPECT_EQ(ask(site, "listRuns", {{"cursor", cursor}}).status(), 200) << "another page size";
  const auto refused = [&](const char* why, const std::shared_ptr<const Site>& where,
                           const char* operation, Values values) {
    const Outcome outcome = ask(where, operation, values);
    EXPECT_EQ(outcome.status(), 400) << why;
    EXPECT_EQ(outcome.code(), "INVALID_CURSOR") << why;
  };
  refused("other filters", site, "listRuns", {{"source", "bench"}, {"cursor", cursor}});
  refused("another list", site, "listOperations", {{"cursor", cursor}});
  refused("no cursor", site, "listRuns", {{"cursor", "MjAyNi0wOC0xNQ"}});
  refused("no base64url", site, "listRuns", {{"cursor", "*"}});
  Site other = *site;
  other.cursor_key = "another key";
  refused("another index", std::make_shared<const Site>(other), "listRuns", {{"cursor", cursor}});
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    std::string altered = cursor;
    altered[i] = altered[i] == 'A' ? 'B' : 'A';
    refused("altered", site, "listRuns", {{"cursor", altered}});
  }
}

// Follows the cursors of a list; every row once, and as many as `total` says.
TEST(CursorWalkTest, EveryListIsPagedWholeOnThePublicCatalog) {
  const auto site = public_site();
  if (site == nullptr) GTEST_SKIP() << "skipped: ../shared is absent";
  struct Case {
    const char* operation;
    const char* list;
    const char* id;
    Values values;
    std::size_t total;
  };
  for (const auto& [operation, list, id, filters, total] :
       {Case{"listOperations", "operations", "slug", {}, 449},
        Case{"listProjects", "projects", "slug", {{"all", "true"}}, 615},
        Case{"listRuns", "runs", "id", {{"hardware", "H100"}}, 0},
        Case{"listRecords", "records", "cohortKey", {{"all", "true"}}, 1828}}) {
    SCOPED_TRACE(operation);
    std::set<std::string> seen;
    std::string cursor;
    std::int64_t stated = -1;
    do {
      Values values = filters;
      values.emplace_back("limit", "100");
      if (!cursor.empty()) values.emplace_back("cursor", cursor);
      const Outcome outcome = ask(site, operation, values);
      ASSERT_EQ(outcome.status(), 200) << outcome.code();
      const auto page = outcome.json();
      for (const json::Value& item : page.root.find(list)->items()) {
        EXPECT_TRUE(seen.emplace(item.find(id)->string()).second);
      }
      if (const json::Value* count = page.root.find("total")) stated = *count->integer();
      cursor = next_cursor(page.root);
    } while (!cursor.empty());
    if (total != 0) {
      EXPECT_EQ(seen.size(), total);
    }
    if (stated >= 0) {
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(stated));
    }
    EXPECT_GT(seen.size(), 100U);
  }
  // Groups of an answer: 98 exact rows in pages of 40.
  std::size_t exact = 0;
  std::string cursor;
  do {
    Values values = {{"q", "op:gpumode-amd-fp8-mm"}, {"limit", "40"}};
    if (!cursor.empty()) values.emplace_back("cursor", cursor);
    const auto page = ask(site, "search", values).json();
    exact += page.root.find("groups")->find("exact")->items().size();
    EXPECT_EQ(page.root.find("totals")->find("exact")->integer(), 98);
    cursor = next_cursor(page.root);
  } while (!cursor.empty());
  EXPECT_EQ(exact, 98U);
}

}  // namespace
}  // namespace ki::api::testing
