#include "ki/query/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::query {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> terms_of(const Intent& intent) {
  std::vector<std::string> terms;
  for (const Term& term : intent.terms) terms.push_back(term.text);
  return terms;
}

std::vector<std::string> codes_of(const Intent& intent) {
  std::vector<std::string> codes;
  for (const Issue& issue : intent.issues) codes.push_back(issue.code);
  return codes;
}

TEST(ParseQuery, NeighbouringWordsMakeOneGpu) {
  struct Case {
    const char* why;
    std::string_view query;
    std::string_view gpu;
    std::vector<std::string> terms;
  };
  const std::vector<Case> cases = {
      {"vendor", "gemm NVIDIA B200", "NVIDIA B200", {"gemm"}},
      {"product in two words", "RTX 4090 softmax", "RTX 4090", {"softmax"}},
      {"long name",
       "nvidia rtx pro 6000 blackwell server edition mm",
       "nvidia rtx pro 6000 blackwell server edition",
       {"mm"}},
      {"form factor", "H100 SXM gemm", "H100 SXM", {"gemm"}},
      {"one word", "gemm h100-pcie", "H100-PCIE", {"gemm"}},
      {"punctuation", "gemm, on (b200)", "B200", {"gemm,", "on"}},
      {"memory", "A100 80GB gemm", "A100 80GB", {"gemm"}},
      {"a filler at the end stays a word", "B200 gpu", "B200", {"gpu"}},
      {"an attribute that does not fit stays a word", "B200 80GB", "B200", {"80gb"}},
      {"a size that is also a product needs its vendor", "NVIDIA H20", "NVIDIA H20", {}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(std::string(one.why) + ": " + std::string(one.query));
    const Intent intent = parse_query(one.query);
    ASSERT_TRUE(intent.gpu);
    EXPECT_EQ(intent.gpu->typed, one.gpu);
    EXPECT_TRUE(intent.gpu->gpu.is_complete());
    EXPECT_EQ(terms_of(intent), one.terms);
    EXPECT_TRUE(intent.issues.empty());
    EXPECT_EQ(intent.facets.size(), 1U);
    EXPECT_TRUE(intent.facets.front().is_bare);
  }
}

TEST(ParseQuery, AnOrdinaryWordIsNoGpu) {
  for (const std::string_view query :
       {"nvidia gemm", "h20 kv4", "rtx", "server", "80gb", "b200x", "gemm-h100", "amd-fp8-mm"}) {
    SCOPED_TRACE(query);
    EXPECT_FALSE(parse_query(query).gpu);
    EXPECT_FALSE(parse_query(query).terms.empty());
  }
}

TEST(ParseQuery, AnUnknownGpuIsKeptAndDoubted) {
  const Intent intent = parse_query("gpu:MI355");
  ASSERT_TRUE(intent.gpu);
  ASSERT_THAT(codes_of(intent), ElementsAre("UNKNOWN_GPU"));
  EXPECT_EQ(intent.issues.front().severity, Severity::kNotice);
  EXPECT_EQ(intent.issues.front().hint, "MI355X");
  EXPECT_FALSE(intent.has_refusals());
  EXPECT_THAT(codes_of(parse_query("gpu:\"B200 and H100\"")), ElementsAre("UNKNOWN_GPU"));
  EXPECT_TRUE(parse_query("gpu:AMD").issues.empty()) << "a vendor is enough";
}

TEST(ParseQuery, BindsAxesAndTensorsByName) {
  const Intent intent =
      parse_query("c4=1 Seq_Len:128 q=[1, 32, 128] axis:model=7 tensor:shape=2x3");
  EXPECT_THAT(intent.axes, ElementsAre(AxisBinding{"c4", 1}, AxisBinding{"seq_len", 128},
                                       AxisBinding{"model", 7}));
  ASSERT_EQ(intent.tensors.size(), 2U);
  EXPECT_EQ(intent.tensors[0].name, "q");
  EXPECT_THAT(*intent.tensors[0].shape, ElementsAre(1, 32, 128));
  EXPECT_EQ(intent.tensors[1].name, "shape");
  EXPECT_TRUE(intent.issues.empty());
  EXPECT_TRUE(intent.binds_case());
}

TEST(ParseQuery, SaysWhatItDidNotUnderstand) {
  struct Case {
    const char* why;
    std::string_view query;
    std::string_view code;
  };
  for (const auto& [why, query, code] : std::initializer_list<Case>{
           {"range as a word", "m>=3000", "RANGE_UNSUPPORTED"},
           {"range of an unknown key", "p99_ttft:<150ms", "RANGE_UNSUPPORTED"},
           {"past 2^53 - 1", "m=9007199254740992", "BAD_AXIS"},
           {"no binding", "axis:m", "BAD_AXIS"},
           {"no shape", "tensor:q=5x", "BAD_SHAPE"},
           {"past 2^53 - 1", "[9007199254740992]", "BAD_SHAPE"},
           {"letters after the number", "cuda:13beta", "BAD_CUDA"},
           {"quotes around nothing", "gpu:\"\"", "BAD_VALUE"},
           {"stray quote", "family:a\"b", "BAD_VALUE"},
           {"stray bracket", "op:a[1]", "BAD_VALUE"},
           {"dtype with a typo", "dtype:bf61", "BAD_DTYPE"},
           {"no key", "k v:w", "UNKNOWN_FILTER"}}) {
    SCOPED_TRACE(std::string(why) + ": " + std::string(query));
    const Intent intent = parse_query(query);
    ASSERT_EQ(intent.issues.size(), 1U);
    EXPECT_EQ(intent.issues.front().code, code);
    EXPECT_FALSE(intent.issues.front().message.empty());
    EXPECT_TRUE(intent.has_refusals());
    EXPECT_TRUE(intent.facets.empty());
  }
  EXPECT_EQ(parse_query("m=9007199254740991").axes.front().value, 9007199254740991);
  EXPECT_EQ(parse_query("dtype:bf61").issues.front().hint, "bf16");
}

TEST(ParseQuery, KeepsQuotedPhrasesAndDigestsAsTerms) {
  const std::string digest = "sha256:" + std::string(64, 'a');
  const Intent intent = parse_query("\"Fused Add\" op:GEMM " + digest);
  EXPECT_THAT(terms_of(intent), ElementsAre("fused add", "gemm", digest));
  EXPECT_EQ(intent.terms[0].kind, TermKind::kPhrase);
  EXPECT_EQ(intent.terms[1].kind, TermKind::kOperation);
  EXPECT_EQ(intent.terms[2].kind, TermKind::kWord);
  EXPECT_TRUE(intent.issues.empty());
}

TEST(ParseQuery, SpansPointIntoTheText) {
  const std::string_view query = "  gemm NVIDIA  B200 foo:bar\xC2\xA0 \"x y\"";
  const Intent intent = parse_query(query);
  const auto at = [&](Span span) { return query.substr(span.begin, span.end - span.begin); };
  ASSERT_EQ(intent.terms.size(), 2U);
  EXPECT_EQ(at(intent.terms[0].span), "gemm");
  EXPECT_EQ(at(intent.terms[1].span), "\"x y\"");
  ASSERT_EQ(intent.facets.size(), 1U);
  EXPECT_EQ(at(intent.facets[0].span), "NVIDIA  B200");
  EXPECT_EQ(intent.facets[0].token, "NVIDIA  B200");
  ASSERT_EQ(intent.issues.size(), 1U);
  EXPECT_EQ(at(intent.issues[0].span), "foo:bar") << "a no-break space is a space";
}

TEST(ParseQuery, RefusesTextThatItDoesNotRead) {
  EXPECT_THAT(codes_of(parse_query(std::string(501, 'a'))), ElementsAre("QUERY_TOO_LONG"));
  EXPECT_TRUE(parse_query(std::string(500, 'a')).issues.empty());
  EXPECT_THAT(codes_of(parse_query("gemm \xFF")), ElementsAre("INVALID_UTF8"));
  EXPECT_TRUE(parse_query("gemm \xFF").terms.empty());
}

}  // namespace
}  // namespace ki::query
