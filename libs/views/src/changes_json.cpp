#include "ki/resolve/describe.h"
#include "ki/views/changes.h"

namespace ki::views {
namespace {

using catalog::Snapshot;
using Kind = ChangeEntry::Kind;

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::kRecord:
      return "record";
    case Kind::kImport:
      return "import";
    case Kind::kCorrection:
      break;
  }
  return "correction";
}

void write_record(json::Writer& w, const Snapshot& s, const ChangeEntry::Record& record) {
  const auto& run = s.runs()[record.run];
  const auto& cohort = s.cohorts()[run.cohort];
  const auto& previous = s.runs()[record.previous];
  w.begin_object()
      .member("runId", id_text(run.id))
      .member("cohortKey", digest_text(cohort.key))
      .member("workloadId", id_text(s.workloads()[run.workload].id))
      .member("workloadSummary", resolve::workload_summary(s, run.workload))
      .member("hardware", s.name(s.environments()[cohort.environment].product))
      .key("implementation");
  write_json(w, named_implementation(s, run.implementation));
  w.key("project");
  write_json(w, named_project(s, s.implementations()[run.implementation].project));
  w.key("value");
  write_json(w, primary_of(s, record.run));
  w.key("previous").begin_object().member("runId", id_text(previous.id)).key("value");
  write_json(w, primary_of(s, record.previous));
  w.key("implementation");
  write_json(w, named_implementation(s, previous.implementation));
  w.end_object().member("improvementPct", record.improvement_pct).end_object();
}

void write_match(json::Writer& w, const Snapshot& s, const ChangeEntry& entry) {
  w.key("match").begin_object();
  text_or_null(
      w, "operation",
      entry.operation == kNone ? std::string_view() : s.text(s.operations()[entry.operation].slug));
  w.key("projects").begin_array();
  for (const Index project : entry.projects) w.value(s.text(s.projects()[project].slug));
  w.end_array().key("gpus").begin_array();
  for (const std::string_view gpu : entry.hardware) w.value(gpu);
  w.end_array().key("models").begin_array();
  for (const std::string_view model : entry.models) w.value(model);
  w.end_array().end_object();
}

}  // namespace

void write_json(json::Writer& w, const ChangePage& page, const ChangeEntry& entry) {
  const Snapshot& s = page.ledger->snapshot();
  w.begin_object()
      .member("id", entry.id)
      .member("kind", to_string(entry.kind))
      .member("at", Instant{entry.at_ms}.to_string())
      .member("text", entry.text);
  text_or_null(w, "source", source_of(s, entry.source).slug);
  write_match(w, s, entry);
  switch (entry.kind) {
    case Kind::kRecord:
      w.key("operation");
      write_json(w, named_operation(s, entry.operation));
      w.member("count", entry.records_total)
          .member("largestImprovementPct", entry.largest_improvement_pct)
          .key("records")
          .begin_array();
      for (const ChangeEntry::Record& record : entry.records) write_record(w, s, record);
      w.end_array();
      break;
    case Kind::kImport:
      w.member("runs", entry.batch->runs)
          .member("firstRecords", entry.batch->first_records)
          .member("operations", entry.batch->operations);
      break;
    case Kind::kCorrection:
      w.member("runId", entry.correction->run_id).member("action", entry.correction->action);
      text_or_null(w, "reason", entry.correction->reason);
      if (entry.correction->run != kNone) {
        w.key("operation");
        write_json(w, named_operation(s, entry.operation));
        w.key("implementation");
        write_json(w, named_implementation(s, s.runs()[entry.correction->run].implementation));
      }
      break;
  }
  w.end_object();
}

void write_json(json::Writer& w, const ChangePage& page, std::string_view next_cursor) {
  w.begin_object()
      .member("illustrative", page.is_illustrative)
      .member("since", page.since.to_string())
      .key("days")
      .begin_array();
  std::string day;
  for (const ChangeEntry& entry : page.entries) {
    const std::string date = Instant{entry.at_ms}.date();
    if (date != day) {
      if (!day.empty()) w.end_array().end_object();
      w.begin_object().member("date", date).key("entries").begin_array();
      day = date;
    }
    write_json(w, page, entry);
  }
  if (!day.empty()) w.end_array().end_object();
  w.end_array().member("total", page.total);
  text_or_null(w, "nextCursor", next_cursor);
  w.member("policy", to_string(page.options.policy))
      .member("catalogVersion", page.ledger->snapshot().seq())
      .member("generatedAt", page.options.now.to_string())
      .end_object();
}

}  // namespace ki::views
