// The public catalog beside the checkout: every rank, record event and count of spec 4 and 3.6.
#include "ki/base/text.h"
#include "ki/display_testing/vectors.h"
#include "ki/json/reader.h"
#include "ki/policy/eligibility.h"
#include "ki/policy/evidence.h"
#include "ki/policy/metrics.h"
#include "ki/policy/ranking.h"
#include "ki/policy/ranking_v2.h"
#include "ki/policy/records.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace ki::policy {
namespace {

using json::Value;

struct ExportedRun {
  std::string id;
  std::string cohort;
  std::string implementation;
  std::string workload;
  std::string status;
  std::string metric;
  std::string unit;
  std::string supersedes;
  std::optional<double> value;
  std::optional<double> low;
  std::optional<double> high;
  Instant observed_at;
  EvidenceLevel evidence = EvidenceLevel::kReported;
  bool published = false;
  bool retracted = false;
  bool source_native = false;
};

struct Event {
  std::string run;
  std::string previous;
  auto operator<=>(const Event&) const = default;
};

struct Export {
  std::vector<ExportedRun> runs;
  std::map<std::string, std::string> operation_of_implementation;
  std::map<std::string, std::string> project_of_implementation;
  std::map<std::string, std::string> operation_of_workload;
  std::map<std::string, std::set<Event>> events;  // by cohort
};

std::string text_of(const Value& row, std::string_view key) {
  const Value* value = row.find(key);
  return value == nullptr || value->is_null() ? "" : std::string(value->string());
}
std::optional<double> number_of(const Value& row, std::string_view key) {
  const Value* value = row.find(key);
  return value == nullptr || value->is_null() ? std::nullopt : std::optional(value->number());
}
bool is_set(const Value& row, std::string_view key) {
  const Value* value = row.find(key);
  return value != nullptr && !value->is_null();
}

ExportedRun run_of(const Value& row) {
  const auto flag = [&](std::string_view key) { return row.find(key)->boolean(); };
  return {.id = text_of(row, "id"),
          .cohort = text_of(row, "comparisonKey"),
          .implementation = text_of(row, "implementationId"),
          .workload = text_of(row, "workloadId"),
          .status = text_of(row, "status"),
          .metric = text_of(row, "primaryMetric"),
          .unit = text_of(row, "primaryUnit"),
          .supersedes = text_of(row, "supersedesId"),
          .value = number_of(row, "primaryValue"),
          .low = number_of(row, "uncertaintyLow"),
          .high = number_of(row, "uncertaintyHigh"),
          .observed_at = parse_instant(row.find("observedAt")->string())->instant,
          .evidence = evidence_level({.reproduced_by_kernelindex = flag("reproducedByKernelindex"),
                                      .independent_replications = static_cast<std::uint32_t>(
                                          *number_of(row, "independentReplicationCount")),
                                      .source_available = flag("sourceAvailable"),
                                      .has_raw_evidence = flag("hasRawEvidence")}),
          .published = is_set(row, "publishedAt"),
          .retracted = is_set(row, "retractedAt"),
          .source_native = flag("sourceNative")};
}

void take(Export& catalog, std::string_view table, const Value& row) {
  if (table == "benchmark_runs") {
    catalog.runs.push_back(run_of(row));
  } else if (table == "implementations") {
    catalog.operation_of_implementation[text_of(row, "id")] = text_of(row, "operationId");
    catalog.project_of_implementation[text_of(row, "id")] = text_of(row, "projectId");
  } else if (table == "workloads") {
    catalog.operation_of_workload[text_of(row, "id")] = text_of(row, "operationId");
  } else if (table == "record_events") {
    catalog.events[text_of(row, "comparisonKey")].insert(
        {text_of(row, "runId"), text_of(row, "previousRunId")});
  }
}

// The export's rows, decompressed piece by piece; nothing when it is absent.
std::optional<Export> read_export() {
  const auto packed = testing::read_text(testing::shared("data/catalog-2026-08-16.jsonl.zst"));
  if (!packed) return std::nullopt;
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          ZSTD_freeDStream);
  Export catalog;
  json::Reader reader({.max_bytes = 16 << 20});
  std::string pending;
  std::string chunk(1 << 20, '\0');
  ZSTD_inBuffer in{packed->data(), packed->size(), 0};
  const auto take_line = [&](std::string_view line) {
    const auto value = reader.read(line);
    if (!value) {
      ADD_FAILURE() << value.error().to_string();
      return;
    }
    take(catalog, value->find("table")->string(), *value->find("row"));
  };
  while (in.pos < in.size) {
    ZSTD_outBuffer out{chunk.data(), chunk.size(), 0};
    const std::size_t answer = ZSTD_decompressStream(stream.get(), &out, &in);
    if (ZSTD_isError(answer) != 0) {
      ADD_FAILURE() << ZSTD_getErrorName(answer);
      return catalog;
    }
    pending.append(chunk, 0, out.pos);
    std::size_t start = 0;
    for (std::size_t end = pending.find('\n'); end != std::string::npos;
         end = pending.find('\n', start)) {
      take_line(std::string_view(pending).substr(start, end - start));
      start = end + 1;
    }
    pending.erase(0, start);
  }
  if (!pending.empty()) take_line(pending);
  return catalog;
}

class ExportTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { catalog_ = read_export(); }
  static void TearDownTestSuite() { catalog_.reset(); }

  void SetUp() override {
    if (!catalog_) GTEST_SKIP() << "skipped: ../shared is absent";
    std::set<std::string> superseded;
    for (const ExportedRun& run : catalog_->runs) {
      if (run.published && !run.supersedes.empty()) superseded.insert(run.supersedes);
    }
    for (const ExportedRun& run : catalog_->runs) {
      const RunFacts facts = facts_of(run, superseded);
      if (facts.operation_mismatch) ++mismatched_;
      if (facts.operation_mismatch && is_eligible_v1(facts)) ++mismatched_eligible_;
      if (is_eligible_v1(facts)) {
        cohorts_[run.cohort].push_back(&run);
        ++eligible_;
      } else {
        ++codes_[join(eligibility_v1(facts), " ")];
      }
    }
  }

  static RunFacts facts_of(const ExportedRun& run, const std::set<std::string>& superseded) {
    return {.status = run.status,
            .published = run.published,
            .retracted = run.retracted,
            .superseded = superseded.contains(run.id),
            .has_primary_value = run.value.has_value(),
            .operation_mismatch = catalog_->operation_of_implementation.at(run.implementation) !=
                                  catalog_->operation_of_workload.at(run.workload)};
  }

  static std::vector<RankInput> inputs_of(const std::vector<const ExportedRun*>& runs) {
    std::vector<RankInput> inputs;
    for (const ExportedRun* run : runs) {
      inputs.push_back({.value = *run->value,
                        .has_interval = run->low && run->high,
                        .low = run->low.value_or(0),
                        .high = run->high.value_or(0),
                        .evidence = run->evidence,
                        .observed_at = run->observed_at,
                        .id = run->id});
    }
    return inputs;
  }

  static std::vector<RecordRun> records_of(const std::vector<const ExportedRun*>& runs) {
    std::vector<RecordRun> records;
    for (const ExportedRun* run : runs)
      records.push_back({.id = run->id, .value = *run->value, .observed_at = run->observed_at});
    return records;
  }

  inline static std::optional<Export> catalog_;
  std::map<std::string, std::vector<const ExportedRun*>> cohorts_;  // eligible runs
  std::map<std::string, int> codes_;
  int eligible_ = 0;
  int mismatched_ = 0;
  int mismatched_eligible_ = 0;
};

TEST_F(ExportTest, HasTheEligibleRunsOfTheSpecification) {
  if (IsSkipped()) return;
  EXPECT_EQ(catalog_->runs.size(), 7857u);
  EXPECT_EQ(eligible_, 7771);
  EXPECT_EQ(cohorts_.size(), 1828u);
  EXPECT_EQ(codes_,
            (std::map<std::string, int>{{"STATUS_RUNTIME_ERROR MISSING_PRIMARY_METRIC", 82},
                                        {"STATUS_COMPILE_ERROR MISSING_PRIMARY_METRIC", 4}}));
  EXPECT_EQ(mismatched_, 43);
  EXPECT_EQ(mismatched_eligible_, 9);
  std::map<EvidenceLevel, int> levels;
  for (const auto& [key, runs] : cohorts_) {
    for (const ExportedRun* run : runs) ++levels[run->evidence];
  }
  EXPECT_EQ(levels, (std::map<EvidenceLevel, int>{{EvidenceLevel::kReported, 7682},
                                                  {EvidenceLevel::kReproducible, 89}}));
}

TEST_F(ExportTest, RanksAsTheOriginalDid) {
  if (IsSkipped()) return;
  const auto text = testing::read_text(testing::shared("spec/vectors/ranks.tsv"));
  ASSERT_TRUE(text);
  std::map<std::string, std::string> original;
  for (const std::string_view line : split(*text, '\n')) {
    if (!line.empty() && !line.starts_with("runId")) {
      original[std::string(line.substr(0, line.find('\t')))] = line.substr(line.find('\t') + 1);
    }
  }
  ASSERT_EQ(original.size(), 7771u);
  int agreed = 0;
  for (const auto& [key, runs] : cohorts_) {
    const auto inputs = inputs_of(runs);
    const bool is_native = std::ranges::any_of(runs, &ExportedRun::source_native);
    for (const Ranked& entry :
         rank_v1(inputs, is_native ? Profile::kSourceNative : Profile::kStrictExact)) {
      const std::string ours =
          key.substr(std::string_view("sha256:").size(), 16) + "\t" + std::to_string(entry.rank) +
          "\t" + (entry.tied_with_previous ? "1" : "0") + "\t" + std::to_string(runs.size());
      const std::string id(inputs[entry.index].id);
      ASSERT_EQ(ours, original[id]) << id;
      ++agreed;
    }
  }
  EXPECT_EQ(agreed, 7771);
}

TEST_F(ExportTest, HasTheRecordEventsThatItsRunsGive) {
  if (IsSkipped()) return;
  std::size_t events = 0;
  std::size_t contested = 0;
  for (const auto& [key, runs] : cohorts_) {
    const auto records = records_of(runs);
    const auto recomputed = record_events_v1(records);
    std::set<Event> ours;
    for (const auto& [run, previous] : recomputed) {
      ours.insert(
          {std::string(records[run].id), previous ? std::string(records[*previous].id) : ""});
    }
    ASSERT_EQ(ours, catalog_->events[key]) << key;
    events += ours.size();
    contested += ours.size() > 1 ? 1 : 0;
  }
  EXPECT_EQ(events, 2948u);
  EXPECT_EQ(contested, 402u);
}

TEST_F(ExportTest, AnnouncesFewerBreaksThanEvents) {
  if (IsSkipped()) return;
  std::map<StepKind, int> kinds;
  for (const auto& [key, runs] : cohorts_) {
    const auto records = records_of(runs);
    std::vector<BreakStep> steps;
    for (const RecordEvent& event : record_events_v1(records)) {
      const ExportedRun& run = *runs[event.run];
      steps.push_back({.project = catalog_->project_of_implementation.at(run.implementation),
                       .value = *run.value});
    }
    for (const JudgedStep& step : judge_breaks(steps)) ++kinds[step.kind];
  }
  // Counted independently by a short script over the same rows.
  EXPECT_EQ(kinds[StepKind::kFirst], 1828);
  EXPECT_EQ(kinds[StepKind::kBreak], 478);
  EXPECT_EQ(kinds[StepKind::kOwn], 569);
  EXPECT_EQ(kinds[StepKind::kTie], 73);
}

TEST_F(ExportTest, HasNothingThatV2CouldTest) {
  if (IsSkipped()) return;
  std::size_t rows = 0;
  for (const auto& [key, runs] : cohorts_) {
    std::vector<TestedRun> tested;
    for (const ExportedRun* run : runs) {
      tested.push_back(
          {.id = run->id, .implementation = run->implementation, .value = *run->value});
    }
    const Metric* metric = find_metric(runs[0]->metric, runs[0]->unit);
    ASSERT_NE(metric, nullptr) << runs[0]->metric << " in " << runs[0]->unit;
    const auto ranked =
        rank_v2(tested, {}, {.direction = metric->direction, .between_run_floor = 0.01});
    for (const RankRow& row : ranked) {
      ASSERT_EQ(row.verdict, RowVerdict::kInsufficient);
      ASSERT_EQ(row.reason, "NO_UNCERTAINTY");
      ASSERT_EQ(row.best, 1u);
      ASSERT_EQ(row.worst, ranked.size());
      rows += row.runs;
    }
  }
  EXPECT_EQ(rows, 7771u);
}

}  // namespace
}  // namespace ki::policy
