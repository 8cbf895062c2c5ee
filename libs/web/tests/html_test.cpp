#include "ki/web/html.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace ki::web {
namespace {

template <class T>
concept Writable = requires(Html& html, const T& value) { html << value; };

TEST(Html, TakesNothingButLiteralsAndTypesThatSayHowTheyAreEscaped) {
  static_assert(Writable<Text> && Writable<Attribute> && Writable<Link> && Writable<Html>);
  static_assert(!Writable<std::string> && !Writable<std::string_view> && !Writable<const char*>);
  static_assert(!Writable<int> && !Writable<double> && !Writable<char> && !Writable<bool>);
  static_assert(!Writable<Url>, "an address stands in an attribute");
  static_assert(!std::is_constructible_v<Url, std::string>, "an address is made of parts");
  SUCCEED();
}

TEST(Html, EscapesTextAndAttributes) {
  Html h;
  h << "<p" << attr("title", "\"a\" & 'b'") << ">" << text("<script>alert(1)</script>") << "</p>";
  EXPECT_EQ(
      h.view(),
      "<p title=\"&quot;a&quot; &amp; &#39;b&#39;\">&lt;script&gt;alert(1)&lt;/script&gt;</p>");
}

TEST(Html, ReplacesControlCharactersAndKeepsLinesAndTabs) {
  Html h;
  h << text(std::string_view("a\0b\x1b\x7f\tc\n", 8));
  EXPECT_EQ(h.view(),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\xEF\xBF\xBD\tc\n");
}

TEST(Url, EncodesSegmentsAndValues) {
  EXPECT_EQ(Url::path({}).text(), "/");
  EXPECT_EQ(Url::path({"runs", "sha256:ab"}).text(), "/runs/sha256:ab");
  EXPECT_EQ(Url::path({"operations", "a/b?c#d\"<é"}).text(),
            "/operations/a%2Fb%3Fc%23d%22%3C%C3%A9");
  EXPECT_EQ(Url::path({"search"}).with("q", "m=120 & x").with("page", "").with("view", "b").text(),
            "/search?q=m%3D120%20%26%20x&view=b");
  EXPECT_EQ(Url::path({"x"}).absolute("https://ki.example/").text(), "https://ki.example/x");
  EXPECT_EQ(Url::path({"x"}).absolute("").text(), "/x");
  Url grown = Url::path({"x"});
  grown = std::move(grown).with("a", "b");
  EXPECT_EQ(grown.text(), "/x?a=b") << "an address may be assigned its own extension";
}

TEST(Url, TakesOnlyPlainOutsideAddresses) {
  for (const char* good :
       {"https://a.example", "http://a.example/b?c=d#e", "https://a.example/é"}) {
    EXPECT_TRUE(Url::external(good).has_value()) << good;
  }
  for (const char* bad :
       {"", "javascript:alert(1)", "JAVASCRIPT:x", "data:text/html,x", "//a.example", "/a",
        "https://", "https:///a", "https://user@evil.example", "https://a.example/\"x",
        "https://a.example/ b", "https://a.example/\n", "ftp://a.example", " https://a.example",
        "https://a\\b.example"}) {
    EXPECT_FALSE(Url::external(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace ki::web
