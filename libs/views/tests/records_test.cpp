#include "ki/views/records.h"

#include "golden.h"
#include "ki/views/changes.h"
#include "ki/views/lists.h"
#include "ki/views/project_view.h"
#include "ki/views_testing/small_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace ki::views::testing {
namespace {

using policy::StepKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr Instant kNow{1'769'904'000'000};  // 2026-02-01

struct World {
  SmallCatalog catalog;
  std::map<std::string, std::string> workloads;
  std::shared_ptr<const catalog::Snapshot> snapshot;
  std::unique_ptr<RecordLedger> ledger;

  World() {
    catalog.source("bench");
    catalog.source("other");
    catalog.project("alpha");
    catalog.project("beta");
    catalog.project("base");
    for (const std::string slug : {"gemm-n64", "gemm-n512", "norm"}) {
      catalog.operation({.slug = slug,
                         .name = slug,
                         .family = slug == "norm" ? "rmsnorm" : "gemm",
                         .aliases = slug == "norm" ? std::vector<std::string>{"trimul-like"}
                                                   : std::vector<std::string>{},
                         .tags = slug == "norm" ? std::vector<std::string>{"model:llama"}
                                                : std::vector<std::string>{}});
      workloads[slug] = catalog.workload(slug, 128);
      for (const std::string project : {"alpha", "beta", "base"}) {
        catalog.implementation({.slug = project + "-" + slug,
                                .project = project,
                                .operation = slug,
                                .role = project == "base" ? "baseline" : "",
                                .has_source = project != "beta"});
      }
    }
  }

  std::string run(const std::string& project, const std::string& operation, double value,
                  const std::string& observed, SmallCatalog::Run run = {}) {
    run.implementation = project + "-" + operation;
    run.workload = workloads.at(operation);
    run.value = value;
    run.observed = observed;
    return catalog.run(run);
  }

  const RecordLedger& made() {
    snapshot = catalog.finish();
    ledger = std::make_unique<RecordLedger>(*snapshot);
    return *ledger;
  }
  std::vector<std::string> slugs(const RecordOptions& options) {
    std::vector<std::string> found;
    for (const RecordItem& item : list_records(*ledger, options, kNow).items) {
      found.emplace_back(item.operation.slug);
    }
    return found;
  }
};

RecordOptions everything() {
  RecordOptions options;
  options.with_sourceless = options.with_baselines = true;
  return options;
}

TEST(RecordsTest, TellBreaksFromOwnImprovementsAndFromNoise) {
  World world;
  world.run("alpha", "norm", 1000, "2026-01-01");
  world.run("alpha", "norm", 900, "2026-01-02");  // by the holder itself
  world.run("beta", "norm", 899, "2026-01-03");   // 0.1 %
  world.run("beta", "norm", 890, "2026-01-04");   // 1.1 % below the record that stands
  world.run("alpha", "norm", 950, "2026-01-05");  // no record at all
  const RecordLedger& ledger = world.made();
  ASSERT_THAT(ledger.holders(), SizeIs(1));
  const auto steps = ledger.steps(ledger.holders().front());
  std::vector<StepKind> kinds;
  for (const RecordStep& step : steps) kinds.push_back(step.kind);
  EXPECT_THAT(kinds,
              ElementsAre(StepKind::kFirst, StepKind::kOwn, StepKind::kTie, StepKind::kBreak));
  EXPECT_EQ(ledger.holders().front().breaks, 1u);
  EXPECT_NEAR(steps[3].break_improvement, 10.0 / 900, 1e-6);
  EXPECT_NEAR(steps[3].improvement, 9.0 / 899, 1e-6);
  EXPECT_EQ(steps[3].standing, 1u);
}

TEST(RecordsTest, ListHistoryNewestFirstWithTheShareOfEachStep) {
  World world;
  world.run("alpha", "norm", 1000, "2026-01-01");
  const std::string second = world.run("beta", "norm", 800, "2026-01-02");
  world.made();
  const RecordPage page = list_records(*world.ledger, everything(), kNow);
  ASSERT_THAT(page.items, SizeIs(1));
  const RecordItem& item = page.items.front();
  ASSERT_THAT(item.history, SizeIs(2));
  EXPECT_EQ(item.history[0].previous_value, 1000);
  EXPECT_DOUBLE_EQ(*item.history[0].improvement_pct, 20);
  EXPECT_EQ(item.history[1].previous_value, std::nullopt);
  EXPECT_EQ(item.history[1].improvement_pct, std::nullopt);
  EXPECT_EQ(id_text(world.snapshot->runs()[item.holder->run].id), second);
  EXPECT_EQ(item.environment_summary, "CUDA 12.8 · harness");
  EXPECT_EQ(item.workload_summary, "fp16 · [128, 64]");
}

TEST(RecordsTest, HideLeadersWithoutSourceAndBaselinesThatNobodyBeat) {
  World world;
  world.run("base", "norm", 1000, "2026-01-01");      // unbeaten baseline
  world.run("beta", "gemm-n64", 1000, "2026-01-01");  // no source
  world.run("base", "gemm-n512", 1000, "2026-01-01");
  world.run("alpha", "gemm-n512", 900, "2026-01-02");
  world.made();
  EXPECT_THAT(world.slugs({}), ElementsAre("gemm-n512"));
  EXPECT_THAT(world.slugs({.with_sourceless = true}),
              UnorderedElementsAre("gemm-n512", "gemm-n64"));
  EXPECT_THAT(world.slugs({.with_baselines = true}), UnorderedElementsAre("gemm-n512", "norm"));
  EXPECT_THAT(world.slugs(everything()), SizeIs(3));
  const RecordPage page = list_records(*world.ledger, {}, kNow);
  EXPECT_EQ(page.baselines, 1u);
  EXPECT_EQ(page.holders, 3u);
  EXPECT_EQ(page.events, 4u);
  EXPECT_EQ(page.breaks, 1u);
}

TEST(RecordsTest, ABaselineThatOnlyImprovedItselfIsUnbeatenUnderBreaksOnly) {
  World world;
  world.run("base", "norm", 1000, "2026-01-01");
  world.run("base", "norm", 900, "2026-01-02");
  world.made();
  EXPECT_THAT(world.slugs({}), IsEmpty());
  EXPECT_THAT(world.slugs({.policy = RecordPolicy::kRankingV1}), ElementsAre("norm"));
}

TEST(RecordsTest, FilterByWordsOfSlugsAliasesHoldersHardwareAndWorkloads) {
  World world;
  world.run("alpha", "norm", 1000, "2026-01-01");
  world.run("beta", "norm", 900, "2026-01-02");
  world.run("alpha", "gemm-n64", 1000, "2026-01-01", {.gpu = "NVIDIA GB200"});
  world.made();
  struct Case {
    std::string_view why, text;
    std::vector<std::string> found;
  };
  const Case cases[] = {
      {"an alias", "trimul", {"norm"}},
      {"the slug", "n64", {"gemm-n64"}},
      {"a leader of the past", "project alpha norm", {"norm"}},
      {"the case does not matter", "GEMM", {"gemm-n64"}},
      {"the hardware", "gb200", {"gemm-n64"}},
      {"the workload", "[128,", {"gemm-n64", "norm"}},
      {"the environment", "12.8 harness norm", {"norm"}},
      {"every word must occur", "gemm trimul", {}},
      {"a family", "rmsnorm", {"norm"}},
  };
  for (const Case& c : cases) {
    RecordOptions options = everything();
    options.text = c.text;
    options.sort = RecordSort::kOperation;
    EXPECT_EQ(world.slugs(options), c.found) << c.why;
  }
}

TEST(RecordsTest, FilterHardwareByWholeProducts) {
  World world;
  world.run("alpha", "norm", 1000, "2026-01-01", {.gpu = "NVIDIA GB200"});
  world.run("alpha", "gemm-n64", 1000, "2026-01-01", {.gpu = "NVIDIA B200"});
  world.made();
  RecordOptions options = everything();
  for (const std::string_view spelling : {"B200", "NVIDIA B200", "nvidia b200"}) {
    options.hardware = spelling;
    EXPECT_THAT(world.slugs(options), ElementsAre("gemm-n64")) << spelling;
  }
  options.hardware = "L4";
  EXPECT_THAT(world.slugs(options), IsEmpty());
}

TEST(RecordsTest, SortAsAsked) {
  World world;
  // Two leaders, 10 %; three leaders, 2 % at last; one leader, published last.
  world.run("alpha", "norm", 1000, "2026-01-01");
  world.run("beta", "norm", 900, "2026-01-02", {.published = "2026-01-05T00:00:00.000Z"});
  world.run("alpha", "gemm-n512", 1000, "2026-01-01");
  world.run("beta", "gemm-n512", 800, "2026-01-02");
  world.run("alpha", "gemm-n512", 784, "2026-01-03", {.published = "2026-01-06T00:00:00.000Z"});
  world.run("alpha", "gemm-n64", 1000, "2026-01-01", {.published = "2026-01-07T00:00:00.000Z"});
  world.made();
  struct Case {
    RecordSort sort;
    std::vector<std::string> order;
  };
  const Case cases[] = {
      {RecordSort::kContested, {"gemm-n512", "norm", "gemm-n64"}},
      {RecordSort::kDate, {"gemm-n64", "gemm-n512", "norm"}},
      {RecordSort::kImprovement, {"norm", "gemm-n512", "gemm-n64"}},
      {RecordSort::kLeads, {"gemm-n512", "norm", "gemm-n64"}},
      {RecordSort::kOperation, {"gemm-n64", "gemm-n512", "norm"}},  // 64 before 512
  };
  for (const Case& c : cases) {
    RecordOptions options = everything();
    options.sort = c.sort;
    EXPECT_EQ(world.slugs(options), c.order) << static_cast<int>(c.sort);
  }
  EXPECT_THAT(world.slugs({.view = RecordView::kBroken, .with_sourceless = true}),
              ElementsAre("gemm-n512", "norm"));
  EXPECT_THAT(
      list_records(*world.ledger, {.view = RecordView::kHistory, .with_sourceless = true}, kNow)
          .total,
      6u);
}

TEST(RecordsTest, PagesHoldEachRowOnce) {
  World world;
  world.run("alpha", "norm", 1000, "2026-01-01");
  world.run("alpha", "gemm-n512", 1000, "2026-01-01");
  world.run("alpha", "gemm-n64", 1000, "2026-01-01");
  world.made();
  std::vector<std::string> seen;
  for (std::size_t offset = 0; offset < 5; ++offset) {
    RecordOptions options = everything();
    options.limit = 1;
    options.offset = offset;
    for (const std::string& slug : world.slugs(options)) seen.push_back(slug);
  }
  EXPECT_THAT(seen, UnorderedElementsAre("norm", "gemm-n512", "gemm-n64"));
}

TEST(RecordsTest, ForgetRetractedLeaders) {
  World world;
  world.run("alpha", "norm", 1000, "2026-01-01");
  const std::string wrong = world.run("beta", "norm", 500, "2026-01-02");
  const std::string after = world.run("alpha", "norm", 450, "2026-01-03");
  world.catalog.finish();
  world.catalog.retract(after, "2026-01-08T00:00:00.000Z", "wrong");
  world.catalog.retract(wrong, "2026-01-09T00:00:00.000Z", "wrong");
  world.made();
  ASSERT_THAT(world.ledger->holders(), SizeIs(1));
  EXPECT_EQ(world.ledger->holders().front().steps.count, 1u);
  EXPECT_EQ(world.snapshot->runs()[world.ledger->holders().front().run].value, 1000);
}

TEST(ChangesTest, GroupTheRecordsOfOneOperationSourceAndDay) {
  World world;
  const std::string other_case = world.catalog.workload("norm", 256);
  world.run("alpha", "norm", 1000, "2026-01-01", {.published = "2026-01-02T00:00:00.000Z"});
  world.run("beta", "norm", 900, "2026-01-20", {.published = "2026-01-21T08:00:00.000Z"});
  SmallCatalog::Run first{.implementation = "alpha-norm", .workload = other_case, .value = 500};
  world.catalog.run(first);
  SmallCatalog::Run second{.implementation = "beta-norm",
                           .workload = other_case,
                           .value = 400,
                           .observed = "2026-01-20",
                           .published = "2026-01-21T09:00:00.000Z"};
  world.catalog.run(second);
  world.made();
  const auto page =
      list_changes(*world.ledger, &world.catalog.store(), {.since = Instant{0}, .now = kNow});
  ASSERT_TRUE(page.has_value());
  std::vector<std::string> ids;
  for (const ChangeEntry& entry : page->entries) ids.push_back(entry.id);
  EXPECT_THAT(ids, ElementsAre("record:2026-01-21:norm:bench", "import:bench:2026-01-21",
                               "import:bench:2026-01-02"));
  const ChangeEntry& records = page->entries.front();
  EXPECT_EQ(records.records_total, 2u);
  EXPECT_DOUBLE_EQ(records.largest_improvement_pct, 20);
  EXPECT_THAT(records.text, HasSubstr("2 new records"));
  EXPECT_THAT(records.models, ElementsAre("llama"));
  EXPECT_THAT(records.projects, SizeIs(2));
  EXPECT_EQ(page->entries[1].batch->runs, 2u);
  EXPECT_EQ(page->entries[1].batch->first_records, 0u);
  EXPECT_EQ(page->entries[2].batch->first_records, 2u);
  const auto json = written([&](json::Writer& w) { write_json(w, *page, ""); });
  EXPECT_EQ(json.root.find("days")->items().size(), 2u);
}

TEST(ChangesTest, AnnounceNoNoiseUnlessAllEventsAreAskedFor) {
  World world;
  world.run("alpha", "norm", 1000, "2026-01-01");
  world.run("beta", "norm", 999, "2026-01-02");
  world.made();
  const auto count = [&](RecordPolicy policy) {
    const auto page =
        list_changes(*world.ledger, nullptr, {.policy = policy, .since = Instant{0}, .now = kNow});
    return std::ranges::count(page->entries, ChangeEntry::Kind::kRecord, &ChangeEntry::kind);
  };
  EXPECT_EQ(count(RecordPolicy::kBreaks), 0);
  EXPECT_EQ(count(RecordPolicy::kRankingV1), 1);
}

TEST(ChangesTest, ReachBackToTheNewestChangeWhenTheLastMonthWasQuiet) {
  World world;
  world.run("alpha", "norm", 1000, "2026-01-01");
  world.made();
  const Instant later{kNow.ms + 400LL * 24 * 3600 * 1000};
  const auto page = list_changes(*world.ledger, nullptr, {.now = later});
  ASSERT_TRUE(page.has_value());
  EXPECT_THAT(page->entries, SizeIs(1));
  EXPECT_EQ(page->since.to_string(), "2025-12-03T00:00:00.000Z");
  const auto before = list_changes(*world.ledger, nullptr, {.now = Instant{1'767'225'600'000}});
  EXPECT_THAT(before->entries, SizeIs(1)) << "a clock that went back hides nothing";
}

TEST(ChangesTest, TellCorrectionsWithTheirReason) {
  World world;
  const std::string run = world.run("alpha", "norm", 1000, "2026-01-01");
  world.catalog.audit("retract_run", run, "wrong clock", "2026-01-30T00:00:00.000Z");
  world.catalog.audit("import", run, "not for the feed", "2026-01-31T00:00:00.000Z");
  world.made();
  const auto page = list_changes(*world.ledger, &world.catalog.store(), {.now = kNow});
  ASSERT_TRUE(page.has_value());
  ASSERT_THAT(page->entries, SizeIs(1));  // the import was a month ago
  EXPECT_EQ(page->entries.front().kind, ChangeEntry::Kind::kCorrection);
  EXPECT_EQ(page->entries.front().correction->run_id, run);
  EXPECT_EQ(page->entries.front().correction->action, "retracted");
  EXPECT_THAT(page->entries.front().text, HasSubstr("wrong clock"));
}

TEST(ProjectsTest, CountWhatTheyGainedAndLostInAMonth) {
  World world;
  world.run("alpha", "norm", 1000, "2025-10-01");
  world.run("beta", "norm", 900, "2025-11-01");    // before the month
  world.run("alpha", "norm", 800, "2026-01-20");   // inside
  world.run("beta", "norm", 799.5, "2026-01-21");  // a tie
  world.made();
  const ProjectList list = list_projects(*world.ledger, {.now = kNow});
  ASSERT_EQ(list.total, 2u);
  EXPECT_EQ(list.items[0].slug, "alpha");
  EXPECT_EQ(list.items[0].gained, 1u);
  EXPECT_EQ(list.items[0].lost, 0u);
  EXPECT_EQ(list.items[1].gained, 0u);
  EXPECT_EQ(list.items[1].lost, 1u);
  EXPECT_EQ(list.items[1].records, 1u);  // it holds the lowest value all the same
  const Index beta = world.snapshot->find_project("beta");
  const ProjectView view = project_view(*world.ledger, beta, {.now = kNow});
  EXPECT_EQ(view.records_total, 1u);
  EXPECT_EQ(view.lost, 1u);
  EXPECT_EQ(view.implementations_total, 3u);
  ASSERT_THAT(view.implementations, SizeIs(3));
  EXPECT_EQ(view.implementations.front().named.slug, "beta-norm");
  EXPECT_EQ(view.implementations.back().best_run, kNone);
  EXPECT_THAT(view.hardware, ElementsAre("NVIDIA B200"));
  const auto json = written([&](json::Writer& w) { write_json(w, *world.snapshot, view, ""); });
  EXPECT_EQ(json.root.find("records")->items().size(), 1u);
}

}  // namespace
}  // namespace ki::views::testing
