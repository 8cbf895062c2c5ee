#include "ki/resolve/ranks.h"

#include "catalog_fixture.h"
#include "ki/base/text.h"
#include "ki/base/uuid.h"
#include "ki/display_testing/vectors.h"
#include "ki/resolve/compare.h"

#include <fmt/format.h>

#include <map>
#include <string>

namespace ki::resolve {
namespace {

TEST_F(PublicCatalog, ListsEveryRankOfTheVector) {
  const auto text = ki::testing::read_text(ki::testing::shared("spec/vectors/ranks.tsv"));
  ASSERT_TRUE(text);
  std::map<std::string, std::string> expected;
  for (const std::string_view line : split(*text, '\n')) {
    const auto cells = split(line, '\t');
    if (cells.size() == 5 && cells[0] != "runId") {
      expected[std::string(cells[0])] =
          fmt::format("{} {} {} {}", cells[1], cells[2], cells[3], cells[4]);
    }
  }
  const auto entries = ranks_v1(*snapshot_);
  ASSERT_EQ(entries.size(), expected.size());
  for (const RankEntry& entry : entries) {
    const std::string ours = fmt::format(
        "{} {} {} {}", Digest(snapshot_->cohorts()[entry.cohort].key).hex().substr(0, 16),
        entry.rank, entry.is_tied_with_previous ? 1 : 0, entry.cohort_size);
    EXPECT_EQ(ours, expected[Uuid{snapshot_->runs()[entry.run].id}.to_string()]);
  }
}

TEST_F(PublicCatalog, WithoutUncertaintyNobodyWinsUnderTheSecondPolicy) {
  const auto entries = ranks_v2(*snapshot_);
  EXPECT_GT(entries.size(), 5000U);
  for (const RankBoundsEntry& entry : entries) {
    EXPECT_EQ(entry.best, 1U);
    EXPECT_EQ(entry.worst, entry.cohort_size);
    EXPECT_TRUE(entry.verdict == "insufficient" || entry.verdict == "incomparable")
        << entry.verdict;
  }
}

std::string id_of(const catalog::Snapshot& snapshot, Index run) {
  return Uuid{snapshot.runs()[run].id}.to_string();
}

TEST_F(PublicCatalog, ComparesRunsOfOneGroupByRank) {
  const Answer answer = ask("op:gpumode-trimul gpu:A100");
  const auto& rows = answer.group(GroupKind::kExact).rows;
  const std::string second = id_of(*snapshot_, rows[1].run), first = id_of(*snapshot_, rows[0].run);
  const std::vector<std::string_view> ids = {second, first, second, "not-an-id"};
  const Comparison result = compare(*snapshot_, ids);
  ASSERT_EQ(result.runs.size(), 2U) << "each run once";
  EXPECT_TRUE(result.is_comparable);
  EXPECT_TRUE(result.is_source_native);
  EXPECT_EQ(result.runs[0].rank, 2U);
  EXPECT_EQ(result.runs[1].rank, 1U);
  ASSERT_EQ(result.order.size(), 2U);
  EXPECT_EQ(result.order[0], rows[0].run);
  ASSERT_EQ(result.missing.size(), 1U);
  EXPECT_EQ(result.missing[0], "not-an-id");
  EXPECT_FALSE(result.first_material_mismatch);
  ASSERT_EQ(result.fields.size(), 16U);
  EXPECT_EQ(result.fields[0].field, "operation");
  EXPECT_EQ(result.fields[5].field, "metric");
  EXPECT_TRUE(result.fields[5].is_material);
  EXPECT_FALSE(result.fields[6].is_material);
}

TEST_F(PublicCatalog, NamesTheFirstMaterialDifference) {
  const Answer answer = ask("op:gpumode-trimul");
  const Index here = answer.group(GroupKind::kExact).rows[0].run;
  const Index elsewhere = answer.group(GroupKind::kReported).rows[0].run;
  const std::string a = id_of(*snapshot_, here),
                    b = Digest(snapshot_->runs()[elsewhere].digest).to_string();
  const std::vector<std::string_view> ids = {a, b};
  const Comparison result = compare(*snapshot_, ids);
  ASSERT_EQ(result.runs.size(), 2U) << "ids and digests both name runs";
  EXPECT_FALSE(result.is_comparable);
  EXPECT_FALSE(result.comparison_key);
  ASSERT_TRUE(result.first_material_mismatch);
  EXPECT_EQ(result.fields[*result.first_material_mismatch].field, "environment");
  EXPECT_NE(result.explanation.find("environment"), std::string::npos);
  EXPECT_EQ(result.runs[0].rank, 0U);
}

TEST_F(PublicCatalog, ARunThatIsNotEligibleCannotBeRanked) {
  Index failed = kNone;
  for (Index i = 0; i < snapshot_->runs().size(); ++i) {
    const auto& run = snapshot_->runs()[i];
    if ((run.flags & catalog::run_flags::kEligible) == 0) failed = i;
  }
  ASSERT_NE(failed, kNone);
  const std::string a = id_of(*snapshot_, failed);
  const std::vector<std::string_view> one = {a};
  const Comparison result = compare(*snapshot_, one);
  EXPECT_FALSE(result.is_comparable);
  EXPECT_FALSE(result.runs.at(0).ineligible.empty());
  EXPECT_EQ(result.explanation, "A comparison needs at least two published runs.");
}

}  // namespace
}  // namespace ki::resolve
