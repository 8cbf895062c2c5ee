#include "ki/display/names.h"

#include <gtest/gtest.h>

namespace ki::display {
namespace {

TEST(OperationName, KnowsTheWordsOfTheField) {
  struct Case {
    const char* why;
    const char* raw;
    const char* name;
  };
  for (const auto& [why, raw, name] : {
           Case{"first seed", "064_multi_head_qkv_projection_with_rope_backward",
                "Multi head QKV projection with RoPE backward"},
           Case{"second seed", "062_kv_cache_update_with_rope_backward",
                "KV cache update with RoPE backward"},
           Case{"a text with a space is a name already", "Gated DeltaNet chunk_fwd_o",
                "Gated DeltaNet chunk_fwd_o"},
           Case{"a first word with a capital stays", "001_yarn_scaling", "YaRN scaling"},
           Case{"a mixed word stays", "tinyML_op", "tinyML op"},
           Case{"digits first", "2d_conv", "2d conv"},
           Case{"only a number and a dash", "123_", "123_"},
           Case{"no number prefix without the dash", "123", "123"},
           Case{"empty", "", ""},
           Case{"only separators", "___", "___"},
           Case{"bytes beyond ASCII stay", "über_kernel", "über kernel"},
       }) {
    EXPECT_EQ(operation_name(raw), name) << why;
  }
}

TEST(ImplementationName, DropsWhatRepeatsTheOperation) {
  const auto name = [](std::string_view title, std::string_view operation,
                       std::string_view operation_slug) {
    return implementation_name({.title = title,
                                .slug = "the-slug",
                                .operation_name = operation,
                                .operation_slug = operation_slug});
  };
  EXPECT_EQ(name("Amir M. Mir | SF Tensor · 064_multi_head", "064_multi_head", "064-multi-head"),
            "Amir M. Mir | SF Tensor");
  EXPECT_EQ(name("fp8_quant · submission 7", "Per-group FP8 quantization", "gpumode-fp8-quant"),
            "submission 7");
  EXPECT_EQ(name("", "x", "x"), "the-slug");
  EXPECT_EQ(name("064_multi_head", "064_multi_head", "064-multi-head"), "the-slug")
      << "nothing is left";
  EXPECT_EQ(name("my sort · v2", "sort", "x-sort"), "my sort · v2")
      << "a short key inside a word says nothing";
  EXPECT_EQ(name("fast layer norm of mine · v2", "layer_norm", "layer-norm"), "v2");
}

TEST(Slugs, KeepEveryLetterAndDigit) {
  EXPECT_EQ(hardware_slug("NVIDIA H100 80GB HBM3"), "nvidia-h100-80gb-hbm3");
  EXPECT_EQ(hardware_slug("  Intel(R) Arc "), "intel-r-arc");
  EXPECT_EQ(hardware_slug(std::string(150, 'a')).size(), 150u) << "not cut, unlike base kebab()";
  EXPECT_EQ(model_slug("DeepSeek-V3"), "deepseek-v3");
}

TEST(Revision, CutsOnlyCommits) {
  EXPECT_EQ(revision("submission-3483"), "submission-3483");
  EXPECT_EQ(revision("da91508aaaabbbbccccddddeeeeffff000011112a"),
            "da91508aaaabbbbccccddddeeeeffff000011112a")
      << "41 digits";
  EXPECT_EQ(revision(std::string(40, 'a')), "aaaaaaa");
}

}  // namespace
}  // namespace ki::display
