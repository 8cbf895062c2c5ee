#include "ki/views/changes.h"

#include "ki/display/format.h"
#include "ki/resolve/describe.h"
#include "project_moves.h"
#include "stored.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace ki::views {
namespace {

using catalog::Snapshot;
using Kind = ChangeEntry::Kind;

constexpr std::string_view kModelTag = "model:";

void add_once(auto& list, const auto& item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

class Feed {
 public:
  Feed(const RecordLedger& ledger, const ChangeOptions& options)
      : ledger_(ledger), s_(ledger.snapshot()), policy_(options.policy) {}

  // Changes after an instant.
  Result<std::vector<ChangeEntry>> collect(catalog::Store* store, std::int64_t after) {
    entries_.clear();
    add_records(after);
    add_imports(after);
    if (store != nullptr) KI_TRY_VOID(add_corrections(*store, after));
    std::ranges::sort(entries_, [](const ChangeEntry& a, const ChangeEntry& b) {
      return std::tie(b.at_ms, a.kind, a.id) < std::tie(a.at_ms, b.kind, b.id);
    });
    return std::move(entries_);
  }

  // The instant of the newest record or import; 0: none.
  std::int64_t newest() const {
    return ledger_.batches().empty() ? 0 : ledger_.batches().front().latest_ms;
  }

 private:
  Index project_of(Index run) const {
    return s_.implementations()[s_.runs()[run].implementation].project;
  }

  void add_records(std::int64_t after) {
    // (day, operation, source) -> entry
    std::map<std::tuple<std::string, Index, Index>, std::size_t> known;
    for (const std::uint32_t i : ledger_.changes()) {  // by publication, newest first
      const RecordStep& step = ledger_.steps()[i];
      const auto& run = s_.runs()[step.run];
      if (run.published_ms <= after) break;
      if (!is_announced(step, policy_)) continue;
      const auto& cohort = s_.cohorts()[run.cohort];
      const std::string day = Instant{run.published_ms}.date();
      const auto [at, is_new] =
          known.try_emplace({day, cohort.operation, run.source}, entries_.size());
      if (is_new) start_batch(day, cohort.operation, run);
      add_record(entries_[at->second], i);
    }
    for (const auto& [key, at] : known) finish_batch(entries_[at]);
  }

  void start_batch(const std::string& day, Index operation, const catalog::RunRow& run) {
    ChangeEntry& entry = entries_.emplace_back();
    const auto& row = s_.operations()[operation];
    entry.kind = Kind::kRecord;
    entry.operation = operation;
    entry.source = run.source;
    entry.at_ms = run.published_ms;
    entry.id =
        fmt::format("record:{}:{}:{}", day, s_.text(row.slug), source_of(s_, run.source).slug);
    for (const catalog::NameId tag : s_.tags(row)) {
      if (s_.name(tag).starts_with(kModelTag)) {
        entry.models.push_back(s_.name(tag).substr(kModelTag.size()));
      }
    }
  }

  void add_record(ChangeEntry& entry, std::uint32_t step) {
    const Index run = ledger_.steps()[step].run;
    const Index previous = ledger_.steps()[displaced(ledger_, step, policy_)].run;
    const double value = s_.runs()[run].value;
    const double before = s_.runs()[previous].value;
    const double percent = before != 0 ? (before - value) / before * 100 : 0;
    ++entry.records_total;
    entry.largest_improvement_pct = std::max(entry.largest_improvement_pct, percent);
    if (entry.records.size() < kRecordsShown) {
      entry.records.push_back({.run = run, .previous = previous, .improvement_pct = percent});
    }
    add_once(entry.projects, project_of(run));
    add_once(entry.projects, project_of(previous));
    const auto& cohort = s_.cohorts()[s_.runs()[run].cohort];
    add_once(entry.hardware, s_.name(s_.environments()[cohort.environment].product));
  }

  void finish_batch(ChangeEntry& entry) const {
    const ChangeEntry::Record& newest = entry.records.front();
    const auto& run = s_.runs()[newest.run];
    const std::string operation = resolve::operation_name(s_, entry.operation);
    if (entry.records_total > 1) {
      entry.text = fmt::format(
          "{}: {}, up to {} lower than before", operation,
          display::count_noun(static_cast<std::int64_t>(entry.records_total), "new record"),
          display::improvement(entry.largest_improvement_pct));
      return;
    }
    const auto primary = primary_of(s_, newest.run);
    entry.text =
        fmt::format("{} · {} on {}: {} by {}, {} lower than {}", operation,
                    resolve::workload_summary(s_, run.workload), entry.hardware.front(),
                    primary ? display::primary_text(primary->value, primary->unit) : std::string(),
                    resolve::implementation_name(s_, run.implementation),
                    display::improvement(newest.improvement_pct),
                    resolve::implementation_name(s_, s_.runs()[newest.previous].implementation));
  }

  void add_imports(std::int64_t after) {
    for (const ImportBatch& batch : ledger_.batches()) {
      if (batch.latest_ms <= after) continue;
      ChangeEntry& entry = entries_.emplace_back();
      const SourceRef source = source_of(s_, batch.source);
      entry.kind = Kind::kImport;
      entry.batch = &batch;
      entry.source = batch.source;
      entry.at_ms = batch.latest_ms;
      entry.id = fmt::format("import:{}:{}", source.slug, Instant{batch.latest_ms}.date());
      for (const catalog::NameId gpu : batch.hardware) entry.hardware.push_back(s_.name(gpu));
      entry.text = fmt::format("{} of {} from {}", display::count_noun(batch.runs, "run"),
                               display::count_noun(batch.operations, "operation"), source.name);
      if (batch.first_records != 0) {
        entry.text += fmt::format(", {}", display::count_noun(batch.first_records, "first record"));
      }
    }
  }

  Result<void> add_corrections(catalog::Store& store, std::int64_t after) {
    for (const auto& other : s_.columns().others) {
      if (other.table != static_cast<std::uint32_t>(catalog::Table::kAuditEvents)) continue;
      KI_TRY(const json::Document row, read_row(store, other.entry));
      const std::string_view action = text_of(&row.root, "action");
      if (action != "retract_run" && action != "supersede_run") continue;
      const auto at = parse_instant(text_of(&row.root, "at"));
      if (!at || at->instant.ms <= after) continue;
      ChangeEntry& entry = entries_.emplace_back();
      ChangeEntry::Correction correction;
      correction.run_id = text_of(&row.root, "targetId");
      correction.action = action == "retract_run" ? "retracted" : "superseded";
      correction.reason = text_of(&row.root, "reason");
      correction.actor = text_of(&row.root, "actor");
      if (const auto id = Uuid::parse(correction.run_id)) correction.run = s_.find_run(*id);
      entry.kind = Kind::kCorrection;
      entry.at_ms = at->instant.ms;
      entry.id = fmt::format("correction:{}", text_of(&row.root, "id"));
      entry.text = fmt::format("Run {} {}", correction.run_id, correction.action);
      if (correction.run != kNone) {
        const auto& run = s_.runs()[correction.run];
        const auto& cohort = s_.cohorts()[run.cohort];
        entry.operation = cohort.operation;
        entry.source = run.source;
        entry.projects.push_back(project_of(correction.run));
        entry.hardware.push_back(s_.name(s_.environments()[cohort.environment].product));
        entry.text =
            fmt::format("{} by {} {}", resolve::operation_name(s_, cohort.operation),
                        resolve::implementation_name(s_, run.implementation), correction.action);
      }
      if (!correction.reason.empty()) entry.text += fmt::format(": {}", correction.reason);
      entry.correction = std::move(correction);
    }
    return {};
  }

  const RecordLedger& ledger_;
  const Snapshot& s_;
  RecordPolicy policy_;
  std::vector<ChangeEntry> entries_;
};

}  // namespace

Result<ChangePage> list_changes(const RecordLedger& ledger, catalog::Store* store,
                                const ChangeOptions& options) {
  Feed feed(ledger, options);
  ChangePage page;
  page.ledger = &ledger;
  page.options = options;
  page.since = options.since.value_or(Instant{options.now.ms - kFeedWindowMs});
  KI_TRY(page.entries, feed.collect(store, page.since.ms));
  if (page.entries.empty() && !options.since) {
    if (const std::int64_t newest = feed.newest(); newest != 0) {
      page.since = Instant{newest - kFeedWindowMs};
      KI_TRY(page.entries, feed.collect(store, page.since.ms));
    }
  }
  page.total = page.entries.size();
  const auto first = page.entries.begin();
  const auto begin = static_cast<std::ptrdiff_t>(std::min(options.offset, page.total));
  page.entries.erase(first, first + begin);
  page.entries.resize(std::min(page.entries.size(), options.limit));
  page.is_illustrative = !ledger.batches().empty() &&
                         std::ranges::all_of(ledger.batches(), [&](const ImportBatch& batch) {
                           return source_of(ledger.snapshot(), batch.source).kind == "illustrative";
                         });
  return page;
}

}  // namespace ki::views
