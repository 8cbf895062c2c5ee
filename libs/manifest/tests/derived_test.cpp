#include "ki/manifest/derived.h"

#include "ki/json/reader.h"
#include "ki/manifest/keys.h"
#include "ki/manifest/view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ki::manifest {
namespace {

json::Document parsed(std::string_view text) { return json::read_document(text).value(); }

TEST(DeriveCase, TakesTheFirstTensorInTheOperationsOrder) {
  const auto operation = parsed(
      R"({"inputs":[{"name":"scale","scalar":{"dtype":"fp32"}},{"name":"w"},{"name":"a"}],"outputs":[]})");
  const auto spec = parsed(
      R"({"tensors":{"a":{"shape":[1,2],"dtype":"fp32"},"w":{"shape":[32,128],"dtype":"bf16"}}})");
  EXPECT_EQ(derive_case(spec.root, &operation.root).shape_summary, "[32, 128]");
  EXPECT_EQ(derive_case(spec.root, nullptr).shape_summary, "[1, 2]");
  EXPECT_EQ(derive_case(parsed(R"({"tensors":{}})").root, &operation.root).shape_summary, "[]");
  EXPECT_EQ(derive_case(spec.root, &operation.root).dtypes,
            (std::vector<std::string_view>{"bf16", "fp32"}));
}

TEST(DeriveCase, NamesLayoutsByTheirStrides) {
  struct Case {
    const char* tensor;
    std::string_view layout;
  };
  for (
      const auto& [tensor, layout] : std::initializer_list<Case>{
          {R"({"shape":[2,3],"dtype":"x"})", "contiguous"},
          {R"({"shape":[2,3],"dtype":"x","strides":[3,1]})", "row_major"},
          {R"({"shape":[2,3],"dtype":"x","strides":[1,2]})", "strided"},
          {R"({"shape":[2,3],"dtype":"x","strides":[1]})", "strided"},
          {R"({"shape":[5],"dtype":"x","strides":[1]})", "row_major"},
          {R"({"shape":[2,9007199254740991,9007199254740991],"dtype":"x","strides":[1,9007199254740991,1]})",
           "strided"},
      }) {
    SCOPED_TRACE(tensor);
    const auto spec = parsed(fmt::format(R"({{"tensors":{{"x":{}}}}})", tensor));
    EXPECT_EQ(derive_case(spec.root, nullptr).layout_keys, (std::vector<std::string_view>{layout}));
  }
}

TEST(PrimaryMeasurement, IsTheStatisticThatItsNameSays) {
  struct Case {
    const char* why;
    const char* spec;
    std::string key;
    double value;
  };
  for (
      const auto& [why, spec, key, value] : std::initializer_list<Case>{
          {"named and reported",
           R"({"timing":{"primaryStatistic":"p95","latencyNs":{"median":5,"p95":9}}})",
           "latency:p95:ns", 9},
          {"minimum is called min",
           R"({"timing":{"primaryStatistic":"min","latencyNs":{"median":5,"minimum":4}}})",
           "latency:min:ns", 4},
          {"named but not reported",
           R"({"timing":{"primaryStatistic":"p95","latencyNs":{"median":5,"mean":6}}})",
           "latency:median:ns", 5},
          {"mean where only the median is",
           R"({"timing":{"primaryStatistic":"mean","latencyNs":{"median":5}}})",
           "latency:median:ns", 5},
          {"first measurement",
           R"({"measurements":[{"metric":"score","statistic":"geomean","unit":"s","value":0.5},{"metric":"b","statistic":"c","unit":"d","value":1}]})",
           "score:geomean:s", 0.5},
      }) {
    SCOPED_TRACE(why);
    const auto document = parsed(spec);
    const auto primary = primary_measurement(document.root);
    ASSERT_TRUE(primary);
    EXPECT_EQ(primary_metric_key(primary), key);
    EXPECT_EQ(primary->value, value);
  }
  EXPECT_EQ(primary_metric_key(primary_measurement(parsed("{}").root)), "none");
}

TEST(ExpandMeasurements, PutsLatencyFirstAndKeepsTheFirstOfEachName) {
  const auto spec = parsed(
      R"({"timing":{"primaryStatistic":"mean","samples":3,"latencyNs":{"maximum":9,"mean":5,"minimum":1}},
          "measurements":[{"metric":"latency","statistic":"mean","unit":"ns","value":7},
                          {"metric":"flops","statistic":"mean","unit":"tflops","value":2.5,"sampleCount":4}]})");
  std::string text;
  for (const Measurement& one : expand_measurements(spec.root)) {
    text += fmt::format("{} {} {} {} {};", one.metric, one.statistic, one.unit, one.value,
                        one.sample_count.value_or(-1));
  }
  EXPECT_EQ(text,
            "latency mean ns 5 3;latency min ns 1 3;latency max ns 9 3;flops mean tflops 2.5 4;");
}

TEST(DeriveRun, SummarisesTheEnvironment) {
  const auto run = parsed(
      R"({"status":"passed","observedAt":"t","implementationDigest":"i","workloadDigest":"w","protocolDigest":"p","environmentDigest":"e",
          "timing":{"primaryStatistic":"median","latencyNs":{"median":5,"confidence95":[4,6]}},
          "evidence":{"logs":{"uri":"u","digest":"d"}},
          "sourceNative":{"source":"s","metrics":{"sol_score":0.75}}})");
  const auto protocol = parsed(R"({"harness":{"name":"bench"}})");
  const auto environment = parsed(
      R"({"hardware":{"vendor":"nvidia","product":"H","architecture":"sm_90"},
          "software":{"driver":"580.65.06","cudaToolkit":"13","framework":{"name":"torch","version":"2.10"}}})");
  const RunColumns columns = derive_run(run.root, protocol.root, environment.root);
  EXPECT_EQ(columns.environment_summary, "CUDA 13 · torch 2.10 · bench");
  EXPECT_EQ(columns.driver_major, 580);
  EXPECT_EQ(columns.cuda_major, 13);
  EXPECT_EQ(columns.uncertainty_low, 4);
  EXPECT_EQ(columns.uncertainty_high, 6);
  EXPECT_TRUE(columns.has_raw_evidence);
  EXPECT_TRUE(columns.has_source_native);
  EXPECT_EQ(columns.sol_score, 0.75);

  const auto bare = parsed(
      R"({"hardware":{"vendor":"v","product":"P","architecture":"a"},"software":{"driver":"r580"}})");
  const RunColumns other =
      derive_run(run.root, parsed(R"({"harness":{"name":""}})").root, bare.root);
  EXPECT_EQ(other.environment_summary, "");
  EXPECT_EQ(other.driver_major, std::nullopt);
}

TEST(DeriveProject, LowersNamesByUnicode) {
  const auto name = [](std::string_view text) {
    return derive_project(parsed(fmt::format(R"({{"name":"{}"}})", text)).root).normalized_name;
  };
  EXPECT_EQ(name("Elán Ğ ÅÄÖ ΑΒΓ ЖЯ ﬀ 😀 ǅ"), "elán ğ åäö αβγ жя ﬀ 😀 ǆ");
  EXPECT_EQ(name("İ"), "i̇");
  EXPECT_EQ(name("ẞ 𐐀 Ꙁ"), "ß 𐐨 ꙁ");
}

TEST(DeriveImplementation, PrefersTheCommit) {
  const auto spec = parsed(
      R"({"projectRevision":{"version":"1","commit":"c"},"operation":{"specDigest":"o"},"callable":{"language":"cuda","interface":"torch"},
          "support":{"hardwareArchitectures":["sm_90"],"dtypes":[]},"licensing":{"declared":"MIT"},
          "buildVariants":[{"name":"a","install":{"kind":"pip","command":"pip install x"}}]})");
  const auto metadata = parsed(R"({"name":"n","labels":{"role":"baseline"}})");
  const ImplementationColumns columns = derive_implementation(spec.root, metadata.root);
  EXPECT_EQ(columns.source_revision, "c");
  EXPECT_EQ(columns.framework, "torch");
  EXPECT_FALSE(columns.source_available);
  EXPECT_TRUE(columns.installable);
  EXPECT_EQ(columns.install_command, "pip install x");
  EXPECT_EQ(columns.license_declared, "MIT");
  EXPECT_EQ(columns.role, "baseline");
}

TEST(ServingKeys, AreReadableText) {
  const auto run = parsed(
      R"({"harness":{"name":"load","version":"v6.0"},"topology":{"acceleratorModel":"H100","acceleratorsPerNode":8,"nodeCount":2},
          "measurements":[{"metric":"ttft_ms","statistic":"p99"},{"metric":"a","statistic":"b"},{"metric":"ttft_ms","statistic":"p99"}]})");
  const auto workload = parsed(R"({"streaming":false,"loadGeneration":"offline"})");
  EXPECT_EQ(serving_protocol_key(run.root, workload.root),
            "load/v6.0/unspecified/non_streaming/offline");
  EXPECT_EQ(serving_topology_key(run.root), "unknown/H100/8x2/unspecified");
  EXPECT_EQ(serving_metric_set_key(run.root), "a·b,ttft_ms·p99");
}

TEST(Views, SortMapsAndKeepLists) {
  const auto operation = parsed(
      R"({"family":"f","axes":{"n":{"role":"variable","type":"integer"},"c":{"role":"constant","type":"integer","value":8}},
          "inputs":[{"name":"x","tensor":{"shape":["n",4],"dtype":"bf16","layout":"row_major"}},{"name":"a","scalar":{"dtype":"fp32"}}],"outputs":[]})");
  const OperationView view(operation.root);
  ASSERT_EQ(view.axes().size(), 2U);
  EXPECT_EQ(view.axes()[0].name, "c");
  EXPECT_EQ(view.axes()[0].role, AxisRole::kConstant);
  EXPECT_EQ(view.axes()[0].value, 8);
  ASSERT_EQ(view.inputs().size(), 2U);
  EXPECT_EQ(std::get<std::string_view>(view.inputs()[0].shape[0]), "n");
  EXPECT_EQ(std::get<std::int64_t>(view.inputs()[0].shape[1]), 4);
  EXPECT_FALSE(view.inputs()[1].is_tensor);

  const auto spec = parsed(
      R"({"operationSpecDigest":"d","axes":{"n":3,"m":2},"tensors":{"x":{"shape":[3],"dtype":"bf16"}}})");
  const CaseView one(spec.root);
  EXPECT_EQ(one.axes()[0].name, "m");
  EXPECT_EQ(one.axes()[1].value, 3);
  EXPECT_EQ(one.tensors()[0].layout_key, "contiguous");
}

}  // namespace
}  // namespace ki::manifest
