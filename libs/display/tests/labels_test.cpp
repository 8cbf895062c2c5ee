#include "ki/display/labels.h"

#include "ki/base/text.h"
#include "ki/display/format.h"
#include "ki/json/reader.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ki::display {
namespace {

json::Document document(std::string_view text) {
  auto read = json::read_document(text);
  EXPECT_TRUE(read) << text;
  return *std::move(read);
}

TEST(WorkloadLabel, NamesSuitesAndCases) {
  EXPECT_EQ(suite_label(16, "mean", "latency"), "suite of 16 cases · mean latency");
  EXPECT_EQ(suite_label(1, "unspecified", "score"), "suite of 1 case · score");
  EXPECT_EQ(suite_label(3, "unspecified", ""), "suite of 3 cases");
  const std::vector<Axis> axes{{"m", 120}, {"eps", 1e-6}};
  const std::vector<std::string_view> dtypes{"fp16"};
  EXPECT_EQ(case_label(axes, dtypes), "m = 120 · eps = 0.000001 · fp16");
  EXPECT_EQ(case_label({}, dtypes), "fp16");
  EXPECT_EQ(workload_summary(dtypes, "[120, 4096]"), "fp16 · [120, 4096]");
  EXPECT_EQ(workload_summary({}, "suite of 7 cases"), "suite of 7 cases");
  EXPECT_EQ(workload_summary(dtypes, "[]"), "fp16");
}

TEST(ToleranceSummary, ShowsBoundsElseTheComparator) {
  struct Case {
    const char* correctness;
    const char* text;
  };
  for (
      const auto& [correctness, text] : {
          Case{
              R"({"comparator":"x","maxAbsoluteError":0.01,"maxRelativeError":0.05,"requiredMatchedRatio":0.99})",
              "abs ≤ 0.01, rel ≤ 0.05, matched ≥ 99%"},
          Case{R"({"comparator":"x","requiredMatchedRatio":0.999})", "matched ≥ 99.9%"},
          Case{R"({"comparator":"x","maximumAbsoluteError":1e-7})", "abs ≤ 1e-7"},
          Case{R"({"comparator":"sol_execbench_eval"})", "sol_execbench_eval"},
          Case{R"({})", "—"},
      }) {
    EXPECT_EQ(tolerance_summary(document(correctness).root), text) << correctness;
  }
}

TEST(Evidence, HasFourLevelsAndNone) {
  EXPECT_EQ(evidence_label("verified"), "Verified");
  EXPECT_EQ(evidence_label("replicated"), "Replicated");
  EXPECT_EQ(evidence_label("reproducible"), "Reproducible");
  EXPECT_EQ(evidence_label("reported"), "Reported");
  EXPECT_EQ(evidence_label(""), "No evidence");
}

TEST(Rank, MarksTies) {
  EXPECT_EQ(rank_text(2, true), "2=");
  EXPECT_EQ(rank_text(2, false), "2");
  EXPECT_EQ(rank_text(std::nullopt, false), kMissing);
  EXPECT_EQ(rank_of(2, 1828), "#2 of 1,828");
  EXPECT_EQ(rank_bounds(2, 5), "2–5");
  EXPECT_EQ(rank_bounds(3, 3), "3");
}

TEST(Ids, AreCutWithAMark) {
  const std::string digest =
      "sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d";
  EXPECT_EQ(short_digest(digest), "sha256:449ac0a4bf174ec0ad6110c…") << "as on the first seed page";
  EXPECT_EQ(short_key("sha256:f2fadd4714b173994323325f959c5a9dee3fae25f36724513ac36e8c825b3eb8"),
            "sha256:f2fadd4714b17399…");
  EXPECT_EQ(title_id("01a0352b-0000-7000-8000-000000000000"), "01a0352b");
  EXPECT_EQ(short_run_id("01a0352b-0000-7000-8000-000000000000"), "01a0352b-0000…");
  EXPECT_EQ(short_run_id("short"), "short");
}

TEST(SourceNativeLine, DoesNotDependOnMemberOrder) {
  std::vector<std::string> members{R"("sol_score":0.091395)", R"("latency_ms":1.163104)",
                                   R"("avg_speedup":0.1242)", R"("zeta_key":3)",
                                   R"("alpha":0.5)",          R"("fast_1_count":0)",
                                   R"("fast_1_total":16)",    R"("note":"text")"};
  std::ranges::sort(members);
  int orders = 0;
  do {
    const auto metrics = document("{" + join(members, ",") + "}");
    ASSERT_EQ(source_native_line(metrics.root),
              "SOL 0.0914 · 0.12× reference · 0/16 cases faster · alpha 0.5 · zeta key 3");
  } while (std::ranges::next_permutation(members).found && ++orders < 2000);
  EXPECT_EQ(source_native_line(document(R"({"latency_ms":1})").root), std::nullopt);
  EXPECT_EQ(source_native_line(document("3").root), std::nullopt);
}

TEST(RankLineText, SaysOfHowManyByWhichRule) {
  const Instant observed{1779401109698};  // 2026-05-21
  RankLine line{.rank = 8, .is_source_native = true, .observed_at = observed};
  EXPECT_EQ(rank_line(line),
            "Rank 8 in its comparison group · source-native comparison · observed 2026-05-21")
      << "the seed page";
  line.cohort_size = 70;
  line.is_tied = true;
  line.policy_version = "ranking-v1";
  line.as_of = Instant{1786759377440};
  EXPECT_EQ(rank_line(line),
            "Rank 8= of 70 in its comparison group · source-native comparison · observed "
            "2026-05-21 · ranking-v1 · as "
            "of 2026-08-15");
  EXPECT_EQ(rank_line({.observed_at = observed}), "strict exact comparison · observed 2026-05-21");
  const std::vector<std::string> codes{"STATUS_TIMEOUT", "RETRACTED"};
  EXPECT_EQ(rank_line({.rank = 3, .ineligible = codes}),
            "Not eligible: STATUS_TIMEOUT, RETRACTED · strict exact comparison");
}

}  // namespace
}  // namespace ki::display
