#include "merge_writer.h"

#include "ki/catalog/builder.h"
#include "ki/json/canonical.h"
#include "ki/json/writer.h"
#include "ki/publish/leader_sync.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::importers {
namespace {

using catalog::Table;

// Columns that no later import may change: they say what the row is.
bool is_fixed(std::string_view column) {
  return column == "id" || column == "manifest" || column == "run" ||
         column == "protocolDocument" || column == "environmentDocument" ||
         column.ends_with("Digest") || column == "operationId" || column == "workloadId" ||
         column == "implementationId" || column == "projectId" || column == "sourceId" ||
         column == "createdAt" || column == "comparisonKey" || column == "runId" ||
         column == "previousRunId";
}

std::string prior_state(std::string_view column, std::string_view before) {
  std::string out;
  json::Writer w(out);
  w.begin_object().key(column).raw(before).end_object();
  return out;
}

}  // namespace

bool MergeWriter::is_own_history(Table table) {
  return table == Table::kLeaderChanges || table == Table::kAuditEvents;
}

void MergeWriter::see_ids(Table table, const json::Value& row) {
  const std::string_view member = catalog::info(table).digest_member;
  if (member.empty() || table == Table::kDocuments) return;
  const json::Value* digest_text = row.find(member);
  const json::Value* id_text = row.find("id");
  if (digest_text == nullptr || id_text == nullptr || !digest_text->is_string() ||
      !id_text->is_string())
    return;
  const auto digest = Digest::parse(digest_text->string());
  const auto id = Uuid::parse(id_text->string());
  if (!digest || !id) return;
  const auto known = tx_.find_digest(table, *digest);
  if (!known || !*known || (*known)->key == id_text->string()) return;
  if (const auto local = Uuid::parse((*known)->key)) checker_.alias_id(*id, *local);
}

Result<void> MergeWriter::write(const publish::CheckedRow& row, TableCount& count) {
  KI_TRY(auto known, tx_.find(row.table, row.key));
  if (!known && row.digest) {
    // The same content under another id: ours stays.
    KI_TRY(const auto same, tx_.find_digest(row.table, *row.digest));
    if (same) {
      seen_[row.table].insert(same->key);
      ++count.unchanged;
      return {};
    }
  }
  seen_[row.table].emplace(row.key);
  if (!known) {
    if (is_appending()) {
      KI_TRY_VOID(tx_.append(row.table, row.key, 0, row.digest, row.body));
      has_appended_ = true;
    }
    ++count.inserted;
    return {};
  }
  if (known->body == row.body) {
    ++count.unchanged;
    return {};
  }
  return update(row, *known, count);
}

Result<void> MergeWriter::update(const publish::CheckedRow& row, const catalog::OwnedEntry& known,
                                 TableCount& count) {
  if (known.digest != row.digest) {
    return fail(Code::kConflict,
                "the row has another content digest than the one stored under its id");
  }
  KI_TRY(const json::Value before, known_reader_.read(known.body));
  KI_TRY(const json::Value after, row_reader_.read(row.body));
  std::vector<ChangedColumn> changed;
  const auto compare = [&](std::string_view column) -> Result<void> {
    const json::Value* old_value = before.find(column);
    const json::Value* new_value = after.find(column);
    const std::string old_text = old_value == nullptr ? "null" : json::canonical(*old_value);
    const std::string new_text = new_value == nullptr ? "null" : json::canonical(*new_value);
    if (old_text == new_text) return {};
    if (is_fixed(column)) {
      return fail(Code::kConflict,
                  fmt::format("column '{}' is {} here and {} in the export; it never changes",
                              column, old_text, new_text));
    }
    if (column == "retractedAt" && old_text == "null") ++report_.retractions;
    if (column == "supersedesId" && old_text == "null") ++report_.supersessions;
    changed.push_back({std::string(catalog::info(row.table).name), std::string(row.key),
                       std::string(column), old_text, new_text});
    return {};
  };
  for (const json::Member& member : before.members()) KI_TRY_VOID(compare(member.key));
  for (const json::Member& member : after.members()) {
    if (before.find(member.key) == nullptr) KI_TRY_VOID(compare(member.key));
  }
  if (changed.empty()) {
    ++count.unchanged;
    return {};
  }
  ++count.changed;
  report_.changes_total += changed.size();
  if (is_appending()) {
    KI_TRY_VOID(tx_.append(row.table, row.key, known.version + 1, row.digest, row.body));
    has_appended_ = true;
    for (const ChangedColumn& column : changed) {
      const Uuid id = options_.ids->next(now_);
      KI_TRY_VOID(tx_.append(Table::kAuditEvents, id.to_string(), 0, std::nullopt,
                             publish::audit_event_row(
                                 id, options_.actor, "import_change", catalog::info(row.table).name,
                                 row.key, fmt::format("{} is now {}", column.column, column.after),
                                 prior_state(column.column, column.before), now_)));
    }
  }
  for (ChangedColumn& column : changed) {
    if (report_.changes.size() < options_.max_listed) report_.changes.push_back(std::move(column));
  }
  return {};
}

Result<void> MergeWriter::find_vanished() {
  KI_TRY(const catalog::Head head, store_.head());
  for (const auto& [table, keys] : seen_) {
    if (table == Table::kDocuments) continue;
    KI_TRY_VOID(store_.read_table(
        table, head.seq, [&](const catalog::Entry& entry) -> Result<catalog::Step> {
          if (entry.version == 0 && !keys.contains(std::string(entry.key))) {
            ++report_.vanished_total;
            if (report_.vanished.size() < options_.max_listed) {
              report_.vanished.emplace_back(catalog::info(table).name, entry.key);
            }
          }
          return catalog::Step::kGoOn;
        }));
  }
  return {};
}

Result<void> MergeWriter::sync_leaders() {
  KI_TRY(const auto before, catalog::build_snapshot(store_));
  catalog::SnapshotBuilder builder(*before);
  // What this transaction appended is not committed yet, so it is read entry by entry from it.
  for (const catalog::TableInfo& table : catalog::tables()) {
    if (const auto keys = seen_.find(table.table); keys != seen_.end())
      KI_TRY_VOID(fold_new(builder, table.table, keys->second, before->seq()));
  }
  const auto after = std::move(builder).finish(tx_.head());
  KI_TRY(const publish::LeaderSync done,
         publish::sync_leaders(tx_, *before, *after, now_, *options_.ids));
  report_.leader_changes = done.leader_changes;
  return {};
}

Result<void> MergeWriter::fold_new(catalog::SnapshotBuilder& builder, Table table,
                                   const std::unordered_set<std::string>& keys,
                                   catalog::Seq after) {
  // In order of seq, as the log has them.
  std::vector<catalog::OwnedEntry> entries;
  for (const std::string& key : keys) {
    KI_TRY(auto entry, tx_.find(table, key));
    if (entry && entry->seq > after) entries.push_back(*std::move(entry));
  }
  std::ranges::sort(entries, {}, &catalog::OwnedEntry::seq);
  for (const catalog::OwnedEntry& entry : entries) {
    KI_TRY_VOID(builder.apply({.seq = entry.seq,
                               .table = entry.table,
                               .key = entry.key,
                               .version = entry.version,
                               .digest = entry.digest,
                               .body = entry.body}));
  }
  return {};
}

}  // namespace ki::importers
