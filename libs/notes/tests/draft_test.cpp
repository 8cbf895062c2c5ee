#include "ki/notes/draft.h"

#include "ki/json/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::notes {
namespace {

using ::testing::HasSubstr;

Result<Attestation> attestation_of(const std::string& text) {
  const auto document = json::read_document(text);
  EXPECT_TRUE(document) << text;
  return read_attestation(document->root);
}

TEST(DraftTest, ReadsWordsTrimmedWithOneKindOfLineEnd) {
  const auto read = attestation_of(R"({"type":"reproduced","body":"  one\r\ntwo\rthree\t. \n"})");
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(read->body, "one\ntwo\nthree\t.");
  EXPECT_EQ(read->observed_ns, std::nullopt);
}

TEST(DraftTest, MarkupIsTextLikeAnyOther) {
  const auto read =
      attestation_of(R"({"type":"reproduced","body":"<script>alert(1)</script> & \"x\""})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->body, "<script>alert(1)</script> & \"x\"");
}

TEST(DraftTest, RefusesWhatIsNoAttestation) {
  struct Case {
    const char* why;
    std::string request;
    const char* pointer;
    const char* message;
  };
  const std::string long_text(2001, 'x');
  for (const auto& [why, request, pointer, message] : {
           Case{"no object", "[]", "", "expected an object"},
           Case{"no type", R"({"body":"x"})", "/type", "reproduced, could_not_reproduce"},
           Case{"an unknown type", R"({"type":"praise","body":"x"})", "/type", "expected one of"},
           Case{"no body", R"({"type":"reproduced"})", "/body", "is missing"},
           Case{"only white space", R"({"type":"reproduced","body":" \n "})", "/body", "is empty"},
           Case{"too long", R"({"type":"reproduced","body":")" + long_text + "\"}", "/body",
                "has 2001 characters, at most 2000"},
           Case{"a number as body", R"({"type":"reproduced","body":1})", "/body", "a text"},
           Case{"a control character", R"({"type":"reproduced","body":"a\u0001b"})", "/body",
                "control characters"},
           Case{"a C1 control", R"({"type":"reproduced","body":"a\u0085b"})", "/body", "control"},
           Case{"a mark that turns text around", R"({"type":"reproduced","body":"a\u202eb"})",
                "/body", "direction"},
           Case{"an isolate", R"({"type":"reproduced","body":"a\u2067b"})", "/body", "direction"},
           Case{"a script as address",
                R"-({"type":"reproduced","body":"x","evidenceUrl":"javascript:alert(1)"})-",
                "/evidenceUrl", "https address"},
           Case{"plain http",
                R"({"type":"reproduced","body":"x","evidenceUrl":"http://a.example"})",
                "/evidenceUrl", "https address"},
           Case{"a user name in it",
                R"({"type":"reproduced","body":"x","evidenceUrl":"https://a@b.example/"})",
                "/evidenceUrl", "user names"},
           Case{"a space in it",
                R"({"type":"reproduced","body":"x","evidenceUrl":"https://a.example/ b"})",
                "/evidenceUrl", "spaces"},
           Case{"no host", R"({"type":"reproduced","body":"x","evidenceUrl":"https:///b"})",
                "/evidenceUrl", "https address"},
           Case{"zero", R"({"type":"reproduced","body":"x","observedNs":0})", "/observedNs",
                "above 0"},
           Case{"a text as number", R"({"type":"reproduced","body":"x","observedNs":"1"})",
                "/observedNs", "above 0"},
           Case{"an unknown member", R"({"type":"reproduced","body":"x","author":"me"})", "/author",
                "no member"},
       }) {
    const auto read = attestation_of(request);
    ASSERT_FALSE(read) << why;
    ASSERT_FALSE(read.error().issues().empty()) << why;
    EXPECT_EQ(read.error().issues().front().pointer, pointer) << why;
    EXPECT_THAT(read.error().message(), HasSubstr(message)) << why;
  }
}

TEST(DraftTest, ReportsNameTheirReason) {
  const auto document = json::read_document(
      R"({"reason":"license_issue","detail":"The licence is MIT.","evidenceUrl":"http://a.example/x"})");
  const auto read = read_report(document->root);
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(*read, (Report{"license_issue", "The licence is MIT.", "http://a.example/x"}));
  const auto contact =
      json::read_document(R"({"reason":"other","detail":"x","contact":"me@a.example"})");
  EXPECT_FALSE(read_report(contact->root)) << "an address could never be taken back";
}

TEST(FormTest, SaysTheSameAsJson) {
  const auto text = json_of_form(
      "type=reproduced&body=34+%C2%B5s%0D%0Ahere%26there&evidenceUrl=&observed=33.9&observedUnit=us"
      "&environmentSummary=B200");
  ASSERT_TRUE(text) << text.error().to_string();
  const auto document = json::read_document(*text);
  ASSERT_TRUE(document);
  const auto read = read_attestation(document->root);
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(read->body, "34 µs\nhere&there");
  EXPECT_EQ(read->observed_ns, 33900);
  EXPECT_EQ(read->environment, "B200");
  EXPECT_EQ(read->evidence_url, "");
}

TEST(FormTest, RefusesWhatCouldBeReadInTwoWays) {
  for (const auto& [why, form, message] :
       std::vector<std::tuple<const char*, std::string, const char*>>{
           {"half an escape", "body=%4", "two hexadecimal digits"},
           {"no hexadecimal digits", "body=%zz", "two hexadecimal digits"},
           {"bytes that are no UTF-8", "body=%ff%fe", "not UTF-8"},
           {"an overlong slash", "body=%c0%af", "not UTF-8"},
           {"a field twice", "body=a&body=b", "twice"},
           {"no number", "observed=0x10", "a number such as"},
           {"infinity", "observed=inf", "a number such as"},
           {"an unknown unit", "observed=1&observedUnit=s", "ns, us or ms"},
           {"too many fields",
            "a=1&b=1&c=1&d=1&e=1&f=1&g=1&h=1&i=1&j=1&k=1&l=1&m=1&n=1&o=1&p=1&q=1", "too many"},
           {"too large", "body=" + std::string(70'000, 'x'), "too large"},
       }) {
    const auto text = json_of_form(form);
    ASSERT_FALSE(text) << why;
    EXPECT_THAT(text.error().message(), HasSubstr(message)) << why;
  }
}

}  // namespace
}  // namespace ki::notes
