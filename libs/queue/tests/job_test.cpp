#include "ki/queue/job.h"

#include "ki/json/canonical.h"
#include "ki/json/reader.h"
#include "queue_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::queue {
namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Job, ComesBackFromItsCanonicalText) {
  Job job = job_of(1);
  EXPECT_EQ(*Job::read(job.to_json()), job);
  job.implementation = Digest::of("implementation");
  job.protocol = "ki_hot_v1";
  job.is_quick = true;
  job.runner = {"bare_locked", true};
  EXPECT_EQ(*Job::read(job.to_json()), job);
  const auto document = json::read_document(job.to_json());
  EXPECT_EQ(json::canonical(document->root), job.to_json());
}

TEST(Job, RefusesWhatCouldMeanSomethingElseLater) {
  const std::string text = job_of(1).to_json();
  const std::string solution = job_of(1).solution.to_string();
  const struct {
    std::string from, to, why;
  } kCases[] = {
      {solution, "latest", "a tag"},
      {solution, "solutions/reference", "a path"},
      {solution, "sha256:" + std::string(63, 'a'), "a short digest"},
      {R"("cases":["a","b"])", R"("cases":[])", "all cases, whichever those are"},
      {R"("cases":["a","b"])", R"("cases":["a","a"])", "one case twice"},
      {R"("network":"none")", R"("network":"all")", "more than a cell gets"},
      {R"("attempts":3)", R"("attempts":0)", "no attempt"},
      {R"("attempts":3)", R"("attempts":1001)", "too many attempts"},
      {R"("kind":"Job")", R"("kind":"Job","more":1)", "an unknown member"},
      {R"("kind":"Job")", R"( "kind":"Job")", "another spelling"},
      {"ki_cold_v1", "fast", "an unknown protocol"},
      {R"("hostClass":"any")", R"("hostClass":"big")", "an unknown class"},
      {std::string(32, '0'), "0", "a short nonce"},
      {R"("expires":"2026)", R"("expires":"2025)", "expired before it was made"},
  };
  for (const auto& one : kCases) {
    const auto read = Job::read(replaced(text, one.from, one.to));
    ASSERT_FALSE(read) << one.why;
    EXPECT_EQ(read.error().code(), Code::kInvalidArgument) << one.why;
  }
}

TEST(Job, IsAdmittedUnderATrustedKeyAlone) {
  const sign::PrivateKey key = key_of('k'), other = key_of('o');
  sign::Envelope envelope = sign_job(job_of(1), key);
  const std::vector<sign::PublicKey> trusted = {key.public_key()}, others = {other.public_key()};
  EXPECT_EQ(*admit(envelope, trusted), job_of(1));
  EXPECT_EQ(admit(envelope, others).error().code(), Code::kConflict);
  EXPECT_EQ(admit(envelope, {}).error().code(), Code::kConflict);
  envelope.payload = job_of(2).to_json();
  EXPECT_EQ(admit(envelope, trusted).error().code(), Code::kConflict);
  EXPECT_EQ(
      admit(sign::sign_envelope("text/plain", job_of(1).to_json(), key), trusted).error().code(),
      Code::kInvalidArgument);
}

}  // namespace
}  // namespace ki::queue
