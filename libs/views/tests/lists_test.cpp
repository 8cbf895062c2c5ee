#include "ki/views/lists.h"

#include "golden.h"
#include "ki/views/implementation_view.h"
#include "ki/views/operation_view.h"
#include "ki/views_testing/small_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::views::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Instant kNow{1'769'904'000'000};  // 2026-02-01

struct World {
  SmallCatalog catalog;
  std::string gemm, norm;
  std::shared_ptr<const catalog::Snapshot> snapshot;

  World() {
    catalog.source("bench");
    catalog.source("board", "leaderboard");
    catalog.source("serving");
    catalog.project("alpha");
    catalog.project("beta", "individual");
    catalog.operation({.slug = "gemm", .aliases = {"matmul"}, .tags = {"model:llama", "hot"}});
    catalog.operation({.slug = "norm", .family = "rmsnorm", .tags = {"model:llama"}});
    catalog.operation({.slug = "idle", .tags = {"model:llama"}});
    gemm = catalog.workload("gemm", 128);
    norm = catalog.workload("norm", 64);
    catalog.implementation({.slug = "a",
                            .project = "alpha",
                            .operation = "gemm",
                            .licence = "MIT",
                            .is_installable = true});
    catalog.implementation(
        {.slug = "b", .project = "beta", .operation = "gemm", .has_source = false});
    catalog.implementation({.slug = "n", .project = "beta", .operation = "norm"});
  }
  std::string run(const std::string& implementation, double value, SmallCatalog::Run run = {}) {
    run.implementation = implementation;
    run.workload = implementation == "n" ? norm : gemm;
    run.value = value;
    return catalog.run(run);
  }
  const catalog::Snapshot& made() { return *(snapshot = catalog.finish()); }
};

std::vector<std::string> slugs(const OperationList& list) {
  std::vector<std::string> found;
  for (const OperationItem& item : list.items) found.emplace_back(item.named.slug);
  return found;
}

TEST(ListsTest, OperationsAreFilteredAndSorted) {
  World world;
  world.run("a", 10, {.observed = "2026-01-01"});
  world.run("b", 11, {.observed = "2026-01-02"});
  world.run("n", 12, {.observed = "2026-01-20"});
  const catalog::Snapshot& s = world.made();
  EXPECT_THAT(slugs(list_operations(s, {})), ElementsAre("gemm", "norm", "idle"));
  EXPECT_THAT(slugs(list_operations(s, {.only_measured = true})), ElementsAre("gemm", "norm"));
  EXPECT_THAT(slugs(list_operations(s, {.sort = OperationSort::kActive})),
              ElementsAre("norm", "gemm", "idle"));
  EXPECT_THAT(slugs(list_operations(s, {.sort = OperationSort::kName})),
              ElementsAre("gemm", "idle", "norm"));
  EXPECT_THAT(slugs(list_operations(s, {.family = "rmsnorm"})), ElementsAre("norm"));
  EXPECT_THAT(slugs(list_operations(s, {.family = "no such family"})), IsEmpty());
  EXPECT_THAT(slugs(list_operations(s, {.tag = "hot"})), ElementsAre("gemm"));
  const OperationList second = list_operations(s, {.offset = 1, .limit = 1});
  EXPECT_THAT(slugs(second), ElementsAre("norm"));
  EXPECT_EQ(second.total, 3u);
}

TEST(ListsTest, RunsComeNewestFirstAndEachOnceWhileOthersAreAdded) {
  World world;
  // Several runs of one instant, as bulk imports have them.
  for (int i = 0; i < 7; ++i) world.run("a", 100 + i, {.observed = "2026-01-05"});
  world.run("b", 90, {.observed = "2026-01-06"});
  const std::size_t before = world.made().columns().runs_newest.size();
  std::vector<std::string> seen;
  RunListOptions options;
  options.limit = 3;
  for (int page = 0; page < 10; ++page) {
    const auto list = list_runs(*world.snapshot, options);
    ASSERT_TRUE(list.has_value()) << list.error().to_string();
    for (const RunItem& item : list->items) seen.push_back(item.id);
    options.after = list->next;
    if (!options.after) break;
    // A newer run and one of the same instant arrive between the pages.
    world.run("n", 50, {.observed = "2026-01-07"});
    world.made();
  }
  EXPECT_EQ(seen.size(), before);
  std::ranges::sort(seen);
  EXPECT_TRUE(std::ranges::adjacent_find(seen) == seen.end());
}

TEST(ListsTest, RunsPassEveryFilter) {
  World world;
  world.run("a", 10, {.observed = "2026-01-01", .gpu = "NVIDIA GB200"});
  world.run("b", 11, {.observed = "2026-01-02", .source = "board"});
  world.run("n", 12, {.observed = "2026-01-03", .status = "runtime_error"});
  world.run("a", 13, {.observed = "2026-01-04", .published = ""});
  const catalog::Snapshot& s = world.made();
  const auto count = [&](RunListOptions options) {
    const auto list = list_runs(s, options);
    return list ? list->items.size() : 999;
  };
  EXPECT_EQ(count({}), 3u);
  EXPECT_EQ(count({.operation = s.find_operation("gemm")}), 2u);
  EXPECT_EQ(count({.operation = s.find_operation("idle")}), 0u);
  EXPECT_EQ(count({.hardware = "B200"}), 2u);
  EXPECT_EQ(count({.operation = s.find_operation("gemm"), .hardware = "B200"}), 1u);
  EXPECT_EQ(count({.source = "board"}), 1u);
  EXPECT_EQ(count({.status = "runtime_error"}), 1u);
  EXPECT_EQ(count({.since_ms = 1'767'312'000'000}), 2u);  // 2026-01-02
  for (const RunListOptions& wrong :
       {RunListOptions{.source = "nobody"}, RunListOptions{.status = "fine"}}) {
    const auto list = list_runs(s, wrong);
    ASSERT_FALSE(list.has_value());
    EXPECT_EQ(list.error().code(), Code::kInvalidArgument);
  }
}

TEST(ListsTest, TheRunsOfAnOperationArePagedInTheSameOrder) {
  World world;
  for (int i = 0; i < 5; ++i) world.run("a", 100 + i, {.observed = "2026-01-05"});
  const catalog::Snapshot& s = world.made();
  RunListOptions options{.operation = s.find_operation("gemm"), .limit = 2};
  std::vector<std::string> seen;
  do {
    const auto list = list_runs(s, options);
    ASSERT_TRUE(list.has_value());
    for (const RunItem& item : list->items) seen.push_back(item.id);
    options.after = list->next;
  } while (options.after);
  std::vector<std::string> sorted = seen;
  std::ranges::sort(sorted, std::ranges::greater{});
  EXPECT_EQ(seen, sorted);
  EXPECT_THAT(seen, SizeIs(5));
}

TEST(ListsTest, HardwareAndSourcesCountServingApart) {
  World world;
  world.run("a", 10, {.gpu = "NVIDIA B200"});
  world.run("n", 10, {.gpu = "NVIDIA H100"});
  world.run("b", 11, {.gpu = "NVIDIA B200"});
  world.catalog.serving_run("NVIDIA B200", "serving");
  world.catalog.serving_run("AMD Instinct MI355X", "serving");
  world.catalog.serving_run("AMD Instinct MI355X", "serving", "invalid");
  const catalog::Snapshot& s = world.made();
  const auto serving = read_serving_facts(s, world.catalog.store());
  ASSERT_TRUE(serving.has_value()) << serving.error().to_string();
  const auto hardware = list_hardware(s, &*serving);
  ASSERT_THAT(hardware, SizeIs(3));
  EXPECT_EQ(hardware[0].model, "NVIDIA B200");
  EXPECT_EQ(hardware[0].kernel_runs, 2u);
  EXPECT_EQ(hardware[0].serving_runs, 1u);
  EXPECT_EQ(hardware[0].operations, 1u);
  EXPECT_EQ(hardware[2].slug, "amd-instinct-mi355x");
  EXPECT_EQ(hardware[2].serving_runs, 1u);
  EXPECT_EQ(list_hardware(s, nullptr).size(), 2u);
  const auto sources = list_sources(s, &world.catalog.store(), &*serving);
  ASSERT_TRUE(sources.has_value());
  ASSERT_THAT(*sources, SizeIs(3));
  EXPECT_EQ((*sources)[0].source.slug, "bench");
  EXPECT_EQ((*sources)[0].breadth, 2u);
  EXPECT_EQ((*sources)[0].hardware, 2u);
  EXPECT_TRUE((*sources)[2].is_serving);
  EXPECT_EQ((*sources)[2].runs, 2u);
  EXPECT_EQ((*sources)[2].indexed, 3u);
}

TEST(ListsTest, ModelsAreTheTagsOfOperations) {
  World world;
  world.run("a", 10, {.observed = "2026-01-01"});
  world.run("n", 10, {.observed = "2026-01-09", .gpu = "NVIDIA H100"});
  const ModelList list = list_models(world.made());
  ASSERT_THAT(list.kernel, SizeIs(1));
  EXPECT_EQ(list.kernel[0].model, "llama");
  EXPECT_EQ(list.kernel[0].operations, 3u);
  EXPECT_EQ(list.kernel[0].measured, 2u);
  EXPECT_EQ(list.kernel[0].families, 2u);
  EXPECT_EQ(list.kernel[0].gpus, 2u);
  EXPECT_EQ(list.kernel[0].runs, 2u);
  EXPECT_THAT(list.serving, IsEmpty());
}

TEST(OperationViewTest, ShowsTheGroupWithMostRunsAndTellsTheOthersApart) {
  World world;
  world.catalog.relation("gemm", "norm", "equivalent");
  world.run("a", 10, {.cuda = "12.8"});
  world.run("b", 9, {.cuda = "12.8"});
  world.run("a", 8, {.cuda = "13.0"});
  world.run("a", 7, {.gpu = "NVIDIA H100"});
  const catalog::Snapshot& s = world.made();
  const Index operation = s.find_operation("gemm");
  const auto view = operation_view(s, world.catalog.store(), operation, {.now = kNow});
  ASSERT_TRUE(view.has_value()) << view.error().to_string();
  ASSERT_THAT(view->group_options, SizeIs(3));
  std::vector<std::string> labels;
  for (const auto& option : view->group_options) labels.push_back(option.label);
  EXPECT_EQ(labels.front(), "NVIDIA B200 · CUDA 12.8");
  EXPECT_THAT(labels, ::testing::UnorderedElementsAre("NVIDIA B200 · CUDA 12.8",
                                                      "NVIDIA B200 · CUDA 13.0", "NVIDIA H100"));
  EXPECT_EQ(view->records_total, 2u);
  EXPECT_EQ(view->records.front().value, 9);
  EXPECT_EQ(view->records.front().rank, 1u);
  ASSERT_THAT(view->implementations, SizeIs(2));
  EXPECT_EQ(view->implementations.front().named.slug, "b");
  EXPECT_EQ(s.runs()[view->implementations.back().best_run].value, 10);
  EXPECT_THAT(view->equivalents, SizeIs(1));
  EXPECT_EQ(view->equivalents.front().named.slug, "norm");
  EXPECT_THAT(view->models, ElementsAre("llama"));
  // Another group on request, with its own best runs.
  const Index other = view->group_options.back().cohort;
  const auto second =
      operation_view(s, world.catalog.store(), operation, {.cohort = other, .now = kNow});
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->group->cohort, other);
  EXPECT_EQ(second->implementations.back().best_run, kNone);
}

TEST(OperationViewTest, StatesSemanticsForPeople) {
  World world;
  const catalog::Snapshot& s = world.made();
  const auto view =
      operation_view(s, world.catalog.store(), s.find_operation("gemm"), {.now = kNow});
  ASSERT_TRUE(view.has_value());
  EXPECT_FALSE(view->group.has_value());
  ASSERT_THAT(view->inputs, SizeIs(2));
  EXPECT_EQ(view->inputs[0].shape, "[m, k]");
  EXPECT_EQ(view->inputs[0].layout, "row_major");
  EXPECT_FALSE(view->inputs[1].is_tensor);
  EXPECT_EQ(view->outputs[0].shape, "[m, 8]");
  ASSERT_THAT(view->axes, SizeIs(3));
  EXPECT_EQ(view->axes[0].value, 64);
  EXPECT_EQ(view->axes[1].constraint, "m >= 1, m <= 4096");
  EXPECT_EQ(view->axes[2].constraint, "mk = m * k");
  EXPECT_EQ(view->summary, "c = a * scale");
  EXPECT_THAT(view->constraints, ElementsAre("No mutation or aliasing"));
  ASSERT_THAT(view->workloads, SizeIs(1));
  EXPECT_EQ(view->workloads[0].tolerance, "abs ≤ 0.01, rel ≤ 0.05");
}

TEST(OperationViewTest, RefusesAGroupOfAnotherOperation) {
  World world;
  world.run("a", 10);
  world.run("n", 10);
  const catalog::Snapshot& s = world.made();
  const Index other = s.cohorts_of_operation(s.find_operation("norm")).front();
  const auto view = operation_view(s, world.catalog.store(), s.find_operation("gemm"),
                                   {.cohort = other, .now = kNow});
  ASSERT_FALSE(view.has_value());
  EXPECT_EQ(view.error().code(), Code::kInvalidArgument);
}

TEST(ImplementationViewTest, SaysWhetherItCanBeUsedAndWhereItStands) {
  World world;
  world.run("a", 10);
  world.run("a", 12);
  world.run("a", 9, {.gpu = "NVIDIA H100"});
  world.run("b", 8, {.gpu = "NVIDIA H100"});
  const catalog::Snapshot& s = world.made();
  const auto view =
      implementation_view(s, world.catalog.store(), s.find_implementation("a"), {.now = kNow});
  ASSERT_TRUE(view.has_value()) << view.error().to_string();
  EXPECT_THAT(view->not_deployable_because, IsEmpty());
  EXPECT_EQ(view->install_command, "pip install it");
  EXPECT_EQ(view->records, 1u);
  EXPECT_EQ(view->results_total, 2u);
  ASSERT_THAT(view->results, SizeIs(2));
  EXPECT_EQ(view->runs, 3u);
  EXPECT_THAT(view->support.measured_on, SizeIs(2));
  EXPECT_EQ(view->interface.symbol, "run");
  const auto other =
      implementation_view(s, world.catalog.store(), s.find_implementation("b"), {.now = kNow});
  ASSERT_TRUE(other.has_value());
  EXPECT_THAT(other->not_deployable_because,
              ElementsAre("NO_PUBLIC_SOURCE", "NO_INSTALL_RECIPE", "LICENSE_UNKNOWN"));
  EXPECT_EQ(other->records, 1u);
  const auto json = written([&](json::Writer& w) { write_json(w, s, *view, ""); });
  EXPECT_EQ(json.root.find("bestResults")->items().size(), 2u);
  EXPECT_EQ(json.root.find("usage")->find("install")->find("kind")->string(), "pip");
}

TEST(ImplementationViewTest, ListsTheOtherRevisionsUnderItsSlug) {
  World world;
  world.catalog.implementation(
      {.slug = "a", .project = "alpha", .operation = "gemm", .revision = "newer"});
  const catalog::Snapshot& s = world.made();
  const Index newest = s.find_implementation("a");
  EXPECT_EQ(s.text(s.implementations()[newest].revision), "newer");
  const auto view = implementation_view(s, world.catalog.store(), newest, {.now = kNow});
  ASSERT_TRUE(view.has_value());
  EXPECT_THAT(view->revisions, SizeIs(1));
}

TEST(ImplementationViewTest, ShowsWhatChangedSinceTheProjectsPreviousSubmission) {
  World world;
  const auto add = [&](const char* slug, const char* project, const char* operation,
                       const char* revision, std::string content) {
    world.catalog.implementation(
        {.slug = slug,
         .project = project,
         .operation = operation,
         .revision = revision,
         .spec = content.empty() ? "" : world.catalog.source_file("k.py", content)});
  };
  add("s9", "alpha", "gemm", "submission-9", "a\nb\n");
  add("s10", "alpha", "gemm", "submission-10", "a\nc\n");
  add("s100", "alpha", "gemm", "submission-100", "a\nc\nd\n");
  add("beta11", "beta", "gemm", "submission-11", "of another project\n");
  add("norm12", "alpha", "norm", "submission-12", "of another operation\n");
  add("version", "alpha", "gemm", "submission-50b", "no submission\n");
  add("s200", "alpha", "gemm", "submission-200", "");  // its text is not stored
  add("s201", "alpha", "gemm", "submission-201", "e\n");
  const catalog::Snapshot& s = world.made();
  const auto diff_of = [&](std::string_view slug, bool with_source = true) {
    const auto view = implementation_view(s, world.catalog.store(), s.find_implementation(slug),
                                          {.with_source = with_source, .now = kNow});
    EXPECT_TRUE(view.has_value()) << slug;
    if (!view || !view->source_code) return std::optional<SourceDiff>();
    const auto json = written([&](json::Writer& w) { write_json(w, s, *view, ""); });
    EXPECT_EQ(json.root.find("sourceCode")->find("diff") != nullptr,
              view->source_code->diff.has_value());
    return view->source_code->diff;
  };
  const auto newer = diff_of("s10");
  ASSERT_TRUE(newer.has_value());
  EXPECT_EQ(newer->previous.slug, "s9");
  EXPECT_EQ(newer->previous_revision, "submission-9");
  EXPECT_EQ(newer->added, 1u);
  EXPECT_EQ(newer->deleted, 1u);
  ASSERT_THAT(newer->lines, SizeIs(3));
  EXPECT_EQ(newer->lines[1].text, "b");
  const auto hundred = diff_of("s100");
  ASSERT_TRUE(hundred.has_value());
  EXPECT_EQ(hundred->previous.slug, "s10") << "numbers are compared as numbers";
  EXPECT_FALSE(diff_of("s10", false)) << "only with the content";
  EXPECT_FALSE(diff_of("s9")) << "the first submission";
  EXPECT_FALSE(diff_of("version")) << "not a submission";
  EXPECT_FALSE(diff_of("norm12")) << "the only one of its operation";
  EXPECT_FALSE(diff_of("beta11")) << "the only one of its project";
  EXPECT_FALSE(diff_of("s200")) << "no text of its own";
  EXPECT_FALSE(diff_of("s201")) << "the previous one has no text";
}

}  // namespace
}  // namespace ki::views::testing
