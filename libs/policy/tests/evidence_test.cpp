#include "ki/policy/evidence.h"

#include "ki/policy/deployability.h"
#include "ki/policy/eligibility.h"

#include <gtest/gtest.h>

namespace ki::policy {
namespace {

TEST(Evidence, StrongestOfNoneIsNothing) {
  using enum EvidenceLevel;
  EXPECT_EQ(strongest({}), std::nullopt);
  EXPECT_EQ(strongest(std::vector{kReported, kVerified, kReproducible}), kVerified);
  for (const EvidenceLevel level : {kReported, kReproducible, kVerified, kReplicated}) {
    EXPECT_EQ(parse_evidence_level(to_string(level)), level);
  }
  EXPECT_EQ(parse_evidence_level("Verified"), std::nullopt);
}

TEST(Evidence, NeedsACompleteIdentityToBeReproducible) {
  EvidenceFacts facts{.source_available = true, .has_raw_evidence = true};
  EXPECT_EQ(evidence_level(facts), EvidenceLevel::kReproducible);
  facts.identity_complete = false;
  EXPECT_EQ(evidence_level(facts), EvidenceLevel::kReported);
}

TEST(Stale, BeginsAfter180Days) {
  const Instant observed{0};
  EXPECT_FALSE(is_stale(observed, Instant{kStaleAfterMs}));
  EXPECT_TRUE(is_stale(observed, Instant{kStaleAfterMs + 1}));
}

TEST(Tier, HasAName) {
  EXPECT_EQ(to_string(trust_tier(EvidenceLevel::kReplicated, false, false)), "Verified");
  EXPECT_EQ(to_string(trust_tier(EvidenceLevel::kReported, true, true)), "License + source");
  EXPECT_EQ(to_string(trust_tier(std::nullopt, true, false)), "Source available");
  EXPECT_EQ(to_string(trust_tier(std::nullopt, false, true)), "No source");
}

TEST(Eligibility, InV2AlsoAsksForTheRightOperationAndNoDispute) {
  RunFacts facts{.status = "passed", .published = true, .has_primary_value = true};
  EXPECT_TRUE(eligibility_v2(facts).empty());
  facts.operation_mismatch = true;
  EXPECT_TRUE(is_eligible_v1(facts)) << "a caveat in v1";
  EXPECT_EQ(caveats_v1(facts), std::vector<std::string_view>{"OPERATION_MISMATCH"});
  EXPECT_EQ(eligibility_v2(facts), std::vector<std::string>{"OPERATION_MISMATCH"});
  facts.disputed = facts.retracted = true;
  EXPECT_EQ(eligibility_v2(facts),
            (std::vector<std::string>{"RETRACTED", "OPERATION_MISMATCH", "DISPUTED"}));
}

TEST(Eligibility, AsAYesAgreesWithTheCodes) {
  for (int bits = 0; bits < 128; ++bits) {
    const auto bit = [&](int i) { return (bits >> i & 1) != 0; };
    const RunFacts facts{.status = bit(0) ? "passed" : "timeout",
                         .published = bit(1),
                         .retracted = bit(2),
                         .superseded = bit(3),
                         .has_primary_value = bit(4),
                         .operation_mismatch = bit(5),
                         .disputed = bit(6)};
    EXPECT_EQ(is_eligible_v1(facts), eligibility_v1(facts).empty());
    EXPECT_EQ(is_eligible_v2(facts), eligibility_v2(facts).empty());
  }
}

TEST(Eligibility, IsExplainedInWords) {
  EXPECT_EQ(explain_eligibility("STATUS_RUNTIME_ERROR"), "the run's status is runtime error");
  EXPECT_EQ(explain_eligibility("MISSING_PRIMARY_METRIC"), "the run has no primary measurement");
}

TEST(Vendorable, NeedsSourceAndLicence) {
  EXPECT_TRUE(is_vendorable({.source_available = true, .has_concluded_licence = true}));
  EXPECT_FALSE(is_vendorable({.source_available = true}));
}

}  // namespace
}  // namespace ki::policy
