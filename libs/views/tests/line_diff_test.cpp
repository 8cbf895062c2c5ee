#include "../src/line_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace ki::views {
namespace {

using Kind = SourceDiff::Kind;

std::string numbered(int first, int last) {
  std::string out;
  for (int i = first; i <= last; ++i) out += std::to_string(i) + "\n";
  return out;
}

std::string shown(const SourceDiff& diff) {
  std::string out;
  for (const auto& line : diff.lines) {
    out += line.kind == Kind::kAdded ? '+' : line.kind == Kind::kDeleted ? '-' : ' ';
    out += line.kind == Kind::kGap ? "(" + line.text + ")" : line.text;
    out += '\n';
  }
  return out;
}

TEST(LineDiff, ShowsChangesWithThreeLinesAroundThem) {
  struct Case {
    const char* why;
    std::string before, after, expected;
  };
  const Case cases[] = {
      {"a change in the middle", numbered(1, 12), numbered(1, 5) + "six\n" + numbered(7, 12),
       " (2 unchanged lines)\n 3\n 4\n 5\n-6\n+six\n 7\n 8\n 9\n (3 unchanged lines)\n"},
      {"two changes share their context", numbered(1, 9),
       "1\ntwo\n" + numbered(3, 7) + "eight\n9\n",
       " 1\n-2\n+two\n 3\n 4\n 5\n 6\n 7\n-8\n+eight\n 9\n"},
      {"one hidden line is one line", numbered(1, 9), "one\n" + numbered(2, 8) + "nine\n",
       "-1\n+one\n 2\n 3\n 4\n (1 unchanged line)\n 6\n 7\n 8\n-9\n+nine\n"},
      {"lines only added", "1\n2\n", "1\n1b\n2\n", " 1\n+1b\n 2\n"},
      {"lines only deleted", "1\n1b\n2\n", "1\n2\n", " 1\n-1b\n 2\n"},
      {"from nothing", "", "1\n\n2", "+1\n+\n+2\n"},
      {"to nothing", "1\n2\n", "", "-1\n-2\n"},
      {"equal", "1\n2\n", "1\n2\n", ""},
      {"the last line break is no difference", "1\n2\n", "1\n2", ""},
      {"an empty line is a line", "1\n2\n", "1\n2\n\n", " 1\n 2\n+\n"},
      {"a line moved", "a\nb\nc\n", "b\nc\na\n", "-a\n b\n c\n+a\n"},
  };
  for (const auto& [why, before, after, expected] : cases) {
    EXPECT_EQ(shown(line_diff(before, after)), expected) << why;
  }
}

// The length of the shortest edit script, by the table of longest common subsequences.
std::size_t fewest_changes(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> common(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      common[i][j] = a[i - 1] == b[j - 1] ? common[i - 1][j - 1] + 1
                                          : std::max(common[i - 1][j], common[i][j - 1]);
    }
  }
  return a.size() + b.size() - 2 * common[a.size()][b.size()];
}

TEST(LineDiff, IsTheShortestAndLeadsFromOneTextToTheOther) {
  std::mt19937 random(17);
  for (int round = 0; round < 3000; ++round) {
    const auto text = [&] {
      std::string letters(random() % 9, ' ');
      for (char& c : letters) c = static_cast<char>('a' + random() % 3);
      return letters;
    };
    const auto as_lines = [](const std::string& letters) {
      std::string out;
      for (const char c : letters) out += std::string(1, c) + "\n";
      return out;
    };
    // Too short for a gap to hide more than it says: eight lines, seven of them around a change.
    const std::string a = text(), b = text();
    const SourceDiff diff = line_diff(as_lines(a), as_lines(b));
    EXPECT_EQ(diff.added + diff.deleted, fewest_changes(a, b)) << a << " " << b;
    if (a == b) continue;
    std::string before, after;
    bool has_gap = false;
    for (const auto& line : diff.lines) {
      has_gap = has_gap || line.kind == Kind::kGap;
      if (line.kind != Kind::kAdded) before += line.text;
      if (line.kind != Kind::kDeleted) after += line.text;
    }
    if (has_gap) continue;
    EXPECT_EQ(before, a);
    EXPECT_EQ(after, b);
  }
}

TEST(LineDiff, ShowsAtMostTwelveHundredLinesAndCountsAll) {
  const SourceDiff diff = line_diff(numbered(1, 900), numbered(10'001, 10'900));
  EXPECT_EQ(diff.deleted, 900u);
  EXPECT_EQ(diff.added, 900u);
  EXPECT_EQ(diff.lines_total, 1800u);
  ASSERT_EQ(diff.lines.size(), kMostDiffLines);
  EXPECT_EQ(diff.lines[899].kind, Kind::kDeleted);
  EXPECT_EQ(diff.lines[900].kind, Kind::kAdded);
}

// Every second of 40,000 lines differs: a search for the shortest script would take quadratic time.
TEST(LineDiff, OfLargeTextsIsStillADiff) {
  std::string before = "same\n", after = "same\n";
  for (int i = 0; i < 40'000; ++i) {
    before += "line " + std::to_string(i) + "\n";
    after += "line " + std::to_string(i % 2 == 0 ? i : -i) + "\n";
  }
  const SourceDiff diff = line_diff(before, after);
  EXPECT_EQ(diff.added, diff.deleted);
  EXPECT_GE(diff.added, 20'000u);
  EXPECT_EQ(diff.lines.size(), kMostDiffLines);
  EXPECT_EQ(diff.lines.front().kind, Kind::kContext);
}

}  // namespace
}  // namespace ki::views
