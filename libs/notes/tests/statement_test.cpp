#include "ki/notes/statement.h"

#include "ki/json/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::notes {
namespace {

using ::testing::HasSubstr;

SignedAttestation example() {
  return {Digest::of("run"),
          {"reproduced", "34 µs", "https://a.example/x", 34000.0, "B200"},
          Instant{1'796'083'200'000}};
}

TEST(StatementTest, IsReadAsItWasWritten) {
  const SignedAttestation said = example();
  const auto read = SignedAttestation::read(said.to_statement());
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(*read, said);
  EXPECT_EQ(said.to_statement().predicate,
            R"({"body":"34 µs","environmentSummary":"B200","evidenceUrl":"https://a.example/x",)"
            R"("observedNs":34000,"signedAt":"2026-12-01T00:00:00.000Z","type":"reproduced"})");
  const sign::PrivateKey key = *sign::PrivateKey::from_seed(std::string(32, 'k'));
  const auto envelope = sign::read_envelope(sign::to_json(sign_attestation(said, key)));
  ASSERT_TRUE(envelope);
  EXPECT_EQ(*SignedAttestation::read(*envelope), said);
}

TEST(StatementTest, RefusesStatementsThatSayLessOrMore) {
  struct Case {
    const char* why;
    void (*change)(sign::Statement&);
    const char* message;
  };
  for (const auto& [why, change, message] : {
           Case{"of another kind", [](sign::Statement& s) { s.predicate_type = "https://a/b"; },
                "predicate type"},
           Case{"about two things",
                [](sign::Statement& s) { s.subjects.push_back({"run", Digest::of("x")}); },
                "exactly one subject"},
           Case{"about something else",
                [](sign::Statement& s) { s.subjects.front().name = "implementation"; },
                "named \"run\""},
           Case{"without a time",
                [](sign::Statement& s) { s.predicate = R"({"body":"x","type":"reproduced"})"; },
                "signedAt"},
           Case{"with more", [](sign::Statement& s) { s.predicate.insert(1, R"("author":"me",)"); },
                "author"},
       }) {
    sign::Statement statement = example().to_statement();
    change(statement);
    const auto read = SignedAttestation::read(statement);
    ASSERT_FALSE(read) << why;
    EXPECT_THAT(read.error().message(), HasSubstr(message)) << why;
  }
}

}  // namespace
}  // namespace ki::notes
