#include "ki/query/request.h"

#include "ki/json/reader.h"
#include "ki/query/parse.h"
#include "ki/query/print.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace ki::query {
namespace {

using ::testing::ElementsAre;

Result<Intent> read(std::string_view text) {
  const auto document = json::read_document(text);
  EXPECT_TRUE(document) << text;
  return parse_request(document->root);
}

// "POINTER CODE" of each issue.
std::vector<std::string> problems(const Result<Intent>& result) {
  std::vector<std::string> found;
  if (result) return found;
  for (const ki::Issue& issue : result.error().issues()) {
    found.push_back(issue.pointer + " " + issue.code);
  }
  return found;
}

TEST(ParseRequest, BuildsTheIntentDirectly) {
  const auto intent = read(R"({
    "operation": {"name": "rmsnorm", "axes": {"M": 3000, "n": 4096},
                  "inputs": [{"name": "X", "shape": [3000, 4096], "dtype": "bfloat16", "layout": "row-major"}]},
    "environment": {"hardwareProduct": "NVIDIA A100", "dtypes": ["float8_e4m3fn"], "architecture": "sm80",
                    "cudaToolkit": "12.8", "framework": {"name": "torch", "version": "2.8"}},
    "policy": {"minimumTrust": "verified", "sourceRequired": true, "installableRequired": false,
               "license": "MIT", "allowedLicenses": ["MIT", "Apache-2.0"], "maxAgeDays": 90},
    "objective": {"metric": "latency"}, "limit": 10, "cursor": "abc", "include": ["facets", "issues"]})");
  ASSERT_TRUE(intent) << intent.error().to_string();
  ASSERT_EQ(intent->terms.size(), 1U) << "the vendor is no name term";
  EXPECT_EQ(intent->terms[0].text, "rmsnorm");
  EXPECT_EQ(intent->terms[0].kind, TermKind::kOperation);
  EXPECT_EQ(intent->operation.name, "rmsnorm");
  EXPECT_THAT(intent->axes, ElementsAre(AxisBinding{"m", 3000}, AxisBinding{"n", 4096}));
  ASSERT_EQ(intent->tensors.size(), 1U);
  EXPECT_EQ(intent->tensors[0].name, "x");
  EXPECT_EQ(intent->tensors[0].dtype, "bf16");
  EXPECT_EQ(intent->tensors[0].layout, "row_major");
  EXPECT_EQ(intent->gpu->gpu.product->token, "A100");
  EXPECT_THAT(intent->dtypes, ElementsAre("fp8_e4m3"));
  EXPECT_EQ(intent->architecture, "sm_80");
  EXPECT_EQ(intent->cuda_major, 12);
  EXPECT_EQ(intent->environment_framework, (FrameworkRequest{"pytorch", "2.8"}));
  EXPECT_FALSE(intent->framework) << "the environment's, not the implementation's";
  EXPECT_EQ(intent->minimum_trust, Trust::kVerified);
  EXPECT_TRUE(intent->require_source);
  EXPECT_FALSE(intent->require_installable);
  EXPECT_EQ(intent->license, "mit");
  EXPECT_THAT(intent->allowed_licenses, ElementsAre("mit", "apache-2.0"));
  EXPECT_EQ(intent->max_age_days, 90);
  EXPECT_EQ(intent->objective_metric, "latency");
  EXPECT_EQ(intent->limit, 10);
  EXPECT_EQ(intent->cursor, "abc");
  EXPECT_THAT(intent->include, ElementsAre("facets", "issues"));
  EXPECT_TRUE(
      std::ranges::all_of(intent->facets, [](const Facet& f) { return f.path.starts_with("/"); }));
}

TEST(ParseRequest, AsksForTheSameAsTheTextThatSaysIt) {
  const auto structured = read(R"({"operation": {"name": "rmsnorm", "axes": {"tokens": 2048}},
    "environment": {"hardwareProduct": "B200", "dtype": "bf16"},
    "policy": {"minimumTrust": "verified", "sourceRequired": true}})");
  ASSERT_TRUE(structured);
  EXPECT_EQ(to_query_text(*structured),
            "op:rmsnorm gpu:B200 dtype:bf16 tokens=2048 trust:verified source:true");
  const auto text = read(R"({"query": "rmsnorm B200 tokens=2048"})");
  ASSERT_TRUE(text);
  EXPECT_TRUE(is_same_request(*text, parse_query("rmsnorm B200 tokens=2048")));
}

TEST(ParseRequest, RefusesWhatItDoesNotUnderstandWithAPointer) {
  struct Case {
    const char* why;
    std::string_view request;
    std::string_view problem;
  };
  for (const auto& [why, request, problem] : std::initializer_list<Case>{
           {"not an object", R"([])", " WRONG_TYPE"},
           {"unknown member", R"({"qeury": "x"})", "/qeury UNKNOWN_MEMBER"},
           {"unknown member", R"({"operation": {"axis": {}}})", "/operation/axis UNKNOWN_MEMBER"},
           {"unknown member", R"({"environment": {"gpu": "B200"}})",
            "/environment/gpu UNKNOWN_MEMBER"},
           {"null is no value", R"({"query": null})", "/query WRONG_TYPE"},
           {"dtype", R"({"environment": {"dtype": "nonsense"}})", "/environment/dtype BAD_DTYPE"},
           {"dtype in a list", R"({"environment": {"dtypes": ["bf16", "x"]}})",
            "/environment/dtypes/1 BAD_DTYPE"},
           {"architecture", R"({"environment": {"architecture": "ada"}})",
            "/environment/architecture BAD_ARCH"},
           {"a number is no version", R"({"environment": {"cudaToolkit": 12}})",
            "/environment/cudaToolkit WRONG_TYPE"},
           {"framework without name", R"({"environment": {"framework": {"version": "2"}}})",
            "/environment/framework/name BAD_VALUE"},
           {"half an element", R"({"operation": {"axes": {"m": 4.5}}})",
            "/operation/axes/m BAD_AXIS"},
           {"below 0", R"({"operation": {"axes": {"m": -1}}})", "/operation/axes/m BAD_AXIS"},
           {"text is no number", R"({"operation": {"axes": {"m": "4"}}})",
            "/operation/axes/m BAD_AXIS"},
           {"pointer is escaped", R"({"operation": {"axes": {"a/b": 1}}})",
            "/operation/axes/a~1b BAD_AXIS"},
           {"one axis twice", R"({"operation": {"axes": {"m": 1, "M": 1}}})",
            "/operation/axes/M CONFLICT"},
           {"shape", R"({"operation": {"shape": [1, "x"]}})", "/operation/shape BAD_SHAPE"},
           {"empty shape", R"({"operation": {"shape": []}})", "/operation/shape BAD_SHAPE"},
           {"tensor without a name", R"({"operation": {"inputs": [{"dtype": "bf16"}]}})",
            "/operation/inputs/0/name BAD_VALUE"},
           {"layout", R"({"operation": {"inputs": [{"name": "x", "layout": "tiled"}]}})",
            "/operation/inputs/0/layout BAD_LAYOUT"},
           {"digest", R"({"operation": {"digest": "sha256:ab"}})", "/operation/digest BAD_VALUE"},
           {"empty", R"({"operation": {"name": " "}})", "/operation/name BAD_VALUE"},
           {"trust", R"({"policy": {"minimumTrust": "gold"}})", "/policy/minimumTrust BAD_TRUST"},
           {"text is no boolean", R"({"policy": {"sourceRequired": "yes"}})",
            "/policy/sourceRequired WRONG_TYPE"},
           {"age", R"({"policy": {"maxAgeDays": -1}})", "/policy/maxAgeDays BAD_LIMIT"},
           {"limit", R"({"limit": 0})", "/limit BAD_LIMIT"},
           {"limit", R"({"limit": 201})", "/limit BAD_LIMIT"},
           {"part of an answer", R"({"include": ["facet"]})", "/include/0 BAD_VALUE"},
           {"metric", R"({"objective": {"metric": "a b"}})", "/objective/metric BAD_VALUE"},
           {"in the text", R"({"query": "gemm m>3"})", "/query RANGE_UNSUPPORTED"},
           {"against the text", R"({"query": "B200", "environment": {"hardwareProduct": "H100"}})",
            "/environment/hardwareProduct CONFLICT"},
           {"against the text", R"({"query": "m=1", "operation": {"axes": {"M": 2}}})",
            "/operation/axes/M CONFLICT"},
           {"against the text", R"({"query": "source:true", "policy": {"sourceRequired": false}})",
            "/policy/sourceRequired CONFLICT"}}) {
    SCOPED_TRACE(std::string(why) + ": " + std::string(request));
    const auto result = read(request);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), Code::kInvalidArgument);
    EXPECT_THAT(problems(result), ElementsAre(problem));
    EXPECT_FALSE(result.error().issues().front().message.empty());
  }
}

TEST(ParseRequest, ReportsEveryProblemAtOnceAndHints) {
  const auto result =
      read(R"({"limt": 1, "operation": {"axes": {"m": -1}}, "environment": {"dtype": "bf61"}})");
  EXPECT_THAT(problems(result), ElementsAre("/limt UNKNOWN_MEMBER", "/operation/axes/m BAD_AXIS",
                                            "/environment/dtype BAD_DTYPE"));
  EXPECT_THAT(result.error().issues()[0].fix, ::testing::HasSubstr("limit"));
  EXPECT_THAT(result.error().issues()[2].fix, ::testing::HasSubstr("bf16"));
}

TEST(ParseRequest, KeepsDoubtsInTheIntent) {
  const auto intent = read(R"({"environment": {"hardwareProduct": "NVIDIA X9000"}})");
  ASSERT_TRUE(intent);
  ASSERT_EQ(intent->issues.size(), 1U);
  EXPECT_EQ(intent->issues[0].code, "UNKNOWN_GPU");
  EXPECT_EQ(intent->issues[0].path, "/environment/hardwareProduct");
}

TEST(ParseRequest, TheSameValueInTextAndMemberIsNoConflict) {
  EXPECT_TRUE(read(R"({"query": "gemm B200 m=1 trust:verified", "operation": {"axes": {"M": 1}},
    "environment": {"hardwareProduct": "NVIDIA B200"}, "policy": {"minimumTrust": "Verified"}})"));
}

TEST(ParseBatch, AnswersEachRequestOnItsOwn) {
  const auto document =
      json::read_document(R"({"requests": [{"query": "gemm"}, {"limit": 0}, {}]})");
  const auto batch = parse_batch(document->root);
  ASSERT_TRUE(batch);
  ASSERT_EQ(batch->size(), 3U);
  EXPECT_TRUE((*batch)[0]);
  EXPECT_THAT(problems((*batch)[1]), ElementsAre("/requests/1/limit BAD_LIMIT"));
  EXPECT_TRUE((*batch)[2]);
}

TEST(ParseBatch, RefusesAnotherForm) {
  std::string many = R"({"requests": [)";
  for (int i = 0; i < 21; ++i) many += i > 0 ? ",{}" : "{}";
  many += "]}";
  for (const std::string_view text :
       {std::string_view("[]"), std::string_view("{}"), std::string_view(R"({"requests": []})"),
        std::string_view(R"({"requests": [{}], "x": 1})"), std::string_view(many)}) {
    SCOPED_TRACE(text);
    const auto document = json::read_document(text);
    const auto batch = parse_batch(document->root);
    ASSERT_FALSE(batch);
    EXPECT_EQ(batch.error().code(), Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace ki::query
