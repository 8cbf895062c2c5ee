#include "ki/query/vocabulary.h"

#include <gtest/gtest.h>

#include <set>

namespace ki::query {
namespace {

TEST(Vocabulary, KnowsEachSpellingOfADtype) {
  struct Case {
    const char* why;
    std::string_view spelling;
    std::string_view name;
  };
  for (const auto& [why, spelling, name] :
       std::initializer_list<Case>{{"itself", "bf16", "bf16"},
                                   {"framework's name", "bfloat16", "bf16"},
                                   {"framework's name", "float16", "fp16"},
                                   {"any case", "FLOAT8_E4M3FN", "fp8_e4m3"},
                                   {"another format than e4m3", "float8_e4m3fnuz", "fp8_e4m3fnuz"},
                                   {"packed", "float4_e2m1fn_x2", "float4_e2m1fn_x2"},
                                   {"only after dtype:", "double", "fp64"}}) {
    SCOPED_TRACE(why);
    EXPECT_EQ(find_dtype(spelling), name);
  }
  EXPECT_EQ(find_dtype("xf16"), std::nullopt);
  EXPECT_EQ(find_bare_dtype("double"), std::nullopt) << "an ordinary word";
  EXPECT_EQ(dtype_hint("bflot16"), "bfloat16");
}

TEST(Vocabulary, ADtypeFamilyCoversItsMembersAndNothingElse) {
  struct Case {
    const char* why;
    std::string_view requested;
    std::string_view observed;
    bool covers;
  };
  for (const auto& [why, requested, observed, covers] : std::initializer_list<Case>{
           {"equal", "bf16", "bf16", true},
           {"member", "fp8", "fp8_e4m3", true},
           {"member", "fp8", "fp8_e4m3fnuz", true},
           {"member", "fp4", "float4_e2m1fn_x2", true},
           {"member", "fp4", "mxfp4", true},
           {"element format without its container", "e4m3", "fp8_e4m3", true},
           {"another bias", "e4m3", "fp8_e4m3fnuz", false},
           {"format of scales", "fp8", "fp8_e8m0", false},
           {"a family does not answer for one member", "fp8_e4m3", "fp8", false},
           {"siblings", "nvfp4", "mxfp4", false},
           {"same width only", "fp16", "bf16", false}}) {
    SCOPED_TRACE(std::string(why) + ": " + std::string(requested) + " / " + std::string(observed));
    EXPECT_EQ(dtype_covers(requested, observed), covers);
  }
}

TEST(Vocabulary, BothNamesOfPackedRowMajorAreOne) {
  EXPECT_TRUE(layout_covers("row_major", "contiguous"));
  EXPECT_TRUE(layout_covers("contiguous", "row_major"));
  EXPECT_TRUE(layout_covers("col_major", "col_major"));
  EXPECT_FALSE(layout_covers("col_major", "contiguous"));
  EXPECT_FALSE(layout_covers("row_major", "strided"));
  EXPECT_EQ(find_layout("Row-Major"), "row_major");
  EXPECT_EQ(find_layout("tiled"), std::nullopt);
}

TEST(Vocabulary, ReadsArchitecturesOfBothVendors) {
  EXPECT_EQ(find_architecture("sm90"), "sm_90");
  EXPECT_EQ(find_architecture("SM_100"), "sm_100");
  EXPECT_EQ(find_architecture("sm_90a"), "sm_90a");
  EXPECT_EQ(find_architecture("sm_100f"), "sm_100f");
  EXPECT_EQ(find_architecture("GFX90A"), "gfx90a");
  EXPECT_EQ(find_architecture("gfx942"), "gfx942");
  for (const std::string_view wrong :
       {"sm", "sm_", "sm_x", "sm__90", "gfx", "gfx9", "gfxabc", "smart"}) {
    EXPECT_EQ(find_architecture(wrong), std::nullopt) << wrong;
  }
}

TEST(Vocabulary, HintsFollowTheTableThenTheClosestSpelling) {
  EXPECT_EQ(filter_hint("gpuu"), "gpu") << "the typed key extends it";
  EXPECT_EQ(filter_hint("m"), "model") << "the first that starts so";
  EXPECT_EQ(filter_hint("licence"), "license") << "first three letters";
  EXPECT_EQ(filter_hint("dytpe"), "dtype") << "two letters swapped";
  EXPECT_EQ(filter_hint("kv_dtype"), std::nullopt);
  EXPECT_EQ(filter_hint("foo"), std::nullopt);
}

TEST(Vocabulary, TrustLevelsAscend) {
  EXPECT_LT(Trust::kReported, Trust::kReproducible);
  EXPECT_LT(Trust::kReplicated, Trust::kVerified);
  for (const std::string_view word : {"reported", "reproducible", "replicated", "verified"}) {
    EXPECT_EQ(to_string(find_trust(word).value()), word);
  }
  EXPECT_EQ(find_trust("gold"), std::nullopt);
}

TEST(Vocabulary, EachFilterKeyIsListedOnce) {
  std::set<std::string_view> keys;
  for (const FilterKey& entry : filter_keys()) {
    EXPECT_TRUE(keys.insert(entry.key).second) << entry.key;
    EXPECT_EQ(find_filter(entry.key), entry.filter);
  }
  EXPECT_EQ(find_filter("GPU"), Filter::kGpu);
}

}  // namespace
}  // namespace ki::query
