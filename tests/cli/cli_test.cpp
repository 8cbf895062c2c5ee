#include "cli_world.h"
#include "ki/io/file.h"
#include "ki/json/reader.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace ki::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

json::Document parsed(const std::string& text) {
  auto document = json::read_document(text, {.max_bytes = 64 << 20});
  EXPECT_TRUE(document) << document.error().to_string() << "\n" << text.substr(0, 400);
  return document ? *std::move(document) : json::Document{};
}

TEST_F(CliTest, SaysWhatIsWrongAndWhatToDo) {
  struct Case {
    const char* why;
    std::vector<std::string> args;
    int code;
    const char* message;
  };
  for (const auto& [why, args, code, message] : {
           Case{"no arguments", {}, 2, "usage: ki COMMAND"},
           Case{"a typo in the command", {"serch"}, 2, "did you mean 'search'?"},
           Case{"a typo in an option", {"search", "--jsn", "gemm"}, 2, "did you mean --json?"},
           Case{"an option without its value",
                {"search", "gemm", "--limit"},
                2,
                "--limit needs a value"},
           Case{"a number that is none",
                {"search", "gemm", "--limit", "many"},
                2,
                "expected an integer from 1 to 200"},
           Case{"an option twice", {"runs", "--limit", "1", "--limit", "2"}, 2, "given twice"},
           Case{"a flag with a value", {"stats", "--json=yes"}, 2, "--json takes no value"},
           Case{"no catalog yet",
                {"search", "gemm"},
                3,
                "make one with: ki import kernelindex FILE"},
           Case{"no such file",
                {"import", "kernelindex", "/nowhere/x.jsonl"},
                3,
                "/nowhere/x.jsonl"},
           Case{"an unknown source", {"import", "sool", "x"}, 2, "did you mean 'sol'?"},
           Case{"an unknown kind", {"manifest", "init", "workloadcase"}, 0, ""},
           Case{"a misspelt kind",
                {"manifest", "schema", "workload-caes"},
                2,
                "did you mean 'workload-case'?"},
           Case{"retract without a reason", {"retract", "01a0032f"}, 2, "--reason"},
       }) {
    SCOPED_TRACE(why);
    const Outcome outcome = ki(args);
    EXPECT_EQ(outcome.code, code) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
}

TEST_F(CliTest, EveryCommandHasAPageWithThreeExamples) {
  const std::string overview = must({"--help"});
  std::size_t pages = 0;
  for (std::size_t at = overview.find("\n  "); at != overview.npos && overview[at + 3] != ' ';
       at = overview.find("\n  ", at + 1)) {
    const std::string name = overview.substr(at + 3, overview.find(' ', at + 3) - at - 3);
    if (overview.find("ki COMMAND --help") < at) break;
    SCOPED_TRACE(name);
    const std::string page = must({name, "--help"});
    EXPECT_THAT(page, HasSubstr("Examples:"));
    std::size_t examples = 0;
    for (std::size_t i = page.find("\n  "); i != page.npos; i = page.find("\n  ", i + 1)) {
      const std::string line = page.substr(i + 3, page.find('\n', i + 3) - i - 3);
      examples += line.starts_with("ki " + name) || line.find("| ki " + name) != line.npos ? 1 : 0;
    }
    EXPECT_GE(examples, name == "backup" || name == "retract" || name == "supersede" ? 2U : 3U);
    EXPECT_THAT(page, HasSubstr("--help"));
    ++pages;
  }
  EXPECT_GE(pages, 20U);
}

TEST_F(CliTest, TheCatalogMayBeNamedBeforeTheCommand) {
  must({"--catalog", file("other.db"), "import", "manifest",
        std::string(KI_SOURCE_DIR) + "/registry/groups"});
  EXPECT_EQ(must({"--catalog=" + file("other.db"), "stats"}),
            must({"stats", "--catalog", file("other.db")}));
  EXPECT_FALSE(std::filesystem::exists(catalog()));
  EXPECT_EQ(ki({"--catalog", file("other.db")}).code, 2);
  EXPECT_EQ(ki({"--catalog"}).code, 2);
}

TEST_F(CliTest, AnswersAnExactQuestionFromTheBundledRegistry) {
  import_registry();
  const Outcome found = ki({"search", "kv cache update with rope backward", "gpu:B200", "--json"});
  EXPECT_EQ(found.code, 0) << found.err;
  const auto answer = parsed(found.out);
  EXPECT_EQ(answer.root.find("operation")->find("slug")->string(),
            "062-kv-cache-update-with-rope-backward");
  EXPECT_EQ(answer.root.find("cohort")->find("comparisonKey")->string(),
            "sha256:5b5e2ebc306eb72bcac874e2c6f62992facee9e17acf7c8c1ba30b39a7cb5da2");
  EXPECT_EQ(answer.root.find("policyVersion")->string(), "ranking-v1");
  EXPECT_THAT(ki({"search", "kv cache update with rope backward"}).out,
              HasSubstr("Ranks: ranking-v1, the order of reported values, not tested."));
}

TEST_F(CliTest, ResolveTellsScriptsByItsExitCode) {
  import_registry();
  const std::string op = "op:062-kv-cache-update-with-rope-backward";
  EXPECT_EQ(ki({"resolve", op, "gpu:B200"}).code, 0);
  EXPECT_EQ(ki({"resolve", op, "gpu:GB200"}).code, 4) << "B200 is not GB200";
  EXPECT_EQ(ki({"resolve", op, "gpu:B200", "--require", "verified"}).code, 4)
      << "nothing imported is verified";
  EXPECT_EQ(ki({"resolve", op, "gpu:B200", "--max-age", "1d"}).code, 4);
  EXPECT_EQ(ki({"resolve", "op:no-such-thing-anywhere"}).code, 3);
  const Outcome refused = ki({"resolve", op, "colour:red"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("UNKNOWN_FILTER"));
  const Outcome structured =
      ki({"resolve", "--manifest", "-"},
         R"({"operation":{"name":"062-kv-cache-update-with-rope-backward"},"colour":"red"})");
  EXPECT_EQ(structured.code, 2);
  EXPECT_THAT(structured.err, HasSubstr("/colour"));
  const Outcome batch = ki(
      {"resolve", "--manifest", "-", "--json"},
      R"({"requests":[{"query":"op:062-kv-cache-update-with-rope-backward"},{"query":"op:no-such-thing-anywhere"}]})");
  EXPECT_EQ(batch.code, 3) << "the worst of both";
  EXPECT_EQ(parsed(batch.out).root.find("results")->items().size(), 2U);
}

TEST_F(CliTest, ShowsARunWithEveryFactOfItsPage) {
  import_registry();
  const std::string text = must(
      {"show", "run", "sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d"});
  for (const char* fact :
       {"1.16 ms mean", "source-native comparison", "observed 2026-05-21",
        "SOL 0.0914 · 0.12× reference · 0/16 cases faster", "Amir M. Mir | SF Tensor",
        "submission-3483", "suite of 16 cases · mean latency", "sha256:f2fadd4714b17399",
        "NVIDIA SOL-ExecBench", "submission/3483",
        "Marked passed by the source; the correctness policy was not published.",
        "sol_execbench_eval", "SOL-ExecBench evaluation stack v1.0", "harness_reported",
        "sol_execbench_leaderboard", "NVIDIA B200 (sm_100)",
        "Multi head QKV projection with RoPE backward"}) {
    EXPECT_THAT(text, HasSubstr(fact));
  }
  const auto dossier = parsed(
      must({"show", "run",
            "sha256:b9be3851ba01fa36639e1781b1163df1094c0d27057f2f73b30c2c237f6e6423", "--json"}));
  EXPECT_EQ(dossier.root.find("primary")->find("value")->integer(), 33864);
  EXPECT_EQ(dossier.root.find("cohort")->find("comparisonKey")->string(),
            "sha256:5b5e2ebc306eb72bcac874e2c6f62992facee9e17acf7c8c1ba30b39a7cb5da2");
  EXPECT_EQ(dossier.root.find("manifest")->members().size(), 3U);
}

TEST_F(CliTest, CitesARunInFiveForms) {
  import_registry();
  const std::string run = "sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d";
  const std::string all =
      must({"show", "run", run, "--cite", "--style", "all", "--url", "https://example.invalid/"});
  for (const char* part :
       {"Accessed 2026-12-01", "@misc{ki-449ac0a4", "\"type\": \"dataset\"", "TY  - DATA",
        "cff-version: ", "https://example.invalid/runs/sha256:449ac0a4"}) {
    EXPECT_THAT(all, HasSubstr(part));
  }
  EXPECT_EQ(ki({"show", "run", run, "--cite", "--style", "mla"}).code, 2);
}

TEST_F(CliTest, VerifyPrintsEveryHashedTextAndItsKey) {
  import_registry();
  const std::string text =
      must({"verify", "sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d"});
  EXPECT_THAT(text, HasSubstr("{\"correctness\":{\"comparator\":\"sol_execbench_eval\""));
  EXPECT_THAT(text,
              HasSubstr("sha256:f2fadd4714b173994323325f959c5a9dee3fae25f36724513ac36e8c825b3eb8"));
  EXPECT_THAT(text, HasSubstr("All 8 recompute"));
  EXPECT_EQ(parsed(must({"verify",
                         "sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d",
                         "--json"}))
                .root.find("checks")
                ->items()
                .size(),
            8U);
}

TEST_F(CliTest, CompareNamesTheFirstKeyThatDiffers) {
  import_registry();
  const Outcome apart =
      ki({"compare", "sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d",
          "sha256:b9be3851ba01fa36639e1781b1163df1094c0d27057f2f73b30c2c237f6e6423"});
  EXPECT_EQ(apart.code, 1);
  EXPECT_THAT(apart.out, HasSubstr("First key that differs: operation"));
}

TEST_F(CliTest, ListsAreTablesJsonLinesAndTsv) {
  import_registry();
  struct Case {
    const char* command;
    std::vector<const char*> lists;  // members of the JSON document that hold the rows
  };
  for (const auto& [list, members] :
       {Case{"operations", {"operations"}}, Case{"projects", {"projects"}}, Case{"runs", {"runs"}},
        Case{"hardware", {"hardware"}}, Case{"models", {"kernel", "serving"}},
        Case{"sources", {"sources"}}, Case{"records", {"records"}}, Case{"changes", {}},
        Case{"ranks", {"ranks"}}}) {
    SCOPED_TRACE(list);
    std::vector<std::string> args = {list};
    if (std::string(list) == "records") args.push_back("--all");
    const auto with = [&](const char* flag) {
      auto more = args;
      more.emplace_back(flag);
      return must(more);
    };
    const auto document = parsed(with("--json"));
    std::size_t rows = 0;
    for (const char* member : members) rows += document.root.find(member)->items().size();
    if (members.empty()) {
      for (const json::Value& day : document.root.find("days")->items()) {
        rows += day.find("entries")->items().size();
      }
    }
    std::size_t lines = 0;
    for (const char c : with("--jsonl")) lines += c == '\n' ? 1 : 0;
    std::size_t tsv = 0;
    for (const char c : with("--tsv")) tsv += c == '\n' ? 1 : 0;
    EXPECT_EQ(lines, rows);
    EXPECT_EQ(tsv, rows + 1);
    EXPECT_FALSE(must(args).empty());
  }
}

TEST_F(CliTest, ALimitBeyondAPageIsMetPageByPage) {
  import_registry();
  const auto one = parsed(must({"operations", "--limit", "1", "--json"}));
  ASSERT_FALSE(one.root.find("nextCursor")->is_null());
  const auto rest = parsed(must({"operations", "--limit", "1", "--cursor",
                                 std::string(one.root.find("nextCursor")->string()), "--json"}));
  EXPECT_NE(one.root.find("operations")->items()[0].find("slug")->string(),
            rest.root.find("operations")->items()[0].find("slug")->string());
  const auto all = parsed(must({"operations", "--limit", "100000", "--json"}));
  EXPECT_EQ(static_cast<std::int64_t>(all.root.find("operations")->items().size()),
            all.root.find("total")->integer());
  const Outcome foreign =
      ki({"runs", "--cursor", std::string(one.root.find("nextCursor")->string())});
  EXPECT_EQ(foreign.code, 2);
  EXPECT_THAT(foreign.err, HasSubstr("another list"));
}

TEST_F(CliTest, ARunListIsPagedWithoutGapsOrRepeats) {
  import_registry();
  std::vector<std::string> ids;
  std::string cursor;
  for (int page = 0; page < 10; ++page) {
    std::vector<std::string> args = {"runs", "--limit", "1", "--json"};
    if (!cursor.empty()) args.insert(args.end(), {"--cursor", cursor});
    const auto document = parsed(must(args));
    for (const json::Value& row : document.root.find("runs")->items())
      ids.emplace_back(row.find("id")->string());
    const json::Value* next = document.root.find("nextCursor");
    if (next->is_null()) break;
    cursor = next->string();
  }
  auto distinct = ids;
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  EXPECT_EQ(distinct.size(), ids.size());
  EXPECT_EQ(ids.size(), parsed(must({"runs", "--json"})).root.find("runs")->items().size());
}

TEST_F(CliTest, AnImportCountsTheFilesOfAFolder) {
  const std::string groups = std::string(KI_SOURCE_DIR) + "/registry/groups";
  const auto files = std::distance(std::filesystem::directory_iterator(groups), {});
  ASSERT_GT(files, 1);
  EXPECT_THAT(must({"import", "manifest", groups, "--dry-run"}),
              HasSubstr(" in " + std::to_string(files) + " files\n"));
}

TEST_F(CliTest, ImportingTheRegistryTwiceChangesNothing) {
  import_registry();
  const std::string before = must({"stats", "--json"});
  EXPECT_THAT(must({"import", "manifest", std::string(KI_SOURCE_DIR) + "/registry/groups"}),
              HasSubstr("Nothing new"));
  EXPECT_EQ(must({"stats", "--json"}), before);
}

TEST_F(CliTest, CorrectionsStayVisibleAndMoveTheLead) {
  import_registry();
  const auto leader = [&] {
    const auto answer =
        parsed(ki({"search", "op:062-kv-cache-update-with-rope-backward", "--json"}).out);
    return std::string(
        answer.root.find("groups")->find("exact")->items()[0].find("runId")->string());
  };
  const std::string first = leader();
  EXPECT_THAT(must({"retract", first, "--reason", "a test of corrections"}),
              HasSubstr("The group's leader is now run"));
  EXPECT_NE(leader(), first);
  EXPECT_THAT(must({"show", "run", first}), HasSubstr("RETRACTED"));
  EXPECT_THAT(must({"show", "run", first}), HasSubstr("a test of corrections"));
  EXPECT_EQ(ki({"retract", first, "--reason", "once more"}).code, 1) << "a run is retracted once";
  EXPECT_EQ(ki({"supersede", first, first, "--reason", "by itself"}).code, 2);
  EXPECT_THAT(must({"changes"}), HasSubstr(" retracted: a test of corrections"));
  EXPECT_THAT(must({"changes", "--tsv"}), HasSubstr(first));
  EXPECT_EQ(ki({"fsck"}).code, 0);
}

TEST_F(CliTest, ManifestsAreStartedValidatedAndDigested) {
  for (const char* kind : {"operation-spec", "workload-case", "workload-suite", "software-project",
                           "implementation-revision", "benchmark-protocol", "execution-environment",
                           "benchmark-run", "model-revision", "serving-stack-revision",
                           "serving-configuration", "serving-workload", "serving-run"}) {
    SCOPED_TRACE(kind);
    const std::string text = must({"manifest", "init", kind});
    const Outcome valid = ki({"manifest", "validate", "-"}, text);
    EXPECT_EQ(valid.code, 0) << valid.out << valid.err;
    EXPECT_THAT(ki({"manifest", "digest", "-"}, text).out, HasSubstr("sha256:"));
    EXPECT_THAT(must({"manifest", "schema", kind}), HasSubstr("\"$schema\""));
  }
  const Outcome invalid =
      ki({"manifest", "validate", "-"},
         "apiVersion: kernelindex.dev/v1alpha1\nkind: SoftwareProject\nmetadata: {name: p}\nspec: "
         "{name: 1.10, colour: red}\n");
  EXPECT_EQ(invalid.code, 1);
  EXPECT_THAT(invalid.out, HasSubstr("-:4:"));
  EXPECT_THAT(invalid.out, HasSubstr("/spec/colour"));
  EXPECT_THAT(invalid.out, HasSubstr("/spec/name"));
}

TEST_F(CliTest, CompletionScriptsAreSyntacticallySound) {
  ASSERT_TRUE(io::write_file_atomically(file("ki.bash"), must({"completion", "bash"})));
  EXPECT_EQ(std::system(("bash -n " + file("ki.bash")).c_str()), 0);
  EXPECT_THAT(must({"completion", "zsh"}), HasSubstr("#compdef ki"));
  EXPECT_THAT(must({"completion", "fish"}), HasSubstr("complete -c ki"));
  EXPECT_EQ(ki({"completion", "tcsh"}).code, 2);
}

}  // namespace
}  // namespace ki::cli
