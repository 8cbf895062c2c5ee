// ki attest, ki report, ki moderate: on the catalog file and over a server.
#include "cli_world.h"
#include "ki/base/text.h"
#include "ki/http/server.h"
#include "ki/json/reader.h"
#include "ki/serve/desk.h"
#include "ki/serve/service.h"
#include "ki/serve/site.h"
#include "ki/sign/key_file.h"

#include <gmock/gmock.h>

namespace ki::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kRun =
    "sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d";

class NotesTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    import_registry();
    EXPECT_TRUE(sign::write_private_key(file("attester.pem"), key_));
    EXPECT_TRUE(sign::write_public_key(file("attester.pub"), key_.public_key()));
  }
  void trust_attester() const {
    must({"key", "trust", file("attester.pub"), "--role", "attester", "--owner", "Bench Lab",
          "--name", "lab"});
  }
  static std::string id_in(const std::string& json) {
    const auto document = json::read_document(json);
    return document ? std::string(document->root.find("id")->string()) : "";
  }
  sign::PrivateKey key_ = sign::PrivateKey::generate();
};

TEST_F(NotesTest, ANoteIsFiledOnceShownAndHidden) {
  const std::vector<std::string> args = {"attest",     kRun,     "--type",
                                         "reproduced", "--text", "1.2 ms\nhere too",
                                         "--observed", "1.2ms",  "--json"};
  const std::string id = id_in(must(args));
  EXPECT_THAT(must(args), HasSubstr("\"new\": false"));
  EXPECT_THAT(must({"show", "run", kRun}),
              HasSubstr("Notes\n  reproduced  2026-12-01 · unsigned note · 1.2 ms here too\n"));
  EXPECT_THAT(must({"moderate", "hide", kRun, id, "--reason", "an insult"}), HasSubstr("hidden"));
  const std::string shown = must({"show", "run", kRun});
  EXPECT_THAT(shown, HasSubstr("hidden: an insult"));
  EXPECT_THAT(shown, Not(HasSubstr("here too")));
  EXPECT_THAT(must({"fsck"}), HasSubstr("everything recomputes"));
}

TEST_F(NotesTest, AReportStaysOpenUntilItIsClosed) {
  const std::string id = id_in(must({"report", kRun, "--reason", "license_issue", "--text",
                                     "The licence is another.", "--json"}));
  EXPECT_THAT(must({"show", "run", kRun}), HasSubstr("open · license issue: The licence is"));
  must({"moderate", "dismiss", kRun, id, "--reason", "it is as stated"});
  EXPECT_THAT(must({"show", "run", kRun}), HasSubstr("dismissed · license issue"));
  EXPECT_EQ(ki({"moderate", "resolve", kRun, id, "--reason", "x"}).code, 1) << "closed once";
  EXPECT_EQ(ki({"moderate", "praise", kRun, id, "--reason", "x"}).code, 2);
}

TEST_F(NotesTest, AnExportKeepsNotes) {
  must({"attest", kRun, "--type", "reproduced", "--text", "kept"});
  must({"report", kRun, "--text", "kept too"});
  must({"export", file("all.jsonl.zst")});
  must({"import", "kernelindex", file("all.jsonl.zst"), "--catalog", file("copy.db")});
  const std::string shown = must({"show", "run", kRun, "--catalog", file("copy.db")});
  EXPECT_THAT(shown, HasSubstr("unsigned note · kept\n"));
  EXPECT_THAT(shown, HasSubstr("other: kept too"));
}

TEST_F(NotesTest, ASignatureCountsWhenItsKeyIsTrusted) {
  const std::vector<std::string> args = {"attest", kRun,         "--key",  file("attester.pem"),
                                         "--type", "reproduced", "--text", "34 us in our lab"};
  const Outcome refused = ki(args);
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("ki key trust KEY.pem --role attester"));
  must({"key", "init", "--origin", "log.example/lab"});
  must({"log", "init"});
  trust_attester();
  EXPECT_THAT(must(args), HasSubstr("signed by Bench Lab"));
  EXPECT_THAT(must({"show", "run", kRun}), HasSubstr("signed by Bench Lab · 34 us in our lab"));
  EXPECT_THAT(must({"log", "verify"}),
              HasSubstr("The catalog's rows are those that the log names"));
  must({"key", "revoke", "lab", "--from", "0", "--reason", "stolen"});
  EXPECT_THAT(must({"show", "run", kRun}), HasSubstr("signature no longer believed"));
}

TEST_F(NotesTest, AServerTakesWhatItsOperatorAllows) {
  trust_attester();
  http::Metrics unused;
  const auto desk =
      serve::open_desk({.catalog = catalog(), .takes = notes::Takes::kSigned, .clock = &clock_});
  ASSERT_TRUE(desk);
  serve::Options options;
  options.catalog = catalog();
  options.snapshot_file = catalog() + ".snapshot";
  options.build = "test";
  options.http.clock = &clock_;
  options.http.listen.port = 0;
  options.http.threads = 1;
  options.mounts = serve::site_parts(*desk);
  const auto service = serve::Service::start(options);
  ASSERT_TRUE(service) << service.error().to_string();
  const std::string url = (*service)->address();
  const std::vector<std::string> words = {"attest", kRun,     "--type", "environment_note",
                                          "--text", "driver", "--api",  url};
  const Outcome unsigned_note = ki(words);
  EXPECT_EQ(unsigned_note.code, 2);
  EXPECT_THAT(unsigned_note.err, HasSubstr("takes signed attestations only"));
  std::vector<std::string> signed_words = words;
  signed_words.insert(signed_words.end(), {"--key", file("attester.pem")});
  EXPECT_THAT(must(signed_words), HasSubstr("signed by Bench Lab"));
  EXPECT_THAT(must({"show", "run", kRun}), HasSubstr("signed by Bench Lab · driver"));
}

TEST_F(NotesTest, SaysWhatIsMissing) {
  struct Case {
    const char* why;
    std::vector<std::string> args;
    int code;
    const char* message;
  };
  for (const auto& [why, args, code, message] : {
           Case{"no run", {"attest"}, 2, "which run?"},
           Case{"no type", {"attest", kRun, "--text", "x"}, 2, "--type"},
           Case{"an unknown type",
                {"attest", kRun, "--type", "praise", "--text", "x"},
                2,
                "expected one of"},
           Case{"no words", {"report", kRun}, 2, "--text TEXT"},
           Case{"no such run", {"report", "sha256:000000", "--text", "x"}, 3, "no run"},
           Case{"no time",
                {"attest", kRun, "--type", "reproduced", "--text", "x", "--observed", "fast"},
                2,
                "33.9us"},
           Case{"no key file",
                {"attest", kRun, "--type", "reproduced", "--text", "x", "--key", "/nowhere.pem"},
                3,
                "--key /nowhere.pem"},
           Case{"no reason", {"moderate", "hide", kRun, "x"}, 2, "--reason"},
           Case{"no such note",
                {"moderate", "hide", kRun, "x", "--reason", "y"},
                3,
                "no attestation"},
       }) {
    const Outcome outcome = ki(args);
    EXPECT_EQ(outcome.code, code) << why << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << why;
  }
}

}  // namespace
}  // namespace ki::cli
