#include "ki/json/canonical.h"

#include "ki/json/reader.h"

#include <gtest/gtest.h>

namespace ki::json {
namespace {

std::string canonical_of(std::string_view text) {
  Reader reader;
  const auto value = reader.read(text);
  return value ? canonical(*value) : value.error().to_string();
}

TEST(Canonical, SortsMembersByUtf16CodeUnits) {
  // The example of RFC 8785 section 3.2.3.
  EXPECT_EQ(
      canonical_of(
          "{\"\\u20ac\":\"Euro Sign\",\"\\r\":\"Carriage Return\",\"\\ufb33\":\"Hebrew Letter "
          "Dalet With Dagesh\","
          "\"1\":\"One\",\"\\ud83d\\ude00\":\"Emoji: Grinning Face\",\"\\u0080\":\"Control\","
          "\"\\u00f6\":\"Latin Small Letter O With Diaeresis\"}"),
      "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xC2\x80\":\"Control\",\"\xC3\xB6\":\"Latin "
      "Small Letter O With "
      "Diaeresis\",\"\xE2\x82\xAC\":\"Euro Sign\",\"\xF0\x9F\x98\x80\":\"Emoji: Grinning "
      "Face\",\"\xEF\xAC\xB3\":\"Hebrew "
      "Letter Dalet With Dagesh\"}");
}

TEST(Canonical, WritesTheShortestEscapes) {
  EXPECT_EQ(canonical_of(R"(["\u0008\u0009\u000a\u000c\u000d\u0001\u001f\"\\\/\u2028é"])"),
            "[\"\\b\\t\\n\\f\\r\\u0001\\u001f\\\"\\\\/\xE2\x80\xA8\xC3\xA9\"]");
}

TEST(Canonical, KeepsDifferentTextsDifferent) {
  // NFC and NFD spellings of one word are two values (problem J5).
  EXPECT_NE(canonical_of("[\"caf\xC3\xA9\"]"), canonical_of("[\"cafe\xCC\x81\"]"));
}

TEST(Canonical, IgnoresLayoutOrderAndSpelling) {
  EXPECT_EQ(canonical_of("{ \"b\" : 1.0 , \"a\" : [ 1e1, \"\\u0041\" ] }"),
            R"({"a":[10,"A"],"b":1})");
}

}  // namespace
}  // namespace ki::json
