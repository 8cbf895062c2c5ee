#include "ki/importers/kernelindex.h"
#include "ki/json/writer.h"

namespace ki::importers {
namespace {

std::string_view to_string(ImportReport::Outcome outcome) {
  switch (outcome) {
    case ImportReport::Outcome::kImported:
      return "imported";
    case ImportReport::Outcome::kUnchanged:
      return "unchanged";
    case ImportReport::Outcome::kRefused:
      return "refused";
    case ImportReport::Outcome::kDryRun:
      return "dry_run";
  }
  return "";
}

void write_facts(json::Writer& w, const publish::CatalogFacts& facts) {
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
}

}  // namespace

std::string ImportReport::to_json() const {
  std::string out;
  json::Writer w(out);
  w.begin_object().member("outcome", to_string(outcome)).member("ownFormat", is_own_format);
  w.member("lines", lines).member("bytes", bytes).key("tables").begin_object();
  for (const TableCount& count : tables) {
    w.key(count.table)
        .begin_object()
        .member("lines", count.lines)
        .member("inserted", count.inserted);
    w.member("changed", count.changed)
        .member("unchanged", count.unchanged)
        .member("refused", count.refused)
        .end_object();
  }
  w.end_object().key("refused").begin_array();
  for (const RefusedLine& line : refused) {
    w.begin_object()
        .member("line", line.line)
        .member("table", line.table)
        .member("id", line.id)
        .member("reason", line.reason)
        .end_object();
  }
  w.end_array().member("refusedTotal", refused_total).key("changes").begin_array();
  for (const ChangedColumn& change : changes) {
    w.begin_object()
        .member("table", change.table)
        .member("key", change.key)
        .member("column", change.column);
    w.key("before").raw(change.before).key("after").raw(change.after).end_object();
  }
  w.end_array().member("changesTotal", changes_total).key("vanished").begin_array();
  for (const auto& [table, key] : vanished)
    w.begin_object().member("table", table).member("key", key).end_object();
  w.end_array()
      .member("vanishedTotal", vanished_total)
      .member("retractions", retractions)
      .member("supersessions", supersessions);
  w.member("leaderChanges", leader_changes);
  write_facts(w, facts);
  w.key("catalogVersion");
  if (commit) {
    w.value(commit->last).member("chain", commit->chain.to_string());
  } else {
    w.null();
  }
  w.end_object();
  return out;
}

}  // namespace ki::importers
