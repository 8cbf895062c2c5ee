#include "ki/policy/ranking.h"
#include "ki/views/answer_json.h"
#include "ki/views/records.h"

namespace ki::views {
namespace {

void write_entry(json::Writer& w, const catalog::Snapshot& s, const RecordEntry& entry) {
  const auto& run = s.runs()[entry.run];
  w.begin_object()
      .member("at", Instant{entry.at_ms}.to_string())
      .member("runId", id_text(run.id))
      .key("implementation");
  write_json(w, named_implementation(s, run.implementation));
  w.key("project");
  write_json(w, named_project(s, s.implementations()[run.implementation].project));
  w.key("value");
  write_json(w, primary_of(s, entry.run));
  w.member("kind", policy::to_string(entry.kind))
      .nullable("previousValue", entry.previous_value)
      .nullable("improvementPct", entry.improvement_pct)
      .end_object();
}

}  // namespace

void write_json(json::Writer& w, const RecordPage& page, const RecordItem& item) {
  const catalog::Snapshot& s = page.ledger->snapshot();
  w.begin_object().member("cohortKey", item.comparison_key).key("operation");
  write_json(w, item.operation);
  w.member("workloadId", item.workload_id)
      .member("workloadSummary", item.workload_summary)
      .member("hardware", item.hardware);
  text_or_null(w, "environmentSummary", item.environment_summary);
  w.key("current");
  write_row(w, s, run_row(s, item.holder->run, page.now));
  w.member("since", Instant{item.holder->since_ms}.to_string());
  instant_or_null(w, "indexedAt", item.holder->indexed_ms);
  w.member("rivals", s.cohorts()[item.holder->cohort].ranked - 1)
      .member("breaks", item.holder->breaks)
      .member("unbeatenBaseline", item.is_unbeaten_baseline)
      .member("historyTotal", item.history_total)
      .key("history")
      .begin_array();
  for (const RecordEntry& entry : item.history) write_entry(w, s, entry);
  w.end_array().end_object();
}

void write_json(json::Writer& w, const RecordPage& page, std::string_view next_cursor) {
  w.begin_object().key("records").begin_array();
  for (const RecordItem& item : page.items) write_json(w, page, item);
  w.end_array().member("total", page.total);
  text_or_null(w, "nextCursor", next_cursor);
  w.key("counts")
      .begin_object()
      .member("holders", page.holders)
      .member("events", page.events)
      .member("breaks", page.breaks)
      .member("unbeatenBaselines", page.baselines)
      .member("verified", page.verified)
      .member("operations", page.ledger->operations())
      .member("gpus", page.ledger->hardware().size())
      .end_object()
      .member("policy", to_string(page.options.policy))
      .member("policyVersion", policy::kRankingV1)
      .member("catalogVersion", page.ledger->snapshot().seq())
      .member("generatedAt", page.now.to_string())
      .end_object();
}

}  // namespace ki::views
