#include "ki/views/run_view.h"

#include "golden.h"
#include "ki/base/uuid.h"
#include "ki/digest/digest.h"
#include "ki/display/cite.h"
#include "ki/views_testing/small_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::views::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Instant kNow{1'769'904'000'000};  // 2026-02-01

// One operation with one workload, ready for runs.
struct World {
  SmallCatalog catalog;
  std::string workload;

  World() {
    catalog.source("bench", "benchmark",
                   R"({"url":"https://example.org/bench","license":"Apache-2.0"})");
    catalog.source("sol-execbench", "leaderboard");
    catalog.source("made-up", "illustrative");
    catalog.project("alpha");
    catalog.project("beta");
    catalog.operation({.slug = "gemm-n64"});
    workload = catalog.workload("gemm-n64", 128);
    catalog.implementation(
        {.slug = "a1", .project = "alpha", .operation = "gemm-n64", .revision = "submission-7"});
    catalog.implementation({.slug = "b1", .project = "beta", .operation = "gemm-n64"});
  }
  std::string run(double value, SmallCatalog::Run run = {}) {
    if (run.implementation.empty()) run.implementation = "a1";
    run.workload = workload;
    run.value = value;
    return catalog.run(run);
  }
  RunView view(const std::string& id) {
    snapshot = catalog.finish();
    auto made = run_view(*snapshot, catalog.store(), snapshot->find_run(*Uuid::parse(id)),
                         {.now = kNow, .public_url = "https://ki.example/"});
    EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().to_string());
    return std::move(*made);
  }

  std::shared_ptr<const catalog::Snapshot> snapshot;
};

TEST(RunViewTest, ShowsRankOfItsGroupAndTheRunThatLeads) {
  World world;
  const std::string slow = world.run(2000, {.implementation = "b1"});
  const std::string fast = world.run(1500);
  const RunView view = world.view(slow);
  EXPECT_EQ(view.group.rank, 2u);
  EXPECT_EQ(view.group.size, 2u);
  EXPECT_EQ(view.group.head_run_id, fast);
  EXPECT_EQ(view.group.profile, "strict_exact");
  EXPECT_THAT(view.rank_line, HasSubstr("Rank 2 of 2 in its comparison group"));
  EXPECT_THAT(view.rank_line, HasSubstr("observed 2026-01-01"));
  ASSERT_TRUE(view.primary.has_value());
  EXPECT_EQ(view.primary->metric, "latency");
  EXPECT_EQ(view.primary->unit, "ns");
  EXPECT_EQ(view.primary->statistic, "median");
  EXPECT_EQ(view.primary->value, 2000);
  EXPECT_EQ(view.primary->samples, 100u);
}

TEST(RunViewTest, ListsProtocolEnvironmentWorkloadAndToleranceInTheOrderOfThePage) {
  World world;
  const RunView view = world.view(world.run(1500));
  EXPECT_THAT(view.protocol,
              ElementsAre(KeyValue{"harness", "harness 2"}, KeyValue{"timer", "events"},
                          KeyValue{"setupIncluded", "false"}, KeyValue{"warmupDuration", "8000"},
                          KeyValue{"samples", "100"}, KeyValue{"primaryStatistic", "median"},
                          KeyValue{"correctnessReference", "torch"},
                          KeyValue{"comparabilityFamily", "tests"}));
  EXPECT_THAT(view.environment,
              ElementsAre(KeyValue{"gpu", "NVIDIA B200 (sm_100)"}, KeyValue{"cudaToolkit", "12.8"},
                          KeyValue{"library stack", "v1"}));
  EXPECT_EQ(view.workload.label, "m = 128 · fp16");
  ASSERT_EQ(view.workload.axes.size(), 1u);
  EXPECT_EQ(view.workload.axes.front().second, 128);
  ASSERT_EQ(view.workload.tensors.size(), 1u);
  EXPECT_EQ(view.workload.tensors.front().shape, "[128, 64]");
  EXPECT_EQ(view.workload.tensors.front().layout, "contiguous");
  EXPECT_THAT(view.workload.tolerance,
              ElementsAre(KeyValue{"comparator", "allclose"}, KeyValue{"maxAbsoluteError", "0.01"},
                          KeyValue{"maxRelativeError", "0.05"}));
  EXPECT_EQ(view.revision, "submission-7");
}

TEST(RunViewTest, SaysWhyARunIsNotEligible) {
  struct Case {
    std::string_view why;
    SmallCatalog::Run run;
    std::vector<std::string> reasons;
  };
  const Case cases[] = {
      {"unpublished", {.published = ""}, {"UNPUBLISHED"}},
      {"failed", {.status = "runtime_error"}, {"STATUS_RUNTIME_ERROR", "MISSING_PRIMARY_METRIC"}},
      {"retracted", {.retracted = "2026-01-03T00:00:00.000Z"}, {"RETRACTED"}},
  };
  for (const Case& c : cases) {
    World world;
    const RunView view = world.view(world.run(1500, c.run));
    EXPECT_EQ(view.group.ineligible_reasons, c.reasons) << c.why;
    EXPECT_EQ(view.group.rank, 0u) << c.why;
  }
}

TEST(RunViewTest, KeepsRetractedAndSupersededRunsWithTheirStory) {
  World world;
  const std::string original = world.run(1500);
  const std::string correction =
      world.run(1600, {.observed = "2026-01-05", .supersedes = original});
  const std::string wrong = world.run(1400, {.implementation = "b1"});
  world.catalog.finish();
  world.catalog.retract(wrong, "2026-01-09T00:00:00.000Z", "wrong clock");
  const RunView superseded = world.view(original);
  EXPECT_EQ(superseded.lifecycle.superseded_by_id, correction);
  EXPECT_THAT(superseded.group.ineligible_reasons, ElementsAre("SUPERSEDED"));
  EXPECT_EQ(world.view(correction).lifecycle.supersedes_id, original);
  const RunView retracted = world.view(wrong);
  ASSERT_TRUE(retracted.lifecycle.retracted.has_value());
  EXPECT_EQ(retracted.lifecycle.retracted->at, "2026-01-09T00:00:00.000Z");
  EXPECT_EQ(retracted.lifecycle.retracted->reason, "wrong clock");
  EXPECT_EQ(retracted.lifecycle.retracted->actor, "a");
}

TEST(RunViewTest, CallsARunStaleAfterHalfAYearOnly) {
  World world;
  const std::string fresh = world.run(1500, {.observed = "2025-08-06"});  // 179 days
  const std::string stale = world.run(1500, {.observed = "2025-08-01"});  // 184 days
  EXPECT_FALSE(world.view(fresh).lifecycle.is_stale);
  EXPECT_TRUE(world.view(stale).lifecycle.is_stale);
}

TEST(RunViewTest, ShowsTheSourcesOwnWordsAndWhatTheyMean) {
  World world;
  const RunView view = world.view(world.run(
      1500,
      {.source = "sol-execbench",
       .spec =
           R"("sourceNative":{"source":"sol-execbench","externalId":"3483","metrics":{"sol_score":0.091395,"avg_speedup":0.1242,"fast_1_count":0,"fast_1_total":16,"latency_ms":1.163104}})"}));
  EXPECT_EQ(view.source_native_line, "SOL 0.0914 · 0.12× reference · 0/16 cases faster");
  EXPECT_EQ(view.external_id, "submission/3483");
  EXPECT_EQ(view.group.profile, "source_native");
  ASSERT_EQ(view.source_native_notes.size(), 3u);
  EXPECT_THAT(view.source_native_notes[0], HasSubstr("geometric mean"));
  EXPECT_THAT(view.source_native_notes[1], HasSubstr("baseline"));
}

TEST(RunViewTest, NotesNothingAboutTheWordsOfOtherSources) {
  World world;
  const RunView view = world.view(world.run(
      1500,
      {.spec =
           R"("sourceNative":{"source":"bench","externalId":"3483","metrics":{"latency_ms":0.0015}})"}));
  EXPECT_THAT(view.source_native_notes, IsEmpty());
  EXPECT_THAT(view.source_native_line, IsEmpty());
  EXPECT_EQ(view.external_id, "3483");
  EXPECT_EQ(view.source_url, "https://example.org/bench");
  EXPECT_EQ(view.source_licence, "Apache-2.0");
}

TEST(RunViewTest, StatesTheCorrectnessThatWasMeasured) {
  World world;
  const std::string plain = world.run(1500);
  const std::string checked = world.run(
      1500, {.spec = R"("correctness":{"comparator":"allclose","maximumAbsoluteError":0.002})"});
  EXPECT_EQ(world.view(plain).correctness_text,
            "Marked passed by the source; the correctness policy was not published.");
  const RunView view = world.view(checked);
  EXPECT_THAT(view.correctness_text, HasSubstr("abs ≤ 0.002"));
  const auto json = written([&](json::Writer& w) { write_json(w, view); });
  const json::Value* correctness = json.root.find("correctness");
  ASSERT_NE(correctness, nullptr);
  EXPECT_EQ(correctness->find("maxAbsoluteError")->number(), 0.002);
  EXPECT_TRUE(correctness->find("maxRelativeError")->is_null());
  EXPECT_TRUE(correctness->find("passed")->boolean());
}

TEST(RunViewTest, FindsTheArtifactsOfTheRunAlone) {
  World world;
  const std::string first = world.run(1500);
  const std::string second = world.run(1600);
  world.catalog.artifact(first, "one", "source", "upstream", "https://example.org/1");
  world.catalog.artifact(second, "two", "log", "inline", "");
  world.catalog.artifact(second, "three", "profile", "upstream", "");
  const RunView view = world.view(second);
  ASSERT_EQ(view.artifacts.size(), 2u);
  EXPECT_EQ(view.artifacts[0].role, "log");
  EXPECT_EQ(view.artifacts[0].availability, RunView::Availability::kPublic);
  EXPECT_EQ(view.artifacts[0].size_bytes, 3);
  EXPECT_EQ(view.artifacts[1].availability, RunView::Availability::kUnavailable);
  const RunView other = world.view(first);
  ASSERT_EQ(other.artifacts.size(), 1u);
  EXPECT_EQ(other.artifacts[0].availability, RunView::Availability::kUpstream);
}

TEST(RunViewTest, IsCitedWithPermalinkDigestAndTheDayOfAccess) {
  World world;
  const RunView view = world.view(world.run(1500));
  EXPECT_EQ(view.citation.url, "https://ki.example/runs/" + view.digest);
  const std::string text = display::citation_text(view.citation);
  EXPECT_THAT(text, HasSubstr(view.digest));
  EXPECT_THAT(text, HasSubstr("1.50 µs (median)"));
  EXPECT_THAT(text, HasSubstr("Accessed 2026-02-01"));
}

TEST(RunViewTest, HoldsTheThreeManifestsAsStored) {
  World world;
  const RunView view = world.view(world.run(1500));
  EXPECT_EQ(view.run_manifest->find("kind")->string(), "BenchmarkRun");
  EXPECT_EQ(view.protocol_manifest->find("kind")->string(), "BenchmarkProtocol");
  EXPECT_EQ(view.environment_manifest->find("kind")->string(), "ExecutionEnvironment");
  // The manifest's own text is what its digest is of.
  EXPECT_EQ(Digest::of(json::canonical(*view.protocol_manifest)).to_string(), view.protocol_digest);
}

TEST(RunViewTest, MarksMadeUpEvidence) {
  World world;
  const std::string real = world.run(1500);
  const std::string made_up = world.run(1400, {.source = "made-up"});
  EXPECT_FALSE(world.view(real).is_illustrative);
  EXPECT_TRUE(world.view(made_up).is_illustrative);
}

}  // namespace
}  // namespace ki::views::testing
