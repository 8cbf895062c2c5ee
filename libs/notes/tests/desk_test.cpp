#include "notes_world.h"

namespace ki::notes::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kReproduced =
    R"({"type":"reproduced","body":"34.1 us here","observedNs":34100,"environmentSummary":"B200, 580.65"})";

std::string code_of(const std::expected<Filed, http::Problem>& filed) {
  return filed ? "" : std::to_string(filed.error().status) + " " + filed.error().code;
}

TEST(DeskTest, StoresANoteBesideTheRunWithAnAuditEvent) {
  NotesWorld world;
  const auto desk = world.desk();
  const auto filed = attest(*desk, world.run, kReproduced);
  ASSERT_TRUE(filed) << filed.error().detail;
  EXPECT_TRUE(filed->is_new);
  EXPECT_EQ(filed->key_id, "");
  const RunNotes notes = world.notes();
  ASSERT_EQ(notes.attestations.size(), 1U);
  const RunAttestation& note = notes.attestations.front();
  EXPECT_EQ(note.id, filed->id);
  EXPECT_EQ(note.signing, Signing::kUnsigned);
  EXPECT_EQ(note.attestation,
            (Attestation{"reproduced", "34.1 us here", "", 34100.0, "B200, 580.65"}));
  const auto audit = world.rows(catalog::Table::kAuditEvents);
  ASSERT_EQ(audit.size(), 1U);
  EXPECT_THAT(audit.front(), HasSubstr(R"("action":"attestation_filed","actor":"anonymous")"));
  EXPECT_THAT(audit.front(), HasSubstr(filed->id));
  EXPECT_THAT(world.rows(catalog::Table::kAttestations).front(), Not(HasSubstr("192.0.2.1")))
      << "addresses of clients are not kept";
  EXPECT_TRUE(world.rows(catalog::Table::kBenchmarkRuns).empty()) << "no run was written";
}

TEST(DeskTest, KeepsTheSameWordsOnce) {
  NotesWorld world;
  const auto desk = world.desk();
  const auto first = attest(*desk, world.run, kReproduced);
  const auto again = attest(*desk, world.run, kReproduced, "198.51.100.7");
  ASSERT_TRUE(first && again);
  EXPECT_FALSE(again->is_new);
  EXPECT_EQ(again->id, first->id);
  EXPECT_EQ(world.notes().attestations_total, 1U);
  RunName other = world.run;
  other.id.back() = '2';
  EXPECT_TRUE(attest(*desk, other, kReproduced)->is_new) << "about another run it is another note";
}

TEST(DeskTest, TakesReportsWhichStayOpenUntilTheOperatorClosesThem) {
  NotesWorld world;
  const auto desk = world.desk();
  const auto filed =
      report(*desk, world.run,
             R"({"reason":"wrong_attribution","detail":"This kernel is by someone else."})");
  ASSERT_TRUE(filed) << filed.error().detail;
  EXPECT_EQ(world.notes().open_reports, 1U);
  EXPECT_EQ(desk->close(world.run.id, filed->id, "dismissed", " ").error().code(),
            Code::kInvalidArgument);
  ASSERT_TRUE(desk->close(world.run.id, filed->id, "resolved", "attribution corrected"));
  const RunNotes notes = world.notes();
  EXPECT_EQ(notes.open_reports, 0U);
  ASSERT_EQ(notes.reports.size(), 1U);
  EXPECT_EQ(notes.reports.front().state, "resolved");
  EXPECT_EQ(notes.reports.front().resolution->reason, "attribution corrected");
  EXPECT_EQ(desk->close(world.run.id, filed->id, "dismissed", "no").error().code(),
            Code::kConflict);
  EXPECT_EQ(desk->close(world.run.id, "01990000-0000-7000-8000-00000000ffff", "resolved", "x")
                .error()
                .code(),
            Code::kNotFound);
}

TEST(DeskTest, HidesWordsForGoodAndSaysSo) {
  NotesWorld world;
  const auto desk = world.desk();
  const auto filed = attest(*desk, world.run, kReproduced);
  ASSERT_TRUE(filed);
  ASSERT_TRUE(desk->hide(world.run.id, filed->id, "insult"));
  const RunNotes notes = world.notes();
  ASSERT_EQ(notes.attestations.size(), 1U);
  EXPECT_EQ(notes.attestations.front().attestation.body, "");
  EXPECT_EQ(notes.attestations.front().hidden->reason, "insult");
  EXPECT_EQ(desk->hide(world.run.id, filed->id, "again").error().code(), Code::kConflict);
  EXPECT_FALSE(attest(*desk, world.run, kReproduced)->is_new) << "hidden words do not come back";
  EXPECT_THAT(world.rows(catalog::Table::kAuditEvents).back(), HasSubstr("attestation_hidden"));
}

TEST(DeskTest, ShowsAsSignedWhatATrustedAttesterSigned) {
  NotesWorld world;
  const auto desk = world.desk(Takes::kSigned);
  const std::string envelope =
      world.envelope({"could_not_reproduce", "Twice as slow with a cold cache."}, world.key);
  const auto filed = attest(*desk, world.run, R"({"envelope":)" + envelope + "}");
  ASSERT_TRUE(filed) << filed.error().detail;
  EXPECT_EQ(filed->key_id, world.key.public_key().key_id());
  EXPECT_EQ(filed->owner, "Bench Lab");
  RunNotes notes = world.notes();
  ASSERT_EQ(notes.attestations.size(), 1U);
  EXPECT_EQ(notes.attestations.front().signing, Signing::kSigned);
  EXPECT_EQ(notes.attestations.front().owner, "Bench Lab");
  EXPECT_EQ(notes.attestations.front().attestation.type, "could_not_reproduce");
  EXPECT_THAT(world.rows(catalog::Table::kAuditEvents).front(), HasSubstr("Bench Lab (key "));

  world.trusted({sign::Role::kAttester}, sign::Revocation{0, "stolen"});
  EXPECT_EQ(world.notes().attestations.front().signing, Signing::kNotBelieved)
      << "a signature is verified on every read";
  EXPECT_EQ(world.notes().attestations.front().owner, "");
  world.trust = {};
  EXPECT_EQ(world.notes().attestations.front().signing, Signing::kNotBelieved);
}

TEST(DeskTest, ASignatureLoggedBeforeTheRevocationStaysBelieved) {
  NotesWorld world;
  const auto desk = world.desk();
  const std::string envelope = world.envelope({"reproduced", "Yes."}, world.key);
  ASSERT_TRUE(attest(*desk, world.run, R"({"envelope":)" + envelope + "}"));
  const auto tx = world.store.begin();
  const std::string digest = Digest::of(envelope).to_string();
  ASSERT_TRUE((*tx)->append(catalog::Table::kLogEntries, "attestation " + digest, 0, std::nullopt,
                            R"({"at":"x","digest":")" + digest +
                                R"(","index":5,"parents":[],"type":"attestation","v":1})"));
  ASSERT_TRUE((*tx)->commit(world.clock.now(), "log"));
  for (const auto& [from, expected] :
       {std::pair{6U, Signing::kSigned}, std::pair{5U, Signing::kNotBelieved}}) {
    world.trusted({sign::Role::kAttester}, sign::Revocation{from, "lost"});
    EXPECT_EQ(world.notes().attestations.front().signing, expected) << from;
  }
}

TEST(DeskTest, RefusesWhatItCannotBelieveAndSaysWhy) {
  NotesWorld world;
  const auto desk = world.desk();
  const sign::PrivateKey stranger = *sign::PrivateKey::from_seed(std::string(32, 's'));
  const Attestation words{"reproduced", "Yes."};
  std::string forged = world.envelope(words, world.key);
  const std::size_t at = forged.find("\"sig\":\"") + 7;
  forged[at] = forged[at] == 'A' ? 'B' : 'A';
  const std::string other_run = sign::to_json(
      sign_attestation({Digest::of("another run"), words, world.clock.now()}, world.key));
  const auto in = [](const std::string& envelope) { return R"({"envelope":)" + envelope + "}"; };
  struct Case {
    const char* why;
    std::string request;
    const char* code;
    const char* detail;
  };
  for (const auto& [why, request, code, detail] : {
           Case{"a key that nobody trusts", in(world.envelope(words, stranger)),
                "403 UNTRUSTED_KEY", "ki key trust KEY.pem --role attester"},
           Case{"a changed signature", in(forged), "422 INVALID_SIGNATURE", "is not one of key"},
           Case{"about another run", in(other_run), "422 INVALID_ATTESTATION", "is about sha256:"},
           Case{"no envelope", R"({"envelope":"x"})", "422 INVALID_ATTESTATION", ""},
           Case{"words beside the envelope",
                R"({"body":"x","envelope":)" + world.envelope(words, world.key) + "}",
                "422 INVALID_ATTESTATION", "stands alone"},
       }) {
    const auto filed = attest(*desk, world.run, request);
    EXPECT_EQ(code_of(filed), code) << why;
    if (filed) continue;
    EXPECT_THAT(filed.error().detail, HasSubstr(detail)) << why;
  }
  world.trusted({sign::Role::kRunner});
  const auto runner = attest(*desk, world.run, in(world.envelope(words, world.key)));
  EXPECT_EQ(code_of(runner), "403 UNTRUSTED_KEY") << "a runner is no attester";
  world.trusted({sign::Role::kAttester}, sign::Revocation{0, "lost"});
  const auto revoked = attest(*desk, world.run, in(world.envelope(words, world.key)));
  ASSERT_FALSE(revoked);
  EXPECT_THAT(revoked.error().detail, HasSubstr("it is revoked"));
  EXPECT_EQ(world.store.head()->seq, 0U) << "nothing was stored";
}

TEST(DeskTest, TakesOnlyWhatTheOperatorAllows) {
  NotesWorld world;
  const auto nothing = world.desk(Takes::kNothing);
  EXPECT_EQ(code_of(attest(*nothing, world.run, kReproduced)), "403 NOTES_NOT_TAKEN");
  const auto only_signed = world.desk(Takes::kSigned);
  EXPECT_EQ(code_of(attest(*only_signed, world.run, kReproduced)), "403 NOTES_NOT_TAKEN");
  EXPECT_EQ(code_of(report(*only_signed, world.run, R"({"reason":"other","detail":"x"})")),
            "403 NOTES_NOT_TAKEN");
  EXPECT_EQ(world.store.head()->seq, 0U);
}

TEST(DeskTest, LimitsWhatOneClientFiles) {
  NotesWorld world;
  const auto desk = world.desk(Takes::kAnything, {.per_client_a_day = 2, .all_an_hour = 100});
  const auto note = [](int i) {
    return R"({"type":"reproduced","body":"note )" + std::to_string(i) + "\"}";
  };
  EXPECT_TRUE(attest(*desk, world.run, note(1)));
  EXPECT_EQ(code_of(attest(*desk, world.run, R"({"type":"reproduced","body":" "})")),
            "422 INVALID_ATTESTATION")
      << "what is refused does not count";
  EXPECT_TRUE(report(*desk, world.run, R"({"reason":"other","detail":"x"})"));
  const auto third = attest(*desk, world.run, note(3));
  EXPECT_EQ(code_of(third), "429 QUOTA_EXCEEDED");
  EXPECT_EQ(third.error().retry_after_seconds, 86'400U);
  EXPECT_TRUE(attest(*desk, world.run, note(3), "192.0.2.2")) << "another client is not hindered";
}

TEST(DeskTest, RowsOfOthersAndRowsThatCannotBeReadAreNoNotes) {
  NotesWorld world;
  const auto tx = world.store.begin();
  const auto add = [&](const std::string& id, const std::string& row) {
    ASSERT_TRUE((*tx)->append(catalog::Table::kAttestations, world.run.id + " " + id, 0,
                              std::nullopt, row));
  };
  const std::string digest = world.run.digest.to_string();
  add("a",
      R"({"createdAt":"2026-12-01T00:00:00.000Z","envelope":"x","kind":"controlled_rerun","runDigest":")" +
          digest + "\"}");
  add("b", R"({"createdAt":"yesterday","kind":"reproduced","runDigest":")" + digest + "\"}");
  add("c",
      R"({"createdAt":"2026-12-01T00:00:00.000Z","kind":"reproduced","runDigest":"sha256:other"})");
  add("d", R"({"createdAt":"2026-12-01T00:00:00.000Z","kind":"<script>","runDigest":")" + digest +
               "\"}");
  ASSERT_TRUE((*tx)->commit(world.clock.now(), "import"));
  EXPECT_EQ(world.notes().attestations_total, 0U);
}

TEST(RunNotesTest, AreBoundedAndNewestFirst) {
  NotesWorld world;
  const auto desk = world.desk(Takes::kAnything, {.per_client_a_day = 0});
  for (int i = 0; i < 203; ++i) {
    ASSERT_TRUE(attest(*desk, world.run,
                       R"({"type":"environment_note","body":"note )" + std::to_string(i) + "\"}"));
  }
  const RunNotes notes = world.notes();
  EXPECT_EQ(notes.attestations_total, 203U);
  ASSERT_EQ(notes.attestations.size(), kMaxShown);
  EXPECT_EQ(notes.attestations.front().attestation.body, "note 202");
}

}  // namespace
}  // namespace ki::notes::testing
