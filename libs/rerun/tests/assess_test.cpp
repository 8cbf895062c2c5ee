#include "ki/rerun/assess.h"

#include "ki/json/reader.h"
#include "rerun_world.h"

namespace ki::rerun {
namespace {

using harness::Finished;
using policy::EvidenceLevel;
using testing::HasSubstr;
using testing::IsEmpty;

class Assess : public RerunWorld {
 protected:
  // One assessment of the first case.
  Assessment first(const std::vector<std::string>& runs) {
    for (Assessment& one : assess_runs({runs.front()}).assessments) {
      if (one.run_id == runs.front()) return one;
    }
    ADD_FAILURE() << "not assessed";
    return {};
  }
};

TEST_F(Assess, ARunWithEveryClauseIsVerifiedAndSoIsItsSuite) {
  begin_log();
  trust({});
  const auto runs = publish(signed_bundle(Finished(), {}));
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_NE(level(runs[0]), EvidenceLevel::kVerified) << "before anybody assessed it";
  const Assessed done = assess_runs(runs);
  ASSERT_EQ(done.assessments.size(), 4U);
  EXPECT_EQ(done.runs_changed, 4U);
  for (const Assessment& one : done.assessments) {
    EXPECT_TRUE(one.is_verified) << one.to_json();
    EXPECT_EQ(one.label, "Verified · vm, clocks not controlled");
    EXPECT_EQ(one.owner, "Example Lab");
    EXPECT_TRUE(one.log_index.has_value());
    EXPECT_EQ(one.replications, 0U);
    EXPECT_EQ(level(one.run_id), EvidenceLevel::kVerified);
  }
  EXPECT_EQ(assess_runs(runs).runs_changed, 0U) << "a second look changes nothing";
  EXPECT_EQ(assess_runs({}).assessments.size(), 4U) << "all statements";
}

TEST_F(Assess, WhatIsNotLoggedOrNotTrustedIsNotVerified) {
  const auto runs = publish(signed_bundle(Finished(), {}));
  EXPECT_EQ(first(runs).problem, "no runner that this catalog knows signed it");
  trust({});
  const Assessment unlogged = first(runs);
  EXPECT_FALSE(unlogged.is_verified);
  EXPECT_EQ(unlogged.problem, "");
  for (const auto& clause : unlogged.clauses) EXPECT_EQ(clause.holds, clause.letter != 'i');
  begin_log();
  EXPECT_TRUE(first(runs).is_verified) << "the log is back-filled";
  EXPECT_EQ(level(runs[0]), EvidenceLevel::kVerified);
}

TEST_F(Assess, ARevokedKeyTakesBackWhatWasLoggedLater) {
  begin_log();
  trust({});
  const auto runs = publish(signed_bundle(Finished(), {}));
  const Assessment before = first(runs);
  ASSERT_TRUE(before.is_verified);
  revoke({}, *before.log_index + 1);
  const Assessment kept = first(runs);
  EXPECT_TRUE(kept.is_verified) << "logged before";
  ASSERT_EQ(kept.notes.size(), 1U);
  EXPECT_THAT(kept.notes[0], HasSubstr("stolen"));
  revoke({}, *before.log_index);
  EXPECT_FALSE(first(runs).is_verified);
  EXPECT_NE(level(runs[0]), EvidenceLevel::kVerified);
}

TEST_F(Assess, EachLieOfABundleIsFound) {
  struct Case {
    const char* why;
    void (*change)(Finished&);
    const char* problem;
  };
  begin_log();
  trust({});
  std::uint64_t seed = 10;
  for (const auto& [why, change, problem] : std::initializer_list<Case>{
           {"a run that was slower than published",
            [](Finished& f) {
              for (harness::Sample& one : f.run.cases[0].samples) one.elapsed_ns += 5;
            },
            "medianNs is"},
           {"a median that its record does not give",
            [](Finished& f) { f.run.cases[0].timing->median -= 1; }, "medianNs is"},
           {"a key that is not the committed one",
            [](Finished& f) { f.run.key = judge::RunKey::of_seed(99).hex(); },
            "not the one that was committed to"}}) {
    SCOPED_TRACE(why);
    Finished finished(seed++);
    change(finished);
    const Assessment one = first(publish(signed_bundle(finished, {})));
    EXPECT_FALSE(one.is_verified);
    EXPECT_THAT(one.problem, HasSubstr(problem));
    EXPECT_THAT(one.clauses, IsEmpty());
  }
}

TEST_F(Assess, AClauseThatFailsIsNamed) {
  struct Case {
    char letter;
    void (*change)(Finished&);
  };
  begin_log();
  trust({});
  std::uint64_t seed = 10;
  for (const auto& [letter, change] : std::initializer_list<Case>{
           {'a', [](Finished& f) { f.run.cases[0].calls.pop_back(); }},
           {'a', [](Finished& f) { f.run.solution_digest = Digest::of("another"); }},
           {'b', [](Finished& f) { f.run.isolation.level = sandbox::IsolationLevel::kPartial; }},
           {'c', [](Finished& f) { f.run.cases[0].flags = {"constant_inputs"}; }},
           {'f', [](Finished& f) { f.run.sentinels_after[1].nanoseconds = 4'000; }},
           {'f', [](Finished& f) { f.run.sentinels_after.pop_back(); }}}) {
    SCOPED_TRACE(letter);
    Finished finished(seed++);
    change(finished);
    const Assessment one = first(publish(signed_bundle(finished, {})));
    EXPECT_FALSE(one.is_verified);
    EXPECT_EQ(one.problem, "");
    for (const auto& clause : one.clauses)
      EXPECT_EQ(clause.holds, clause.letter != letter) << clause.text;
  }
}

TEST_F(Assess, AStatementOfAnotherRunOrOwnerIsNotBelieved) {
  begin_log();
  trust({});
  publish::Bundle bundle = signed_bundle(Finished(20), {});
  std::swap(bundle.runs[0].statements, bundle.runs[1].statements);
  EXPECT_EQ(first(publish(bundle)).problem, "the statement is about another run");

  publish::Bundle other = signed_bundle(Finished(21), {.owner = "Somebody Else"});
  EXPECT_THAT(first(publish(other)).problem, HasSubstr("names 'Somebody Else'"));
}

TEST_F(Assess, TwoOwnersOnTwoMachinesReplicate) {
  const Signer one{}, same_machine{'s', "Second Lab", one.machine},
      same_owner{'t', one.owner, std::string(64, 'b')},
      other{'u', "Second Lab", std::string(64, 'c')};
  begin_log();
  for (const Signer& signer : {one, same_machine, same_owner, other}) trust(signer);
  const auto first_runs = publish(signed_bundle(Finished(1), one));
  EXPECT_EQ(first(first_runs).replications, 0U);
  publish(signed_bundle(Finished(2), same_machine));
  EXPECT_EQ(first(first_runs).replications, 0U) << "one machine";
  publish(signed_bundle(Finished(3), same_owner));
  // The second lab on the first machine and the first on the second: each fact is there, but no
  // pair of runs differs in both... except these two.
  EXPECT_EQ(first(first_runs).replications, 2U);
  const auto last = publish(signed_bundle(Finished(4), other));
  EXPECT_EQ(first(last).replications, 2U);
  EXPECT_EQ(level(first_runs[0]), EvidenceLevel::kReplicated);
}

TEST_F(Assess, AnAssessmentIsStoredAsItSpeaks) {
  begin_log();
  trust({});
  const auto runs = publish(signed_bundle(Finished(), {}));
  const Assessment one = first(runs);
  const auto stored =
      store_.find(catalog::Table::kAttestations, one.attestation_key, ~catalog::Seq{0});
  ASSERT_TRUE(stored && *stored);
  EXPECT_THAT((*stored)->body, HasSubstr(one.to_json()));
  EXPECT_TRUE(json::read_document((*stored)->body));
}

}  // namespace
}  // namespace ki::rerun
