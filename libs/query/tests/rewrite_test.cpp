#include "ki/query/rewrite.h"

#include <gtest/gtest.h>

namespace ki::query {
namespace {

TEST(Rewrite, RemovesEveryTokenOfAFacet) {
  EXPECT_EQ(remove_facet("rmsnorm  B200   B200", "B200"), "rmsnorm");
  EXPECT_EQ(remove_facet("gemm NVIDIA  B200 \"a  b\"", "NVIDIA  B200"), "gemm \"a  b\"");
  EXPECT_EQ(remove_facet("m=1 M=2", "M=2"), "m=1");
  EXPECT_EQ(remove_facet("gemm B200", "H100"), "gemm B200") << "not there";
  EXPECT_EQ(remove_facet("gemm B200", "gemm"), "gemm B200") << "a term is no facet";
}

TEST(Rewrite, AddsAFilterInThePlaceOfItsOwnKind) {
  struct Case {
    const char* why;
    std::string_view query;
    std::string_view facet;
    std::string_view expected;
  };
  for (const auto& [why, query, facet, expected] : std::initializer_list<Case>{
           {"new", "gemm", "gpu:B200", "gemm gpu:B200"},
           {"empty query", "", "gpu:B200", "gpu:B200"},
           {"one GPU at a time", "H100 gemm gpu:A100", "gpu:B200", "gemm gpu:B200"},
           {"same axis in another case", "gemm M=1 n=2", "m=4", "gemm n=2 m=4"},
           {"dtypes add up", "gemm bf16", "dtype:fp16", "gemm bf16 dtype:fp16"},
           {"the same dtype once", "gemm half", "dtype:fp16", "gemm dtype:fp16"}}) {
    SCOPED_TRACE(why);
    EXPECT_EQ(with_facet(query, facet), expected);
  }
}

}  // namespace
}  // namespace ki::query
