#include "ki/query/mismatch.h"

#include "allocations.h"
#include "ki/query/bind.h"
#include "ki/query/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace ki::query {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A run with everything recorded: rmsnorm-like, x [2048, 4096] and w [4096].
struct Record {
  std::vector<std::int64_t> x_shape = {2048, 4096};
  std::vector<std::int64_t> w_shape = {4096};
  std::vector<AxisFacts> axes = {{"tokens", 2048}, {"hidden", 4096}};
  std::vector<TensorFacts> tensors = {
      {.name = "x", .shape = x_shape, .dtype = "fp8_e4m3", .layout = "contiguous"},
      {.name = "w", .shape = w_shape, .dtype = "bf16", .layout = "contiguous"}};
  std::vector<std::string_view> dtypes = {"bf16", "fp8_e4m3"};
  std::vector<std::string_view> layouts = {"contiguous"};
  CaseFacts workload{.axes = axes, .tensors = tensors, .dtypes = dtypes, .layouts = layouts};
  Gpu gpu = parse_gpu("NVIDIA B200");
  RunFacts facts{.workload = &workload,
                 .gpu = &gpu,
                 .architecture = "sm_100",
                 .cuda_major = 12,
                 .framework = "pytorch",
                 .language = "python",
                 .environment_framework = "pytorch",
                 .environment_framework_version = "2.8.0+cu128"};
};

TEST(Mismatches, NoneWhenEverythingIsAsAsked) {
  const Record run;
  const Intent intent = parse_query(
      "rmsnorm B200 arch:sm_100 cuda:12.8 bf16 fp8 layout:row_major framework:torch "
      "language:python [2048, 4096] TOKENS=2048 w=[4096] trust:verified license:mit source:true");
  EXPECT_THAT(mismatches(intent, run.facts), IsEmpty());
  EXPECT_TRUE(matches(intent, run.facts));
  EXPECT_TRUE(matches_case(intent, run.workload));
}

TEST(Mismatches, ComeInOneOrderWithBothValues) {
  const Record run;
  Intent intent = parse_query(
      "b=3 tokens=1 x=[1] [7] language:triton framework:jax layout:strided fp16 e5m2 cuda:13 "
      "arch:gfx942 gpu:GB200");
  intent.environment_framework = FrameworkRequest{"pytorch", "2.9"};
  intent.tensors[0].dtype = "fp4";
  intent.tensors[0].layout = "col_major";
  EXPECT_THAT(
      mismatches(intent, run.facts),
      ElementsAre(Mismatch{"hardware.gpu", "GB200", "NVIDIA B200"},
                  Mismatch{"hardware.architecture", "gfx942", "sm_100"},
                  Mismatch{"environment.cudaToolkit", "13", "12"},
                  Mismatch{"environment.framework", "pytorch 2.9", "pytorch 2.8.0+cu128"},
                  Mismatch{"workload.dtype", "fp16", "bf16/fp8_e4m3"},
                  Mismatch{"workload.dtype", "e5m2", "bf16/fp8_e4m3"},
                  Mismatch{"workload.dtype", "x fp4", "fp8_e4m3"},
                  Mismatch{"workload.layout", "strided", "contiguous"},
                  Mismatch{"workload.layout", "x col_major", "contiguous"},
                  Mismatch{"framework", "jax", "pytorch"}, Mismatch{"language", "triton", "python"},
                  Mismatch{"workload.shape", "[7]", "[2048, 4096]"},
                  Mismatch{"workload.shape", "x [1]", "[2048, 4096]"},
                  Mismatch{"axes.b", "3", "unknown"}, Mismatch{"axes.tokens", "1", "2048"}));
}

TEST(Mismatches, WhatIsNotRecordedIsUnknown) {
  const Gpu gpu = parse_gpu("");
  const CaseFacts workload;
  const RunFacts run{.workload = &workload, .gpu = &gpu};
  const Intent intent = parse_query("B200 sm_90 cuda:12 bf16 layout:strided torch triton [1] m=1");
  const auto found = mismatches(intent, run);
  ASSERT_EQ(found.size(), 9U);
  for (const Mismatch& mismatch : found) EXPECT_EQ(mismatch.observed, "unknown") << mismatch.field;
}

TEST(Mismatches, ASuiteNeverAnswersForACase) {
  const std::vector<AxisFacts> pairs = {{"m", 1}, {"m", 2}};
  const Gpu gpu = parse_gpu("NVIDIA B200");
  const CaseFacts suite{
      .is_suite = true, .axes = pairs, .tensors = {}, .dtypes = {}, .layouts = {}};
  const RunFacts run{.workload = &suite, .gpu = &gpu};
  EXPECT_THAT(mismatches(parse_query("[1, 2] M=2 m2=2 B200"), run),
              ElementsAre(Mismatch{"workload.scope", "exact case [1, 2]", "suite aggregate"},
                          Mismatch{"axes.m", "2", "covered inside suite aggregate"},
                          Mismatch{"axes.m2", "2", "not in suite"}));
  EXPECT_TRUE(matches(parse_query("B200"), run));
  EXPECT_FALSE(matches_case(parse_query("B200"), suite));
}

TEST(Mismatches, AnAmbiguousGpuIsNotExact) {
  Record run;
  run.gpu = parse_gpu("NVIDIA H100 PCIe");
  EXPECT_THAT(mismatches(parse_query("H100"), run.facts),
              ElementsAre(Mismatch{"hardware.gpu", "H100", "NVIDIA H100 PCIe"}));
  EXPECT_TRUE(matches(parse_query("gpu:h100-pcie-80gb"), run.facts));
}

// a [m, 4096] · b [4096, 4096]: the shape of b says nothing about m.
TEST(Mismatches, AnUnboundShapeIsExactOnlyUnderEveryReading) {
  const std::vector<std::string_view> a = {"m", "k"};
  const std::vector<std::string_view> b = {"n", "k"};
  const std::vector<std::string_view> c = {"m", "n"};
  const std::vector<OperationAxis> names = {
      {.name = "m"},
      {.name = "k", .role = AxisRole::kConstant, .value = 4096},
      {.name = "n", .role = AxisRole::kConstant, .value = 4096}};
  const std::vector<OperationTensor> tensors = {{"a", a}, {"b", b}, {"c", c}};
  const OperationFacts operation{.axes = names, .tensors = tensors};
  const std::vector<std::int64_t> square = {4096, 4096};
  const auto found_for = [&](std::string_view query, std::int64_t m) {
    const std::vector<std::int64_t> a_shape = {m, 4096};
    const std::vector<AxisFacts> axes = {{"m", m}, {"n", 4096}, {"k", 4096}};
    const std::vector<TensorFacts> facts = {
        {.name = "a", .shape = a_shape, .dtype = {}, .layout = {}},
        {.name = "b", .shape = square, .dtype = {}, .layout = {}}};
    const CaseFacts workload{.axes = axes, .tensors = facts, .dtypes = {}, .layouts = {}};
    const Gpu gpu = parse_gpu("NVIDIA B200");
    Intent intent = parse_query(query);
    bind(intent, operation);
    return mismatches(intent, {.workload = &workload, .gpu = &gpu});
  };
  EXPECT_THAT(found_for("[1, 4096]", 1), IsEmpty()) << "a and the output c agree";
  EXPECT_THAT(found_for("[1, 4096]", 2),
              ElementsAre(Mismatch{"workload.shape", "[1, 4096]", "[2, 4096]"}));
  EXPECT_THAT(found_for("[4096, 4096]", 4096), IsEmpty()) << "true of a, b and c";
  EXPECT_THAT(found_for("[4096, 4096]", 1), ElementsAre(Mismatch{"workload.shape", "[4096, 4096]",
                                                                 "a [1, 4096], b [4096, 4096]"}));
  EXPECT_THAT(found_for("b=[4096, 4096]", 1), IsEmpty()) << "named";
  EXPECT_EQ(found_for("a=[4096, 4096]", 1).size(), 1U);
  EXPECT_EQ(found_for("[9, 9]", 1).size(), 1U) << "fits no tensor";
}

TEST(Mismatches, AnUnseenShapeNeedsExactlyOneTensor) {
  Record run;
  EXPECT_TRUE(matches(parse_query("[4096]"), run.facts));
  run.tensors.push_back({.name = "b", .shape = run.w_shape, .dtype = "bf16", .layout = {}});
  run.workload.tensors = run.tensors;
  EXPECT_FALSE(matches(parse_query("[4096]"), run.facts));
  EXPECT_TRUE(matches(parse_query("b=[4096]"), run.facts));
}

TEST(Mismatches, AVersionIsComparedByItsParts) {
  const Record run;
  const auto matches_version = [&](std::string version) {
    Intent intent;
    intent.environment_framework = FrameworkRequest{"pytorch", std::move(version)};
    return matches(intent, run.facts);
  };
  EXPECT_TRUE(matches_version("2.8"));
  EXPECT_TRUE(matches_version("2.8.0+cu128"));
  EXPECT_FALSE(matches_version("2.80"));
  EXPECT_FALSE(matches_version("2.8.0+cu12")) << "cu12 is not cu128";
}

TEST(CaseDifferences, ListAxesByNameAndScopeOnce) {
  const std::vector<AxisFacts> one = {{"n", 1}, {"m", 2}, {"same", 3}};
  const std::vector<AxisFacts> two = {{"k", 4}, {"m", 5}, {"same", 3}};
  const CaseFacts a{.axes = one, .tensors = {}, .dtypes = {}, .layouts = {}};
  const CaseFacts b{.axes = two, .tensors = {}, .dtypes = {}, .layouts = {}};
  const CaseFacts suite{.is_suite = true, .axes = one, .tensors = {}, .dtypes = {}, .layouts = {}};
  EXPECT_THAT(case_differences(a, b),
              ElementsAre(Mismatch{"axes.k", "unknown", "4"}, Mismatch{"axes.m", "2", "5"},
                          Mismatch{"axes.n", "1", "unknown"}));
  EXPECT_THAT(case_differences(a, suite),
              ElementsAre(Mismatch{"workload.scope", "exact case", "suite aggregate"}));
  EXPECT_THAT(case_differences(suite, suite), IsEmpty());
  EXPECT_THAT(case_differences(a, a), IsEmpty());
}

// 10^5 requests made from a run by changing some of its values: exact exactly when none changed.
TEST(Mismatches, NoNearMissIsExactAndNoExactIsMissed) {
  const Record run;
  struct Part {
    std::string same;
    std::vector<std::string> near;
    std::string_view field;
  };
  const std::vector<Part> parts = {
      {"gpu:B200",
       {"gpu:GB200", "gpu:B100", "gpu:B300", "gpu:\"AMD B200\"", "gpu:B20", "gpu:\"B200 Lite\""},
       "hardware.gpu"},
      {"arch:sm_100",
       {"arch:sm_10", "arch:sm_100a", "arch:sm_103", "arch:gfx100"},
       "hardware.architecture"},
      {"cuda:12.4", {"cuda:13", "cuda:1", "cuda:120"}, "environment.cudaToolkit"},
      {"dtype:fp8",
       {"dtype:e5m2", "dtype:fp8_e4m3fnuz", "dtype:fp4", "dtype:fp16"},
       "workload.dtype"},
      {"layout:row-major", {"layout:col_major", "layout:strided"}, "workload.layout"},
      {"framework:torch", {"framework:torchvision", "framework:jax"}, "framework"},
      {"language:Python", {"language:python3", "language:pyt"}, "language"},
      {"shape:2048x4096",
       {"shape:4096x2048", "shape:2048", "shape:2048x4096x1", "shape:2047x4096"},
       "workload.shape"},
      {"X=[2048,4096]", {"x=[2048,4097]", "y=[2048,4096]", "w=[2048,4096]"}, "workload.shape"},
      {"Tokens=2048", {"tokens=2049", "tokens=0", "token=2048"}, "axes.token"},
      {"HIDDEN:4096", {"hidden=40960", "hidden_=4096"}, "axes.hidden"},
  };
  std::mt19937 random(17);
  std::size_t exact = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::string query = "rmsnorm";
    std::size_t changed = 0;
    std::vector<std::string_view> fields;
    for (const Part& part : parts) {
      const auto choice = random() % 16;
      if (choice < 5) continue;
      const bool is_near = choice == 15;
      query += " " + (is_near ? part.near[random() % part.near.size()] : part.same);
      if (is_near) {
        ++changed;
        fields.push_back(part.field);
      }
    }
    const Intent intent = parse_query(query);
    ASSERT_FALSE(intent.has_refusals()) << query;
    const auto found = mismatches(intent, run.facts);
    ASSERT_EQ(found.size(), changed) << query;
    for (std::size_t i = 0; i < changed; ++i) {
      ASSERT_TRUE(found[i].field.starts_with(fields[i])) << query << ": " << found[i].field;
    }
    const std::size_t before = allocations();
    const bool is_match = matches(intent, run.facts);
    ASSERT_EQ(allocations(), before) << query;
    ASSERT_EQ(is_match, changed == 0) << query;
    if (is_match) ++exact;
  }
  EXPECT_GT(exact, 20'000U);
}

}  // namespace
}  // namespace ki::query
