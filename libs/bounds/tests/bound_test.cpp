#include "ki/bounds/bound.h"

#include "ki/bounds/registry.h"
#include "ki/bounds/roofline.h"
#include "ki/io/file.h"
#include "ki/json/reader.h"
#include "ki/problem/directory.h"
#include "ki/yaml/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

namespace ki::bounds {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::filesystem::path kSource = KI_SOURCE_DIR;

Hardware hardware(std::string_view name) {
  const auto known = known_hardware();
  EXPECT_TRUE(known) << known.error().to_string();
  return *find_hardware(*known, name);
}

struct Subject {
  OperationShape shape;
  Declaration declaration;
  std::vector<Case> cases;
};

// A comparison group of registry/groups with what is declared for its operation.
Subject seed(const std::string& file) {
  Subject out;
  const auto text = io::read_file(kSource / "registry" / "groups" / file);
  const auto bundle = yaml::read(*text);
  EXPECT_TRUE(bundle) << bundle.error().to_string();
  const json::Value& operation = bundle->root.find("operations")->items().front();
  const json::Value& spec = *operation.find("manifest")->find("spec");
  out.shape = *shape_of_manifest(operation.find("slug")->string(), spec);
  const json::Value& suite = bundle->root.find("workloads")->items().front();
  const json::Value& suite_spec = *suite.find("manifest")->find("spec");
  out.cases = *cases_of_manifest("WorkloadSuite", suite_spec, "suite", *spec.find("axes"));
  const auto digest = Digest::parse(suite_spec.find("operationSpecDigest")->string());
  const auto declared = declared_operations();
  EXPECT_TRUE(declared) << declared.error().to_string();
  const auto found = std::ranges::find(*declared, *digest, &DeclaredOperation::operation);
  EXPECT_NE(found, declared->end()) << file;
  out.declaration = found->declaration;
  return out;
}
Subject kv_cache() { return seed("kv-cache-update-with-rope-backward.yaml"); }
Subject qkv() { return seed("qkv-projection-with-rope-backward.yaml"); }

SuiteBound bound(const Subject& subject, std::string_view machine, Profile profile) {
  auto out =
      bound_of(subject.shape, subject.declaration, hardware(machine), profile, subject.cases);
  EXPECT_TRUE(out) << out.error().to_string();
  return *std::move(out);
}

std::int64_t axis(const Case& one, std::string_view name) {
  return std::ranges::find(one.axes, name, &AxisValue::name)->value;
}

constexpr double kMicro = 1e-6;

TEST(KvCacheBound, BytesOfAllSixteenCasesAreThoseOfTheFormula) {
  // Million bytes of the sixteen cases, two decimals, as they were derived by hand.
  const std::array<double, 16> mb = {21.74,   1179.15, 156.39,  19.80,  74.45,  148.90,
                                     41.31,   2.10,    96.49,   537.10, 294.19, 16.81,
                                     1191.19, 607.18,  2617.26, 18.88};
  const Subject subject = kv_cache();
  const SuiteBound suite = bound(subject, "B200", Profile::kPhysical);
  ASSERT_EQ(suite.cases.size(), mb.size());
  for (std::size_t i = 0; i < mb.size(); ++i) {
    const std::int64_t b = axis(subject.cases[i], "batch_size");
    const std::int64_t m = axis(subject.cases[i], "max_seq_len");
    const std::int64_t n = axis(subject.cases[i], "new_seq_len");
    const std::int64_t cache = b * 8 * m * 128 * 2, slice = b * 8 * n * 128 * 2,
                       row = b * n * 128 * 2;
    EXPECT_EQ(suite.cases[i].bytes, 4 * cache + 3 * slice + 4 * row + 8 * n) << i;
    EXPECT_NEAR(static_cast<double>(suite.cases[i].bytes) / 1e6, mb[i], 0.0051) << i;
    EXPECT_EQ(suite.cases[i].binding, Binding::kMemory) << i;
  }
}

TEST(KvCacheBound, SuiteMeansArePublishedOnes) {
  EXPECT_NEAR(bound(kv_cache(), "B200", Profile::kPhysical).geomean_s / kMicro, 14.12,
              0.005 * 14.12);
  EXPECT_NEAR(bound(kv_cache(), "B200", Profile::kSolarCompat).geomean_s / kMicro, 17.42,
              0.005 * 17.42);
  EXPECT_NEAR(bound(kv_cache(), "H200", Profile::kPhysical).geomean_s / kMicro, 23.53,
              0.005 * 23.53);
  EXPECT_NEAR(bound(kv_cache(), "H200", Profile::kMeasured).geomean_s / kMicro, 26.26,
              0.005 * 26.26);
}

TEST(KvCacheBound, SolarCountsTheGatheredRowsTwice) {
  const std::array<double, 16> us = {3.60,  162.04, 22.45, 3.21, 10.66,  20.91, 6.37,   0.67,
                                     15.17, 70.47,  40.69, 2.59, 164.51, 84.83, 376.76, 3.02};
  const SuiteBound suite = bound(kv_cache(), "B200", Profile::kSolarCompat);
  for (std::size_t i = 0; i < us.size(); ++i)
    EXPECT_NEAR(suite.cases[i].seconds / kMicro, us[i], 0.0101) << i;
}

TEST(QkvBound, SuiteMeansOfOneSixteenBitPass) {
  const SuiteBound physical = bound(qkv(), "B200", Profile::kPhysical);
  EXPECT_NEAR(physical.geomean_s / kMicro, 27.44, 0.005 * 27.44);
  EXPECT_NEAR(*physical.compute_geomean_s / kMicro, 26.10, 0.005 * 26.10);
  EXPECT_NEAR(*physical.memory_geomean_s / kMicro, 13.91, 0.005 * 13.91);
  EXPECT_NEAR(bound(qkv(), "B200", Profile::kSolarCompat).geomean_s / kMicro, 26.87, 0.005 * 26.87);
  EXPECT_NEAR(*bound(qkv(), "H200", Profile::kPhysical).compute_geomean_s / kMicro, 47.74,
              0.005 * 47.74);
}

TEST(QkvBound, SmallCasesAreBoundByMemoryAndTheOthersByTheTensorUnits) {
  const Subject subject = qkv();
  const SuiteBound suite = bound(subject, "B200", Profile::kPhysical);
  for (std::size_t i = 0; i < suite.cases.size(); ++i) {
    const std::int64_t tokens =
        axis(subject.cases[i], "batch_size") * axis(subject.cases[i], "seq_len");
    EXPECT_EQ(suite.cases[i].binding, tokens <= 586 ? Binding::kMemory : Binding::kTensor)
        << tokens;
    EXPECT_EQ(suite.cases[i].bytes, 4 * (6336 * tokens + 9'437'184)) << tokens;
    EXPECT_EQ(suite.cases[i].flops, 18'874'368 * tokens + 3 * 2688 * tokens) << tokens;
  }
}

TEST(Bound, PassesAndFixedCostsCount) {
  Subject subject = qkv();
  const double one = *bound(subject, "B200", Profile::kPhysical).compute_geomean_s;
  subject.declaration.work.front().passes = 3;
  subject.declaration.fixed_ns = 1000;
  const SuiteBound three = bound(subject, "B200", Profile::kPhysical);
  EXPECT_NEAR(*three.compute_geomean_s / one, 3, 1e-9);
  EXPECT_NEAR(three.cases[0].seconds, three.cases[0].tensor_s + kMicro, 1e-12);
  EXPECT_NEAR(*bound(subject, "B200", Profile::kSolarCompat).compute_geomean_s / one, 1, 1e-9)
      << "SOLAR knows no passes";
}

TEST(Bound, WhatCannotBeComputedIsSaid) {
  const auto refused = [](const Subject& subject, std::string_view machine, Profile profile) {
    const auto out =
        bound_of(subject.shape, subject.declaration, hardware(machine), profile, subject.cases);
    EXPECT_FALSE(out);
    return out ? std::string() : out.error().to_string();
  };
  const Subject good = kv_cache();
  EXPECT_THAT(refused(good, "B200", Profile::kMeasured),
              HasSubstr("no measured figures of NVIDIA B200"));
  EXPECT_THAT(refused(good, "H200", Profile::kSolarCompat), HasSubstr("no solar-compat figures"));
  Subject wrong = good;
  wrong.declaration.once.push_back("cache_positions");
  EXPECT_THAT(refused(wrong, "B200", Profile::kPhysical),
              HasSubstr("'cache_positions', which is no tensor"));
  wrong = good;
  wrong.declaration.work.front().flops = *Expression::parse("batch_sise");
  EXPECT_THAT(refused(wrong, "B200", Profile::kPhysical),
              HasSubstr("case bd64182b34d7: 'batch_sise'"));
  wrong = good;
  wrong.declaration.work.front().precision = "fp6";
  EXPECT_THAT(refused(wrong, "B200", Profile::kPhysical),
              HasSubstr("no simt ceiling of precision 'fp6'"));
  wrong = good;
  wrong.shape.tensors.front().shape.emplace_back("typo");
  EXPECT_THAT(refused(wrong, "B200", Profile::kPhysical), HasSubstr("unknown axis 'typo'"));
  wrong = good;
  for (int i = 0; i < 3; ++i) wrong.shape.tensors.front().shape.emplace_back(std::int64_t{1} << 20);
  EXPECT_THAT(refused(wrong, "B200", Profile::kPhysical), HasSubstr("overflow"));
  wrong = good;
  wrong.cases.clear();
  EXPECT_THAT(refused(wrong, "B200", Profile::kPhysical), HasSubstr("has no cases"));
}

TEST(Bound, AMeasuredProfileSaysWhichCeilingsAreNominal) {
  const SuiteBound suite = bound(qkv(), "H200", Profile::kMeasured);
  ASSERT_EQ(suite.cases.front().work.size(), 2U);
  EXPECT_TRUE(suite.cases.front().work[0].is_nominal) << "fp16 was not measured, bf16 was";
}

TEST(Bound, ATimeBelowThePhysicalBoundIsImpossibleOrAliasing) {
  const double physical = bound(kv_cache(), "B200", Profile::kPhysical).geomean_s;
  const auto flag = impossible(11.09 * kMicro, physical);
  ASSERT_TRUE(flag);
  EXPECT_THAT(*flag,
              HasSubstr("impossible or aliasing: 11.1 µs is 0.786 of the physical bound 14.1 µs"));
  EXPECT_FALSE(impossible(33.9 * kMicro, physical));
  EXPECT_FALSE(impossible(physical, physical));
}

TEST(Bound, Fp4AndBoolAreCountedByTheirSize) {
  const json::Document spec = *json::read_document(R"({"axes": {}, "inputs": [
      {"name": "w", "tensor": {"dtype": "float4_e2m1fn_x2", "shape": [10, 16]}},
      {"name": "q", "tensor": {"dtype": "nvfp4", "shape": [3]}},
      {"name": "m", "tensor": {"dtype": "bool", "shape": [8]}},
      {"name": "eps", "scalar": {"dtype": "fp32"}}], "outputs": []})");
  const OperationShape shape = *shape_of_manifest("x", spec.root);
  ASSERT_EQ(shape.tensors.size(), 3U) << "scalars are passed by value";
  const CaseBound one = *bound_of(shape, {}, hardware("B200"), Profile::kPhysical, Case{"c", {}});
  EXPECT_EQ(one.traffic[0].bytes, 160) << "the packed type counts bytes";
  EXPECT_EQ(one.traffic[1].bytes, 2) << "12 bits";
  EXPECT_EQ(one.traffic[2].bytes, 8);
  const CaseBound solar =
      *bound_of(shape, {}, hardware("B200"), Profile::kSolarCompat, Case{"c", {}});
  EXPECT_EQ(solar.traffic[2].bytes, 0) << "SOLAR counts no bytes for bool";
  const json::Document unknown = *json::read_document(
      R"({"inputs": [{"name": "w", "tensor": {"dtype": "fp6", "shape": [1]}}], "outputs": []})");
  EXPECT_FALSE(shape_of_manifest("x", unknown.root));
}

TEST(Roofline, HoldsRoofsAndPointsAndNoMarkupOfNames) {
  Subject subject = qkv();
  subject.shape.name = "<b>&";
  const SuiteBound suite = bound(subject, "B200", Profile::kPhysical);
  const std::string svg = roofline_svg(subject.shape, hardware("B200"), Profile::kPhysical, suite);
  EXPECT_THAT(svg, HasSubstr("tensor fp16 1.81 PFLOP/s"));
  EXPECT_THAT(svg, HasSubstr("memory 8 TB/s"));
  EXPECT_THAT(svg, HasSubstr("16 of 16 cases"));
  EXPECT_THAT(svg, HasSubstr("&lt;b&gt;&amp;"));
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  const auto count = [&](std::string_view what) {
    std::size_t n = 0;
    for (std::size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("<circle"), 16U);
  EXPECT_EQ(count("class=\"r\""), 3U) << "the slope and two roofs";
}

TEST(Registry, EveryDeclarationIsOfAnotherOperationAndMostHaveWork) {
  const auto declared = declared_operations();
  ASSERT_TRUE(declared) << declared.error().to_string();
  std::set<std::string> digests;
  std::size_t with_work = 0;
  for (const DeclaredOperation& one : *declared) {
    EXPECT_TRUE(digests.insert(one.operation.to_string()).second) << one.name;
    with_work += one.declaration.work.empty() ? 0 : 1;
    EXPECT_TRUE(!one.declaration.work.empty() || !one.declaration.ignores.empty()) << one.name;
  }
  EXPECT_GE(declared->size(), 60U);
  EXPECT_GE(with_work, 40U);
}

// bounds.md lists what is declared, with its label.
TEST(Registry, IsListedInTheDocumentation) {
  const std::string page = *io::read_file(kSource / "docs" / "internals" / "bounds.md");
  const auto declared = declared_operations();
  for (const DeclaredOperation& one : *declared) {
    EXPECT_THAT(page,
                HasSubstr("| " + one.name + " | " + std::string(one.declaration.label()) + " |"));
  }
}

TEST(Registry, EveryProblemOfTheProjectHasABoundThatComputes) {
  std::size_t checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "problems")) {
    if (!std::filesystem::exists(entry.path() / "definition.json")) continue;
    const auto problem = problem::load_problem(entry.path(), problem::Mode::kStrict);
    ASSERT_TRUE(problem) << problem.error().to_string();
    const auto text = io::read_file(entry.path() / "bounds.json");
    ASSERT_TRUE(text) << text.error().to_string();
    const auto declared = read_problem_bound(*text);
    ASSERT_TRUE(declared) << entry.path() << declared.error().to_string();
    const OperationShape shape = *shape_of_definition(problem->definition);
    std::vector<Case> cases;
    for (const problem::Workload& workload : problem->workloads) {
      Case one{.name = workload.uuid};
      const auto axes = problem::resolve_axes(problem->definition, workload.axes);
      for (const problem::AxisValue& value : *axes) one.axes.push_back({value.name, value.value});
      cases.push_back(std::move(one));
    }
    const auto suite =
        bound_of(shape, declared->declaration, hardware("B200"), Profile::kPhysical, cases);
    EXPECT_TRUE(suite) << entry.path() << suite.error().to_string();
    ++checked;
  }
  EXPECT_GE(checked, 1U);
}

// The declarations against the manifests of the public catalog: every suite has a bound, and every
// integer input is named.
TEST(Registry, EveryDeclaredOperationOfTheCatalogHasABoundOnEveryCase) {
  const auto file = kSource / ".." / "shared" / "data" / "catalog-2026-08-16.jsonl.zst";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "skipped: ../shared is absent";
  const std::string command = "zstd -dcq '" + file.string() + "'";
  FILE* pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  struct Operation {
    json::Document row;
    const DeclaredOperation* declared;
  };
  std::map<std::string, Operation, std::less<>> operations;  // by id
  std::set<std::string> bounded;
  const auto declared = declared_operations();
  std::vector<std::pair<std::string, json::Document>> suites;
  std::string line;
  std::array<char, 1 << 16> buffer{};
  const auto take = [&](const std::string& text) {
    const bool is_operation = text.starts_with(R"({"table":"operations")");
    if (!is_operation && !text.starts_with(R"({"table":"workloads")")) return;
    json::Document document = *json::read_document(text, {.max_bytes = std::size_t{64} << 20});
    const json::Value row = *document.root.find("row");
    if (is_operation) {
      const Digest digest = *Digest::parse(row.find("semanticDigest")->string());
      const auto found = std::ranges::find(*declared, digest, &DeclaredOperation::operation);
      if (found != declared->end())
        operations.try_emplace(std::string(row.find("id")->string()),
                               Operation{std::move(document), &*found});
    } else if (row.find("manifest")->find("kind")->string() == "WorkloadSuite") {
      suites.emplace_back(row.find("operationId")->string(), std::move(document));
    }
  };
  while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe) != nullptr) {
    line += buffer.data();
    if (line.ends_with('\n')) {
      line.pop_back();
      take(line);
      line.clear();
    }
  }
  ASSERT_EQ(::pclose(pipe), 0);
  EXPECT_EQ(operations.size(), declared->size()) << "a declaration of no operation of the catalog";
  for (const auto& [id, suite] : suites) {
    const auto found = operations.find(id);
    if (found == operations.end()) continue;
    const json::Value row = *found->second.row.root.find("row");
    const json::Value spec = *row.find("manifest")->find("spec");
    const DeclaredOperation& one = *found->second.declared;
    EXPECT_EQ(row.find("slug")->string(), one.name);
    const auto shape = shape_of_manifest(one.name, spec);
    ASSERT_TRUE(shape) << one.name << shape.error().to_string();
    const auto cases =
        cases_of_manifest("WorkloadSuite", *suite.root.find("row")->find("manifest")->find("spec"),
                          "suite", *spec.find("axes"));
    ASSERT_TRUE(cases) << one.name << cases.error().to_string();
    for (const Profile profile : {Profile::kPhysical, Profile::kSolarCompat}) {
      const auto suite_bound = bound_of(*shape, one.declaration, hardware("B200"), profile, *cases);
      ASSERT_TRUE(suite_bound) << one.name << suite_bound.error().to_string();
      EXPECT_GT(suite_bound->geomean_s, 0) << one.name;
    }
    bounded.insert(one.name);
    for (const TensorShape& tensor : shape->tensors) {
      if (tensor.is_output || !tensor.dtype.starts_with("int")) continue;
      const auto& d = one.declaration;
      EXPECT_TRUE(std::ranges::find(d.once, tensor.name) != d.once.end() ||
                  std::ranges::find(d.traffic, tensor.name, &TensorTraffic::tensor) !=
                      d.traffic.end())
          << one.name << ": index input " << tensor.name << " is not declared";
    }
  }
  EXPECT_EQ(bounded.size(), declared->size());
}

}  // namespace
}  // namespace ki::bounds
