// Every answer is what the OpenAPI document says.
#include "api_world.h"
#include "conformance.h"
#include "ki/views/parts.h"

#include <set>

namespace ki::api::testing {
namespace {

using ::testing::IsEmpty;

struct Call {
  std::string operation;
  Values values = {};
  std::string body = {};
};

void expect_conforming(const std::shared_ptr<const Site>& site, const Call& call) {
  std::string trace = call.operation + " " + call.body;
  for (const auto& [name, value] : call.values) trace += " " + name + "=" + value;
  SCOPED_TRACE(trace);
  const Outcome outcome = ask(site, call.operation, call.values, call.body);
  ASSERT_EQ(outcome.status(), 200)
      << outcome.code() << " "
      << (outcome.response.problem ? outcome.response.problem->detail : "");
  const Operation& operation = *find_operation(call.operation);
  if (operation.answer.empty()) return;
  EXPECT_EQ(outcome.response.content_type, "application/json");
  EXPECT_EQ(outcome.response.cache, operation.cache);
  EXPECT_THAT(problems_with(outcome.json().root, operation.answer), IsEmpty());
}

TEST(AnswersTest, AreWhatTheSchemaSaysOnThePublicCatalog) {
  const auto site = public_site();
  if (site == nullptr) GTEST_SKIP() << "skipped: ../shared is absent";
  const catalog::Snapshot& s = site->snapshot();
  const auto trimul = s.cohorts_of_operation(s.find_operation("gpumode-trimul")).front();
  const std::string leader = views::id_text(s.runs()[s.runs_of_cohort(trimul)[0]].id);
  const std::string second = views::digest_text(s.runs()[s.runs_of_cohort(trimul)[1]].digest);
  std::set<std::string> asked;
  const std::vector<Call> calls = {
      {"search", {{"q", "op:gpumode-trimul gpu:A100"}}},
      {"search", {{"q", "op:gpumode-amd-fp8-mm"}, {"limit", "200"}}},
      {"search", {{"q", "op:gemm-n4096-k4096 m=3000"}}},
      {"search", {{"q", "rmsnorm B200 colour:red"}}},
      {"search", {{"q", "model:deepseek-r1"}}},
      {"search", {{"q", "no such thing anywhere at all"}}},
      {"search", {{"q", "rmsnrom trust:verified"}}},
      {"search"},
      {"resolveKernel",
       {},
       R"({"operation":{"name":"gemm-n4096-k4096","axes":{"M":3000}},"policy":{"maxAgeDays":90}})"},
      {"resolveKernel", {}, R"({"query":"op:gpumode-trimul","limit":3,"include":["facets"]})"},
      {"resolveKernelBatch",
       {},
       R"({"requests":[{"query":"gemm"},{"query":"op:gpumode-trimul"}]})"},
      {"compareRuns",
       {},
       R"({"runs":[")" + leader + R"(",")" + second + R"(","sha256:0000000000"]})"},
      {"listOperations", {{"family", "gemm"}, {"sort", "az"}}},
      {"getOperation", {{"operation", "gpumode-trimul"}}},
      {"getOperation", {{"operation", "gemm-n4096-k4096"}, {"limit", "5"}}},
      {"getImplementation",
       {{"implementation", "kernelbot-amd-fp8-mm-27020"}, {"include", "source"}}},
      {"listProjects", {{"all", "true"}, {"sort", "gained"}, {"policy", "ranking-v1"}}},
      {"getProject", {{"project", "kernelbot-user-3"}}},
      {"listRuns", {{"hardware", "B200"}, {"since", "2026-01-01"}}},
      {"getRun", {{"run", leader}}},
      {"getRun", {{"run", second.substr(0, 24)}}},
      {"citeRun", {{"run", second}, {"style", "all"}}},
      {"listRecords", {{"all", "true"}, {"q", "trimul"}}},
      {"listRecords", {{"view", "history"}, {"policy", "ranking-v1"}}},
      {"listRanks", {{"limit", "1000"}}},
      {"listRanks", {{"policy", "ranking-v2"}, {"limit", "300"}}},
      {"listChanges", {{"since", "2026-01-01T00:00:00+02:00"}, {"policy", "ranking-v1"}}},
      {"listHardware"},
      {"listModels"},
      {"getModel", {{"model", "deepseek-r1"}, {"gpu", "NVIDIA B200"}}},
      {"getModel", {{"model", "mlperf-llama2-70b"}}},
      {"listSources"},
      {"getManifest", {{"digest", second}}},
      {"getCoverage"},
      {"resolveServing",
       {},
       R"({"objective":{"metric":"output_token_throughput_tps"},"constraints":)"
       R"([{"metric":"ttft_ms","value":2000}],"limit":400})"},
      {"listServingRuns", {{"limit", "200"}}},
      {"listServingConfigurations"},
      {"getServingRun", {{"run", "01a00b49-7ca4-7dcc-a9aa-c25d2d1246ce"}}},
      {"getStats"}};
  for (const Call& call : calls) {
    expect_conforming(site, call);
    asked.insert(call.operation);
  }
  for (const Operation& operation : operations()) {
    if (operation.is_write) continue;  // notes_test.cpp
    EXPECT_TRUE(asked.contains(std::string(operation.id))) << operation.id << " is not tried here";
  }
  // Dossiers of every part of the catalog.
  for (std::size_t i = 0; i < s.runs().size(); i += 97) {
    expect_conforming(site, {"getRun", {{"run", views::id_text(s.runs()[i].id)}}});
  }
  for (std::size_t i = 0; i < s.operations().size(); i += 11) {
    expect_conforming(
        site, {"getOperation",
               {{"operation", std::string(s.text(s.operations()[i].slug))}, {"limit", "2"}}});
  }
  for (std::size_t i = 0; i < s.implementations().size(); i += 101) {
    expect_conforming(site,
                      {"getImplementation",
                       {{"implementation", std::string(s.text(s.implementations()[i].slug))}}});
  }
  for (std::size_t i = 0; i < s.projects().size(); i += 29) {
    expect_conforming(site,
                      {"getProject", {{"project", std::string(s.text(s.projects()[i].slug))}}});
  }
}

TEST(AnswersTest, AreWhatTheSchemaSaysForRetractedFailedAndServingRuns) {
  views::testing::SmallCatalog catalog;
  catalog.source("bench");
  catalog.project("team");
  catalog.operation({.slug = "gemm"});
  const std::string workload = catalog.workload("gemm", 8);
  catalog.implementation({.slug = "a", .project = "team", .operation = "gemm"});
  const std::string first = catalog.run({.implementation = "a", .workload = workload, .value = 9});
  catalog.run({.implementation = "a", .workload = workload, .value = 0, .status = "runtime_error"});
  catalog.run({.implementation = "a", .workload = workload, .value = 8, .supersedes = first});
  catalog.serving_run("GPU", "bench");
  for (const std::string number : {"7", "8"}) {
    catalog.implementation({.slug = "sent-" + number,
                            .project = "team",
                            .operation = "gemm",
                            .revision = "submission-" + number,
                            .spec = catalog.source_file("k.py", "run\n" + number + "\n")});
  }
  catalog.finish();
  catalog.retract(first, "2026-02-01T00:00:00.000Z", "measured with a debugger");
  catalog.audit("retract_run", first, "measured with a debugger", "2026-02-01T00:00:00.000Z");
  const auto site = site_of(catalog.finish(), catalog.store());
  expect_conforming(site, {"getRun", {{"run", first}}});
  expect_conforming(site, {"listRuns"});
  expect_conforming(site, {"listChanges", {{"since", "2026-01-01"}}});
  expect_conforming(site, {"listHardware"});
  expect_conforming(site, {"listSources"});
  expect_conforming(site, {"getOperation", {{"operation", "gemm"}}});
  expect_conforming(site, {"search", {{"q", "gemm"}}});
  const Call sent{"getImplementation", {{"implementation", "sent-8"}, {"include", "source"}}};
  expect_conforming(site, sent);
  const json::Document answer = ask(site, sent.operation, sent.values).json();
  const json::Value* diff = answer.root.find("sourceCode")->find("diff");
  ASSERT_NE(diff, nullptr);
  EXPECT_EQ(diff->find("previousSlug")->string(), "sent-7");
  EXPECT_EQ(diff->find("lines")->items().size(), 3u);
}

TEST(AnswersTest, OfAnEditionDoNotDependOnTheSecond) {
  const auto site = public_site();
  if (site == nullptr) GTEST_SKIP() << "skipped: ../shared is absent";
  const views::CatalogVersion& catalog = *site->catalog;
  const Instant morning{1'787'875'200'000 + 3'600'000};
  const Instant evening{morning.ms + 14 * 3'600'000};
  const Instant tomorrow{morning.ms + 24 * 3'600'000};
  EXPECT_EQ(edition_time(catalog, morning).value(), edition_time(catalog, evening).value());
  EXPECT_EQ(edition_time(catalog, morning)->date(), morning.date());
  EXPECT_EQ(edition_time(catalog, tomorrow)->date(), tomorrow.date());
  EXPECT_EQ(edition_time(catalog, Instant{0}).value(), catalog.committed_at().value())
      << "never before the version itself";
}

TEST(AnswersTest, AnUnpublishedRunIsNotThere) {
  views::testing::SmallCatalog catalog;
  catalog.source("bench");
  catalog.project("team");
  catalog.operation({.slug = "gemm"});
  const std::string workload = catalog.workload("gemm", 8);
  catalog.implementation({.slug = "a", .project = "team", .operation = "gemm"});
  const std::string hidden =
      catalog.run({.implementation = "a", .workload = workload, .value = 9, .published = ""});
  const auto site = site_of(catalog.finish(), catalog.store());
  EXPECT_EQ(ask(site, "getRun", {{"run", hidden}}).code(), "RUN_NOT_FOUND");
  EXPECT_EQ(ask(site, "citeRun", {{"run", hidden}}).code(), "RUN_NOT_FOUND");
}

TEST(AnswersTest, PartsAreLeftOutUnlessIncluded) {
  const auto site = public_site();
  if (site == nullptr) GTEST_SKIP() << "skipped: ../shared is absent";
  const auto root =
      ask(site, "resolveKernel", {}, R"({"query":"op:gpumode-trimul","include":["facets"]})")
          .json();
  EXPECT_NE(root.root.find("facets"), nullptr);
  EXPECT_NE(root.root.find("groups"), nullptr);
  for (const char* part : {"issues", "policy", "selected", "excluded", "related", "nearest",
                           "sources", "matches", "cohortOptions"}) {
    EXPECT_EQ(root.root.find(part), nullptr) << part;
  }
}

}  // namespace
}  // namespace ki::api::testing
