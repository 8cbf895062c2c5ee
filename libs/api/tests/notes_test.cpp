// attestRun, reportRun, and what getRun shows of them.
#include "api_world.h"
#include "conformance.h"
#include "ki/base/clock.h"
#include "ki/notes/statement.h"
#include "ki/store_memory/memory_store.h"

namespace ki::api::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct NotesSite {
  NotesSite() {
    catalog.source("bench", "benchmark");
    catalog.project("alpha");
    catalog.operation({.slug = "gemm-n64"});
    const std::string workload = catalog.workload("gemm-n64", 128);
    catalog.implementation({.slug = "a1", .project = "alpha", .operation = "gemm-n64"});
    run = catalog.run({.implementation = "a1", .workload = workload, .value = 1000});
    catalog.finish();
    trust = std::make_shared<sign::TrustList>();
    EXPECT_TRUE(trust->add({key.public_key(), "lab", "Bench Lab", {sign::Role::kAttester}}));
    desk = std::make_shared<notes::Desk>(
        notes::Desk::Options{.store = &catalog.store(),
                             .clock = &clock,
                             .takes = notes::Takes::kAnything,
                             .limits = {.per_client_a_day = 4},
                             .seed = 9,
                             .read_trust = [this] { return Result<sign::TrustList>(*trust); }});
  }
  std::shared_ptr<const Site> site(bool takes_notes = true) {
    Site made = *site_of(catalog.finish(), catalog.store());
    made.trust = trust;
    if (takes_notes) made.desk = desk;
    return std::make_shared<const Site>(std::move(made));
  }

  views::testing::SmallCatalog catalog;
  std::string run;
  FixedClock clock{kNow};
  sign::PrivateKey key = *sign::PrivateKey::from_seed(std::string(32, 'k'));
  std::shared_ptr<sign::TrustList> trust;
  std::shared_ptr<notes::Desk> desk;
};

TEST(NotesApiTest, StoresANoteAndShowsItInTheDossier) {
  NotesSite world;
  const auto filed = ask(
      world.site(), "attestRun", {{"run", world.run}},
      R"({"type":"reproduced","body":"<b>34 us</b> here","evidenceUrl":"https://a.example/x"})");
  ASSERT_EQ(filed.status(), 201) << filed.code();
  const auto answer = filed.json();
  EXPECT_THAT(problems_with(answer.root, "Filed"), IsEmpty());
  EXPECT_TRUE(answer.root.find("keyId")->is_null());

  const auto reported = ask(world.site(), "reportRun", {{"run", world.run}},
                            R"({"reason":"comparability","detail":"Another clock."})");
  ASSERT_EQ(reported.status(), 201);

  const auto dossier = ask(world.site(), "getRun", {{"run", world.run}}).json();
  EXPECT_THAT(problems_with(dossier.root, "RunDossier"), IsEmpty());
  ASSERT_EQ(dossier.root.find("attestations")->items().size(), 1U);
  const json::Value& note = dossier.root.find("attestations")->items().front();
  EXPECT_EQ(note.find("body")->string(), "<b>34 us</b> here");
  EXPECT_EQ(note.find("signing")->string(), "unsigned");
  EXPECT_EQ(dossier.root.find("openReports")->integer(), 1);
}

TEST(NotesApiTest, ShowsASignedAttestationAsSigned) {
  NotesSite world;
  const auto before = ask(world.site(), "getRun", {{"run", world.run}}).json();
  const Digest digest = *Digest::parse(before.root.find("run")->find("digest")->string());
  const std::string envelope =
      sign::to_json(notes::sign_attestation({digest, {"reproduced", "Yes."}, kNow}, world.key));
  const auto filed =
      ask(world.site(), "attestRun", {{"run", world.run}}, R"({"envelope":)" + envelope + "}");
  ASSERT_EQ(filed.status(), 201) << filed.response.problem->detail;
  EXPECT_EQ(filed.json().root.find("owner")->string(), "Bench Lab");
  const auto dossier = ask(world.site(), "getRun", {{"run", world.run}}).json();
  EXPECT_THAT(problems_with(dossier.root, "RunDossier"), IsEmpty());
  const json::Value& note = dossier.root.find("attestations")->items().front();
  EXPECT_EQ(note.find("signing")->string(), "signed");
  EXPECT_EQ(note.find("owner")->string(), "Bench Lab");
}

TEST(NotesApiTest, RefusesWithAProblemOfItsOwn) {
  NotesSite world;
  struct Case {
    const char* why;
    const char* operation;
    std::string run;
    std::string body;
    int status;
    const char* code;
  };
  const std::string words = R"({"type":"reproduced","body":"x"})";
  for (const auto& [why, operation, run, body, status, code] : {
           Case{"no such run", "attestRun", "01a0ffff-0000-7000-8000-000000000000", words, 404,
                "RUN_NOT_FOUND"},
           Case{"no words", "attestRun", world.run, R"({"type":"reproduced"})", 422,
                "INVALID_ATTESTATION"},
           Case{"no reason", "reportRun", world.run, R"({"detail":"x"})", 422, "INVALID_REPORT"},
           Case{"no JSON", "attestRun", world.run, "type=reproduced", 400, "INVALID_JSON"},
           Case{"bytes that are no UTF-8", "attestRun", world.run,
                "{\"type\":\"reproduced\",\"body\":\"\xff\xfe\"}", 400, "INVALID_JSON"},
           Case{"too large", "attestRun", world.run,
                R"({"type":"reproduced","body":")" + std::string(70'000, 'x') + "\"}", 413,
                "PAYLOAD_TOO_LARGE"},
       }) {
    const auto refused = ask(world.site(), operation, {{"run", run}}, body);
    EXPECT_EQ(refused.response.problem ? refused.response.problem->status : 0, status) << why;
    EXPECT_EQ(refused.code(), code) << why;
  }
  EXPECT_EQ(ask(world.site(false), "attestRun", {{"run", world.run}}, words).code(),
            "NOTES_NOT_TAKEN");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(ask(world.site(), "attestRun", {{"run", world.run}},
                  R"({"type":"reproduced","body":"x)" + std::to_string(i) + "\"}")
                  .status(),
              201);
  }
  const auto fifth = ask(world.site(), "attestRun", {{"run", world.run}},
                         R"({"type":"reproduced","body":"one more"})");
  EXPECT_EQ(fifth.code(), "QUOTA_EXCEEDED");
  EXPECT_EQ(fifth.response.problem->retry_after_seconds, 86'400U);
}

TEST(NotesApiTest, RoutesThatStoreSomethingSaySo) {
  NotesSite world;
  for (const http::Route& route : routes(world.site())) {
    const bool is_note =
        route.pattern.ends_with("/attestations") || route.pattern.ends_with("/reports");
    EXPECT_EQ(route.is_write, is_note) << route.pattern;
    EXPECT_TRUE(route.may_block || !is_note) << route.pattern;
  }
}

}  // namespace
}  // namespace ki::api::testing
