#include "merger.h"

#include "export_line.h"
#include "ki/base/text.h"
#include "ki/json/canonical.h"
#include "ki/publish/leader_sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ki::importers {
namespace {

using catalog::Entry;
using catalog::OwnedEntry;
using catalog::Step;
using catalog::Table;

std::string_view text_of(const json::Value& row, std::string_view column) {
  const json::Value* v = row.find(column);
  return v != nullptr && v->is_string() ? v->string() : std::string_view();
}

// Columns that may change after publication (spec 03.2 rule 2).
std::span<const std::string_view> mutable_columns(Table table) {
  static constexpr std::array<std::string_view, 1> kSource = {"policy"};
  static constexpr std::array<std::string_view, 3> kProject = {"kind", "name", "normalizedName"};
  static constexpr std::array<std::string_view, 3> kOperation = {"family", "name", "tags"};
  static constexpr std::array<std::string_view, 1> kImplementation = {"role"};
  static constexpr std::array<std::string_view, 4> kRun = {"publishedAt", "retractedAt",
                                                           "retractionReason", "supersedesId"};
  switch (table) {
    case Table::kSources:
      return kSource;
    case Table::kProjects:
      return kProject;
    case Table::kOperations:
      return kOperation;
    case Table::kImplementations:
      return kImplementation;
    case Table::kBenchmarkRuns:
    case Table::kServingRuns:
      return kRun;
    default:
      return {};
  }
}

std::string_view entity_of(Table table) {
  switch (table) {
    case Table::kSources:
      return "source";
    case Table::kProjects:
      return "project";
    case Table::kOperations:
      return "operation";
    case Table::kImplementations:
      return "implementation";
    case Table::kBenchmarkRuns:
      return "run";
    case Table::kServingRuns:
      return "serving_run";
    default:
      return catalog::info(table).name;
  }
}

std::string event_key(const json::Value& row) {
  return fmt::format("{} {} {}", text_of(row, "comparisonKey"), text_of(row, "runId"),
                     text_of(row, "cause"));
}

}  // namespace

Merger::Merger(catalog::Store& store, catalog::Transaction& tx, publish::RowChecker& checker,
               const ImportOptions& options, ImportReport& report, Instant now)
    : store_(store),
      tx_(tx),
      checker_(checker),
      options_(options),
      report_(report),
      now_(now),
      stored_reader_(kLineLimits),
      given_reader_(kLineLimits) {}

Result<void> Merger::prepare() {
  for (const Table table : {Table::kSources, Table::kProjects, Table::kOperations}) {
    KI_TRY_VOID(store_.read_table(table, tx_.head().seq, [&](const Entry& entry) -> Result<Step> {
      KI_TRY(const json::Value row, stored_reader_.read(entry.body));
      ids_by_slug_.insert_or_assign(
          fmt::format("{} {}", catalog::info(table).name, text_of(row, "slug")),
          std::string(entry.key));
      return Step::kGoOn;
    }));
  }
  return {};
}

Result<void> Merger::append(Table table, std::string_view key, std::uint32_t version,
                            const std::optional<Digest>& digest, std::string_view body) {
  KI_TRY(const catalog::Seq seq, tx_.append(table, key, version, digest, body));
  entries_.push_back({seq, table, std::string(key), version, digest, std::string(body)});
  return {};
}

Result<void> Merger::audit(std::string_view action, std::string_view target_kind,
                           std::string_view target, std::string_view reason,
                           std::string_view prior_state) {
  const Uuid id = options_.ids->next(now_);
  return append(Table::kAuditEvents, id.to_string(), 0, std::nullopt,
                publish::audit_event_row(id, options_.actor, action, target_kind, target, reason,
                                         prior_state, now_));
}

Result<bool> Merger::is_known_event(const publish::CheckedRow& row) {
  if (!are_events_read_) {
    are_events_read_ = true;
    KI_TRY_VOID(store_.read_table(
        Table::kRecordEvents, tx_.head().seq, [&](const Entry& entry) -> Result<Step> {
          KI_TRY(const json::Value event, stored_reader_.read(entry.body));
          events_.insert(event_key(event));
          return Step::kGoOn;
        }));
  }
  KI_TRY(const json::Value event, given_reader_.read(row.body));
  return events_.contains(event_key(event));
}

Result<std::optional<OwnedEntry>> Merger::find_known(const publish::CheckedRow& row) {
  KI_TRY(auto known, tx_.find(row.table, row.key));
  if (known) return known;
  // The same thing under an id of ours: by digest, or by the slug of what has no digest.
  if (row.digest) {
    KI_TRY(known, tx_.find_digest(row.table, *row.digest));
  }
  // Documents that a run brings along have no row of their own.
  const std::string_view slug = row.row == nullptr ? std::string_view() : text_of(*row.row, "slug");
  if (!known && !slug.empty()) {
    const auto by_slug =
        ids_by_slug_.find(fmt::format("{} {}", catalog::info(row.table).name, slug));
    if (by_slug != ids_by_slug_.end()) {
      if (row.table == Table::kOperations) {
        return fail(Code::kConflict,
                    fmt::format("the catalog has another operation under the slug {}: {}",
                                quote(slug), by_slug->second));
      }
      KI_TRY(known, tx_.find(row.table, by_slug->second));
    }
  }
  if (known) {
    const auto foreign = Uuid::parse(row.key);
    const auto local = Uuid::parse(known->key);
    if (foreign && local) checker_.alias_id(*foreign, *local);
  }
  return known;
}

Result<Merger::Done> Merger::put(const publish::CheckedRow& row) {
  // A catalog has its own transparency log and trusts whom its owner trusts.
  if (row.table == Table::kLogEntries || row.table == Table::kLogHeads ||
      row.table == Table::kTrustedKeys) {
    return Done::kUnchanged;
  }
  KI_TRY(const auto known, find_known(row));
  if (known) return known->key == row.key ? compare(row, *known) : Done::kUnchanged;
  // The history of another catalog stays there; ours goes on with what changed here.
  if (row.table == Table::kLeaderChanges || row.table == Table::kAuditEvents)
    return Done::kUnchanged;
  if (row.table == Table::kRecordEvents) {
    KI_TRY(const bool is_known, is_known_event(row));
    if (is_known) return Done::kUnchanged;
  }
  KI_TRY_VOID(append(row.table, row.key, 0, row.digest, row.body));
  ++inserted_;
  return Done::kInserted;
}

Result<Merger::Done> Merger::compare(const publish::CheckedRow& row, const OwnedEntry& stored) {
  if (stored.body == row.body) return Done::kUnchanged;
  KI_TRY(const json::Value before, stored_reader_.read(stored.body));
  KI_TRY(const json::Value after, given_reader_.read(row.body));
  const std::span<const std::string_view> may_change = mutable_columns(row.table);
  const bool has_run_state = row.table == Table::kBenchmarkRuns || row.table == Table::kServingRuns;
  const auto is_null = [](const json::Value* v) { return v == nullptr || v->is_null(); };

  std::vector<std::pair<std::string_view, const json::Value*>> changes;
  for (const json::Member& member : after.members()) {
    const json::Value* old = before.find(member.key);
    if (old != nullptr && *old == member.value) continue;
    if (old == nullptr && member.value.is_null()) continue;
    // A column that the export itself does not have (back-filled) says nothing new.
    if (row.table != Table::kBenchmarkRuns && row.row->find(member.key) == nullptr) continue;
    const bool is_mutable = std::ranges::find(may_change, member.key) != may_change.end();
    // What was corrected or published here stays so: an export never takes it back.
    if (is_mutable && has_run_state && member.value.is_null()) continue;
    const bool is_publication = member.key == "publishedAt";
    if (!is_mutable || (is_publication && !is_null(old))) {
      return fail(
          Code::kConflict,
          fmt::format(
              "column '{}' may not change after publication: the catalog has {}, the export {}",
              member.key, old == nullptr ? "none" : quote(json::canonical(*old)),
              quote(json::canonical(member.value))));
    }
    changes.emplace_back(member.key, &member.value);
  }
  if (changes.empty()) return Done::kUnchanged;

  std::string prior = "{";
  bool is_retraction = false;
  const json::Value* superseded = nullptr;
  for (const auto& [column, value] : changes) {
    const json::Value* old = before.find(column);
    const std::string old_json = old == nullptr ? "null" : json::canonical(*old);
    if (prior.size() > 1) prior += ',';
    json::append_string(prior, column);
    prior += ':' + old_json;
    is_retraction = is_retraction || column == "retractedAt";
    if (column == "supersedesId") superseded = value;
    ++report_.changes_total;
    if (report_.changes.size() < options_.max_listed) {
      report_.changes.push_back({std::string(catalog::info(row.table).name), std::string(row.key),
                                 std::string(column), old_json, json::canonical(*value)});
    }
  }
  prior += '}';

  // The stored row with those columns.
  std::vector<std::pair<std::string_view, const json::Value*>> members;
  for (const json::Member& member : before.members())
    members.emplace_back(member.key, &member.value);
  for (const auto& change : changes) {
    const auto known = std::ranges::find(members, change.first,
                                         &std::pair<std::string_view, const json::Value*>::first);
    if (known != members.end()) {
      known->second = change.second;
    } else {
      members.push_back(change);
    }
  }
  std::ranges::sort(members, {}, &std::pair<std::string_view, const json::Value*>::first);
  std::string body = "{";
  for (const auto& [column, value] : members) {
    if (body.size() > 1) body += ',';
    json::append_string(body, column);
    body += ':';
    json::append_canonical(body, *value);
  }
  body += '}';
  const std::string superseded_id =
      superseded != nullptr && superseded->is_string() ? std::string(superseded->string()) : "";
  KI_TRY_VOID(append(row.table, row.key, stored.version + 1, stored.digest, body));
  ++changed_;
  const std::string_view kind = entity_of(row.table);
  if (is_retraction) ++report_.retractions;
  if (superseded != nullptr) ++report_.supersessions;
  if (superseded != nullptr) {
    KI_TRY_VOID(audit("supersede_run", kind, superseded_id, "newer export", prior));
  } else {
    KI_TRY_VOID(audit(is_retraction ? "retract_run" : "import_change", kind, row.key,
                      "newer export", prior));
  }
  return Done::kChanged;
}

Result<void> Merger::report_vanished() {
  struct Range {
    catalog::Seq first, last;
  };
  std::vector<Range> imports;
  KI_TRY(const auto commits, store_.commits(0));
  for (const catalog::Commit& commit : commits) {
    if (commit.reason.starts_with("import kernelindex"))
      imports.push_back({commit.first, commit.last});
  }
  const catalog::Seq upto = commits.empty() ? 0 : commits.back().last;
  for (const Table table :
       {Table::kSources, Table::kProjects, Table::kOperations, Table::kWorkloads,
        Table::kImplementations, Table::kBenchmarkRuns, Table::kArtifacts, Table::kModelRevisions,
        Table::kServingStackRevisions, Table::kServingConfigurations, Table::kServingWorkloads,
        Table::kServingRuns}) {
    KI_TRY_VOID(store_.read_table(table, upto, [&](const Entry& entry) -> Result<Step> {
      if (entry.version != 0) return Step::kGoOn;
      const auto id = Uuid::parse(entry.key);
      if (!id || checker_.has_row(table, *id)) return Step::kGoOn;
      const bool was_imported = std::ranges::any_of(
          imports, [&](const Range& r) { return r.first <= entry.seq && entry.seq <= r.last; });
      if (!was_imported) return Step::kGoOn;
      ++report_.vanished_total;
      if (report_.vanished.size() < options_.max_listed) {
        report_.vanished.emplace_back(catalog::info(table).name, entry.key);
      }
      return Step::kGoOn;
    }));
  }
  return {};
}

}  // namespace ki::importers
