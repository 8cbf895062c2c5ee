#include "row_finder.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace ki::store_sqlite {
namespace {

using catalog::Seq;
using catalog::Table;

// The log that a finder points into.
class Log {
 public:
  RowFinder::Place find(const RowFinder& finder, Table table, const std::string& text) {
    const auto place = finder.find(table, text, [&](Seq seq) -> Result<bool> {
      ++looks;
      return texts.at(seq) == std::pair(table, text);
    });
    EXPECT_TRUE(place);
    return *place;
  }
  void add(RowFinder& finder, Table table, const std::string& text, Seq seq) {
    const RowFinder::Place place = find(finder, table, text);
    texts[seq] = {table, text};
    EXPECT_TRUE(finder.set(place, seq));
  }
  std::map<Seq, std::pair<Table, std::string>> texts;
  int looks = 0;
};

TEST(RowFinder, FindsEachItemThroughItsGrowth) {
  RowFinder finder;
  Log log;
  constexpr Seq kItems = 50'000;
  for (Seq i = 1; i <= kItems; ++i) {
    log.add(finder, i % 2 == 0 ? Table::kSources : Table::kProjects, std::to_string(i / 2), i);
  }
  for (Seq i = 1; i <= kItems; i += 7) {
    EXPECT_EQ(
        log.find(finder, i % 2 == 0 ? Table::kSources : Table::kProjects, std::to_string(i / 2))
            .seq,
        i);
  }
  EXPECT_EQ(log.find(finder, Table::kSources, "absent").seq, 0U);
  EXPECT_EQ(log.find(finder, Table::kWorkloads, "1").seq, 0U) << "another table";
}

TEST(RowFinder, TextsWithOneTagStayTwoItems) {
  const RowFinder empty;
  std::map<std::uint32_t, std::string> seen;
  std::string first;
  std::string second;
  Log log;
  for (int i = 0; second.empty(); ++i) {
    ASSERT_LT(i, 2'000'000) << "32 bits of hash collide long before";
    const std::string text = std::to_string(i);
    const auto [other, is_new] = seen.emplace(log.find(empty, Table::kSources, text).tag, text);
    if (!is_new) {
      first = other->second;
      second = text;
    }
  }
  RowFinder finder;
  log.add(finder, Table::kSources, first, 1);
  log.looks = 0;
  EXPECT_EQ(log.find(finder, Table::kSources, second).seq, 0U);
  EXPECT_EQ(log.looks, 1) << "they do share a tag";
  log.add(finder, Table::kSources, second, 2);
  EXPECT_EQ(log.find(finder, Table::kSources, first).seq, 1U);
  EXPECT_EQ(log.find(finder, Table::kSources, second).seq, 2U);
}

TEST(RowFinder, LaterVersionTakesThePlaceOfTheEarlier) {
  RowFinder finder;
  Log log;
  log.add(finder, Table::kSources, "a", 1);
  log.add(finder, Table::kSources, "a", 9);
  EXPECT_EQ(log.find(finder, Table::kSources, "a").seq, 9U);
}

TEST(RowFinder, SeqBeyondFourBytesIsRefused) {
  RowFinder finder;
  Log log;
  const RowFinder::Place place = log.find(finder, Table::kSources, "a");
  EXPECT_FALSE(finder.set(place, Seq{1} << 32));
  EXPECT_TRUE(finder.set(place, (Seq{1} << 32) - 1));
}

TEST(RowFinder, ErrorOfTheLookComesBack) {
  RowFinder finder;
  Log log;
  log.add(finder, Table::kSources, "a", 1);
  const auto place = finder.find(
      Table::kSources, "a", [](Seq) -> Result<bool> { return fail(Code::kCorrupt, "damaged"); });
  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().code(), Code::kCorrupt);
}

}  // namespace
}  // namespace ki::store_sqlite
