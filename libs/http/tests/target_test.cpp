#include "ki/http/target.h"

#include <gtest/gtest.h>

namespace ki::http {
namespace {

TEST(Target, DecodesPathAndQuery) {
  const auto target = parse_target("/operations/a%20b?q=op%3Agemm+m%3D4&x&y=&run=1&run=2&&");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/operations/a b");
  const std::vector<QueryPair> expected = {
      {"q", "op:gemm m=4"}, {"x", ""}, {"y", ""}, {"run", "1"}, {"run", "2"}};
  EXPECT_EQ(target->query, expected);
  EXPECT_EQ(target->find("run"), "1");
  EXPECT_EQ(target->find("none"), std::nullopt);
}

TEST(Target, HasOneSpelling) {
  struct Case {
    const char* why;
    std::string text, canonical;
  };
  for (const auto& [why, text, canonical] : std::initializer_list<Case>{
           {"already canonical", "/runs/sha256:ab", "/runs/sha256:ab"},
           {"needless encoding, lower-case digits", "/%72uns/%c3%a9", "/runs/%C3%A9"},
           {"plus and space are one", "/s?q=a+b", "/s?q=a%20b"},
           {"an encoded plus stays one", "/s?q=a%2Bb", "/s?q=a%2Bb"},
           {"separators inside a value", "/s?q=a%26b%3Dc", "/s?q=a%26b%3Dc"},
           {"empty pairs go", "/s?&a&", "/s?a="},
           {"characters that browsers leave alone", "/s?q={a|b}[c]^`\\'",
            "/s?q=%7Ba%7Cb%7D%5Bc%5D%5E%60%5C'"},
           {"absolute form", "http://example.org:80/runs?a=1", "/runs?a=1"},
           {"absolute form without a path", "http://example.org", "/"},
           {"absolute form with a query only", "http://example.org?a=1", "/?a=1"},
       }) {
    SCOPED_TRACE(why);
    const auto target = parse_target(text);
    ASSERT_TRUE(target);
    EXPECT_EQ(target->canonical(), canonical);
    EXPECT_EQ(parse_target(canonical), *target);
  }
}

TEST(Target, RefusesWhatCouldBeReadInTwoWays) {
  struct Case {
    const char* why;
    std::string text;
    int status;
    std::string detail;
  };
  for (const auto& [why, text, status, detail] : std::initializer_list<Case>{
           {"empty", "", 400, "begin with '/'"},
           {"asterisk form", "*", 400, "begin with '/'"},
           {"authority form", "example.org:443", 400, "begin with '/'"},
           {"another scheme", "file:///etc/passwd", 400, "begin with '/'"},
           {"traversal", "/a/../b", 400, "'..' segment"},
           {"traversal at the end", "/..", 400, "'..' segment"},
           {"encoded traversal", "/%2e%2E/etc/passwd", 400, "'..' segment"},
           {"dot segment", "/./a", 400, "'.' or '..'"},
           {"encoded slash", "/a%2fb", 400, "encoded slash at byte 2"},
           {"encoded backslash", "/a%5cb", 400, "encoded slash"},
           {"backslash", "/a\\b", 400, "backslash"},
           {"NUL in the path", "/a%00", 400, "%00 at byte 2 is a control byte"},
           {"NUL in the query", "/a?b=%00", 400, "%00 at byte 5"},
           {"line break in the path", "/a%0d%0aSet-Cookie:x", 400, "%0D at byte 2"},
           {"raw line break", "/a\r\nX: y", 400, "byte 2 of the target (0x0d)"},
           {"raw space", "/a b", 400, "(0x20)"},
           {"raw byte beyond ASCII", "/\xc3\xa9", 400, "(0xc3)"},
           {"fragment", "/a#b", 400, "(0x23)"},
           {"angle bracket", "/<script>", 400, "(0x3c)"},
           {"half an escape", "/a%", 400, "'%' at byte 2"},
           {"half an escape in a value", "/a?b=%4", 400, "'%' at byte 5"},
           {"not hexadecimal", "/%zz", 400, "'%' at byte 1"},
           {"IIS escape", "/%u0041", 400, "'%' at byte 1"},
           {"overlong UTF-8", "/%c0%ae%c0%ae/", 400, "not UTF-8"},
           {"a surrogate", "/a?q=%ed%a0%80", 400, "the query is not UTF-8"},
           {"too long", "/" + std::string(kMaxTargetBytes, 'a'), 414, "8193 bytes"},
           {"too many parameters",
            [] {
              std::string text = "/a?";
              for (int i = 0; i <= 64; ++i) text += "a=1&";
              return text;
            }(),
            400, "more than 64"},
       }) {
    SCOPED_TRACE(why);
    const auto target = parse_target(text);
    ASSERT_FALSE(target);
    EXPECT_EQ(target.error().status, status);
    EXPECT_NE(target.error().detail.find(detail), std::string::npos) << target.error().detail;
  }
}

TEST(Target, EncodesForLinks) {
  std::string link = "/search?q=";
  percent_encode(link, "op:a b/é?~");
  EXPECT_EQ(link, "/search?q=op%3Aa%20b%2F%C3%A9%3F~");
  percent_encode(link, " a:%", [](char c) { return is_unreserved(c) || c == ':'; });
  EXPECT_EQ(link, "/search?q=op%3Aa%20b%2F%C3%A9%3F~%20a:%25");
}

}  // namespace
}  // namespace ki::http
