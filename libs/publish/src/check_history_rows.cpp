// Events, leader changes, artifacts, links, snapshots and the audit log (spec 03.1, 03.6, 03.9).

#include "ki/base/text.h"
#include "ki/json/canonical.h"
#include "ki/policy/records.h"
#include "ki/sign/dsse.h"
#include "ki/sign/trust.h"
#include "row_checker_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ki::publish {
namespace {

Uuid id_of(const json::Value& row) { return *Uuid::parse(row.find("id")->string()); }

}  // namespace

void RowChecker::State::check_event(const json::Value& row) {
  RowColumns c(row, issues);
  own_id(c, others);
  const auto group_key = c.digest("comparisonKey");
  const std::uint32_t run = reference(c, "runId", runs, "run");
  const json::Value* previous_value = c.take("previousRunId");
  std::uint32_t previous = kNoIndex;
  if (previous_value != nullptr && !previous_value->is_null()) {
    const auto id =
        previous_value->is_string() ? Uuid::parse(previous_value->string()) : std::nullopt;
    if (id) previous = runs.find(*id);
    if (previous == kNoIndex) {
      c.refuse("dangling_reference", "previousRunId",
               "column 'previousRunId' names no run that is there");
    }
  }
  c.equals("policyVersion", std::string_view("ranking-v1"));
  const std::string_view cause = c.text("cause");
  if (cause != "new_run" && cause != "retraction") {
    c.refuse("unknown_choice", "cause",
             fmt::format("cause {} is neither new_run nor retraction", quote(cause)));
  }
  const auto at = c.instant("at");
  const auto created = c.instant("createdAt");
  c.finish();
  if (version != 0) c.refuse("changed_event", "", "an event never changes");
  if (!issues.empty()) return;
  const RunFacts& facts = run_facts[run];
  const std::uint32_t group_at =
      group_index.contains(*group_key) ? group_index.at(*group_key) : kNoIndex;
  if (facts.group != group_at) {
    c.refuse("wrong_reference", "comparisonKey", "the event's comparison group is not its run's");
  }
  if (previous != kNoIndex && run_facts[previous].group != facts.group) {
    c.refuse("wrong_reference", "previousRunId", "the previous run is of another comparison group");
  }
  if (statuses[facts.status] != "passed" || facts.published_ms == 0 || !facts.has_value) {
    c.refuse("wrong_event", "runId",
             "the event's run could never lead: it is not a published, passed run with a value");
  }
  if (cause == "new_run") {
    if (at->ms != facts.observed_ms) {
      c.refuse("wrong_column", "at", "column 'at' is not when the run was observed");
    }
    if (previous != kNoIndex && !(facts.value < run_facts[previous].value)) {
      c.refuse("wrong_event", "previousRunId",
               "the run is not better than the run that it displaced");
    }
    if (previous != kNoIndex && std::pair(run_facts[previous].observed_ms, runs[previous]) >
                                    std::pair(facts.observed_ms, runs[run])) {
      c.refuse("wrong_event", "previousRunId",
               "the run that it displaced was observed after the run");
    }
  }
  if (!issues.empty()) return;
  others.insert(id_of(row));
  events.push_back(
      {id_of(row), at->ms, created->ms, place, facts.group, run, previous, cause == "retraction"});
  compose(row, nullptr);
}

void RowChecker::State::check_leader(const json::Value& row) {
  RowColumns c(row, issues);
  own_id(c, others);
  const auto group_key = c.digest("comparisonKey");
  c.instant("at");
  c.instant("indexedAt");
  const std::string_view cause = c.text("cause");
  if (!policy::parse_leader_cause(cause)) {
    c.refuse("unknown_choice", "cause", fmt::format("cause {} is not known", quote(cause)));
  }
  c.equals("policyVersion", std::string_view("ranking-v1"));
  const auto run_of = [&](std::string_view column, std::string_view value_column) {
    const auto id = c.nullable_id(column);
    std::uint32_t run = kNoIndex;
    if (id) {
      run = runs.find(*id);
      if (run == kNoIndex) {
        c.refuse("dangling_reference", column,
                 fmt::format("column '{}' names no run that is there", column));
      }
    }
    c.equals(value_column, run == kNoIndex ? std::optional<double>()
                                           : std::optional<double>(run_facts[run].value));
    return run;
  };
  const std::uint32_t leader = run_of("leaderRunId", "value");
  const std::uint32_t previous = run_of("previousLeaderRunId", "previousValue");
  c.finish();
  if (version != 0) c.refuse("changed_event", "", "a leader change never changes");
  if (!issues.empty()) return;
  const auto known = group_index.find(*group_key);
  for (const std::uint32_t run : {leader, previous}) {
    if (run != kNoIndex && (known == group_index.end() || run_facts[run].group != known->second)) {
      c.refuse("wrong_reference", "comparisonKey", "the comparison group is not that of its runs");
      return;
    }
  }
  if (known == group_index.end()) {
    c.refuse("dangling_reference", "comparisonKey", "no run is of this comparison group");
    return;
  }
  others.insert(id_of(row));
  leaders.push_back({id_of(row), place, known->second, leader, previous});
  compose(row, nullptr);
}

void RowChecker::State::check_artifact(const json::Value& row) {
  RowColumns c(row, issues);
  own_id(c, artifacts);
  const auto digest = c.digest("contentDigest");
  c.text("kind");
  c.text("mediaType");
  const auto size = c.nullable_integer("sizeBytes");
  if (size && *size < 0) c.refuse("out_of_range", "sizeBytes", "column 'sizeBytes' is below 0");
  const std::string_view storage = c.text("storage");
  if (storage != "upstream" && storage != "inline" && storage != "object") {
    c.refuse("unknown_choice", "storage", "column 'storage' is not upstream, inline or object");
  }
  c.nullable_text("uri");
  if (row.find("content") != nullptr) {
    const auto content = c.nullable_text("content");
    if (content && digest && Digest::of(*content) != *digest) {
      c.refuse("wrong_digest", "contentDigest", "the content has another digest");
    }
  }
  c.nullable_text("license");
  c.instant("createdAt");
  c.finish();
  if (!issues.empty()) return;
  artifacts.insert(id_of(row));
  compose(row, nullptr);
}

void RowChecker::State::check_run_artifact(const json::Value& row) {
  RowColumns c(row, issues);
  reference(c, "runId", runs, "run");
  reference(c, "artifactId", artifacts, "artifact");
  c.text("role");
  c.finish();
  if (issues.empty()) compose(row, nullptr);
}

void RowChecker::State::check_source_link(const json::Value& row) {
  RowColumns c(row, issues);
  const auto link = c.take("id") != nullptr
                        ? Uuid::parse(row.find("id")->is_string() ? row.find("id")->string() : "")
                        : std::optional<Uuid>(Uuid{});
  if (!link) c.refuse("wrong_type", "id", "column 'id' is not a UUID");
  reference(c, "sourceId", sources, "source");
  const std::string_view kind = c.text("entityKind");
  const auto entity = c.id("entityId");
  if (c.text("externalId").empty())
    c.refuse("wrong_type", "externalId", "column 'externalId' is empty");
  c.instant("createdAt");
  c.finish();
  struct Entity {
    std::string_view kind;
    const IdTable* table;
    bool is_late;  // its table comes after source_links
  };
  const std::array<Entity, 10> kEntities = {{{"project", &projects, false},
                                             {"operation", &operations, false},
                                             {"workload", &workloads, false},
                                             {"implementation", &implementations, false},
                                             {"run", &runs, false},
                                             {"serving_run", &serving_runs, true},
                                             {"model", &models, true},
                                             {"serving_stack", &stacks, true},
                                             {"serving_configuration", &configurations, true},
                                             {"serving_workload", &serving_workloads, true}}};
  const auto found = std::ranges::find(kEntities, kind, &Entity::kind);
  if (found == kEntities.end()) {
    c.refuse("unknown_choice", "entityKind",
             fmt::format("entity kind {} is not known", quote(kind)));
  } else if (entity && !found->is_late && found->table->find(*entity) == kNoIndex) {
    c.refuse("dangling_reference", "entityId",
             fmt::format("column 'entityId' names no {} that is there", kind));
  } else if (entity && found->is_late) {
    late_links.push_back({found->table, *entity, place, key});
  }
  if (issues.empty()) compose(row, nullptr);
}

void RowChecker::State::check_source_snapshot(const json::Value& row) {
  RowColumns c(row, issues);
  own_id(c, others);
  reference(c, "sourceId", sources, "source");
  c.text("locator");
  c.nullable_text("resolvedLocator");
  const auto digest = c.digest("contentDigest");
  c.nullable_text("mediaType");
  c.nullable_integer("sizeBytes");
  const auto content = c.nullable_text("body");
  if (content && digest && Digest::of(*content) != *digest) {
    c.refuse("wrong_digest", "contentDigest", "the body has another digest");
  }
  c.nullable_text("storageRef");
  c.nullable_object("httpMetadata");
  c.text("parserName");
  c.text("parserVersion");
  c.instant("observedAt");
  c.instant("fetchedAt");
  c.finish();
  if (!issues.empty()) return;
  others.insert(id_of(row));
  compose(row, nullptr);
}

void RowChecker::State::check_audit_event(const json::Value& row) {
  RowColumns c(row, issues);
  own_id(c, others);
  c.text("actor");
  c.text("action");
  c.text("targetKind");
  c.text("targetId");
  c.nullable_text("reason");
  c.nullable_object("priorState");
  c.instant("at");
  c.finish();
  if (version != 0) c.refuse("changed_event", "", "an audit event never changes");
  if (!issues.empty()) return;
  others.insert(id_of(row));
  compose(row, nullptr);
}

// The transparency log and the trust list. What they mean together (order, hashes, completeness) is
// checked by module logbook.
void RowChecker::State::check_log_entry(const json::Value& row) {
  RowColumns c(row, issues);
  c.text("at");
  c.digest("digest");
  c.integer("index");
  c.texts("parents");
  c.text("type");
  c.integer("v");
  c.finish();
  if (version != 0) c.refuse("changed_leaf", "", "a leaf of the transparency log never changes");
  if (issues.empty()) compose(row, nullptr);
}

void RowChecker::State::check_log_head(const json::Value& row) {
  RowColumns c(row, issues);
  c.text("log");
  c.text("origin");
  c.text("root");
  c.texts("roots");
  c.integer("size");
  c.finish();
  if (issues.empty()) compose(row, nullptr);
}

void RowChecker::State::check_trusted_key(const json::Value& row) {
  if (const auto parsed = sign::TrustedKey::parse(json::canonical(row)); !parsed) {
    RowColumns(row, issues).refuse("bad_key", "", parsed.error().message());
  }
  if (issues.empty()) compose(row, nullptr);
}

// What its signature is worth is assessed by module rerun; here that it is one, about a run that
// the catalog has. Other kinds of attestation belong to the pages.
void RowChecker::State::check_attestation(const json::Value& row) {
  const json::Value* kind = row.find("kind");
  if (kind == nullptr || !kind->is_string() || kind->string() != "controlled_rerun")
    return check_other(row);
  RowColumns c(row, issues);
  c.nullable_object("assessment");
  c.instant("createdAt");
  if (const auto envelope = sign::read_envelope(c.text("envelope")); !envelope)
    c.refuse("bad_envelope", "envelope", envelope.error().message());
  own_id(c, others);
  c.text("keyId");
  c.text("kind");
  c.digest("runDigest");
  reference(c, "runId", runs, "run");
  c.finish();
  if (!issues.empty()) return;
  others.insert(id_of(row));
  compose(row, nullptr);
}

// Reports: their columns belong to the dispute surfaces; here they are only kept as they are.
void RowChecker::State::check_other(const json::Value& row) {
  RowColumns c(row, issues);
  own_id(c, others);
  if (!issues.empty()) return;
  others.insert(id_of(row));
  compose(row, nullptr);
}

}  // namespace ki::publish
