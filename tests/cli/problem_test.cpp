// ki problem: what a person and a script see of problems.
#include "cli_world.h"
#include "ki/harness/record.h"
#include "ki/json/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ki::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

json::Document parsed(const std::string& text) {
  auto document = json::read_document(text, {.max_bytes = text.size() + 1});
  EXPECT_TRUE(document) << text;
  return *std::move(document);
}

const std::string kProblems = std::string(KI_SOURCE_DIR) + "/problems";

TEST_F(CliTest, ANewProblemValidatesAndIsListed) {
  const std::string folder = file("problems/twice");
  EXPECT_THAT(must({"problem", "init", folder, "--name", "twice"}),
              HasSubstr("ki problem validate"));
  const std::string text = must({"problem", "validate", folder});
  EXPECT_THAT(
      text,
      HasSubstr("strict valid · compatible but for our extensions · 2 workloads · 1 solutions"));
  EXPECT_THAT(text, Not(HasSubstr("is ours")));
  EXPECT_THAT(must({"problem", "list", file("problems")}), HasSubstr("twice"));
  EXPECT_EQ(ki({"problem", "init", folder, "--name", "twice"}).code, 1) << "never written over";
}

TEST_F(CliTest, EveryShippedProblemValidates) {
  const auto document = parsed(must({"problem", "list", kProblems, "--json"}));
  const auto rows = document.root.find("problems")->items();
  ASSERT_FALSE(rows.empty());
  for (const json::Value& row : rows) {
    const std::string name(row.find("folder")->string());
    EXPECT_EQ(ki({"problem", "validate", kProblems + "/" + name}).code, 0) << name;
  }
}

TEST_F(CliTest, ARefusedProblemNamesEveryFindingAndItsVerdict) {
  const std::string folder = file("bad");
  must({"problem", "init", folder, "--name", "bad"});
  std::ofstream(folder + "/workload.jsonl")
      << R"({"uuid": "a", "axes": {"n": 4.0}, "inputs": {"x": {}}, "tolerance": {"max_atol": NaN}})";
  const Outcome strict = ki({"problem", "validate", folder});
  EXPECT_EQ(strict.code, 1);
  EXPECT_THAT(strict.out,
              HasSubstr("workload.jsonl:1:29 /0/axes/n: coerced: 4 is not spelled as an integer "
                        "(write 4) [strict only]"));
  EXPECT_THAT(strict.out, HasSubstr("missing_type"));
  EXPECT_THAT(strict.out, HasSubstr("not_finite"));
  const auto document = parsed(ki({"problem", "validate", folder, "--json"}).out);
  const json::Value& file = document.root.items()[0].find("files")->items()[1];
  EXPECT_EQ(file.find("file")->string(), "workload.jsonl");
  EXPECT_FALSE(file.find("strict")->boolean());
  EXPECT_TRUE(file.find("compatible")->boolean());
  EXPECT_EQ(file.find("findings")->items().size(), 3U);
}

TEST_F(CliTest, AProblemWithAReferenceThatOnlyPythonRefusesIsRefused) {
  if (!std::filesystem::exists("/usr/bin/python3"))
    GTEST_SKIP() << "skipped: python3 is not installed";
  const std::string folder = file("syntax");
  must({"problem", "init", folder, "--name", "syntax"});
  std::ifstream in(folder + "/definition.json");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  text.replace(text.find("return 2 * x"), 12, "return 2 * *");
  std::ofstream(folder + "/definition.json") << text;
  const Outcome outcome = ki({"problem", "validate", folder});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("python3 does not parse the reference: "));
}

TEST_F(CliTest, ARunPlansJudgesTimesAndWritesTracesThatTheOriginalReads) {
  if (!sandbox::Host::open()) GTEST_SKIP() << "skipped: no sandbox can be made here";
  const std::string folder = kProblems + "/vec_add";
  const std::string solution = folder + "/solutions/reference/solution.json";
  const std::vector<std::string> line = {"problem",     "run",    folder,   "--solution",
                                         solution,      "--case", "n65536", "--quick",
                                         "--processes", "1",      "--seed", "7"};
  auto dry = line;
  dry.emplace_back("--dry-run");
  EXPECT_THAT(must(dry), HasSubstr("vec_add · vec_add_reference · ki_cold_v1 · 1 case, 1 process"));

  auto full = line;
  for (const char* more : {"--json", "--output"}) full.emplace_back(more);
  full.push_back(file("traces.jsonl"));
  const Outcome outcome = ki(full);
  if (outcome.err.find("another measurement runs on this machine") != std::string::npos)
    GTEST_SKIP() << "skipped: another process measures on this machine: " << outcome.err;
  if (outcome.out.find("timing_failed") != std::string::npos)
    GTEST_SKIP() << "skipped: this machine is too busy to time anything";
  // 4: everything passed, and this machine was too busy to measure well.
  EXPECT_TRUE(outcome.code == 0 || outcome.code == 4) << outcome.err << outcome.out;
  const auto result = parsed(outcome.out);
  const json::Value& one = result.root.find("cases")->items()[0];
  EXPECT_EQ(one.find("strict")->find("status")->string(), "PASSED");
  EXPECT_EQ(one.find("compatible")->find("status")->string(), "PASSED");
  EXPECT_GT(one.find("timing")->find("medianNs")->number(), 0);
  EXPECT_EQ(result.root.find("key")->string(), judge::RunKey::of_seed(7).hex());

  std::ifstream in(file("traces.jsonl"));
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto trace = problem::read_trace(text.substr(0, text.find('\n')));
  ASSERT_TRUE(trace.is_accepted(problem::Mode::kCompatible));
  EXPECT_EQ(trace.value->evaluation->status, problem::Status::kPassed);
  EXPECT_GT(trace.value->evaluation->performance->latency_ms, 0);

  // The importer of the original's folders takes problem, solution and traces.
  const std::filesystem::path tree = file("tree/vec_add");
  std::filesystem::create_directories(tree);
  for (const char* part :
       {"definition.json", "workload.jsonl", "solutions/reference/solution.json"})
    std::filesystem::copy_file(folder + "/" + part, tree / std::filesystem::path(part).filename());
  std::filesystem::copy_file(file("traces.jsonl"), tree / "traces.jsonl");
  EXPECT_THAT(must({"import", "sol", file("tree"), "--publish", "--examples-commit",
                    "0123456789012345678901234567890123456789"}),
              HasSubstr("Published: 1 run"));
  EXPECT_THAT(must({"runs"}), HasSubstr("passed"));

  // What is stored is enough to compute every statistic again; a changed sample is found.
  const auto key = judge::RunKey::of_seed(7);
  EXPECT_TRUE(harness::read_case(one, key));
  std::string changed = outcome.out;
  // Of a sample that counts: [process, time, time, 0].
  const std::size_t end = changed.find(",0]", changed.find("\"samples\":[[1,"));
  ASSERT_NE(end, std::string::npos) << "no sample was accepted: this machine is too busy";
  const std::size_t sample = changed.rfind("[1,", end) + 3;
  changed.replace(sample, 1, changed[sample] == '9' ? "8" : "9");
  const auto read = harness::read_case(parsed(changed).root.find("cases")->items()[0], key);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), Code::kCorrupt);
}

TEST_F(CliTest, ARunOfWhatDoesNotCompileSaysSo) {
  if (!sandbox::Host::open()) GTEST_SKIP() << "skipped: no sandbox can be made here";
  const std::string folder = file("broken");
  must({"problem", "init", folder, "--name", "broken"});
  std::ofstream(folder + "/solutions/reference/kernel.c") << "int32_t kernel(;";
  const Outcome outcome = ki({"problem", "run", kProblems + "/vec_add", "--solution",
                              folder + "/solutions/reference/solution.json", "--quick"});
  EXPECT_EQ(outcome.code, 2) << "it is for another definition";
  EXPECT_THAT(outcome.err, HasSubstr("definition_mismatch"));
}

}  // namespace
}  // namespace ki::cli
