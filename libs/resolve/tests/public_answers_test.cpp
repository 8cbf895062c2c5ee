// The corrected answers that the specification states for the public catalog (spec 05, 06, 15, 16,
// 17).
#include "catalog_fixture.h"
#include "ki/json/reader.h"
#include "ki/query/request.h"
#include "ki/resolve/describe.h"

#include <algorithm>
#include <set>
#include <string>

namespace ki::resolve {
namespace {

std::uint32_t total(const Answer& answer, GroupKind kind) { return answer.group(kind).total; }

TEST_F(PublicCatalog, FiltersChooseTheCohort) {
  const Answer answer = ask("op:gpumode-trimul gpu:A100");
  EXPECT_EQ(total(answer, GroupKind::kExact), 67U);
  EXPECT_EQ(total(answer, GroupKind::kCompatible), 0U);
  EXPECT_EQ(total(answer, GroupKind::kReported), 129U);
  ASSERT_FALSE(answer.cohort_options.empty());
  EXPECT_EQ(answer.cohort_options.front().label, "NVIDIA A100");
  EXPECT_EQ(answer.selected.because, SelectedBecause::kAnswersRequest);
  const Group& exact = answer.group(GroupKind::kExact);
  ASSERT_EQ(exact.rows.size(), kPageSize);
  EXPECT_EQ(exact.rows.front().rank, 1U);
  EXPECT_EQ(exact.rows.front().cohort_size, 67U);
  EXPECT_EQ(exact.overflow(), 17U);
}

TEST_F(PublicCatalog, NothingIsCutBeforeGrouping) {
  const Answer answer = ask("op:gpumode-amd-fp8-mm");
  EXPECT_EQ(total(answer, GroupKind::kExact), 98U);
  EXPECT_EQ(total(answer, GroupKind::kCompatible), 1666U);
  EXPECT_EQ(total(answer, GroupKind::kSupportedUnmeasured), 0U);
}

TEST_F(PublicCatalog, PagesOfAGroupFollowEachOther) {
  const query::Intent intent = query::parse_query("op:gpumode-amd-fp8-mm");
  std::set<Index> seen;
  double last = 0;
  for (std::uint32_t offset = 0; offset < 1666; offset += kPageSize) {
    Request request{.intent = &intent, .query = {}, .cohort = {}, .now = {}};
    request.offsets[static_cast<std::size_t>(GroupKind::kCompatible)] = offset;
    const Answer answer = resolver_->resolve(request);
    const Group& group = answer.group(GroupKind::kCompatible);
    ASSERT_EQ(group.total, 1666U);
    for (const Row& row : group.rows) {
      EXPECT_TRUE(seen.insert(row.run).second) << "no run twice";
      EXPECT_GE(row.value, last);
      last = row.value;
      EXPECT_EQ(row.position, seen.size());
    }
  }
  EXPECT_EQ(seen.size(), 1666U);
}

TEST_F(PublicCatalog, AnAxisInTheOtherCaseIsTheSameAxisAndNeverAWrongExact) {
  const auto document =
      json::read_document(R"({"operation": {"slug": "gemm-n4096-k4096", "axes": {"M": 3000}}})");
  ASSERT_TRUE(document);
  const auto intent = query::parse_request(document->root);
  ASSERT_TRUE(intent);
  const Answer answer =
      resolver_->resolve({.intent = &*intent, .query = {}, .cohort = {}, .now = {}});
  EXPECT_EQ(answer.mode, Mode::kNearest);
  EXPECT_EQ(total(answer, GroupKind::kExact), 0U);
  ASSERT_TRUE(answer.nearest && answer.nearest->below && answer.nearest->above);
  EXPECT_EQ(answer.nearest->axis, "m");
  EXPECT_EQ(answer.nearest->below->value, 2379);
  EXPECT_EQ(answer.nearest->above->value, 8192);
  EXPECT_EQ(answer.selected.because, SelectedBecause::kNearestCase)
      << "the panel shows a neighbour, not a default";
  EXPECT_EQ(answer.selected.workload, answer.nearest->below->workload);
}

TEST_F(PublicCatalog, OnlyAMeasuredCaseIsCalledExact) {
  EXPECT_EQ(ask("op:gemm-n4096-k4096 m=1").mode, Mode::kExact);
  EXPECT_EQ(ask("op:gemm-n4096-k4096 [1,4096]").mode, Mode::kExact);
  EXPECT_EQ(ask("op:gemm-n4096-k4096").mode, Mode::kOperationOnly) << "no case asked for";
  EXPECT_EQ(ask("op:gemm-n4096-k4096 m=3000").mode, Mode::kNearest);
  EXPECT_EQ(ask("op:gemm-n4096-k4096 m=1 gpu:H100").mode, Mode::kOperationOnly)
      << "not measured there";
  EXPECT_EQ(ask("op:gemm-n4096-k4096 m=1 dtype:nonsense").mode, Mode::kOperationOnly)
      << "what was not understood is not met";
  EXPECT_EQ(ask("op:gemm-n4096-k4096 m=1 trust:reproducible").mode, Mode::kOperationOnly)
      << "no row is left to show";
}

TEST_F(PublicCatalog, ThePolicyFiltersInTheEngineAndCountsWhatItHides) {
  const Answer answer = ask("op:gemm-n4096-k4096 trust:reproducible");
  const Group& exact = answer.group(GroupKind::kExact);
  EXPECT_EQ(exact.total, 0U);
  EXPECT_EQ(exact.hidden, 2U);
  EXPECT_EQ(exact.hidden_by[static_cast<std::size_t>(Hidden::kTrust)], 2U);
  EXPECT_EQ(answer.group(GroupKind::kCompatible).hidden, 50U);
  EXPECT_EQ(answer.policy.minimum_trust, query::Trust::kReproducible);

  const Answer installable = ask("op:gpumode-amd-fp8-mm installable:true");
  EXPECT_EQ(installable.group(GroupKind::kExact).total, 0U);
  EXPECT_EQ(installable.group(GroupKind::kExact).hidden, 98U);
}

TEST_F(PublicCatalog, PackedLayoutsAreRowMajor) {
  EXPECT_EQ(total(ask("op:gemm-n4096-k4096 layout:row_major"), GroupKind::kExact), 2U);
  EXPECT_EQ(total(ask("op:gemm-n4096-k4096 layout:strided"), GroupKind::kExact), 0U);
}

TEST_F(PublicCatalog, HardwareIsAProductNotAPartOfAText) {
  for (const std::string_view query : {"gemm gpu:L4", "rmsnorm gpu:B200", "attention gpu:GB200"}) {
    const Answer answer = ask(query);
    if (!answer.chooser) continue;
    for (const ChooserRow& row : answer.chooser->rows) {
      if (row.best == kNone) continue;
      const Index cohort = snapshot_->runs()[row.best].cohort;
      const std::string_view product = snapshot_->name(
          snapshot_->environments()[snapshot_->cohorts()[cohort].environment].product);
      EXPECT_EQ(product, "NVIDIA " + std::string(query.substr(query.find(':') + 1))) << query;
    }
  }
}

TEST_F(PublicCatalog, AModelAloneListsItsOperations) {
  const Answer answer = ask("model:deepseek-v3");
  EXPECT_EQ(answer.mode, Mode::kModel);
  EXPECT_EQ(answer.operation, kNone);
  ASSERT_TRUE(answer.chooser);
  EXPECT_EQ(answer.chooser->total, 21U);
  EXPECT_EQ(answer.model, "deepseek-v3");
}

TEST_F(PublicCatalog, EveryShownNameFindsItsOperation) {
  // Operations that share a shown name cannot all be the answer; each is then among the best hits.
  std::size_t found = 0, listed = 0;
  for (Index i = 0; i < snapshot_->operations().size(); ++i) {
    const std::string name = operation_name(*snapshot_, i);
    const Answer answer = ask(name);
    if (answer.operation == i) {
      ++found;
    } else if (answer.operation != kNone) {
      EXPECT_EQ(operation_name(*snapshot_, answer.operation), name) << slug(i);
      ++listed;
    } else {
      ASSERT_TRUE(answer.chooser) << name;
      const auto& rows = answer.chooser->rows;
      EXPECT_NE(std::ranges::find(rows, i, &ChooserRow::operation), rows.end()) << name;
      ++listed;
    }
  }
  EXPECT_EQ(found + listed, snapshot_->operations().size());
  EXPECT_GT(found, 400U);
}

TEST_F(PublicCatalog, EvidenceIsLookedAtBeforeAListIsCut) {
  for (const std::string_view query : {"gemm H100", "fp8 gemm MI300X"}) {
    const Answer answer = ask(query);
    ASSERT_TRUE(answer.chooser) << query;
    ASSERT_FALSE(answer.chooser->rows.empty());
    EXPECT_GT(answer.chooser->rows.front().matching, 0U) << query;
    EXPECT_GT(answer.chooser->with_evidence, 0U);
    const auto& rows = answer.chooser->rows;
    EXPECT_TRUE(std::ranges::is_partitioned(rows, [](const ChooserRow& row) {
      return row.matching > 0;
    })) << query;
  }
}

TEST_F(PublicCatalog, FindsWhatPeopleType) {
  const auto first_of = [&](std::string_view query) {
    const Answer answer = ask(query);
    if (answer.operation != kNone) return slug(answer.operation);
    return answer.chooser && !answer.chooser->rows.empty()
               ? slug(answer.chooser->rows.front().operation)
               : std::string("-");
  };
  EXPECT_EQ(first_of("fp8 mm"), "gpumode-amd-fp8-mm");
  EXPECT_EQ(first_of("amd fp8 mm"), "gpumode-amd-fp8-mm");
  EXPECT_EQ(first_of("vector add"), "gpumode-vectoradd-v2");
  EXPECT_EQ(first_of("kv"), first_of("KV"));
  EXPECT_EQ(first_of("multi head qkv projection with rope backward"),
            "064-multi-head-qkv-projection-with-rope-backward");
  EXPECT_EQ(first_of("trimull"), "gpumode-trimul") << "one letter too many";
  const Answer typo = ask("rmsnrom");
  ASSERT_EQ(typo.corrections.size(), 1U);
  EXPECT_EQ(typo.corrections[0].read_as, "rmsnorm");
  ASSERT_TRUE(typo.chooser);
  EXPECT_EQ(typo.chooser->rows.front().reason, Reason::kTypo);
  const Answer phrase = ask("\"fused add rmsnorm\"");
  ASSERT_TRUE(phrase.chooser);
  for (const ChooserRow& row : phrase.chooser->rows) {
    EXPECT_NE(slug(row.operation).find("fused-add-rmsnorm"), std::string::npos);
  }
}

TEST_F(PublicCatalog, CohortsOfOneGpuAreToldApart) {
  const Answer answer = ask("op:062-kv-cache-update-with-rope-backward");
  ASSERT_EQ(answer.cohort_options.size(), 2U);
  EXPECT_EQ(answer.cohort_options[0].label, "NVIDIA B200 · SOL-ExecBench evaluation stack v1.1");
  EXPECT_EQ(answer.cohort_options[1].label, "NVIDIA B200 · SOL-ExecBench evaluation stack v1.0");
  ASSERT_EQ(answer.cohort_options[0].differs.size(), 1U);
  EXPECT_EQ(answer.cohort_options[0].differs[0].key, "Harness");
}

TEST_F(PublicCatalog, TheCohortParameterLeads) {
  const query::Intent intent = query::parse_query("op:gpumode-trimul");
  const Answer first =
      resolver_->resolve({.intent = &intent, .query = {}, .cohort = {}, .now = {}});
  const CohortOption& last = first.cohort_options.back();
  const Digest key(snapshot_->cohorts()[last.cohort].key);
  const Answer answer =
      resolver_->resolve({.intent = &intent, .query = {}, .cohort = key, .now = {}});
  EXPECT_EQ(answer.selected.cohort, last.cohort);
  EXPECT_EQ(answer.selected.because, SelectedBecause::kRequestedCohort);
  EXPECT_EQ(total(answer, GroupKind::kExact), last.runs);

  const Answer unknown =
      resolver_->resolve({.intent = &intent, .query = {}, .cohort = Digest::of("x"), .now = {}});
  EXPECT_EQ(unknown.selected.cohort, first.selected.cohort);
  ASSERT_EQ(unknown.issues.size(), 1U);
  EXPECT_EQ(unknown.issues[0].code, "UNKNOWN_COHORT");
}

TEST_F(PublicCatalog, SuggestionsCompleteWhatIsBeingTyped) {
  const auto suggestions = index_->suggest("rms");
  ASSERT_FALSE(suggestions.empty());
  EXPECT_LE(suggestions.size(), 8U);
  EXPECT_EQ(suggestions.front().tier, 4);
  const auto operations = snapshot_->operations();
  for (std::size_t i = 1; i < suggestions.size(); ++i) {
    const auto& a = suggestions[i - 1];
    const auto& b = suggestions[i];
    EXPECT_TRUE(a.tier > b.tier || (a.tier == b.tier && operations[a.operation].eligible_runs >=
                                                            operations[b.operation].eligible_runs));
  }
  EXPECT_TRUE(index_->suggest("").empty());
  EXPECT_TRUE(index_->suggest("zzzz").empty());
  EXPECT_EQ(slug(index_->suggest("trimu").front().operation), "gpumode-trimul")
      << "through an alias";
}

TEST_F(PublicCatalog, AScratchKeepsNothingFromOneRequestToTheNext) {
  Scratch scratch;
  Answer reused;
  const std::vector<std::string_view> queries = {"op:gpumode-trimul gpu:A100",
                                                 "op:gemm-n4096-k4096 m=3000 dtype:fp16",
                                                 "rmsnorm B200",
                                                 "",
                                                 "op:gemm-n4096-k4096 [1,4096]",
                                                 "op:gpumode-amd-fp8-mm license:permissive",
                                                 "op:gemm-n4096-k4096"};
  for (int round = 0; round < 2; ++round) {
    for (const std::string_view query : queries) {
      const query::Intent intent = query::parse_query(query);
      const Request request{.intent = &intent, .query = query, .cohort = {}, .now = {}};
      resolver_->resolve(request, scratch, reused);
      const Answer fresh = resolver_->resolve(request);
      EXPECT_EQ(reused.mode, fresh.mode) << query;
      EXPECT_EQ(reused.selected.cohort, fresh.selected.cohort) << query;
      EXPECT_EQ(interpretation(*snapshot_, reused), interpretation(*snapshot_, fresh));
      for (std::size_t k = 0; k < kGroupKinds; ++k) {
        ASSERT_EQ(reused.groups[k].total, fresh.groups[k].total) << query;
        ASSERT_EQ(reused.groups[k].rows.size(), fresh.groups[k].rows.size()) << query;
        for (std::size_t i = 0; i < fresh.groups[k].rows.size(); ++i) {
          EXPECT_EQ(reused.groups[k].rows[i].run, fresh.groups[k].rows[i].run);
          EXPECT_TRUE(std::ranges::equal(reused.groups[k].rows[i].mismatches,
                                         fresh.groups[k].rows[i].mismatches))
              << query;
        }
      }
    }
  }
}

}  // namespace
}  // namespace ki::resolve
