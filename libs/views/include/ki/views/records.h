// The records ledger (spec 03.8, 10 "Records"; spec 17 "Breaks"): who leads each comparison group,
// since when, and who led before.
#pragma once

#include "ki/base/result.h"
#include "ki/policy/records.h"
#include "ki/views/parts.h"

#include <array>

namespace ki::views {

// What counts as an announced change of leader.
enum class RecordPolicy : std::uint8_t {
  kBreaks,     // a leader of another project, better by 0.5 % or more (spec 17)
  kRankingV1,  // every stored leader event
};
std::string_view to_string(RecordPolicy policy);  // "breaks", "ranking-v1"
std::optional<RecordPolicy> parse_record_policy(std::string_view text);

// A visible leader event of one group: its run is still eligible.
struct RecordStep {
  Index event = kNone;
  Index run = kNone;
  policy::StepKind kind = policy::StepKind::kFirst;
  float improvement = 0;  // share of the leader before under ranking-v1: 0.031 is 3.1 %; 0: first
  // Of kinds other than kFirst: the record that stood before, in steps() (ties leave it standing),
  // and the share by which this one is better.
  std::uint32_t standing = 0;
  float break_improvement = 0;
};

// One group with a leader.
struct RecordHolder {
  Index cohort = kNone;
  Index run = kNone;            // the last visible event's run
  catalog::Slice steps;         // in RecordLedger::steps(), oldest first
  std::uint32_t breaks = 0;     // steps of kind kBreak
  std::int64_t since_ms = 0;    // of the last event
  std::int64_t indexed_ms = 0;  // when its run was published
  // Largest improvement of the latest announced change, by policy; 0: none.
  std::array<float, 2> improvement{};
  bool is_baseline = false;
  bool has_source = false;
  bool is_verified = false;
};

// Runs of one source that were published on one UTC day.
struct ImportBatch {
  Index source = kNone;
  std::int64_t day = 0;  // days since 1970
  std::int64_t latest_ms = 0;
  std::uint32_t runs = 0;
  std::uint32_t first_records = 0;        // groups that had no leader before
  std::uint32_t operations = 0;           // distinct
  std::vector<catalog::NameId> hardware;  // distinct products, by name
};

// All holders and steps of a snapshot, ready to filter. Made once per snapshot (linear in runs and
// events), then read by any number of threads. The snapshot must outlive it.
class RecordLedger {
 public:
  explicit RecordLedger(const catalog::Snapshot& snapshot);

  const catalog::Snapshot& snapshot() const { return *snapshot_; }
  std::span<const RecordHolder> holders() const { return holders_; }  // newest indexed first
  std::span<const RecordStep> steps() const { return steps_; }
  std::span<const RecordStep> steps(const RecordHolder& holder) const {
    return std::span(steps_).subspan(holder.steps.first, holder.steps.count);
  }
  // Positions in steps() of changes of leader, by publication of their run, newest first.
  std::span<const std::uint32_t> changes() const { return changes_; }
  std::span<const ImportBatch> batches() const { return batches_; }  // newest first
  // Position in holders() of a group, or kNone.
  Index holder_of(Index cohort) const { return holder_of_cohort_[cohort]; }
  std::span<const std::string_view> hardware() const { return hardware_; }  // GPUs, newest first
  std::uint32_t operations() const { return operations_; }                  // with a holder

 private:
  const catalog::Snapshot* snapshot_;
  std::vector<RecordHolder> holders_;
  std::vector<RecordStep> steps_;
  std::vector<std::uint32_t> changes_;
  std::vector<ImportBatch> batches_;
  std::vector<Index> holder_of_cohort_;
  std::vector<std::string_view> hardware_;
  std::uint32_t operations_ = 0;
};

enum class RecordView : std::uint8_t {
  kCurrent,  // every holder
  kBroken,   // holders with an announced change
  kHistory,  // every step of the holders that pass the filters
};
enum class RecordSort : std::uint8_t {
  kContested,    // broken, firsts, unbeaten baselines; newest indexed inside
  kDate,         // newest indexed
  kImprovement,  // of the latest announced change
  kLeads,        // number of leaders so far
  kOperation,    // name, numbers by value
};
std::optional<RecordView> parse_record_view(std::string_view text);
std::optional<RecordSort> parse_record_sort(std::string_view text);

struct RecordOptions {
  RecordPolicy policy = RecordPolicy::kBreaks;
  RecordView view = RecordView::kCurrent;
  RecordSort sort = RecordSort::kContested;
  std::string_view hardware{};  // a GPU, matched as a product; empty: all
  std::string_view text{};      // words that must all occur: operation (also slug, aliases),
                                // workload, hardware, environment, project, any leader's name
  Index operation = kNone;      // only of this operation
  Index project = kNone;        // only led by this project
  bool only_verified = false;
  bool with_sourceless = false;  // also leaders without public source
  bool with_baselines = false;   // also baselines that nobody has beaten
  std::int64_t since_ms = 0;     // leader since then; 0: any
  std::size_t offset = 0;
  std::size_t limit = 50;
};

struct RecordEntry {
  std::int64_t at_ms = 0;
  Index run = kNone;
  policy::StepKind kind = policy::StepKind::kFirst;
  std::optional<double> previous_value;   // of the leader before
  std::optional<double> improvement_pct;  // (previous - value) / previous * 100
};
struct RecordItem {
  const RecordHolder* holder = nullptr;
  std::string comparison_key;
  Named operation;
  std::string workload_id;
  std::string workload_summary;
  std::string_view hardware;
  std::string environment_summary;
  std::vector<RecordEntry> history;  // newest first, at most kHistoryShown
  std::size_t history_total = 0;
  bool is_unbeaten_baseline = false;
};
inline constexpr std::size_t kHistoryShown = 100;

struct RecordPage {
  const RecordLedger* ledger = nullptr;
  RecordOptions options;
  Instant now;
  std::vector<RecordItem> items;  // of kHistory: one step each
  std::size_t total = 0;
  // Over the whole ledger: what the page says above the table.
  std::size_t holders = 0, events = 0, breaks = 0, verified = 0;
  std::size_t baselines = 0;  // that nobody has beaten, on the hardware asked for
};

// Linear in holders; the text filter looks at each operation, GPU and name once.
RecordPage list_records(const RecordLedger& ledger, const RecordOptions& options, Instant now);

// {records, total, nextCursor, counts, policy, catalogVersion, generatedAt}. `next_cursor` leads to
// the page after this one; empty on the last.
void write_json(json::Writer& w, const RecordPage& page, std::string_view next_cursor);
// One holder: {cohortKey, operation, workloadId, workloadSummary, hardware, environmentSummary,
// current, since, indexedAt, breaks, unbeatenBaseline, history}.
void write_json(json::Writer& w, const RecordPage& page, const RecordItem& item);

}  // namespace ki::views
