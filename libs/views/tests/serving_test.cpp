#include "ki/views/serving.h"

#include "golden.h"
#include "ki/views_testing/public_catalog.h"
#include "ki/views_testing/small_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace ki::views::testing {
namespace {

using ::testing::HasSubstr;

const ServingTable& public_table(const PublicCatalog& world) {
  static const ServingTable kTable = *read_serving_table(*world.snapshot, *world.store);
  return kTable;
}

Result<ServingRequest> request_of(std::string_view text) {
  const auto document = json::read_document(text);
  EXPECT_TRUE(document) << text;
  return read_serving_request(document->root);
}

std::string text_of(const json::Value& object, std::string_view member) {
  const json::Value* value = object.find(member);
  return value == nullptr || !value->is_string() ? "" : std::string(value->string());
}

TEST(ServingTest, TheOverviewIsTheGolden) {
  KI_REQUIRE_PUBLIC_CATALOG(world);
  const auto golden = read_golden("serving-overview.json");
  ASSERT_TRUE(golden);
  const ServingTable& table = public_table(*world);
  EXPECT_EQ(table.runs.size(), 722U);
  const auto overview = serving_overview(table, *world->snapshot);
  const auto ours =
      written([&](json::Writer& w) { write_overview(w, *world->snapshot, table, overview); });
  ASSERT_EQ(ours.root.items().size(), golden->root.items().size());
  // The original leaves open which of equal runs is named: ours is the one published first.
  const auto without_run = [](const json::Value& line) {
    std::string text = json::canonical(line);
    const std::size_t at = text.find("\"runId\":");
    if (at != text.npos) text.erase(at, std::string_view(R"("runId":"")").size() + 36);
    return text;
  };
  for (std::size_t i = 0; i < overview.size(); ++i) {
    EXPECT_EQ(without_run(ours.root.items()[i]), without_run(golden->root.items()[i])) << i;
    const json::Value* best = golden->root.items()[i].find("best");
    const auto named = find_serving_run(table, text_of(*best, "runId"));
    ASSERT_TRUE(named);
    EXPECT_EQ((*named)->find("output_token_throughput_tps", "reported")->value,
              overview[i].throughput);
    EXPECT_LE(overview[i].best->id, (*named)->id);
  }
}

// Groups by key: which runs are feasible with rank and frontier, which are excluded and why.
void expect_as_golden(const PublicCatalog& world, std::string_view name, std::size_t groups,
                      std::size_t rows, std::size_t excluded) {
  SCOPED_TRACE(name);
  const auto golden = read_golden(name);
  ASSERT_TRUE(golden);
  const ServingTable& table = public_table(world);
  json::Document input = written([&](json::Writer& w) { w.value(*golden->root.find("input")); });
  const auto request = read_serving_request(input.root);
  ASSERT_TRUE(request) << request.error().to_string();
  const ServingAnswer answer = resolve_serving(table, *world.snapshot, *request);
  std::map<std::string, const ServingAnswer::Group*> by_key;
  std::size_t our_rows = 0, our_excluded = 0;
  for (const auto& group : answer.groups) {
    by_key.emplace(group.any->cohort_key, &group);
    our_rows += group.rows.size();
    our_excluded += group.excluded.size();
  }
  EXPECT_EQ(answer.groups_total, groups);
  EXPECT_EQ(our_rows, rows);
  EXPECT_EQ(our_excluded, excluded);
  std::size_t place = 0;
  for (const json::Value& group : golden->root.find("groups")->items()) {
    const auto found = by_key.find(text_of(group, "cohortKey"));
    ASSERT_NE(found, by_key.end());
    const ServingAnswer::Group& ours = *found->second;
    EXPECT_EQ(answer.groups[place++].any->cohort_key, found->first) << "order of groups";
    EXPECT_EQ(ours.any->topology(), text_of(*group.find("identity"), "topology"));
    std::set<std::string> theirs_rows, our_texts;
    for (const json::Value& row : group.find("rows")->items()) {
      std::string states;
      for (const json::Value& one : row.find("constraints")->items())
        states += text_of(one, "state") + (one.find("satisfied")->boolean() ? "+" : "-");
      theirs_rows.insert(text_of(row, "runId") + json::canonical(*row.find("rank")) +
                         json::canonical(*row.find("onFrontier")) + states);
    }
    for (const auto& row : ours.rows) {
      std::string states;
      for (const auto& one : row.constraints)
        states += std::string(policy::to_string(one.state)) + (*one.is_satisfied ? "+" : "-");
      our_texts.insert(row.run->id + (row.rank ? std::to_string(*row.rank) : "null") +
                       (row.is_on_frontier ? "true" : "false") + states);
    }
    EXPECT_EQ(our_texts, theirs_rows);
    std::set<std::string> theirs_excluded, our_reasons;
    for (const json::Value& one : group.find("excluded")->items())
      theirs_excluded.insert(text_of(one, "runId") + json::canonical(*one.find("reasons")));
    for (const auto& one : ours.excluded)
      our_reasons.insert(one.run->id + "[\"" + one.reasons.front() + "\"]");
    EXPECT_EQ(our_reasons, theirs_excluded);
    const std::vector<std::string>& axes = ours.shared_axes;
    ASSERT_EQ(axes.size(), group.find("sharedAxes")->items().size());
  }
}

TEST(ServingTest, AnswersAsTheGoldens) {
  KI_REQUIRE_PUBLIC_CATALOG(world);
  expect_as_golden(*world, "serving-b.json", 73, 163, 0);
  expect_as_golden(*world, "serving-c.json", 28, 40, 26);
  expect_as_golden(*world, "serving-d.json", 32, 0, 78);
}

TEST(ServingTest, WithoutAStatisticTheOnlyOneThatIsReportedIsMeant) {
  KI_REQUIRE_PUBLIC_CATALOG(world);
  const auto request =
      request_of(R"({"model":"mlperf-llama2-70b","workload":"mlperf-llama2-70b-99-server",)"
                 R"("objective":{"metric":"output_token_throughput_tps"}})");
  ASSERT_TRUE(request);
  const auto answer = resolve_serving(public_table(*world), *world->snapshot, *request);
  EXPECT_EQ(answer.groups.front().rows.front().rank, 1U);
}

TEST(ServingTest, EveryMatchingRunIsConsideredAndTheAnswerBounded) {
  KI_REQUIRE_PUBLIC_CATALOG(world);
  const auto answer =
      resolve_serving(public_table(*world), *world->snapshot, *request_of(R"({"limit":5})"));
  EXPECT_EQ(answer.runs_total, 722U);
  EXPECT_EQ(answer.groups_total, 341U);
  EXPECT_EQ(answer.groups.size(), 5U);
}

TEST(ServingRequestTest, RefusesWhatCannotBeUnderstood) {
  struct Case {
    const char* why;
    const char* request;
    const char* pointer;
    const char* message;
  };
  for (const auto& [why, request, pointer, message] : {
           Case{"no object", "[]", "", "an object"},
           Case{"an unknown member", R"({"gpu":"H200"})", "/gpu", "no member"},
           Case{"an unknown metric", R"({"objective":{"metric":"ttft"}})", "/objective/metric",
                "no metric of serving-v1"},
           Case{"the wrong way", R"({"objective":{"metric":"ttft_ms","direction":"maximize"}})",
                "/objective/direction", "minimize"},
           Case{"no bound", R"({"constraints":[{"metric":"ttft_ms"}]})", "/constraints/0/value",
                "above 0"},
           Case{"an unknown operator",
                R"({"constraints":[{"metric":"ttft_ms","operator":">","value":1}]})",
                "/constraints/0/operator", "<= or <"},
           Case{"no count", R"({"hardware":{"countMaximum":0}})", "/hardware/countMaximum", "1 to"},
           Case{"too many", R"({"constraints":[1,2,3,4,5,6,7,8,9]})", "/constraints", "at most 8"},
       }) {
    const auto read = request_of(request);
    ASSERT_FALSE(read) << why;
    EXPECT_EQ(read.error().issues().front().pointer, pointer) << why;
    EXPECT_THAT(read.error().message(), HasSubstr(message)) << why;
  }
}

TEST(ServingTest, ARunIsFoundByIdAndDigest) {
  KI_REQUIRE_PUBLIC_CATALOG(world);
  const ServingTable& table = public_table(*world);
  const std::string id = "01a00b49-7ca4-7dcc-a9aa-c25d2d1246ce";
  const auto run = find_serving_run(table, id);
  ASSERT_TRUE(run);
  EXPECT_EQ(*find_serving_run(table, (*run)->digest), *run);
  EXPECT_EQ(find_serving_run(table, "x").error().code(), Code::kNotFound);
  const auto dossier = serving_dossier(table, *world->snapshot, *world->store, **run);
  ASSERT_TRUE(dossier);
  EXPECT_THAT(dossier->attribution, HasSubstr("closed/datacenter · entry "));
  EXPECT_FALSE(dossier->facts.empty());
}

TEST(ServingTest, ACatalogWithoutServingRunsHasAnEmptyTable) {
  SmallCatalog catalog;
  catalog.source("bench", "benchmark");
  const auto snapshot = catalog.finish();
  const auto table = read_serving_table(*snapshot, catalog.store());
  ASSERT_TRUE(table);
  EXPECT_TRUE(table->runs.empty());
  EXPECT_TRUE(serving_overview(*table, *snapshot).empty());
  EXPECT_TRUE(resolve_serving(*table, *snapshot, {}).groups.empty());
}

}  // namespace
}  // namespace ki::views::testing
