#include "ki/query/print.h"

#include "ki/query/parse.h"

#include <gtest/gtest.h>

#include <random>

namespace ki::query {
namespace {

TEST(QueryText, IsCanonical) {
  struct Case {
    const char* why;
    std::string_view query;
    std::string_view canonical;
  };
  for (const auto& [why, query, canonical] : std::initializer_list<Case>{
           {"nothing", "", ""},
           {"terms first, filters in order", "trust:verified B200 gemm half dtype:bf16",
            "gemm gpu:B200 dtype:fp16 dtype:bf16 trust:verified"},
           {"last value only", "B200 H100 m=1 n=2 M=3", "gpu:H100 m=3 n=2"},
           {"spaces", "NVIDIA B200 [2048, 4096]", "gpu:\"NVIDIA B200\" shape:2048x4096"},
           {"name of a filter", "axis:model=4 tensor:gpu=[1]", "tensor:gpu=[1] axis:model=4"},
           {"words that would join", "rtx foo:x 4090", "rtx \"\" 4090"},
           {"open quote last", "\"open gpu:B200", "gpu:B200 \"open"},
           {"what is only shown", "source:no gemm", "gemm"}}) {
    SCOPED_TRACE(why);
    EXPECT_EQ(to_query_text(parse_query(query)), canonical);
  }
}

// The law of the fuzz target over queries made of the language's own pieces.
TEST(QueryText, AsksForTheSameWhenReadAgain) {
  const std::vector<std::string> pieces = {"gemm",
                                           "QR",
                                           "\"fused add\"",
                                           "\"\"",
                                           "\"open",
                                           "b]",
                                           "[1, 2]",
                                           "a[b",
                                           "4096x8",
                                           "B200",
                                           "NVIDIA",
                                           "rtx",
                                           "4090",
                                           "h100",
                                           "sxm",
                                           "80gb",
                                           "blackwell",
                                           "gpu:\"A100 80GB\"",
                                           "gpu:x",
                                           "fp8",
                                           "float16",
                                           "dtype:e4m3",
                                           "sm_90a",
                                           "arch:gfx942",
                                           "torch",
                                           "cuda",
                                           "cuda:13.1",
                                           "verified",
                                           "M=4",
                                           "q=[3,4]",
                                           "axis:gpu=2",
                                           "tensor:op=[5]",
                                           "family:\"a b\"",
                                           "op:\"x [y\"",
                                           "model:A.B",
                                           "model:-",
                                           "layout:row-major",
                                           "license:MIT",
                                           "source:1",
                                           "installable:yes",
                                           "foo:bar",
                                           "m>3",
                                           "key=",
                                           "lang:CuTe",
                                           "\xC2\xA0",
                                           "sha256:ab",
                                           "x\"y"};
  std::mt19937 random(20260816);
  for (int round = 0; round < 20'000; ++round) {
    std::string query;
    const std::size_t count = random() % 7;
    for (std::size_t i = 0; i < count; ++i) {
      query += pieces[random() % pieces.size()];
      if (random() % 8 != 0) query += ' ';
    }
    const Intent intent = parse_query(query);
    const std::string canonical = to_query_text(intent);
    const Intent again = parse_query(canonical);
    ASSERT_TRUE(is_same_request(intent, again)) << query << "\n" << canonical;
    ASSERT_EQ(to_query_text(again), canonical) << query;
    ASSERT_FALSE(again.has_refusals()) << canonical;
  }
}

}  // namespace
}  // namespace ki::query
