#include "ki/manifest/scalar.h"

#include <gtest/gtest.h>

#include <string>

namespace ki::manifest {
namespace {

TEST(Scalars, HaveOneSpelling) {
  EXPECT_TRUE(is_token("a_1"));
  for (const char* text : {"", "A", "1a", "a-b", "_a", "a b", "ä"}) EXPECT_FALSE(is_token(text));
  EXPECT_TRUE(is_slug("0-a-"));
  for (const char* text : {"", "-a", "a_b", "A", "a.b"}) EXPECT_FALSE(is_slug(text));
  EXPECT_TRUE(is_slug(std::string(100, 'a')));
  EXPECT_FALSE(is_slug(std::string(101, 'a')));
  EXPECT_TRUE(is_name("p.1_2-3"));
  for (const char* text : {"", ".p", "_p", "P", "p q"}) EXPECT_FALSE(is_name(text));
  EXPECT_FALSE(is_name(std::string(201, 'a')));
  EXPECT_TRUE(is_commit(std::string(40, 'f')));
  EXPECT_FALSE(is_commit(std::string(40, 'F')));
  EXPECT_FALSE(is_commit(std::string(39, 'f')));
  EXPECT_TRUE(is_digest("sha256:" + std::string(64, '0')));
  EXPECT_FALSE(is_digest("sha256:" + std::string(64, 'A')));
  EXPECT_FALSE(is_digest("SHA256:" + std::string(64, '0')));
  EXPECT_FALSE(is_digest(std::string(64, '0')));
}

TEST(Url, HasTwoStrictnesses) {
  enum Verdict { kPlain, kLoose, kNeither };
  struct Case {
    const char* why;
    std::string text;
    Verdict verdict;
  };
  for (const auto& [why, text, verdict] : std::initializer_list<Case>{
           {"host", "https://x.y", kPlain},
           {"everything", "https://x.y:8443/a/b?c=d&e=%20#f", kPlain},
           {"IPv4", "https://10.1.2.3/", kPlain},
           {"IPv6", "https://[2001:db8::1]:443/", kPlain},
           {"scheme in upper case", "HTTPS://x.y", kLoose},
           {"user information", "https://u:p@x.y", kLoose},
           {"space in the path", "https://x.y/a b", kLoose},
           {"non-ASCII path", "https://x.y/é", kLoose},
           {"backslash", "https://x.y\\@z", kLoose},
           {"empty port", "https://x.y:/", kLoose},
           {"http", "http://x.y", kNeither},
           {"no host", "https:///path", kNeither},
           {"nothing", "https://", kNeither},
           {"relative", "/a/b", kNeither},
           {"space in the host", "https://x y/", kNeither},
           {"percent in the host", "https://x%20y/", kNeither},
           {"port too large", "https://x.y:65536", kNeither},
           {"port not a number", "https://x.y:a", kNeither},
           {"number out of range", "https://1.2.3.256", kNeither},
           {"short IPv4", "https://1.2.3", kNeither},
           {"bad IPv6", "https://[::1::2]/", kNeither},
           {"open bracket", "https://[::1/", kNeither},
           {"empty label at the end", "https://x..", kNeither},
           {"too long", "https://x.y/" + std::string(1989, 'a'), kNeither},
           {"just short enough", "https://x.y/" + std::string(1988, 'a'), kPlain},
       }) {
    SCOPED_TRACE(why);
    EXPECT_EQ(is_https_url(text), verdict != kNeither);
    EXPECT_EQ(is_plain_https_url(text), verdict == kPlain);
  }
}

}  // namespace
}  // namespace ki::manifest
