#include "sketch_fixture.h"

#include <gmock/gmock.h>

#include <string>

namespace ki::resolve {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// One operation with cases m = 8, 16, 64 on two GPUs.
class Groups : public Sketch {
 protected:
  void SetUp() override {
    op = catalog.operation({.slug = "gemm-k64"});
    small = catalog.case_of(op, 8);
    middle = catalog.case_of(op, 16);
    large = catalog.case_of(op, 64);
    fast = catalog.implementation(op, {.slug = "fast", .license = "MIT"});
    slow = catalog.implementation(op, {.slug = "slow", .language = "triton"});
    closed = catalog.implementation(op, {.slug = "closed", .has_source = false});
    catalog.run(fast, middle, {.value = 100});
    catalog.run(slow, middle, {.value = 120});
    catalog.run(closed, middle, {.value = 90});
    catalog.run(fast, small, {.value = 40});
    catalog.run(fast, large, {.value = 300});
    catalog.run(fast, middle, {.value = 70, .product = "NVIDIA H100", .architecture = "sm_90"});
  }
  std::string op, small, middle, large, fast, slow, closed;
};

TEST_F(Groups, RunsStandInTheirGroups) {
  catalog.implementation(op, {.slug = "untested"});
  const Answer answer = ask("op:gemm-k64");
  EXPECT_EQ(answer.mode, Mode::kOperationOnly);
  EXPECT_THAT(code(answer, GroupKind::kExact), ElementsAre("closed", "fast", "slow"));
  EXPECT_THAT(code(answer, GroupKind::kCompatible), ElementsAre("fast", "fast"));
  EXPECT_THAT(code(answer, GroupKind::kReported), ElementsAre("fast"));
  EXPECT_THAT(code(answer, GroupKind::kSupportedUnmeasured), ElementsAre("untested"));
  const Row& first = answer.group(GroupKind::kExact).rows[0];
  EXPECT_EQ(first.rank, 1U);
  EXPECT_EQ(first.cohort_size, 3U);
  EXPECT_EQ(first.why, WhyRanked::kLowestValue);
  EXPECT_TRUE(first.has(Caveat::kNoPublicSource));
  EXPECT_TRUE(first.has(Caveat::kNotReproduced));
  const Row& other_case = answer.group(GroupKind::kCompatible).rows[0];
  EXPECT_EQ(other_case.rank, 0U);
  EXPECT_TRUE(other_case.has(Caveat::kUnranked));
  EXPECT_THAT(other_case.mismatches, ElementsAre(Mismatch{"axes.m", "16", "8"}));
  const Row& other_gpu = answer.group(GroupKind::kReported).rows[0];
  EXPECT_TRUE(other_gpu.has(Caveat::kOtherCohort));
  EXPECT_EQ(other_gpu.match, Match::kExact);
  EXPECT_TRUE(answer.group(GroupKind::kSupportedUnmeasured).rows[0].has(Caveat::kDeclaredOnly));
}

TEST_F(Groups, ACaseThatIsMeasuredIsExact) {
  const Answer answer = ask("op:gemm-k64 m=8");
  EXPECT_EQ(answer.mode, Mode::kExact);
  EXPECT_THAT(code(answer, GroupKind::kExact), ElementsAre("fast"));
  EXPECT_EQ(answer.selected.because, SelectedBecause::kAnswersRequest);
  EXPECT_FALSE(answer.nearest);
}

TEST_F(Groups, ACaseThatNobodyMeasuredShowsItsNeighbours) {
  const Answer answer = ask("op:gemm-k64 m=32");
  EXPECT_EQ(answer.mode, Mode::kNearest);
  EXPECT_EQ(answer.group(GroupKind::kExact).total, 0U);
  ASSERT_TRUE(answer.nearest);
  EXPECT_EQ(answer.nearest->axis, "m");
  EXPECT_EQ(answer.nearest->below->value, 16);
  EXPECT_EQ(answer.nearest->below->runs, 4U);
  EXPECT_EQ(answer.nearest->above->value, 64);
  EXPECT_EQ(answer.nearest->below->query, "op:gemm-k64 m=16");
  EXPECT_EQ(answer.selected.workload, answer.nearest->below->workload)
      << "as close as the other, and smaller";
  EXPECT_EQ(answer.selected.because, SelectedBecause::kNearestCase);

  const Answer there = ask("op:gemm-k64 m=32 gpu:H100");
  ASSERT_TRUE(there.nearest);
  EXPECT_EQ(there.nearest->below->value, 16) << "only neighbours measured on that GPU";
  EXPECT_FALSE(there.nearest->above);
}

TEST_F(Groups, AnUnknownAxisIsNeverExact) {
  const Answer answer = ask("op:gemm-k64 q=8");
  EXPECT_EQ(answer.mode, Mode::kOperationOnly);
  EXPECT_EQ(answer.group(GroupKind::kExact).total, 0U);
  ASSERT_EQ(answer.issues.size(), 1U);
  EXPECT_EQ(answer.issues[0].code, "UNKNOWN_AXIS");
}

TEST_F(Groups, FiltersChooseTheCohortAndTheWorkload) {
  const Answer gpu = ask("op:gemm-k64 gpu:H100");
  EXPECT_THAT(code(gpu, GroupKind::kExact), ElementsAre("fast"));
  EXPECT_EQ(gpu.group(GroupKind::kReported).total, 3U);
  EXPECT_THAT(gpu.group(GroupKind::kReported).rows[0].mismatches,
              ElementsAre(Mismatch{"hardware.gpu", "H100", "NVIDIA B200"}));
  const Answer language = ask("op:gemm-k64 language:triton");
  EXPECT_THAT(code(language, GroupKind::kExact), ElementsAre("slow"));
  EXPECT_EQ(language.group(GroupKind::kExact).rows[0].rank, 3U) << "its rank in the whole group";
  EXPECT_EQ(language.group(GroupKind::kExact).rows[0].position, 1U) << "its place in this list";
  EXPECT_EQ(language.group(GroupKind::kCompatible).total, 4U);
}

TEST_F(Groups, FiltersThatNothingMatchesLeaveTheDefault) {
  const Answer answer = ask("op:gemm-k64 gpu:MI300X");
  EXPECT_EQ(answer.group(GroupKind::kExact).total, 0U);
  EXPECT_EQ(answer.group(GroupKind::kCompatible).total, 5U);
  EXPECT_EQ(answer.selected.because, SelectedBecause::kFewestMismatches);
}

TEST_F(Groups, PolicyHidesRowsAndCountsWhy) {
  const Answer license = ask("op:gemm-k64 license:permissive");
  EXPECT_THAT(code(license, GroupKind::kExact), ElementsAre("fast"));
  const Group& group = license.group(GroupKind::kExact);
  EXPECT_EQ(group.hidden, 2U);
  EXPECT_EQ(group.hidden_by[static_cast<std::size_t>(Hidden::kLicense)], 2U);
  EXPECT_EQ(group.rows[0].rank, 2U) << "a filter never changes a rank";
  const Answer source = ask("op:gemm-k64 source:true license:permissive");
  EXPECT_EQ(source.group(GroupKind::kExact).hidden, 2U) << "a row that fails twice is hidden once";
  EXPECT_EQ(source.group(GroupKind::kExact).hidden_by[static_cast<std::size_t>(Hidden::kSource)],
            1U);
}

TEST_F(Groups, OldRunsAreHiddenWhenAskedForNewOnes) {
  catalog.run(slow, small, {.value = 50, .observed = "2026-08-01T00:00:00.000Z"});
  query::Intent intent = query::parse_query("op:gemm-k64 m=8");
  intent.max_age_days = 90;
  const Instant now = parse_instant("2026-08-20T00:00:00.000Z")->instant;
  const Answer answer =
      resolver().resolve({.intent = &intent, .query = {}, .cohort = {}, .now = now});
  EXPECT_THAT(code(answer, GroupKind::kExact), ElementsAre("slow"));
  EXPECT_EQ(answer.group(GroupKind::kExact).hidden_by[static_cast<std::size_t>(Hidden::kAge)], 1U);
}

TEST_F(Groups, AStaleRowSaysSo) {
  const Answer answer = ask("op:gemm-k64 m=8", parse_instant("2027-01-01T00:00:00.000Z")->instant);
  EXPECT_TRUE(answer.group(GroupKind::kExact).rows[0].is_stale);
}

TEST_F(Groups, TheBestVerifiedAndTheBestDeployableAreNamed) {
  const std::string packaged =
      catalog.implementation(op, {.slug = "packaged", .is_installable = true, .license = "MIT"});
  catalog.run(packaged, middle, {.value = 130});
  catalog.run(slow, middle, {.value = 125, .is_reproduced = true});
  const Answer answer = ask("op:gemm-k64");
  ASSERT_TRUE(answer.best_verified);
  EXPECT_EQ(answer.best_verified->value, 125);
  EXPECT_EQ(answer.best_verified->evidence, policy::EvidenceLevel::kVerified);
  ASSERT_TRUE(answer.best_deployable);
  EXPECT_EQ(answer.best_deployable->value, 130);
  EXPECT_THAT(code(ask("op:gemm-k64 trust:verified"), GroupKind::kExact), ElementsAre("slow"));
  EXPECT_THAT(code(ask("op:gemm-k64 installable:true"), GroupKind::kExact),
              ElementsAre("packaged"));
}

TEST_F(Groups, RunsThatCannotBeRankedAreListedWithTheirReasons) {
  catalog.run(slow, middle, {.status = "runtime_error"});
  catalog.run(slow, middle, {.value = 1, .is_retracted = true});
  catalog.run(slow, middle, {.value = 1, .is_published = false});
  const Answer answer = ask("op:gemm-k64");
  EXPECT_EQ(answer.group(GroupKind::kExact).total, 3U);
  EXPECT_EQ(answer.excluded_total, 2U) << "what is not published is nobody's business";
  std::vector<std::string> reasons;
  for (const Excluded& excluded : answer.excluded) reasons.emplace_back(excluded.reasons.front());
  EXPECT_THAT(reasons, ::testing::UnorderedElementsAre("RETRACTED", "STATUS_RUNTIME_ERROR"));
}

TEST_F(Groups, ACorrectedRunGivesWayToItsSuccessor) {
  const std::string wrong = catalog.run(slow, large, {.value = 1});
  catalog.run(slow, large, {.value = 400, .supersedes = wrong});
  const Answer answer = ask("op:gemm-k64 m=64");
  EXPECT_THAT(code(answer, GroupKind::kExact), ElementsAre("fast", "slow"));
}

TEST_F(Groups, AnImplementationOfAnotherOperationIsMarkedAndMeasuredElsewhereIsNotMeasuredHere) {
  const std::string other = catalog.operation({.slug = "gemm-k128", .name = "other"});
  const std::string stray = catalog.implementation(other, {.slug = "stray"});
  catalog.run(stray, small, {.value = 30});
  const Answer here = ask("op:gemm-k64 m=8");
  EXPECT_THAT(code(here, GroupKind::kExact), ElementsAre("stray", "fast"));
  EXPECT_TRUE(here.group(GroupKind::kExact).rows[0].has(Caveat::kOperationMismatch));
  EXPECT_THAT(code(ask("op:gemm-k128"), GroupKind::kSupportedUnmeasured), ElementsAre("stray"));
}

TEST_F(Groups, CohortsOfOneGpuAreToldApartByWhatDiffers) {
  catalog.run(slow, middle, {.value = 80, .cuda = "12.8"});
  catalog.run(slow, middle, {.value = 81, .cuda = "13.0", .harness_version = "v2"});
  const Answer answer = ask("op:gemm-k64 gpu:B200");
  std::vector<std::string> labels;
  for (const CohortOption& option : answer.cohort_options) {
    if (option.matching > 0) labels.emplace_back(option.label);
  }
  ASSERT_EQ(labels.size(), 3U);
  EXPECT_EQ(labels[0], "NVIDIA B200 · harness · CUDA unknown");
  EXPECT_THAT(labels, ::testing::Contains("NVIDIA B200 · harness · CUDA 12.8"));
  EXPECT_THAT(labels, ::testing::Contains("NVIDIA B200 · harness v2 · CUDA 13.0"));
}

TEST_F(Groups, TiesKeepTheirRank) {
  catalog.run(slow, middle, {.value = 90, .observed = "2026-05-02T00:00:00.000Z"});
  const Answer answer = ask("op:gemm-k64");
  const auto& rows = answer.group(GroupKind::kExact).rows;
  EXPECT_EQ(rows[0].rank, 1U);
  EXPECT_EQ(rows[1].rank, 1U);
  EXPECT_TRUE(rows[1].is_tied_with_previous);
  EXPECT_EQ(rows[1].why, WhyRanked::kTied);
}

TEST_F(Groups, ObjectivesChooseTheMetric) {
  catalog.run(fast, middle, {.value = 2, .metric = "score"});
  query::Intent intent = query::parse_query("op:gemm-k64");
  intent.objective_metric = "score";
  const Answer answer =
      resolver().resolve({.intent = &intent, .query = {}, .cohort = {}, .now = {}});
  ASSERT_EQ(answer.group(GroupKind::kExact).total, 1U);
  EXPECT_EQ(answer.group(GroupKind::kExact).rows[0].value, 2);
  EXPECT_THAT(answer.group(GroupKind::kReported).rows[0].mismatches,
              ElementsAre(Mismatch{"metric", "score", "latency"}));
}

class Suites : public Sketch {};

TEST_F(Suites, ACaseInsideASuiteIsNotExact) {
  const std::string op = catalog.operation({.slug = "gemm-k64"});
  const std::string code_id = catalog.implementation(op, {.slug = "code"});
  catalog.run(code_id, catalog.suite(op, 3), {});
  const Answer axis = ask("op:gemm-k64 m=2");
  EXPECT_EQ(axis.mode, Mode::kOperationOnly);
  EXPECT_EQ(axis.group(GroupKind::kExact).total, 0U);
  ASSERT_EQ(axis.group(GroupKind::kCompatible).total, 1U);
  EXPECT_EQ(axis.group(GroupKind::kCompatible).rows[0].mismatches[0].field, "axes.m");
  const Answer shape = ask("op:gemm-k64 [2,64]");
  EXPECT_THAT(shape.group(GroupKind::kCompatible).rows[0].mismatches,
              ElementsAre(Mismatch{"workload.scope", "exact case [2, 64]", "suite aggregate"}));
  EXPECT_EQ(ask("op:gemm-k64 dtype:fp16").group(GroupKind::kExact).total, 1U)
      << "the operation's dtypes";
}

TEST_F(Suites, AnotherKindOfWorkloadIsNamed) {
  const std::string op = catalog.operation({.slug = "gemm-k64"});
  const std::string code_id = catalog.implementation(op, {.slug = "code"});
  const std::string suite = catalog.suite(op, 3);
  catalog.run(code_id, suite, {.value = 10});
  catalog.run(code_id, suite, {.value = 11});
  catalog.run(code_id, catalog.case_of(op, 8), {.value = 5});
  const Answer answer = ask("op:gemm-k64");
  EXPECT_THAT(answer.group(GroupKind::kCompatible).rows[0].mismatches,
              ElementsAre(Mismatch{"workload.scope", "suite aggregate", "exact case"}));
}

class Shapes : public Sketch {};

TEST_F(Shapes, AShapeOfSeveralTensorsIsAnIssueNotAGuess) {
  const std::string op = catalog.operation(
      {.slug = "gemm",
       .axes =
           R"({"k":{"role":"variable","type":"integer"},"m":{"role":"variable","type":"integer"},"n":{"role":"variable","type":"integer"}})",
       .inputs =
           R"([{"name":"a","tensor":{"dtype":"fp16","shape":["m","k"]}},{"name":"b","tensor":{"dtype":"fp16","shape":["k","n"]}}])"});
  const std::string workload = catalog.workload(
      op, R"({"k":8,"m":4,"n":16})",
      R"({"a":{"dtype":"fp16","shape":[4,8]},"b":{"dtype":"fp16","shape":[8,16]}})");
  catalog.run(catalog.implementation(op, {.slug = "code"}), workload, {});
  const Answer open = ask("op:gemm [8,16]");
  EXPECT_NE(open.mode, Mode::kExact) << "it could be the shape of a";
  ASSERT_FALSE(open.issues.empty());
  EXPECT_EQ(open.issues[0].code, "AMBIGUOUS_SHAPE");
  EXPECT_EQ(ask("op:gemm b=[8,16]").mode, Mode::kExact) << "named";
}

TEST_F(Shapes, PackedLayoutsAnswerForRowMajorAndStridedOnesDoNot) {
  const std::string op = catalog.operation({.slug = "gemm-k64"});
  const std::string packed = catalog.workload(
      op, R"({"k":64,"m":2})", R"({"a":{"dtype":"fp16","shape":[2,64],"strides":[64,1]}})");
  const std::string strided = catalog.workload(
      op, R"({"k":64,"m":4})", R"({"a":{"dtype":"fp16","shape":[4,64],"strides":[128,1]}})");
  const std::string code_id = catalog.implementation(op, {.slug = "code"});
  catalog.run(code_id, packed, {.value = 1});
  catalog.run(code_id, strided, {.value = 2});
  EXPECT_EQ(ask("op:gemm-k64 m=2 layout:contiguous").mode, Mode::kExact);
  EXPECT_EQ(ask("op:gemm-k64 m=2 layout:row_major").mode, Mode::kExact);
  EXPECT_EQ(ask("op:gemm-k64 m=4 layout:row_major").mode, Mode::kOperationOnly);
  EXPECT_EQ(ask("op:gemm-k64 m=4 layout:strided").mode, Mode::kExact);
}

TEST_F(Shapes, CasesThatDifferInNoAxisAreStillOtherCases) {
  const std::string op = catalog.operation({.slug = "gemm-k64"});
  const std::string code_id = catalog.implementation(op, {.slug = "code"});
  catalog.run(code_id, catalog.case_of(op, 8, "fp16"), {.value = 1});
  catalog.run(code_id, catalog.case_of(op, 8, "bf16"), {.value = 2});
  const Answer answer = ask("op:gemm-k64 m=8");
  EXPECT_EQ(answer.mode, Mode::kExact);
  EXPECT_EQ(answer.group(GroupKind::kExact).total, 1U);
  ASSERT_EQ(answer.group(GroupKind::kCompatible).total, 1U);
  EXPECT_EQ(answer.group(GroupKind::kCompatible).rows[0].mismatches.front().field, "workload.case");
  EXPECT_EQ(ask("op:gemm-k64 m=8 dtype:bf16").group(GroupKind::kExact).rows[0].value, 2)
      << "the dtype chooses";
}

class Lists : public Sketch {};

TEST_F(Lists, EvidenceForTheFiltersComesFirst) {
  for (int i = 0; i < 60; ++i) {
    const std::string op = catalog.operation({.slug = "gemm-x" + std::to_string(i)});
    const std::string code_id = catalog.implementation(op, {.slug = "code" + std::to_string(i)});
    const bool is_last = i == 59;
    catalog.run(code_id, catalog.case_of(op, 8),
                {.value = 10.0 + i,
                 .product = is_last ? "NVIDIA H100" : "NVIDIA B200",
                 .architecture = is_last ? "sm_90" : "sm_100"});
  }
  const Answer answer = ask("gemm H100");
  ASSERT_TRUE(answer.chooser);
  EXPECT_EQ(answer.chooser->total, 60U);
  EXPECT_EQ(answer.chooser->with_evidence, 1U);
  EXPECT_EQ(hits(answer).front(), "gemm-x59") << "though it is last by name";
  EXPECT_EQ(answer.chooser->rows[0].matching, 1U);
  EXPECT_EQ(answer.chooser->rows[0].with_source, 1U);
  EXPECT_EQ(answer.chooser->facet_label, "H100");
  EXPECT_EQ(hits(answer)[1], "gemm-x0");
  EXPECT_EQ(answer.chooser->rows.size(), kPageSize);

  const Answer only_filters = ask("H100");
  EXPECT_THAT(hits(only_filters), ElementsAre("gemm-x59"));
  EXPECT_EQ(ask("A100").mode, Mode::kNothing) << "nothing measured there";
}

TEST_F(Lists, BrowsingPagesThroughEverything) {
  for (int i = 0; i < 5; ++i) catalog.operation({.slug = "op-" + std::to_string(i)});
  const query::Intent intent = query::parse_query("");
  const Answer answer = resolver().resolve({.intent = &intent,
                                            .query = {},
                                            .cohort = {},
                                            .now = {},
                                            .limit = 2,
                                            .offsets = {},
                                            .list_offset = 4,
                                            .browse_order = BrowseOrder::kName});
  EXPECT_EQ(answer.mode, Mode::kBrowse);
  EXPECT_EQ(answer.chooser->total, 5U);
  EXPECT_THAT(hits(answer), ElementsAre("op-4"));
}

TEST(EmptyCatalog, AnswersEverythingWithNothing) {
  const auto snapshot = testing::SketchCatalog().finish();
  const SearchIndex index(*snapshot);
  const Resolver resolver(*snapshot, index);
  for (const std::string_view query : {"", "gemm", "op:x m=1", "model:y", "B200"}) {
    const query::Intent intent = query::parse_query(query);
    const Answer answer =
        resolver.resolve({.intent = &intent, .query = query, .cohort = {}, .now = {}});
    EXPECT_EQ(answer.operation, kNone) << query;
    EXPECT_EQ(answer.mode, query.empty() ? Mode::kBrowse : Mode::kNothing) << query;
  }
  EXPECT_TRUE(index.suggest("a").empty());
}

}  // namespace
}  // namespace ki::resolve
