#include "ki/importers/kernelindex.h"
#include "ki/json/writer.h"

namespace ki::importers {

std::string ImportReport::to_json() const {
  constexpr std::string_view kOutcomes[] = {"imported", "unchanged", "refused", "dry_run"};
  std::string out;
  json::Writer w(out, json::Writer::Style::kIndented);
  w.begin_object();
  w.member("outcome", kOutcomes[static_cast<std::size_t>(outcome)]);
  w.member("format", is_own_format ? "kernelindex-catalog" : "public");
  w.member("lines", lines).member("bytes", bytes);
  w.key("tables").begin_array();
  for (const TableCount& t : tables) {
    w.begin_object()
        .member("table", t.table)
        .member("lines", t.lines)
        .member("inserted", t.inserted);
    w.member("changed", t.changed)
        .member("unchanged", t.unchanged)
        .member("refused", t.refused)
        .end_object();
  }
  w.end_array();
  w.member("refusedTotal", refused_total).key("refused").begin_array();
  for (const RefusedLine& r : refused) {
    w.begin_object()
        .member("line", r.line)
        .member("table", r.table)
        .member("id", r.id)
        .member("reason", r.reason)
        .end_object();
  }
  w.end_array();
  w.member("changesTotal", changes_total).key("changes").begin_array();
  for (const ChangedColumn& c : changes) {
    w.begin_object().member("table", c.table).member("key", c.key).member("column", c.column);
    w.key("before").raw(c.before).key("after").raw(c.after).end_object();
  }
  w.end_array();
  w.member("vanishedTotal", vanished_total).key("vanished").begin_array();
  for (const auto& [table, key] : vanished) {
    w.begin_object().member("table", table).member("key", key).end_object();
  }
  w.end_array();
  w.member("retractions", retractions)
      .member("supersessions", supersessions)
      .member("leaderChanges", leader_changes);
  w.key("facts").begin_object();
  w.member("runs", facts.runs)
      .member("groups", facts.groups)
      .member("eligibleRuns", facts.eligible_runs);
  w.key("ineligible").begin_object();
  for (const auto& [code, count] : facts.ineligible) w.member(code, count);
  w.end_object();
  w.member("operationMismatches", facts.operation_mismatches)
      .member("leaderEvents", facts.leader_events);
  w.member("measurements", facts.measurements)
      .member("measuredOperations", facts.measured_operations);
  w.member("gpus", facts.gpus).member("servingRuns", facts.serving_runs).end_object();
  if (commit) w.member("catalogVersion", commit->last).member("chain", commit->chain.to_string());
  w.end_object();
  out += '\n';
  return out;
}

}  // namespace ki::importers
