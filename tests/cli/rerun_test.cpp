// ki rerun: from a catalog with one published run to a signed, logged and assessed one, as a person
// and a script see it. The cells are real.
#include "cli_world.h"
#include "ki/json/reader.h"
#include "ki/sandbox/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ki::cli {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

const std::string kProblems = std::string(KI_SOURCE_DIR) + "/problems";

json::Document parsed(const std::string& text) {
  auto document = json::read_document(text, {.max_bytes = text.size() + 1});
  EXPECT_TRUE(document) << text;
  return *std::move(document);
}

// Why nothing can be measured now; empty when something was.
std::string why_not_measured(const std::string& out, const std::string& err) {
  if (err.find("another measurement runs on this machine") != std::string::npos)
    return "another process measures on this machine";
  if (out.find("timing_failed") != std::string::npos)
    return "this machine is too busy to time anything";
  return {};
}

TEST_F(CliTest, ARerunOfAPublishedRunIsSignedLoggedAndChecked) {
  if (const auto host = sandbox::Host::open(); !host)
    GTEST_SKIP() << "skipped: no sandbox here: " << host.error().to_string();
  const Outcome first = ki({"problem", "run", kProblems + "/vec_add", "--solution",
                            kProblems + "/vec_add/solutions/reference/solution.json", "--case",
                            "n65536", "--publish"});
  if (const auto why = why_not_measured(first.out, first.err); !why.empty())
    GTEST_SKIP() << "skipped: " << why;
  ASSERT_THAT(first.code, AnyOf(0, 4)) << first.err << first.out;
  EXPECT_THAT(first.err, HasSubstr("unsigned: the catalog has no runner key (ki key init)"));
  const auto runs = parsed(must({"runs", "--json"}));
  const std::string id(runs.root.find("runs")->items()[0].find("id")->string());

  EXPECT_THAT(ki({"rerun", id, "--problems", kProblems, "--dry-run"}).out,
              HasSubstr("1 case, 6 processes"));
  clock_.set(Instant{1'796'083'260'000});
  const Outcome again = ki({"rerun", id, "--problems", kProblems});
  if (const auto why = why_not_measured(again.out, again.err); !why.empty())
    GTEST_SKIP() << "skipped: " << why;
  ASSERT_THAT(again.code, AnyOf(0, 4)) << again.err << again.out;
  EXPECT_THAT(again.err, HasSubstr("the solution kept with run " + id));
  EXPECT_THAT(again.err, HasSubstr("made a runner key and a log key"));
  EXPECT_THAT(again.err, HasSubstr("began the transparency log ki.invalid/"));
  EXPECT_THAT(again.err, Not(HasSubstr("not believed")));

  // The newest run first.
  const auto after = parsed(must({"runs", "--json"}));
  ASSERT_EQ(after.root.find("runs")->items().size(), 2U);
  const std::string rerun(after.root.find("runs")->items()[0].find("id")->string());
  ASSERT_NE(rerun, id);
  const auto dossier = parsed(must({"show", "run", rerun, "--json"}));
  const auto statements = dossier.root.find("verifications")->items();
  ASSERT_EQ(statements.size(), 1U);
  EXPECT_TRUE(statements[0].find("problem")->is_null());
  bool is_verified = true;
  for (const json::Value& clause : statements[0].find("clauses")->items()) {
    const std::string_view letter = clause.find("clause")->string();
    const bool holds = clause.find("holds")->boolean();
    is_verified = is_verified && holds;
    // What a busy machine may fail: samples, processes that had none, sentinels, the interval; and
    // isolation where it lacks control groups.
    const std::string_view text = clause.find("text")->string();
    if (std::string_view("bdefg").find(letter) == std::string_view::npos &&
        text != "unresolved: unhealthy") {
      EXPECT_TRUE(holds) << letter << ": " << text;
    }
  }
  EXPECT_EQ(statements[0].find("verified")->boolean(), is_verified);
  EXPECT_EQ(again.code == 0, is_verified) << again.err;
  EXPECT_EQ(dossier.root.find("evidence")->string(), is_verified ? "verified" : "reproducible");
  EXPECT_EQ(parsed(must({"fsck", "--json"})).root.find("problems")->items().size(), 0U);

  const std::string verify = must({"verify", rerun});
  EXPECT_THAT(verify, HasSubstr("statement of runner this catalog"));
  EXPECT_THAT(verify, HasSubstr("computed anew from the records"));

  // The folder stands on its own; a changed record does not.
  const std::string folder = file("evidence");
  must({"export", "evidence", rerun, "--output", folder});
  EXPECT_THAT(must({"verify", folder}),
              HasSubstr("the published numbers are those of the records"));
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("record-")) continue;
    std::ofstream(entry.path(), std::ios::app) << " ";
    const Outcome changed = ki({"verify", folder});
    EXPECT_EQ(changed.code, 1);
    EXPECT_THAT(changed.out, HasSubstr("is the record that the statement names"));
  }

  // Whoever stops believing the runner takes the word back.
  const auto keys = parsed(must({"key", "list", "--json"}));
  for (const json::Value& key : keys.root.find("keys")->items()) {
    if (key.find("name")->string() != "runner") continue;
    must({"key", "revoke", std::string(key.find("keyid")->string()), "--reason", "a test", "--from",
          "0"});
  }
  EXPECT_EQ(parsed(must({"show", "run", rerun, "--json"})).root.find("evidence")->string(),
            "reproducible");
}

// The line that tools/kernels shows, on two clean catalogs.
TEST_F(CliTest, OurKernelHasTheSameIdentitiesOnEveryCleanCatalog) {
  if (const auto host = sandbox::Host::open(); !host)
    GTEST_SKIP() << "skipped: no sandbox here: " << host.error().to_string();
  const std::string problem = kProblems + "/kv_cache_update_with_rope_backward";
  std::vector<json::Document> runs;
  bool is_quiet = true;
  for (const char* name : {"first.db", "second.db"}) {
    must({"import", "manifest", std::string(KI_SOURCE_DIR) + "/registry/kernels", "--catalog",
          file(name)});
    const Outcome done =
        ki({"problem", "run", problem, "--solution", problem + "/solutions/cpu/solution.json",
            "--case", "9c6770e3312e", "--publish", "--catalog", file(name)});
    if (const auto why = why_not_measured(done.out, done.err); !why.empty())
      GTEST_SKIP() << "skipped: " << why;
    ASSERT_THAT(done.code, AnyOf(0, 4)) << done.err << done.out;
    is_quiet = is_quiet && done.code == 0;
    const auto list = parsed(must({"runs", "--json", "--catalog", file(name)}));
    const std::string id(list.root.find("runs")->items()[0].find("id")->string());
    runs.push_back(parsed(must({"show", "run", id, "--json", "--catalog", file(name)})));
  }
  const auto text = [&](std::size_t run, const char* part, const char* member) {
    return std::string(runs[run].root.find(part)->find(member)->string());
  };
  EXPECT_EQ(text(0, "implementation", "digest"), text(1, "implementation", "digest"));
  EXPECT_EQ(text(0, "workload", "digest"), text(1, "workload", "digest"));
  EXPECT_EQ(text(0, "cohort", "comparisonKey"), text(1, "cohort", "comparisonKey"));
  if (!is_quiet) GTEST_SKIP() << "skipped: this machine is too busy to compare two times on it";
  const auto bound = [&](std::size_t run, const char* end) {
    return runs[run].root.find("primary")->find("uncertainty")->find(end)->number();
  };
  // Not the bare intervals: a neighbour of a virtual machine moves more than one minute's interval
  // says.
  EXPECT_LT(bound(0, "low"), 1.5 * bound(1, "high"));
  EXPECT_LT(bound(1, "low"), 1.5 * bound(0, "high"));
}

TEST_F(CliTest, ARerunSaysWhatItCannotRun) {
  import_registry();
  const Outcome unknown = ki({"rerun", "no-such-kernel", "--problems", kProblems});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("neither a run nor an implementation"));
  EXPECT_EQ(ki({"rerun"}).code, 2);
  EXPECT_THAT(ki({"rerun", "x", "--problems", file("none")}).err, HasSubstr("rerun"));
  const auto runs = parsed(must({"runs", "--json"}));
  const std::string imported(runs.root.find("runs")->items()[0].find("id")->string());
  const Outcome python = ki({"rerun", imported, "--problems", kProblems});
  EXPECT_NE(python.code, 0);
  EXPECT_THAT(python.err, HasSubstr("has no source that this runner can build"));
  EXPECT_FALSE(std::filesystem::exists(catalog() + ".keys")) << "nothing was made";
}

}  // namespace
}  // namespace ki::cli
