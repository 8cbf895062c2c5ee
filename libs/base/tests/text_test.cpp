#include "ki/base/text.h"

#include <gtest/gtest.h>

namespace ki {
namespace {

TEST(Text, FindsTheFirstByteThatIsNotUtf8) {
  EXPECT_FALSE(find_invalid_utf8("plain, café, 😀"));
  struct Case {
    const char* why;
    std::string text;
    std::size_t at;
  };
  for (const auto& [why, text, at] :
       {Case{"lone continuation", "a\x80", 1}, Case{"overlong slash", "\xC0\xAF", 0},
        Case{"surrogate", "ab\xED\xA0\x80", 2}, Case{"above U+10FFFF", "\xF4\x90\x80\x80", 0},
        Case{"cut short", "x\xE2\x82", 1}}) {
    EXPECT_EQ(find_invalid_utf8(text), at) << why;
  }
}

TEST(Text, OrdersByUtf16CodeUnits) {
  // U+1F600 is D83D DE00 in UTF-16 and so sorts before U+FB33 and U+FF20 (problem J3).
  EXPECT_TRUE(utf16_less("😀", "\xEF\xAC\xB3"));
  EXPECT_TRUE(utf16_less("😀", "＠"));
  EXPECT_FALSE(utf16_less("\xEF\xBF\xBF", "\xF0\x90\x80\x80"));
  EXPECT_TRUE(utf16_less("a", "ab"));
  EXPECT_TRUE(utf16_less("é", "€"));
  EXPECT_FALSE(utf16_less("a", "a"));
}

TEST(Text, CountsUtf16Units) { EXPECT_EQ(utf16_length("aé€😀"), 5u); }

TEST(Text, MakesKebabCase) {
  EXPECT_EQ(kebab("013_gqa_paged Decode__h32"), "013-gqa-paged-decode-h32");
  EXPECT_EQ(kebab("--NVIDIA B200!"), "nvidia-b200");
  EXPECT_EQ(kebab(std::string(99, 'a') + " b"), std::string(99, 'a') + "-")
      << "a cut may leave a dash";
}

TEST(Text, MeasuresTypos) {
  EXPECT_EQ(edit_distance("rmsnrom", "rmsnorm", 2), 1u) << "a swap is one typo";
  EXPECT_EQ(edit_distance("kitten", "sitting", 3), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting", 2), 3u) << "more than the limit is limit + 1";
  const std::string_view words[] = {"operations", "projects", "records"};
  EXPECT_EQ(did_you_mean("record", words), "records");
  EXPECT_FALSE(did_you_mean("zebra", words));
}

TEST(Text, QuotesForMessages) {
  EXPECT_EQ(quote("a\nb"), "'a\\x0ab'");
  EXPECT_EQ(quote(std::string(200, 'x')), "'" + std::string(80, 'x') + "…'");
  EXPECT_EQ(shell_quoted("op:a m=1 \"b\" $c"), "'op:a m=1 \"b\" $c'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
}

}  // namespace
}  // namespace ki
