#include "ki/base/text.h"
#include "ki/display/names.h"
#include "ki/resolve/describe.h"
#include "sketch_fixture.h"

#include <gmock/gmock.h>

#include <string>

namespace ki::resolve {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class SearchWords : public Sketch {
 protected:
  void SetUp() override {
    catalog.operation({.slug = "007-gemm-n4096-k4096", .name = "007_gemm_n4096_k4096"});
    catalog.operation({.slug = "gemm-n4096-k4096", .name = "gemm_n4096_k4096"});
    catalog.operation({.slug = "rmsnorm-h4096", .name = "rmsnorm_h4096", .family = "rmsnorm"});
    catalog.operation({.slug = "fused-add-rmsnorm-h4096",
                       .name = "fused_add_rmsnorm_h4096",
                       .family = "rmsnorm"});
    catalog.operation({.slug = "069-rms-norm", .name = "069_rms_norm", .family = "rmsnorm"});
    catalog.operation({.slug = "gpumode-qr-v2",
                       .name = "Batched QR factorization",
                       .family = "linear-algebra",
                       .aliases = {"qr_v2"}});
    catalog.operation({.slug = "gpumode-vectoradd-v2",
                       .name = "FP16 vector addition",
                       .family = "elementwise",
                       .aliases = {"vectoradd_v2"}});
    catalog.operation({.slug = "gpumode-amd-fp8-mm",
                       .name = "AMD FP8 blockwise GEMM",
                       .aliases = {"amd-fp8-mm"},
                       .tags = {"gemm", "model:deepseek-r1"}});
    catalog.operation({.slug = "gpumode-amd-mxfp4-mm",
                       .name = "AMD MXFP4 GEMM",
                       .aliases = {"amd-mxfp4-mm"},
                       .tags = {"model:deepseek-r1-lite"}});
    catalog.operation(
        {.slug = "flash-attention", .name = "Flash attention", .family = "attention"});
    catalog.operation({.slug = "scan-over-rows", .name = "Scan over rows", .family = "attention"});
  }
};

TEST_F(SearchWords, ASlugInAnySpellingIsTheAnswer) {
  for (const std::string_view query :
       {"gemm-n4096-k4096", "gemm n4096 k4096", "gemm_n4096_k4096", "GEMM-N4096-K4096",
        "op:gemm-n4096-k4096", "gemmn4096k4096"}) {
    const Answer answer = ask(query);
    EXPECT_EQ(slug(answer.operation), "gemm-n4096-k4096") << query;
    EXPECT_EQ(answer.operation_reason, Reason::kSlug) << query;
  }
}

TEST_F(SearchWords, AnAliasInAnySpellingIsTheAnswer) {
  for (const std::string_view query : {"amd-fp8-mm", "amd fp8 mm", "op:amd-fp8-mm", "AMD_FP8_MM"}) {
    const Answer answer = ask(query);
    EXPECT_EQ(slug(answer.operation), "gpumode-amd-fp8-mm") << query;
    EXPECT_EQ(answer.operation_reason, Reason::kAlias) << query;
  }
}

TEST_F(SearchWords, TheShownNameIsTheAnswer) {
  EXPECT_EQ(slug(ask("AMD FP8 blockwise GEMM").operation), "gpumode-amd-fp8-mm");
  EXPECT_EQ(slug(ask("rms norm").operation), "069-rms-norm") << "without its number";
  EXPECT_EQ(ask("rms norm").operation_reason, Reason::kName);
}

TEST_F(SearchWords, IdsAndDigestsAreTheAnswer) {
  const catalog::OperationRow& row = snapshot().operations()[3];
  for (const std::string& text : {Uuid{row.id}.to_string(), Digest(row.digest).to_string()}) {
    const Answer answer = ask("op:" + text);
    EXPECT_EQ(slug(answer.operation), "fused-add-rmsnorm-h4096") << text;
    EXPECT_EQ(answer.operation_reason, Reason::kId);
  }
}

TEST_F(SearchWords, OneWordOfManyNamesIsAChoice) {
  const Answer answer = ask("rmsnorm");
  EXPECT_EQ(answer.mode, Mode::kChooser);
  EXPECT_THAT(hits(answer),
              UnorderedElementsAre("rmsnorm-h4096", "fused-add-rmsnorm-h4096", "069-rms-norm"))
      << "also where a name splits the word";
}

TEST_F(SearchWords, AllWordsBeatSome) {
  EXPECT_THAT(hits(ask("add rmsnorm")), ElementsAre("fused-add-rmsnorm-h4096"));
  EXPECT_THAT(hits(ask("flash attention")), ElementsAre("flash-attention"));
}

TEST_F(SearchWords, TwoLetterNamesAreFound) {
  EXPECT_EQ(slug(ask("qr").operation), "gpumode-qr-v2");
  EXPECT_THAT(hits(ask("mm")), UnorderedElementsAre("gpumode-amd-fp8-mm", "gpumode-amd-mxfp4-mm"));
}

TEST_F(SearchWords, FilterWordsMayBePartOfAName) {
  const Answer answer = ask("fp8 mm");
  ASSERT_TRUE(answer.chooser);
  EXPECT_EQ(hits(answer).front(), "gpumode-amd-fp8-mm") << "its name has both words";
}

TEST_F(Sketch, OperationsThatCannotHaveTheAxesComeLastAndSayWhy) {
  const auto axes = [](int n) {
    return R"({"m":{"role":"variable","type":"integer"},"n":{"role":"constant","type":"integer","value":)" +
           std::to_string(n) + "}}";
  };
  catalog.operation({.slug = "gemm-n5120", .name = "GEMM n5120", .axes = axes(5120)});
  catalog.operation({.slug = "gemm-rows",
                     .name = "GEMM rows",
                     .axes = R"({"rows":{"role":"variable","type":"integer"}})"});
  catalog.operation(
      {.slug = "gemm-any",
       .name = "GEMM any",
       .axes =
           R"({"m":{"role":"variable","type":"integer"},"n":{"role":"variable","type":"integer"}})"});
  catalog.operation({.slug = "gemm-n4096", .name = "GEMM n4096", .axes = axes(4096)});
  const Answer answer = ask("gemm M=3000 n=4096");
  ASSERT_TRUE(answer.chooser);
  EXPECT_THAT(hits(answer), ElementsAre("gemm-n4096", "gemm-any", "gemm-n5120", "gemm-rows"))
      << "the one made for n=4096 first";
  EXPECT_EQ(answer.chooser->misfits, 2U);
  EXPECT_EQ(answer.chooser->rows[0].axis_misfit, "");
  EXPECT_EQ(answer.chooser->rows[0].query, "op:gemm-n4096 M=3000 n=4096")
      << "nothing asked is lost";
  EXPECT_EQ(answer.chooser->rows[2].axis_misfit, "n is 5120");
  EXPECT_EQ(answer.chooser->rows[3].axis_misfit, "no axis m");
}

TEST_F(SearchWords, WordsRunTogetherOrApartAreFound) {
  EXPECT_EQ(slug(ask("vector add").operation), "gpumode-vectoradd-v2");
  EXPECT_EQ(slug(ask("vectoradd").operation), "gpumode-vectoradd-v2");
}

TEST_F(SearchWords, AQuotedPhraseStandsTogether) {
  EXPECT_THAT(hits(ask("\"add rmsnorm\"")), ElementsAre("fused-add-rmsnorm-h4096"));
  EXPECT_TRUE(hits(ask("\"rmsnorm add\"")).empty());
  EXPECT_EQ(ask("\"rmsnorm add\"").mode, Mode::kNothing);
}

TEST_F(SearchWords, OneOrTwoLettersAreCorrected) {
  const Answer answer = ask("rmsnrom");
  ASSERT_EQ(answer.corrections.size(), 1U);
  EXPECT_EQ(answer.corrections[0].typed, "rmsnrom");
  EXPECT_EQ(answer.corrections[0].read_as, "rmsnorm");
  EXPECT_EQ(answer.mode, Mode::kChooser) << "a guess is shown, not taken";
  EXPECT_EQ(ask("facctorisation").corrections.at(0).read_as, "factorization")
      << "two letters of a long word";
  EXPECT_TRUE(ask("qrr").corrections.empty()) << "short words are not guessed";
}

TEST_F(SearchWords, AFamilyIsFoundLast) {
  EXPECT_THAT(hits(ask("attention")), ElementsAre("flash-attention")) << "the only one named so";
  EXPECT_THAT(hits(ask("family:attention")),
              UnorderedElementsAre("flash-attention", "scan-over-rows"));
  EXPECT_THAT(hits(ask("elementwise")), ElementsAre("gpumode-vectoradd-v2"));
}

TEST_F(SearchWords, AnUnknownFamilyOrModelSaysSo) {
  const Answer family = ask("family:atention");
  EXPECT_EQ(family.mode, Mode::kNothing);
  ASSERT_EQ(family.issues.size(), 1U);
  EXPECT_EQ(family.issues[0].code, "UNKNOWN_FAMILY");
  EXPECT_EQ(family.issues[0].hint, "attention");
  EXPECT_FALSE(family.families.empty()) << "where to start instead";
  EXPECT_EQ(ask("model:nothing").issues.at(0).code, "UNKNOWN_MODEL");
}

TEST_F(SearchWords, AModelListsItsOperations) {
  const Answer answer = ask("model:deepseek-r1");
  EXPECT_EQ(answer.mode, Mode::kModel);
  EXPECT_THAT(hits(answer), ElementsAre("gpumode-amd-fp8-mm")) << "not those of a longer name";
  EXPECT_EQ(slug(ask("model:deepseek-r1 blockwise").operation), "gpumode-amd-fp8-mm");
}

TEST_F(SearchWords, NothingIsSilentlyDropped) {
  const Answer named = ask("op:flash-attention zebra");
  EXPECT_EQ(slug(named.operation), "flash-attention");
  ASSERT_EQ(named.issues.size(), 1U);
  EXPECT_EQ(named.issues[0].code, "UNKNOWN_WORD");
  EXPECT_EQ(named.issues[0].token, "zebra");
  EXPECT_EQ(ask("zebra").issues.at(0).code, "UNKNOWN_WORD");
  EXPECT_EQ(ask("colour:red").mode, Mode::kNothing)
      << "an unknown filter is not answered by a list of everything";
}

TEST_F(SearchWords, WhatSomeWordsFindIsShownAndTheOthersAreNamed) {
  Answer answer = ask("zebra attention");
  EXPECT_THAT(hits(answer), ElementsAre("flash-attention", "scan-over-rows"));
  ASSERT_EQ(answer.issues.size(), 1U);
  EXPECT_EQ(answer.issues[0].message, "no operation found by 'zebra'");
  answer = ask("scan blockwise zebra addition");
  EXPECT_EQ(answer.mode, Mode::kChooser) << "no two of the words are in one name";
  EXPECT_EQ(hits(answer).size(), 3U);
  ASSERT_EQ(answer.issues.size(), 1U);
  EXPECT_EQ(ask("nonexistent-attention-xyz").mode, Mode::kNothing) << "a part of a name is not it";
  answer = ask("family:attention blockwise");
  EXPECT_EQ(answer.mode, Mode::kNothing);
  EXPECT_EQ(answer.issues.at(0).message,
            "'blockwise' was left out: no operation has it with the rest");
}

TEST_F(SearchWords, AQuestionIsReadAsItsWords) {
  EXPECT_EQ(slug(ask("what is the fastest flash attention on a GPU").operation), "flash-attention");
}

TEST_F(SearchWords, WordsThatSayNothingAskForNothing) {
  EXPECT_EQ(ask("").mode, Mode::kBrowse);
  EXPECT_EQ(ask("the fastest kernel").mode, Mode::kBrowse);
  EXPECT_EQ(ask("").chooser->total, 11U);
  EXPECT_EQ(slug(ask("the fastest flash attention kernel").operation), "flash-attention");
}

TEST_F(SearchWords, NamesOrderWithNumbersByValue) {
  testing::SketchCatalog more;
  for (const char* name : {"gemm_n1024", "GEMM_n256", "gemm_n64", "012_gemm_n128"}) {
    std::string slug = kebab(name);
    more.operation({.slug = slug, .name = name});
  }
  const auto sorted = std::move(more).finish();
  const SearchIndex index_of(*sorted);
  std::vector<std::string> names;
  for (const Index i : index_of.natural_order()) names.push_back(operation_name(*sorted, i));
  EXPECT_THAT(names, ElementsAre("GEMM n64", "GEMM n128", "GEMM n256", "GEMM n1024"));
}

// The index lower-cases names by itself, because it does so for every operation at each start.
TEST(SearchableName, IsTheShownNameInLowerCase) {
  for (const std::string_view raw :
       {"062_kv_cache_update_with_rope_backward", "AMD FP8 blockwise GEMM", "gemm_n4096", "12",
        "12_", "_x", "3d_conv", "Sort", "7_zip_2"}) {
    EXPECT_EQ(searchable_name(raw), ascii_lower(display::operation_name(raw))) << raw;
  }
  if (const auto real = testing::real_catalog()) {
    for (const auto& row : real->operations()) {
      EXPECT_EQ(searchable_name(real->text(row.name)),
                ascii_lower(display::operation_name(real->text(row.name))));
    }
  }
}

}  // namespace
}  // namespace ki::resolve
