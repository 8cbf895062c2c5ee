// spec/vectors/policy.json and license.json: the original's answers; tests/divergences.tsv has the
// rest.
#include "ki/display_testing/vectors.h"

#include "ki/json/number.h"
#include "ki/json/reader.h"
#include "ki/policy/deployability.h"
#include "ki/policy/eligibility.h"
#include "ki/policy/evidence.h"
#include "ki/policy/licence.h"
#include "ki/policy/ranking.h"
#include "ki/policy/ranking_v2.h"
#include "ki/policy/serving.h"

#include <gtest/gtest.h>

#include <deque>

namespace ki::policy {
namespace {

using json::Value;

std::string text_of(const Value& row, std::string_view key) {
  const Value* value = row.find(key);
  return value == nullptr || value->is_null() ? "null" : std::string(value->string());
}
bool bool_of(const Value& row, std::string_view key) { return row.find(key)->boolean(); }
double number_of(const Value& row, std::string_view key) { return row.find(key)->number(); }
std::string yes_or_no(bool value) { return value ? "true" : "false"; }

template <class Texts>
std::string listed(const Texts& texts) {
  std::string list;
  for (const auto& text : texts) list += (list.empty() ? "" : " ") + std::string(text);
  return list;
}
std::vector<std::string> texts_of(const Value& row, std::string_view key) {
  std::vector<std::string> texts;
  for (const Value& item : row.find(key)->items()) texts.emplace_back(item.string());
  return texts;
}

class PolicyVectors : public ::testing::Test {
 protected:
  void SetUp() override { open("policy.json"); }
  void open(std::string_view file) {
    const auto text = testing::read_text(testing::shared("spec/vectors/" + std::string(file)));
    if (!text) GTEST_SKIP() << "skipped: ../shared is absent";
    auto document = json::read_document(*text, {.max_bytes = 64 << 20});
    ASSERT_TRUE(document) << document.error().to_string();
    document_ = *std::move(document);
  }
  std::span<const Value> rows(std::string_view member) const {
    const Value* list = document_.root.find(member);
    EXPECT_NE(list, nullptr) << member;
    return list == nullptr ? std::span<const Value>() : list->items();
  }
  json::Document document_;
};

struct Cohort {
  std::vector<RankInput> runs;
  std::vector<TestedRun> tested;
  Profile profile = Profile::kStrictExact;
};

Cohort cohort_of(const Value& row) {
  Cohort cohort;
  if (text_of(row, "profile") == "source_native") cohort.profile = Profile::kSourceNative;
  for (const Value& input : row.find("inputs")->items()) {
    RankInput run{.value = number_of(input, "value"),
                  .evidence = *parse_evidence_level(text_of(input, "evidence")),
                  .observed_at = parse_instant(input.find("observedAt")->string())->instant,
                  .id = input.find("id")->string()};
    if (const Value& interval = *input.find("interval"); !interval.is_null()) {
      run.has_interval = true;
      run.low = number_of(interval, "low");
      run.high = number_of(interval, "high");
    }
    cohort.runs.push_back(run);
    cohort.tested.push_back({.id = run.id,
                             .implementation = run.id,
                             .value = run.value,
                             .has_interval = run.has_interval,
                             .low = run.low,
                             .high = run.high});
  }
  return cohort;
}

TEST_F(PolicyVectors, OfRanksAgreeInV1) {
  if (IsSkipped()) return;
  ASSERT_EQ(rows("ranks").size(), 9u);
  for (const Value& row : rows("ranks")) {
    const Cohort cohort = cohort_of(row);
    std::string original;
    for (const Value& entry : row.find("ranked")->items()) {
      original += text_of(entry, "id") + json::number_text(number_of(entry, "rank")) +
                  (bool_of(entry, "tiedWithPrevious") ? "= " : " ");
    }
    std::string ours;
    for (const Ranked& entry : rank_v1(cohort.runs, cohort.profile)) {
      ours += std::string(cohort.runs[entry.index].id) + std::to_string(entry.rank) +
              (entry.tied_with_previous ? "= " : " ");
    }
    EXPECT_EQ(ours, original) << text_of(row, "name");
  }
}

// v2 gives bounds; where it also separates, it separates as v1 does.
TEST_F(PolicyVectors, OfRanksDifferInV2AsListed) {
  if (IsSkipped()) return;
  testing::Divergences divergences("policy.json");
  const RankingV2Options options{.direction = Direction::kLowerIsBetter,
                                 .between_run_floor = 0.001};
  for (const Value& row : rows("ranks")) {
    const std::string name = text_of(row, "name");
    if (name != "missing interval" && name != "no transitivity" && name != "wide newcomer")
      continue;
    const Cohort cohort = cohort_of(row);
    std::string original;
    for (const Value& entry : row.find("ranked")->items()) {
      original += (original.empty() ? "" : " ") + text_of(entry, "id") +
                  json::number_text(number_of(entry, "rank")) +
                  (bool_of(entry, "tiedWithPrevious") ? "=" : "");
    }
    std::string ours;
    for (const RankRow& entry : rank_v2(cohort.tested, {}, options)) {
      ours += (ours.empty() ? "" : " ") + std::string(entry.implementation) +
              std::to_string(entry.best) + "-" + std::to_string(entry.worst);
    }
    divergences.expect("ranks/" + name + "/ranking-v2", original, ours);
  }
  for (const Value& entry :
       document_.root.find("serving")->find("objectiveDefaultStatistic")->items()) {
    // The vector's input: one run with output_token_throughput_tps reported, maximised, no
    // statistic.
    const std::vector<ServingMeasurement> measured{
        {"output_token_throughput_tps", "reported", 500}};
    const std::vector<ServingCandidate> candidates{{.run_id = "a", .measurements = measured}};
    const auto ranked = rank_objective(candidates, {.metric = "output_token_throughput_tps"});
    divergences.expect("serving/objectiveDefaultStatistic/" + text_of(entry, "runId"),
                       entry.find("rank")->is_null() ? "null" : "ranked",
                       ranked[0].rank ? std::to_string(*ranked[0].rank) : "null");
  }
  divergences.expect_all_seen();
}

TEST_F(PolicyVectors, OfEligibilityAgree) {
  if (IsSkipped()) return;
  for (const Value& row : rows("eligibility")) {
    const Value& facts = *row.find("facts");
    const std::string status = text_of(facts, "status");
    const auto codes =
        eligibility_v1({.status = status,
                        .published = bool_of(facts, "published"),
                        .retracted = bool_of(facts, "retracted"),
                        .superseded = bool_of(facts, "superseded"),
                        .has_primary_value = !facts.find("primaryValue")->is_null()});
    EXPECT_EQ(codes, texts_of(row, "reasons")) << text_of(row, "name");
  }
}

TEST_F(PolicyVectors, OfDeployabilityEvidenceAndTiersAgree) {
  if (IsSkipped()) return;
  for (const Value& row : rows("deployability")) {
    const auto reasons =
        deployability_v1({.source_available = bool_of(row, "sourceAvailable"),
                          .installable = bool_of(row, "installable"),
                          .has_concluded_licence = !row.find("licenseConcluded")->is_null()});
    EXPECT_EQ(listed(reasons), listed(texts_of(row, "reasons")));
    EXPECT_EQ(reasons.empty(), bool_of(row, "eligible"));
  }
  ASSERT_EQ(rows("evidence").size(), 24u);
  for (const Value& row : rows("evidence")) {
    const auto level =
        evidence_level({.reproduced_by_kernelindex = bool_of(row, "reproducedByKernelindex"),
                        .independent_replications = static_cast<std::uint32_t>(
                            number_of(row, "independentReplicationCount")),
                        .source_available = bool_of(row, "sourceAvailable"),
                        .has_raw_evidence = bool_of(row, "hasRawEvidence")});
    EXPECT_EQ(to_string(level), text_of(row, "level"));
  }
  ASSERT_EQ(rows("tiers").size(), 20u);
  for (const Value& row : rows("tiers")) {
    const auto level = parse_evidence_level(text_of(row, "evidence"));
    const auto tier =
        trust_tier(level, bool_of(row, "sourceAvailable"), !row.find("license")->is_null());
    EXPECT_EQ(static_cast<double>(tier), number_of(row, "tier"));
  }
}

class ServingVectors : public PolicyVectors {
 protected:
  std::vector<ServingCandidate> candidates_of(const Value& list) {
    std::vector<ServingCandidate> candidates;
    for (const Value& item : list.items()) {
      auto& measured = storage_.emplace_back();
      for (const Value& m : item.find("measurements")->items()) {
        measured.push_back(
            {m.find("metric")->string(), m.find("statistic")->string(), number_of(m, "value")});
      }
      candidates.push_back({.run_id = item.find("runId")->string(), .measurements = measured});
    }
    return candidates;
  }
  std::deque<std::vector<ServingMeasurement>> storage_;
};

TEST_F(ServingVectors, OfTheFrontierAgree) {
  if (IsSkipped()) return;
  const Value& serving = *document_.root.find("serving");
  for (const Value& row : serving.find("pareto")->items()) {
    const auto candidates = candidates_of(*row.find("candidates"));
    const ParetoAnswer answer = pareto(candidates);
    const auto ids = [&](const std::vector<std::uint32_t>& indexes) {
      std::vector<std::string> names;
      for (const std::uint32_t i : indexes) names.emplace_back(candidates[i].run_id);
      return names;
    };
    EXPECT_EQ(ids(answer.frontier), texts_of(row, "frontier"));
    EXPECT_EQ(ids(answer.dominated), texts_of(row, "dominated"));
    std::string ours;
    for (const auto& missing : answer.not_comparable) {
      ours +=
          std::string(candidates[missing.candidate].run_id) + ": " + listed(missing.axes) + "\n";
    }
    std::string original;
    for (const Value& missing : row.find("notComparable")->items()) {
      original += text_of(missing, "runId") + ": " + listed(texts_of(missing, "missing")) + "\n";
    }
    EXPECT_EQ(ours, original);
  }
}

TEST_F(ServingVectors, OfTheObjectiveAgree) {
  if (IsSkipped()) return;
  const auto rows = document_.root.find("serving")->find("objective")->items();
  std::deque<std::vector<ServingMeasurement>> measured;
  std::vector<ServingCandidate> candidates;
  for (const Value& row : rows) {
    auto& own = measured.emplace_back();
    if (!row.find("value")->is_null()) own.push_back({"goodput", "mean", number_of(row, "value")});
    candidates.push_back({.run_id = row.find("runId")->string(), .measurements = own});
  }
  const auto ranks = rank_objective(candidates, {.metric = "goodput", .statistic = "mean"});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Value& rank = *rows[i].find("rank");
    EXPECT_EQ(ranks[i].rank ? json::number_text(*ranks[i].rank) : "null",
              rank.is_null() ? "null" : json::number_text(rank.number()));
  }
}

class LicenceVectors : public PolicyVectors {
 protected:
  void SetUp() override { open("license.json"); }
};

TEST_F(LicenceVectors, Agree) {
  if (IsSkipped()) return;
  testing::Divergences divergences("license.json");
  ASSERT_EQ(rows("conclude").size(), 17u);
  for (const Value& row : rows("conclude")) {
    const Value& declared = *row.find("declared");
    const auto concluded = conclude_licence(declared.is_null() ? "" : declared.string());
    divergences.expect("conclude/" + text_of(row, "declared"), text_of(row, "concluded"),
                       concluded.value_or("null"));
  }
  for (const Value& row : rows("permissive")) {
    const std::string license = text_of(row, "license");
    const std::string original = yes_or_no(bool_of(row, "permissive"));
    EXPECT_EQ(yes_or_no(is_permissive_v1(license)), original) << license;
    divergences.expect("permissive/" + license, original, yes_or_no(is_permissive_v2(license)));
  }
  divergences.expect_all_seen();
}

}  // namespace
}  // namespace ki::policy
