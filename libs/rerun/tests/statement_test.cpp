#include "ki/rerun/statement.h"

#include "ki/io/file.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace ki::rerun {
namespace {

using testing::HasSubstr;

ControlledRerun example() {
  ControlledRerun out;
  out.run = Digest::of("run");
  out.implementation = Digest::of("implementation");
  out.workload = Digest::of("workload");
  out.protocol = Digest::of("protocol");
  out.environment = Digest::of("environment");
  out.key_commitment = Digest::of("commitment");
  out.evidence = {Digest::of("record 1"), Digest::of("record 2")};
  out.runner = {"Example Lab", std::string(64, 'a'), "vm", "0.1.0"};
  out.started = Instant{1'796'000'000'000};
  out.finished = Instant{1'796'000'060'000};
  return out;
}

TEST(ControlledRerun, ReadsWhatItWrites) {
  const ControlledRerun plain = example();
  EXPECT_EQ(ControlledRerun::read(plain.to_statement()).value(), plain);
  ControlledRerun asked = plain;
  asked.job = Digest::of("job");
  asked.runner.machine = kUnknownMachine;
  EXPECT_EQ(ControlledRerun::read(asked.to_statement()).value(), asked);
}

// The golden file is what the schema's own test validates.
TEST(ControlledRerun, IsWrittenAsItAlwaysWas) {
  const auto golden =
      io::read_file(std::filesystem::path(KI_SOURCE_DIR) / "libs/rerun/tests/data/statement.json");
  ASSERT_TRUE(golden);
  EXPECT_EQ(example().to_statement().to_json() + "\n", *golden);
}

TEST(ControlledRerun, IsSignedOverAllOfIt) {
  const auto key = sign::PrivateKey::from_seed(std::string(sign::PrivateKey::kBytes, 'k')).value();
  const sign::Envelope envelope = sign_rerun(example(), key);
  const sign::PublicKey keys[] = {key.public_key()};
  EXPECT_TRUE(sign::is_signed_by(envelope, keys, 1));
  const auto statement = sign::Statement::parse(envelope.payload);
  ASSERT_TRUE(statement);
  EXPECT_TRUE(statement->is_about(Digest::of("run")));
  EXPECT_EQ(ControlledRerun::read(*statement).value(), example());
}

TEST(ControlledRerun, RefusesWhatIsMissingUnknownOrWrong) {
  struct Case {
    const char* why;
    const char* from;
    const char* to;
    const char* message;
  };
  for (const auto& [why, from, to, message] : std::initializer_list<Case>{
           {"a member is missing", "\"job\":null,", "", "/predicate/job is missing"},
           {"a member that nobody knows", "\"job\":null,", "\"job\":null,\"x\":1,",
            "does not know"},
           {"no evidence", "\"evidence\":[", "\"evidence\":[],\"y\":[", "names no record"},
           {"a digest in upper case", "sha256:", "SHA256:", "not a digest"},
           {"a machine with a name", "\"machine\":\"aa", "\"machine\":\"a-", "64 hex digits"},
           {"no owner", "Example Lab", "", "/predicate/runner/owner"},
           {"no instant", "2026-", "2026/", "not an instant"},
           {"an end before the beginning", "\"finishedOn\":\"2026", "\"finishedOn\":\"2025",
            "lies before"}}) {
    SCOPED_TRACE(why);
    sign::Statement statement = example().to_statement();
    const auto place = statement.predicate.find(from);
    ASSERT_NE(place, std::string::npos);
    statement.predicate.replace(place, std::string_view(from).size(), to);
    const auto read = ControlledRerun::read(statement);
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message(), HasSubstr(message));
  }
  sign::Statement other = example().to_statement();
  other.predicate_type = "https://example.com/v1";
  EXPECT_FALSE(ControlledRerun::read(other));
  other = example().to_statement();
  other.subjects.push_back({"run", Digest::of("a second")});
  EXPECT_FALSE(ControlledRerun::read(other));
}

}  // namespace
}  // namespace ki::rerun
