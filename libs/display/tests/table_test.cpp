#include "ki/display/table.h"

#include <gtest/gtest.h>

namespace ki::display {
namespace {

TEST(DisplayWidth, CountsTerminalColumns) {
  struct Case {
    const char* why;
    std::string_view text;
    std::size_t width;
  };
  for (const auto& [why, text, width] : {
           Case{"ASCII", "kernel", 6},
           Case{"Latin", "µs é", 4},
           Case{"combining accent", "e\u0301", 1},
           Case{"CJK", "核心", 4},
           Case{"full-width", "＝", 2},
           Case{"half-width kana", "ｱ", 1},
           Case{"emoji", "😀", 2},
           Case{"zero width joiner", "\u200D", 0},
           Case{"Hangul syllable", "한", 2},
           Case{"conjoining Hangul", "\u1112\u1161\u11AB", 2},
           Case{"em dash", "—", 1},
           Case{"ideograph beyond the BMP", "\U00020000", 2},
           Case{"empty", "", 0},
       }) {
    EXPECT_EQ(display_width(text), width) << why;
  }
}

TEST(Fit, NeverExceedsTheWidth) {
  EXPECT_EQ(fit("kernel", 6), "kernel");
  EXPECT_EQ(fit("kernels", 6), "kerne…");
  EXPECT_EQ(fit("核心核心", 4), "核…") << "half a wide character does not fit";
  EXPECT_EQ(fit("kernel", 0), "");
  for (std::size_t width = 0; width < 12; ++width)
    EXPECT_LE(display_width(fit("a核😀e\u0301bcdefgh", width)), width);
}

TEST(Table, AlignsByDisplayWidth) {
  Table table{
      {"#", Align::kRight}, {"implementation"}, {"latency", Align::kRight}, {"unit"}, {"note"}};
  table.add({"1", "ki/核心", "7.81", "µs", ""});
  table.add({"2=", "ki/warp-row", "118.2", "µs", "tied"});
  table.add({"", "name\nwith\tbreaks", "", "", ""});
  EXPECT_EQ(table.render(),
            " #  implementation    latency  unit  note\n"
            " 1  ki/核心              7.81  µs\n"
            "2=  ki/warp-row         118.2  µs    tied\n"
            " —  name with breaks        —\n");
}

TEST(Table, WithoutHeadingsHasOnlyRows) {
  Table table{{""}, {"", Align::kRight}};
  EXPECT_EQ(table.render(), "");
  table.add({"a", "1"});
  table.add({"bb", "22"});
  EXPECT_EQ(table.render(), "a    1\nbb  22\n");
}

TEST(Table, CutsAColumnWithALimit) {
  Table table{{"name", Align::kLeft, 5}, {"x"}};
  table.add({"abcdefgh", "1"});
  EXPECT_EQ(table.render(), "name   x\nabcd…  1\n");
}

TEST(Cells, InTheSpreadsheetProfileNeutraliseTextAndLeaveNumbers) {
  struct Case {
    const char* why;
    std::string text;
    std::string csv;
  };
  for (const auto& [why, text, csv] : std::initializer_list<Case>{
           {"formula (problem I6)", "=cmd|' /C calc'!A0", "\"'=cmd|' /C calc'!A0\""},
           {"negative number (problem I6)", "-1.5", "-1.5"},
           {"signed exponent", "+1.5E-3", "+1.5E-3"},
           {"at sign (problem I6)", "@x", "\"'@x\""},
           {"tab (problem I6)", "\tx", "\"'\tx\""},
           {"plus", "+SUM(A1)", "\"'+SUM(A1)\""},
           {"minus text", "-a", "\"'-a\""},
           {"a lone minus", "-", "\"'-\""},
           {"number then text", "-1+2", "\"'-1+2\""},
           {"two points", "-1.2.3", "\"'-1.2.3\""},
           {"space before", "  =1+1", "\"'  =1+1\""},
           {"line break before", "\n=1", "\"'\n=1\""},
           {"no-break space before", "\u00A0=1", "\"'\u00A0=1\""},
           {"full-width sign", "＝1", "\"'＝1\""},
           {"equals inside", "a=b", "a=b"},
           {"quote inside", "=\"x\"", "\"'=\"\"x\"\"\""},
           {"dash of missing values", "—", "—"},
           {"empty", "", ""},
       }) {
    EXPECT_EQ(csv_cell(text, CellProfile::kSpreadsheet), csv) << why;
  }
}

TEST(Cells, InTheDataProfileKeepExactBytes) {
  EXPECT_EQ(csv_cell("=1+1"), "=1+1");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(csv_cell("a\r\nb"), "\"a\r\nb\"");
  EXPECT_EQ(tsv_cell("a\tb\\c\nd"), "a\\tb\\\\c\\nd");
  EXPECT_EQ(tsv_cell("\ta\n", CellProfile::kSpreadsheet), "' a ");
  EXPECT_EQ(csv_line({"a", "b,c", ""}), "a,\"b,c\",\r\n");
  EXPECT_EQ(tsv_line({"a", "b,c", ""}), "a\tb,c\t\n");
}

// A reader of RFC 4180 written for this test.
std::string read_csv_cell(std::string_view cell) {
  if (!cell.starts_with('"')) return std::string(cell);
  std::string text;
  for (std::size_t i = 1; i + 1 < cell.size(); ++i) {
    text += cell[i];
    if (cell[i] == '"') ++i;
  }
  return text;
}

TEST(Cells, ComeBackAsTheyWere) {
  std::string text;
  std::uint32_t state = 1;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    constexpr std::string_view kHostile = "=+-@\t\r\n\",; ab1.'\\";
    text.clear();
    for (std::uint32_t length = i % 7; length > 0; --length) {
      state = state * 1664525 + 1013904223;
      text += kHostile[(state >> 16) % kHostile.size()];
    }
    ASSERT_EQ(read_csv_cell(csv_cell(text)), text);
    const std::string shown = read_csv_cell(csv_cell(text, CellProfile::kSpreadsheet));
    ASSERT_TRUE(shown == text || shown == "'" + text);
    ASSERT_EQ(tsv_cell(text).find_first_of("\t\r\n"), std::string::npos);
  }
}

}  // namespace
}  // namespace ki::display
