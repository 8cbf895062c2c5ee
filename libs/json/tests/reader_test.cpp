#include "ki/json/reader.h"

#include "ki/json/canonical.h"

#include <gtest/gtest.h>

namespace ki::json {
namespace {

Issue first_issue(std::string_view text) {
  Reader reader;
  const auto value = reader.read(text);
  if (value) return {"accepted", "", 0, 0, "", ""};
  return value.error().issues().front();
}

TEST(Reader, RefusesWhatTwoReadersCouldUnderstandDifferently) {
  struct Case {
    const char* why;
    std::string text;
    const char* code;
    const char* pointer;
    std::uint32_t line;
    std::uint32_t column;
  };
  for (const auto& [why, text, code, pointer, line, column] : {
           Case{"same name twice", R"({"amount":1,"amount":2})", "duplicate_key", "", 1, 13},
           Case{"same name, escaped", R"({"a":1,"\u0061":2})", "duplicate_key", "", 1, 8},
           Case{"inside an array", "{\"x\":[1,{\"b\":1,\n\"b\":2}]}", "duplicate_key", "/x/1", 2,
                1},
           Case{"among many members",
                R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"c":2})", "duplicate_key",
                "", 1, 56},
           Case{"high surrogate alone", R"({"k":"\uD800"})", "lone_surrogate", "/k", 1, 7},
           Case{"pair the wrong way round", R"(["\uDC00\uD800"])", "lone_surrogate", "/0", 1, 3},
           Case{"lone surrogate in a name", R"({"\uD800":1})", "lone_surrogate", "", 1, 3},
           Case{"invalid UTF-8", "[\"a\xC0\xAF\"]", "invalid_utf8", "/0", 1, 4},
           Case{"raw NUL", std::string("[\"a\0b\"]", 7), "nul_character", "/0", 1, 4},
           Case{"escaped NUL", R"(["a\u0000"])", "nul_character", "/0", 1, 4},
           Case{"raw line feed", "[\"a\nb\"]", "control_character", "/0", 1, 4},
           Case{"integer beyond 2^53-1", "[1,9007199254740992]", "number_too_large", "/1", 1, 4},
           Case{"the same as a double", "[9007199254740993.0]", "number_too_large", "/0", 1, 2},
           Case{"exponent form of it", "[1e20]", "number_too_large", "/0", 1, 2},
           Case{"overflow", "[1e400]", "number_overflow", "/0", 1, 2},
           Case{"underflow", "[1e-400]", "number_underflow", "/0", 1, 2},
           Case{"leading zero", "[017]", "syntax", "/0", 1, 2},
           Case{"plus sign", "[+1]", "syntax", "/0", 1, 2},
           Case{"bare fraction", "[.5]", "syntax", "/0", 1, 2},
           Case{"hexadecimal", "[0x10]", "syntax", "", 1, 3},
           Case{"NaN", "[NaN]", "syntax", "/0", 1, 2},
           Case{"Infinity", "[-Infinity]", "syntax", "/0", 1, 2},
           Case{"byte order mark", "\xEF\xBB\xBF{}", "byte_order_mark", "", 1, 1},
           Case{"two values", "{} {}", "trailing_data", "", 1, 4},
           Case{"no value", "  \n", "empty", "", 2, 1},
           Case{"trailing comma", "[1,]", "syntax", "/1", 1, 4},
           Case{"single quotes", "{'a':1}", "syntax", "", 1, 2},
           Case{"comment", "[1 /* one */]", "syntax", "", 1, 4},
           Case{"unclosed", R"({"a":[1,2)", "syntax", "/a", 1, 10},
           Case{"unclosed string", "[\"abc", "syntax", "/0", 1, 2},
           Case{"bad escape", R"(["\x41"])", "syntax", "/0", 1, 3},
       }) {
    SCOPED_TRACE(why);
    const Issue issue = first_issue(text);
    EXPECT_EQ(issue.code, code);
    EXPECT_EQ(issue.pointer, pointer);
    EXPECT_EQ(issue.line, line);
    EXPECT_EQ(issue.column, column);
  }
}

TEST(Reader, ReportsAllProblemsThatLetItGoOn) {
  Reader reader;
  const auto value = reader.read(R"({"a":1,"a":2,"b":9007199254740993,"c":"\u0000","c":"\ud800"})");
  ASSERT_FALSE(value);
  std::vector<std::string> codes;
  for (const Issue& issue : value.error().issues()) codes.push_back(issue.code);
  EXPECT_EQ(codes, (std::vector<std::string>{"number_too_large", "nul_character", "lone_surrogate",
                                             "duplicate_key", "duplicate_key"}));
}

TEST(Reader, FindsADuplicateAcrossAMegabyte) {
  std::string text = R"({"amount":1,"filler":")" + std::string(1'000'000, 'x') + R"(","amount":2})";
  EXPECT_EQ(first_issue(text).code, "duplicate_key");
}

TEST(Reader, StopsAtDepthAndSizeLimitsWithoutUsingTheStack) {
  EXPECT_EQ(first_issue(std::string(5'000, '[')).code, "too_deep");
  EXPECT_EQ(first_issue(std::string(64, '[') + std::string(64, ']')).code, "accepted");
  EXPECT_EQ(first_issue(std::string(65, '[') + std::string(65, ']')).code, "too_deep");
  EXPECT_EQ(first_issue(std::string(1'048'577, ' ')).code, "too_large");
}

TEST(Reader, KeepsOrderAndPositions) {
  Reader reader;
  const auto value = reader.read("{\"b\": 1,\n \"a\": [true, null, \"x\\u00e9\\ud83d\\ude00\"]}");
  ASSERT_TRUE(value);
  ASSERT_EQ(value->members().size(), 2u);
  EXPECT_EQ(value->members()[0].key, "b");
  EXPECT_EQ(value->members()[1].key_offset, 10u);
  EXPECT_EQ(value->find("a")->items()[2].string(), "xé😀");
  EXPECT_EQ(value->find("a")->items()[1].kind(), Kind::kNull);
  EXPECT_EQ(value->find("b")->integer(), 1);
}

TEST(Reader, KnowsWhichNumbersAreInTheirOwnSpelling) {
  Reader reader;
  const auto value = reader.read(
      "[1, 1.0, 1e0, -0, 0.10, 0.1, 1e-7, 1E-7, 9007199254740991, 0.30000000000000004]");
  ASSERT_TRUE(value);
  std::string canonical_flags;
  for (const Value& item : value->items())
    canonical_flags += item.has_canonical_spelling() ? '1' : '0';
  EXPECT_EQ(canonical_flags, "1000011011");
}

TEST(Reader, ForgetsARefusedText) {
  Reader reader;
  EXPECT_FALSE(reader.read(R"({"a":[[1,{"b":)"));
  const auto value = reader.read(R"([{"c":"\n"}])");
  ASSERT_TRUE(value);
  EXPECT_EQ(canonical(*value), R"([{"c":"\n"}])");
  const auto refused = reader.read(R"({"d":nul})");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().issues()[0].pointer, "/d");
}

TEST(Reader, FindsDuplicatesAmongNamesOfOneShape) {
  // Names that share length, first, middle and last letter, and many names.
  Reader reader;
  EXPECT_TRUE(reader.read(R"({"axbxc":1,"aybxc":2})"));
  EXPECT_FALSE(reader.read(R"({"axbxc":1,"aybxc":2,"axbxc":3})"));
  std::string many = "{";
  for (int i = 0; i < 40; ++i) many += "\"k" + std::to_string(i) + "\":0,";
  EXPECT_TRUE(reader.read(many + "\"last\":0}"));
  EXPECT_FALSE(reader.read(many + "\"k7\":0}"));
  EXPECT_TRUE(reader.read(R"({"":1,"a":2})"));
  EXPECT_FALSE(reader.read(R"({"":1,"":2})"));
}

TEST(Reader, CountsItsProblems) {
  Reader reader;
  const auto value = reader.read(R"({"a":1,"a":2,"b":1,"b":2})");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().message(), "the JSON text has 2 problems");
  EXPECT_EQ(value.error().issues().size(), 2u);
}

TEST(Reader, ReusesItsMemory) {
  Reader reader;
  for (int i = 0; i < 3; ++i) {
    const std::string text = R"({"a":[1,2,{"b":")" +
                             std::string(static_cast<std::size_t>(i) * 100'000, 'y') + "\\n\"}]}";
    const auto value = reader.read(text);
    ASSERT_TRUE(value);
    EXPECT_EQ(canonical(*value), text);
  }
}

TEST(ReadDocument, OwnsItsText) {
  auto document = [] {
    const std::string text = R"({"k":["v",{"x":"\t"}]})";
    return read_document(text).value();
  }();
  EXPECT_EQ(canonical(document.root), R"({"k":["v",{"x":"\t"}]})");
}

}  // namespace
}  // namespace ki::json
