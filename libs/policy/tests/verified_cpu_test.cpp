#include "ki/policy/verified_cpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace ki::policy {
namespace {

VerifiedCpuFacts good() {
  VerifiedCpuFacts f;
  f.is_built_from_named_source = true;
  f.is_strict_passed = true;
  f.timed_calls = f.timed_calls_checked = 180;
  f.isolation = "full";
  f.flags = {"nondeterministic", "weak_tolerance"};
  f.processes = 6;
  f.samples = 200;
  f.samples_rejected = 40;
  f.sentinel_before = 100;
  f.sentinel_after = 105;
  f.host = HostClass::kVm;
  f.half_width = 0.05;
  f.is_signed_by_trusted_runner = true;
  f.is_logged = true;
  return f;
}

TEST(VerifiedCpu, HoldsAtTheEdgeOfEveryClause) {
  const VerifiedCpu got = verified_cpu_v1(good());
  EXPECT_TRUE(got.is_verified) << got.why_not();
  EXPECT_EQ(got.label, "Verified · vm, clocks not controlled");
  ASSERT_EQ(got.clauses.size(), 9U);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(got.clauses[i].letter, static_cast<char>('a' + i));
  EXPECT_EQ(got.why_not(), "");
}

TEST(VerifiedCpu, FailsByExactlyTheClauseThatIsBroken) {
  struct Case {
    const char* why;
    char letter;
    std::function<void(VerifiedCpuFacts&)> change;
    const char* text;
  };
  for (const auto& [why, letter, change, text] : std::initializer_list<Case>{
           {"source unnamed", 'a', [](auto& f) { f.is_built_from_named_source = false; }, "source"},
           {"a timed call unchecked", 'a', [](auto& f) { --f.timed_calls_checked; }, "179 of 180"},
           {"nothing timed", 'a', [](auto& f) { f.timed_calls = f.timed_calls_checked = 0; },
            "0 of 0"},
           {"partial isolation", 'b', [](auto& f) { f.isolation = "partial"; },
            "isolation partial"},
           {"no isolation known", 'b', [](auto& f) { f.isolation = ""; }, "isolation unknown"},
           {"constant inputs", 'c', [](auto& f) { f.flags = {"constant_inputs"}; },
            "constant_inputs"},
           {"timing disagreement", 'c', [](auto& f) { f.flags = {"timing_disagreement"}; },
            "timing_disagreement"},
           {"below the floor", 'c', [](auto& f) { f.flags = {"below_floor"}; }, "below_floor"},
           {"bound violated", 'c', [](auto& f) { f.flags = {"bound_violation"}; },
            "bound_violation"},
           {"phases diverge", 'c', [](auto& f) { f.flags = {"phase_divergence"}; },
            "phase_divergence"},
           {"a flag that is not known", 'c', [](auto& f) { f.flags = {"new_flag"}; }, "new_flag"},
           {"five processes", 'd', [](auto& f) { f.processes = 5; }, "5 processes, 6 are needed"},
           {"a sample more rejected", 'e', [](auto& f) { f.samples_rejected = 41; }, "41 of 200"},
           {"no samples", 'e', [](auto& f) { f.samples = f.samples_rejected = 0; }, "0 of 0"},
           {"more rejected than taken", 'e', [](auto& f) { f.samples_rejected = 201; },
            "201 of 200"},
           {"sentinels apart", 'f', [](auto& f) { f.sentinel_after = 105.1; }, "5.1 % apart"},
           {"sentinels apart the other way", 'f', [](auto& f) { f.sentinel_after = 94.9; },
            "5.1 % apart"},
           {"no sentinel after", 'f', [](auto& f) { f.sentinel_after.reset(); }, "no sentinels"},
           {"a sentinel of 0", 'f', [](auto& f) { f.sentinel_before = 0; }, "no sentinels"},
           {"interval too wide for a VM", 'g', [](auto& f) { f.half_width = 0.0501; },
            "at most ±5.0 % on vm"},
           {"too wide for bare metal", 'g',
            [](auto& f) {
              f.host = HostClass::kBare;
              f.half_width = 0.0301;
            },
            "±3.0 % on bare"},
           {"too wide for locked clocks", 'g',
            [](auto& f) {
              f.host = HostClass::kBareLocked;
              f.half_width = 0.0101;
            },
            "±1.0 % on bare_locked"},
           {"interval not a number", 'g', [](auto& f) { f.half_width = std::nan(""); }, "interval"},
           {"unsigned", 'h', [](auto& f) { f.is_signed_by_trusted_runner = false; }, "not signed"},
           {"not logged", 'i', [](auto& f) { f.is_logged = false; }, "not logged"}}) {
    SCOPED_TRACE(why);
    VerifiedCpuFacts facts = good();
    change(facts);
    const VerifiedCpu got = verified_cpu_v1(facts);
    EXPECT_FALSE(got.is_verified);
    EXPECT_TRUE(got.label.empty());
    for (const VerifiedClause& clause : got.clauses)
      EXPECT_EQ(clause.holds, clause.letter != letter) << clause.letter;
    EXPECT_THAT(got.why_not(), testing::HasSubstr(text));
  }
}

TEST(VerifiedCpu, LetsTheStrictVerdictMakeUpForAWeakToleranceAndNothingElse) {
  VerifiedCpuFacts facts = good();
  facts.is_strict_passed = false;
  const VerifiedCpu got = verified_cpu_v1(facts);
  EXPECT_FALSE(got.clauses[0].holds);
  EXPECT_FALSE(got.clauses[2].holds) << "weak_tolerance is unresolved without it";
}

TEST(VerifiedCpu, SaysTheClassOfHostAndWhoRanIt) {
  VerifiedCpuFacts facts = good();
  facts.host = HostClass::kBareLocked;
  facts.half_width = 0.01;
  EXPECT_EQ(verified_cpu_v1(facts).label, "Verified · bare_locked");
  facts.host = HostClass::kBare;
  facts.is_run_by_author = true;
  EXPECT_EQ(verified_cpu_v1(facts).label,
            "Verified · bare, clocks not controlled, run by its author");
  for (const HostClass host : {HostClass::kVm, HostClass::kBare, HostClass::kBareLocked})
    EXPECT_EQ(parse_host_class(to_string(host)), host);
  EXPECT_FALSE(parse_host_class("cloud"));
}

TEST(Replicated, NeedsTwoTrustedKeysOwnersAndMachines) {
  const RunnerFact a{"k1", "ann", "m1", true};
  EXPECT_FALSE(is_replicated({}));
  EXPECT_FALSE(is_replicated(std::vector{a}));
  EXPECT_FALSE(is_replicated(std::vector{a, a}));
  EXPECT_TRUE(is_replicated(std::vector{a, RunnerFact{"k2", "bob", "m2", true}}));
  EXPECT_FALSE(is_replicated(std::vector{a, RunnerFact{"k1", "bob", "m2", true}}));
  EXPECT_FALSE(is_replicated(std::vector{a, RunnerFact{"k2", "ann", "m2", true}}));
  EXPECT_FALSE(is_replicated(std::vector{a, RunnerFact{"k2", "bob", "m1", true}}));
  EXPECT_FALSE(is_replicated(std::vector{a, RunnerFact{"k2", "bob", "m2", false}}));
  EXPECT_TRUE(is_replicated(
      std::vector{a, RunnerFact{"k2", "ann", "m2", true}, RunnerFact{"k3", "bob", "m3", true}}));
}

}  // namespace
}  // namespace ki::policy
