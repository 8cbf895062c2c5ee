#include "ki/yaml/reader.h"

#include "ki/json/canonical.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace ki::yaml {
namespace {

std::string json_of(std::string_view text) {
  const auto document = read(text);
  if (!document) return "refused: " + document.error().to_string();
  return json::canonical(document->root);
}

// "<code> <line>:<column> <pointer>" of each issue, joined by "; ".
std::string issues_of(std::string_view text, Limits limits = {}) {
  const auto document = read(text, limits);
  if (document) return "accepted";
  std::string out;
  for (const Issue& issue : document.error().issues()) {
    if (!out.empty()) out += "; ";
    out += fmt::format("{} {}:{} {}", issue.code, issue.line, issue.column, issue.pointer);
  }
  return out;
}

TEST(YamlReader, ReadsWhatJsonCanSay) {
  struct Case {
    const char* why;
    std::string text;
    std::string json;
  };
  for (const auto& [why, text, json] : std::initializer_list<Case>{
           {"block", "a: 1\nb:\n  - x\n  - 'y'\n  - \"z\"\n", R"({"a":1,"b":["x","y","z"]})"},
           {"flow", "{a: [1, 2.5], b: {c: null}}", R"({"a":[1,2.5],"b":{"c":null}})"},
           {"indented sequence at the key's column", "a:\n- 1\n- 2\n", R"({"a":[1,2]})"},
           {"literal block", "a: |\n  x\n  y\n", "{\"a\":\"x\\ny\\n\"}"},
           {"folded block", "a: >-\n  x\n  y\n", R"({"a":"x y"})"},
           {"quoted numbers are text", "a: '1.10'\nb: \"true\"\n", R"({"a":"1.10","b":"true"})"},
           {"yes and no are text", "a: yes\nb: no\n", R"({"a":"yes","b":"no"})"},
           {"core tags", "a: !!str 5\nb: !!int \"5\"\nc: !!seq [x]\nd: !!float 1\n",
            R"({"a":"5","b":5,"c":["x"],"d":1})"},
           {"comment and markers", "--- # first\na: 1 # one\n...\n", R"({"a":1})"},
           {"version 1.2", "%YAML 1.2\n---\na: 1\n", R"({"a":1})"},
           {"byte order mark",
            "\xEF\xBB\xBF"
            "a: 1\n",
            R"({"a":1})"},
           {"anchor and alias", "a: &x {k: [1]}\nb: *x\nc: *x\n",
            R"({"a":{"k":[1]},"b":{"k":[1]},"c":{"k":[1]}})"},
           {"alias as a name", "a: &x name\n*x : 1\n", R"({"a":"name","name":1})"},
           {"escapes", R"(a: "\u00e9\x41\t\U0001F600\/")", "{\"a\":\"éA\\t😀/\"}"},
           {"empty value", "a:\n", R"({"a":null})"},
           {"top-level scalar", "hello world\n", R"("hello world")"},
           {"quoted merge key is a name", "{\"<<\": 1}", R"({"<<":1})"},
           {"non-ASCII before a number", "ä: é\nb: 1\n", "{\"b\":1,\"ä\":\"é\"}"},
       }) {
    SCOPED_TRACE(why);
    EXPECT_EQ(json_of(text), json);
  }
}

TEST(YamlReader, RefusesWhatTwoReadersCouldUnderstandDifferently) {
  struct Case {
    const char* why;
    std::string text;
    std::string issues;
  };
  for (const auto& [why, text, issues] : std::initializer_list<Case>{
           {"duplicate name", "a: 1\nb: 2\na: 3\n", "duplicate_key 3:1 /a"},
           {"duplicate name in quotes", "a: 1\n\"\\u0061\": 3\n", "duplicate_key 2:1 /a"},
           {"duplicate name inside", "x:\n  - {k: 1, k: 2}\n", "duplicate_key 2:12 /x/0/k"},
           {"duplicate name through an alias", "x: &n a\na: 1\n*n : 2\n", "duplicate_key 3:1 /a"},
           {"duplicate after spelling as text", "1: a\n\"1\": b\n",
            "non_string_key 1:1 ; duplicate_key 2:1 /1"},
           {"number as name", "1: a\n", "non_string_key 1:1 "},
           {"null as name", "? \n: 1\n", "non_string_key 1:2 "},
           {"mapping as name", "? {a: 1}\n: 1\n", "non_string_key 1:3 "},
           {"boolean as name", "true: 1\n", "non_string_key 1:1 "},
           {"merge key", "a: &b {x: 1}\nc: {<<: *b}\n", "merge_key 2:5 /c"},
           {"application tag", "a: !foo bar\n", "unknown_tag 1:9 /a"},
           {"script tag", "a: !!js/function \"x\"\n", "unknown_tag 1:18 /a"},
           {"binary tag", "a: !!binary aGk=\n", "unknown_tag 1:13 /a"},
           {"set tag", "a: !!set {x}\n", "unknown_tag 1:4 /a"},
           {"non-specific tag on a number", "a: ! 5\n", "unknown_tag 1:6 /a"},
           {"non-specific tag after an anchor", "a: &x ! 5\n", "unknown_tag 1:9 /a"},
           {"value not of its tag", "a: !!int x\n", "bad_tag_value 1:10 /a"},
           {"float tag on hexadecimal", "a: !!float 0x1\n", "bad_tag_value 1:12 /a"},
           {"int tag on a fraction", "a: !!int 1.0\n", "bad_tag_value 1:10 /a"},
           {"unknown alias", "a: *x\n", "unknown_alias 1:4 /a"},
           {"cycle", "a: &x [*x]\n", "recursive_alias 1:8 /a/0"},
           {"second document", "a: 1\n---\nb: 2\n", "several_documents 2:1 "},
           {"nothing", "", "empty 1:1 "},
           {"only a comment", "# nothing\n", "empty 2:1 "},
           {"YAML 1.1", "%YAML 1.1\n---\na: yes\n", "syntax 1:1 "},
           {"tab as indentation", "a:\n\tb: 1\n", "syntax 2:1 /a"},
           {"lone surrogate", R"(a: "\ud83d")", "lone_surrogate 1:7 /a"},
           {"NUL byte", std::string("a: \0b\n", 6), "nul_character 1:4 "},
           {"NUL escape", R"(a: "x\0y")", "nul_character 1:4 /a"},
           {"invalid UTF-8", "a: \xff\n", "invalid_utf8 1:4 "},
           {"encoded surrogate", "a: \xed\xa0\x80\n", "invalid_utf8 1:4 "},
           {"control character", "a: \x01\n", "control_character 1:4 "},
           {"line separator", "a: \"x\xE2\x80\xA8y\"\n", "line_separator 1:6 "},
           {"next line", "a: x\xC2\x85\n", "line_separator 1:5 "},
           {"too large integer", "a: 9007199254740992\n", "number_too_large 1:4 /a"},
           {"too large exponent", "a: 4225332178759948e043\n", "number_too_large 1:4 /a"},
           {"not a number", "a: .nan\n", "number_not_finite 1:4 /a"},
           {"infinity", "a: -.inf\n", "number_not_finite 1:4 /a"},
           {"position after non-ASCII text", "ä: \"é\"\nö: [1, .inf]\n",
            "number_not_finite 2:9 /ö/1"},
           {"several problems", "a: .inf\nb: !x y\nc: 1\nc: 2\n",
            "number_not_finite 1:4 /a; unknown_tag 2:7 /b; duplicate_key 4:1 /c"},
       }) {
    SCOPED_TRACE(why);
    EXPECT_EQ(issues_of(text), issues);
  }
}

TEST(YamlReader, NamesBothPlacesOfADuplicate) {
  const auto document = read("protocol: 1\nother: 2\nprotocol: 3\n");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().issues()[0].to_string(),
            "3:1 /protocol: duplicate_key: the name 'protocol' appears twice; first at 1:1 "
            "(keep one of the two)");
}

TEST(YamlReader, SaysHowToWriteAVersion) {
  const auto document = read("{1.10: x}");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().issues()[0].fix, "write it in quotes: \"1.10\"");
}

TEST(YamlReader, CountsNestedAliasesEachTime) {
  // Ten aliases of a node that holds nine aliases: 9 + 10 * (1 + 9) = 109 expansions.
  std::string text = "a: &a x\nb: &b [";
  for (int i = 0; i < 9; ++i) text += i == 0 ? "*a" : ", *a";
  text += "]\nc: [";
  for (int i = 0; i < 10; ++i) text += i == 0 ? "*b" : ", *b";
  text += "]\n";
  EXPECT_EQ(issues_of(text), "alias_bomb 3:41 /c/9");
  EXPECT_EQ(issues_of(text, {.max_aliases = 109}), "accepted");
}

TEST(YamlReader, AcceptsAHundredAliasesAndNoMore) {
  const auto text = [](int count) {
    std::string out = "a: &a [x]\nb: [*a";
    for (int i = 1; i < count; ++i) out += ",*a";
    return out + "]\n";
  };
  EXPECT_EQ(issues_of(text(100)), "accepted");
  EXPECT_EQ(issues_of(text(101)), "alias_bomb 2:305 /b/100");
}

TEST(YamlReader, RefusesAliasesThatStandForTooManyNodes) {
  std::string text = "a: &a [x";
  for (int i = 1; i < 40'000; ++i) text += ",x";
  text += "]\nb: [*a, *a]\n";
  EXPECT_EQ(issues_of(text), "alias_bomb 2:9 /b/1");
}

TEST(YamlReader, LimitsDepthWithAndWithoutAliases) {
  const std::string open(64, '[');
  const std::string close(64, ']');
  EXPECT_EQ(issues_of(open + close), "accepted");
  EXPECT_EQ(issues_of("[" + open + close + "]").substr(0, 13), "too_deep 1:65");
  const std::string half(40, '[');
  const std::string half_close(40, ']');
  EXPECT_EQ(
      issues_of("a: &a " + half + half_close + "\nb: " + half + "*a" + half_close).substr(0, 13),
      "too_deep 2:44");
  EXPECT_EQ(issues_of(std::string(5000, '[')).substr(0, 13), "too_deep 1:65");
}

TEST(YamlReader, RefusesTextBeyondItsSizeBeforeReading) {
  EXPECT_EQ(issues_of(std::string(1'048'577, ' ')), "too_large 0:0 ");
}

TEST(YamlReader, KeepsOffsetsAndSpellings) {
  const auto document = read("ä: 1.0\nname: &x bare\nq: \"bare\"\n");
  ASSERT_TRUE(document);
  const auto members = document->root.members();
  EXPECT_EQ(members[0].value.offset(), 4U);
  EXPECT_FALSE(members[0].value.has_canonical_spelling());
  EXPECT_EQ(members[1].key_offset, 8U);
  EXPECT_EQ(members[1].value.offset(), 17U);
  EXPECT_TRUE(members[1].value.is_plain_yaml());
  EXPECT_FALSE(members[2].value.is_plain_yaml());
}

TEST(YamlReader, StopsAtTheIssueLimit) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += fmt::format("k{}: .inf\n", i);
  const auto document = read(text, {.max_issues = 7});
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().issues().size(), 7U);
}

}  // namespace
}  // namespace ki::yaml
