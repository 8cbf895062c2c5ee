// ki job and ki runner: from a signed job to its results, as a person and a script see it.
#include "cli_world.h"
#include "ki/json/reader.h"
#include "ki/sandbox/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace ki::cli {
namespace {

using testing::HasSubstr;

const std::string kProblem = std::string(KI_SOURCE_DIR) + "/problems/vec_add";
const std::string kSolution = kProblem + "/solutions/reference/solution.json";

class JobTest : public CliTest {
 protected:
  json::Document parsed(const std::vector<std::string>& args) {
    const std::string text = must(args);
    auto document = json::read_document(text, {.max_bytes = text.size() + 1});
    EXPECT_TRUE(document) << text;
    return *std::move(document);
  }
  std::string submit(const std::vector<std::string>& more = {}) {
    std::vector<std::string> args = {"job",    "submit", kProblem,  "--solution", kSolution,
                                     "--case", "n65536", "--quick", "--json"};
    args.insert(args.end(), more.begin(), more.end());
    const json::Document made = parsed(args);
    return std::string(made.root.find("id")->string());
  }
  std::string state(const std::string& id) {
    const json::Document job = parsed({"job", "show", id, "--json"});
    return std::string(job.root.find("state")->string());
  }
};

TEST_F(JobTest, ASubmittedJobWaitsAndCanBeCancelled) {
  EXPECT_EQ(ki({"job", "list"}).code, 3) << "nothing was ever queued";
  const std::string id = submit();
  EXPECT_EQ(state(id), "queued");
  EXPECT_THAT(must({"job", "show", id}), HasSubstr("case n65536: no result yet"));
  EXPECT_EQ(parsed({"job", "list", "--json"}).root.find("jobs")->items().size(), 1U);
  EXPECT_THAT(must({"job", "cancel", id.substr(0, 30), "--reason", "wrong threads"}),
              HasSubstr("cancelled"));
  EXPECT_THAT(must({"job", "show", id}), HasSubstr("cancelled: wrong threads"));
  EXPECT_EQ(ki({"job", "cancel", id}).code, 1);
  EXPECT_EQ(
      parsed({"job", "list", "--state", "queued", "--json"}).root.find("jobs")->items().size(), 0U);
}

TEST_F(JobTest, WhatCannotBeDoneIsRefusedBeforeItIsQueued) {
  const struct {
    std::vector<std::string> args;
    int code;
  } kCases[] = {
      {{"job"}, 2},
      {{"job", "begin"}, 2},
      {{"job", "submit", kProblem}, 2},
      {{"job", "submit", kProblem, "--solution", kSolution, "--case", "none"}, 3},
      {{"job", "submit", kProblem, "--solution", kSolution, "--processes", "3"}, 2},
      {{"job", "submit", kProblem, "--solution", kSolution, "--host-class", "big"}, 2},
      {{"job", "submit", kProblem, "--solution", kSolution, "--time-limit", "2x"}, 2},
      {{"job", "submit", kProblem, "--solution", kSolution, "--attempts", "0"}, 2},
      {{"runner", "now"}, 2},
  };
  for (const auto& one : kCases) {
    const Outcome outcome = ki(one.args);
    EXPECT_EQ(outcome.code, one.code) << testing::PrintToString(one.args);
  }
  EXPECT_FALSE(std::filesystem::exists(catalog() + ".queue"));
  submit();
  EXPECT_EQ(ki({"job", "show", "0000000000"}).code, 3);
  EXPECT_EQ(ki({"job", "show"}).code, 2);
}

TEST_F(JobTest, ARunnerDoesTheJobOnceAndRefusesAProblemThatChanged) {
  if (const auto host = sandbox::Host::open(); !host)
    GTEST_SKIP() << "skipped: no sandbox here: " << host.error().to_string();
  const std::string copy = file("vec_add");
  std::filesystem::copy(kProblem, copy, std::filesystem::copy_options::recursive);
  const std::string moved = std::string(parsed({"job", "submit", copy, "--solution", kSolution,
                                                "--case", "n65536", "--quick", "--json"})
                                            .root.find("id")
                                            ->string());
  std::filesystem::remove_all(copy);
  clock_.set(Instant{1'796'083'260'000});
  const std::string id = submit();
  // The first job cannot be done, the second is.
  const Outcome refused = ki({"runner", "--once", "--any-load", "--problems", file("none")});
  if (refused.err.find("another measurement") != std::string::npos)
    GTEST_SKIP() << "skipped: another measurement runs on this machine";
  ASSERT_EQ(refused.code, 1) << refused.err;
  EXPECT_EQ(state(moved), "failed");
  EXPECT_THAT(must({"job", "show", moved}), HasSubstr("the problem vec_add is not at hand"));
  const Outcome ran = ki({"runner", "--once", "--any-load"});
  if (ran.err.find("another measurement") != std::string::npos)
    GTEST_SKIP() << "skipped: another measurement runs on this machine";
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  const json::Document job = parsed({"job", "show", id, "--json"});
  EXPECT_EQ(job.root.find("state")->string(), "done");
  EXPECT_EQ(job.root.find("attempts")->integer(), 1);
  ASSERT_EQ(job.root.find("results")->items().size(), 1U);
  EXPECT_EQ(job.root.find("results")->items()[0].find("case")->string(), "n65536");
  EXPECT_EQ(job.root.find("ignoredResults")->integer(), 0);
  EXPECT_THAT(ki({"runner"}).err, HasSubstr("no job waits"));
}

}  // namespace
}  // namespace ki::cli
