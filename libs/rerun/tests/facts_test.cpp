#include "ki/rerun/facts.h"

#include "../../harness/tests/finished_run.h"
#include "ki/harness/record.h"

#include <gmock/gmock.h>

namespace ki::rerun {
namespace {

using harness::Finished;

harness::Record record_of(const Finished& finished, std::size_t which = 0) {
  harness::RunResult alone = finished.run;
  alone.cases = {finished.run.cases[which]};
  const std::string text =
      harness::result_json(alone, finished.key, {"AMD EPYC", "0.1.0"}, "2026-11-30T00:00:00Z");
  auto record = harness::read_record(text);
  EXPECT_TRUE(record) << record.error().to_string();
  return record ? *std::move(record) : harness::Record{};
}

TEST(Facts, AreWhatTheRecordHolds) {
  Finished finished;
  harness::CaseResult& one = finished.run.cases[0];
  one.flags = {"nondeterministic"};
  one.samples[3].rejected = measure::RejectCause::kMigration;
  one.timing = harness::timing_of(
      one.samples, 1, 300,
      judge::stream_key(finished.key, one.uuid, judge::Phase::kTimed, 0, "bootstrap"));
  const auto facts = facts_of(record_of(finished), policy::HostClass::kVm);
  EXPECT_TRUE(facts.is_built_from_named_source);
  EXPECT_TRUE(facts.is_strict_passed);
  EXPECT_EQ(facts.timed_calls, 180U);
  EXPECT_EQ(facts.timed_calls_checked, 180U);
  EXPECT_EQ(facts.isolation, "full");
  EXPECT_EQ(facts.flags, std::vector<std::string>{"nondeterministic"});
  EXPECT_EQ(facts.processes, 6U);
  EXPECT_EQ(facts.samples, 180U);
  EXPECT_EQ(facts.samples_rejected, 1U);
  EXPECT_EQ(facts.sentinel_before, 5000) << "the one that moved most";
  EXPECT_EQ(facts.sentinel_after, 4900);
  EXPECT_DOUBLE_EQ(facts.half_width, one.timing->half_width());
}

TEST(Facts, AFailureAtAHeldOutSizeIsNoPass) {
  Finished finished;
  finished.run.held_out = {problem::Status::kIncorrectNumerical, "held_out", "wrong"};
  EXPECT_FALSE(facts_of(record_of(finished), policy::HostClass::kVm).is_strict_passed);
}

TEST(Facts, ASuiteHoldsWhereEachOfItsCasesDoes) {
  const Finished finished;
  std::vector<policy::VerifiedCpuFacts> facts;
  for (std::size_t i = 0; i < 3; ++i) {
    facts.push_back(facts_of(record_of(finished, i), policy::HostClass::kVm));
    facts.back().is_signed_by_trusted_runner = facts.back().is_logged = true;
  }
  EXPECT_TRUE(verified_by_all(facts).is_verified);
  EXPECT_EQ(verified_by_all(facts).clauses[3].text, "holds for each of 3 cases");
  facts[2].processes = 5;
  const policy::VerifiedCpu wide = verified_by_all(facts);
  EXPECT_FALSE(wide.is_verified);
  EXPECT_EQ(wide.label, "");
  EXPECT_EQ(wide.why_not(), "not verified: (d) of a case: 5 processes, 6 are needed");
}

}  // namespace
}  // namespace ki::rerun
