// Notes and reports on the run page, and the forms that make them.
#include "ki/notes/run_notes.h"

#include "ki/base/clock.h"
#include "ki/base/uuid.h"
#include "ki/json/reader.h"
#include "ki/notes/statement.h"
#include "page_check.h"
#include "web_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::web::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Instant kDay{1'769'817'600'000};  // 2026-01-31

class RunNotesTest : public ::testing::Test {
 protected:
  RunNotesTest() {
    catalog_.source("bench", "benchmark", R"({"url":"https://bench.example/data"})");
    catalog_.project("alpha");
    catalog_.operation({.slug = "gemm-n64"});
    const std::string workload = catalog_.workload("gemm-n64", 128);
    catalog_.implementation({.slug = "a1", .project = "alpha", .operation = "gemm-n64"});
    run_ = catalog_.run({.implementation = "a1", .workload = workload, .value = 1000});
    trust_ = std::make_shared<sign::TrustList>();
    EXPECT_TRUE(trust_->add({key_.public_key(), "lab", "Bench <Lab>", {sign::Role::kAttester}}));
    open(notes::Takes::kAnything);
  }
  // The site of the catalog as it is now.
  void open(notes::Takes takes) {
    desk_ = std::make_shared<notes::Desk>(
        notes::Desk::Options{.store = &catalog_.store(),
                             .clock = &clock_,
                             .takes = takes,
                             .limits = {.per_client_a_day = 5},
                             .seed = 11,
                             .read_trust = [this] { return Result<sign::TrustList>(*trust_); }});
    refresh();
  }
  void refresh() {
    world_ = std::make_unique<WebWorld>(catalog_.finish(), catalog_.store(), kDay,
                                        NotesParts{trust_, desk_});
  }
  http::Response post(const std::string& what, std::string body,
                      std::string type = "application/x-www-form-urlencoded") {
    auto response = world_->post("/runs/" + run_ + what, std::move(body), std::move(type));
    refresh();
    return response;
  }
  std::string page() const { return world_->page("/runs/" + run_); }

  views::testing::SmallCatalog catalog_;
  std::string run_;
  FixedClock clock_{kDay};
  sign::PrivateKey key_ = *sign::PrivateKey::from_seed(std::string(32, 'k'));
  std::shared_ptr<sign::TrustList> trust_;
  std::shared_ptr<notes::Desk> desk_;
  std::unique_ptr<WebWorld> world_;
};

TEST_F(RunNotesTest, AFormStoresANoteThatThePageShowsAsUnsigned) {
  EXPECT_THAT(page(), HasSubstr("method=\"post\""));
  const auto stored = post("/attestations",
                           "type=reproduced&body=34+us%0D%0Ahere&observed=1.25&observedUnit=us&"
                           "environmentSummary=B200&evidenceUrl=https%3A%2F%2Fa.example%2Flog");
  EXPECT_EQ(stored.status, 201);
  EXPECT_EQ(stored.cache, http::Cache::kNoStore);
  EXPECT_TRUE(page_faults(stored.body.bytes()).empty());
  EXPECT_THAT(std::string(stored.body.bytes()), HasSubstr("Your note is stored."));
  const std::string shown = visible_text(page());
  EXPECT_THAT(shown, HasSubstr("1 reproduced."));
  EXPECT_THAT(shown, HasSubstr("Reproduced · 2026-01-31 · unsigned note"));
  EXPECT_THAT(shown, HasSubstr("Observed 1.25 µs, 1.25× the recorded value · B200"));
  EXPECT_THAT(page(), HasSubstr("34 us<br>here"));
  EXPECT_THAT(page(), HasSubstr("rel=\"nofollow ugc noreferrer\" href=\"https://a.example/log\""));
  EXPECT_THAT(shown, Not(HasSubstr("No attestations yet.")));
}

TEST_F(RunNotesTest, MarkupInANoteStaysText) {
  for (const char* body :
       {"%3Cscript%3Ealert(1)%3C%2Fscript%3E", "%3Cimg+src%3Dx+onerror%3Dalert(1)%3E",
        "%22%3E%3Csvg+onload%3Dalert(1)%3E", "%27%26lt%3B%3C!--"}) {
    EXPECT_EQ(post("/attestations", std::string("type=environment_note&body=") + body +
                                        "&environmentSummary=%3Cb%3E")
                  .status,
              201);
  }
  EXPECT_EQ(
      post("/reports", "reason=other&detail=%3C%2Fli%3E%3Cscript%3Ealert(2)%3C%2Fscript%3E").status,
      201);
  const std::string html = page();  // strictly checked: no unknown element, no handler
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(html, HasSubstr("&lt;/li&gt;&lt;script&gt;alert(2)"));
  EXPECT_THAT(html, Not(HasSubstr("<script>")));
  EXPECT_THAT(html, Not(HasSubstr("<img src=x")));
}

TEST_F(RunNotesTest, ReportsAreShownWithTheirState) {
  ASSERT_EQ(post("/reports", "reason=wrong_attribution&detail=By+somebody+else").status, 201);
  EXPECT_THAT(visible_text(page()), HasSubstr("1 open report, 1 in all."));
  EXPECT_THAT(visible_text(page()),
              HasSubstr("Wrong attribution · 2026-01-31 · open · unsigned note"));
}

TEST_F(RunNotesTest, ASignatureIsShownWithItsOwnerAndEndsWithTheTrust) {
  const catalog::Index run = world_->snapshot().find_run(*Uuid::parse(run_));
  const Digest digest(world_->snapshot().runs()[run].digest);
  const auto document = json::read_document(
      R"({"envelope":)" +
      sign::to_json(notes::sign_attestation({digest, {"reproduced", "Yes."}, kDay}, key_)) + "}");
  ASSERT_TRUE(desk_->attest({run_, digest}, document->root, "192.0.2.1"));
  refresh();
  EXPECT_THAT(page(), HasSubstr("signed by Bench &lt;Lab&gt;"));
  trust_ = std::make_shared<sign::TrustList>();
  refresh();
  EXPECT_THAT(page(), HasSubstr("signature no longer believed"));
  EXPECT_THAT(page(), Not(HasSubstr("signed by Bench")));
}

TEST_F(RunNotesTest, HiddenWordsAreGoneFromThePage) {
  ASSERT_EQ(post("/attestations", "type=reproduced&body=an+insult").status, 201);
  const auto notes = notes::read_notes(
      catalog_.store(), world_->snapshot().seq(), run_,
      Digest(world_->snapshot().runs()[world_->snapshot().find_run(*Uuid::parse(run_))].digest),
      {});
  ASSERT_TRUE(desk_->hide(run_, notes->attestations.front().id, "insulting"));
  refresh();
  EXPECT_THAT(visible_text(page()), HasSubstr("Hidden by the operator on 2026-01-31: insulting"));
  EXPECT_THAT(page(), Not(HasSubstr("an insult")));
}

TEST_F(RunNotesTest, RefusesFormsThatAreNone) {
  struct Case {
    const char* why;
    std::string body;
    std::string type;
    int status;
    const char* code;
  };
  const std::string form = "application/x-www-form-urlencoded";
  for (const auto& [why, body, type, status, code] : {
           Case{"JSON", R"({"type":"reproduced","body":"x"})", "application/json", 415,
                "UNSUPPORTED_MEDIA_TYPE"},
           Case{"no type of content", "type=reproduced&body=x", "", 415, "UNSUPPORTED_MEDIA_TYPE"},
           Case{"several parts", "--x", "multipart/form-data; boundary=x", 415,
                "UNSUPPORTED_MEDIA_TYPE"},
           Case{"too large", "body=" + std::string(70'000, 'x'), form, 413, "PAYLOAD_TOO_LARGE"},
           Case{"bytes that are no UTF-8", "type=reproduced&body=%ff", form, 400, "INVALID_FORM"},
           Case{"a NUL", "type=reproduced&body=a%00b", form, 400, "INVALID_FORM"},
           Case{"a control character", "type=reproduced&body=a%1bb", form, 422,
                "INVALID_ATTESTATION"},
           Case{
               "a line of a header in an address",
               "type=reproduced&body=x&evidenceUrl=https%3A%2F%2Fa.example%2F%0D%0ASet-Cookie%3A+a",
               form, 422, "INVALID_ATTESTATION"},
           Case{"a script as address", "type=reproduced&body=x&evidenceUrl=javascript%3Aalert(1)",
                form, 422, "INVALID_ATTESTATION"},
           Case{"a field twice", "type=reproduced&body=x&body=y", form, 400, "INVALID_FORM"},
           Case{"an unknown field", "type=reproduced&body=x&author=me", form, 422,
                "INVALID_ATTESTATION"},
       }) {
    const auto response = post("/attestations", body, type);
    ASSERT_TRUE(response.problem) << why;
    EXPECT_EQ(response.problem->status, status) << why;
    EXPECT_EQ(response.problem->code, code) << why;
  }
  EXPECT_THAT(page(), HasSubstr("No attestations yet.")) << "nothing was stored";
}

TEST_F(RunNotesTest, ShowsNoFormWhereNoneIsTaken) {
  open(notes::Takes::kSigned);
  EXPECT_THAT(page(), Not(HasSubstr("method=\"post\"")));
  EXPECT_THAT(page(), HasSubstr("ki attest " + run_ + " --key"));
  EXPECT_EQ(post("/attestations", "type=reproduced&body=x").problem->code, "NOTES_NOT_TAKEN");
  desk_ = nullptr;
  refresh();
  EXPECT_THAT(page(), Not(HasSubstr("method=\"post\"")));
  EXPECT_THAT(page(), HasSubstr("does not take notes over the web"));
  EXPECT_EQ(post("/reports", "reason=other&detail=x").problem->code, "NOTES_NOT_TAKEN");
}

}  // namespace
}  // namespace ki::web::testing
