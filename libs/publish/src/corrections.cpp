#include "ki/publish/corrections.h"

#include "ki/base/text.h"
#include "ki/catalog/builder.h"
#include "ki/json/canonical.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "ki/publish/commit_time.h"
#include "ki/publish/leader_sync.h"
#include "ki/publish/row_codec.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::publish {
namespace {

using catalog::OwnedEntry;
using catalog::Table;

std::string json_text(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

// A stored run of either kind.
struct StoredRun {
  OwnedEntry entry;
  json::Document row;

  std::string_view text(std::string_view column) const {
    const json::Value* v = row.root.find(column);
    return v != nullptr && v->is_string() ? v->string() : std::string_view();
  }
  bool is_serving() const { return entry.table == Table::kServingRuns; }
  std::string_view kind() const { return is_serving() ? "serving_run" : "run"; }
};

class Correcting {
 public:
  Correcting(catalog::LiveCatalog& catalog, const Clock& clock, UuidSource& ids,
             std::string_view actor)
      : catalog_(catalog), ids_(ids), actor_(actor), now_(clock.now()) {}

  Result<void> begin() {
    KI_TRY(tx_, catalog_.store().begin());
    KI_TRY_VOID(catalog_.refresh());
    before_ = catalog_.current();
    KI_TRY(now_, commit_time(catalog_.store(), now_));
    return {};
  }

  Result<StoredRun> find(std::string_view run) {
    std::optional<OwnedEntry> found;
    for (const Table table : {Table::kBenchmarkRuns, Table::kServingRuns}) {
      if (found) break;
      if (const auto digest = Digest::parse(run)) {
        KI_TRY(found, tx_->find_digest(table, *digest));
      } else {
        KI_TRY(found, tx_->find(table, run));
      }
    }
    if (!found) return fail(Code::kNotFound, fmt::format("there is no run {}", quote(run)));
    KI_TRY(json::Document row,
           json::read_document(found->body, json::Limits{.max_bytes = std::size_t{64} << 20}));
    return StoredRun{*std::move(found), std::move(row)};
  }

  Result<void> update(const StoredRun& run,
                      std::span<const std::pair<std::string_view, std::string>> columns) {
    return append(run.entry.table, run.entry.key, run.entry.version + 1, run.entry.digest,
                  with_columns(run.row.root, columns));
  }
  Result<void> audit(std::string_view action, const StoredRun& target, std::string_view reason,
                     std::string_view prior) {
    const Uuid id = ids_.next(now_);
    return append(
        Table::kAuditEvents, id.to_string(), 0, std::nullopt,
        audit_event_row(id, actor_, action, target.kind(), target.entry.key, reason, prior, now_));
  }

  // The snapshot after what was written so far.
  Result<std::shared_ptr<const catalog::Snapshot>> after() const {
    catalog::SnapshotBuilder builder(*before_);
    for (const OwnedEntry& e : entries_) {
      KI_TRY_VOID(builder.apply({e.seq, e.table, e.key, e.version, e.digest, e.body}));
    }
    return std::move(builder).finish(tx_->head());
  }
  Result<void> finish(std::string_view reason) {
    if (entries_.empty()) return {};
    KI_TRY(const auto changed, after());
    KI_TRY_VOID(sync_leaders(*tx_, *before_, *changed, now_, ids_));
    KI_TRY_VOID(tx_->commit(now_, reason));
    tx_.reset();
    KI_TRY_VOID(catalog_.refresh());
    return {};
  }
  Result<void> update_attestation(const std::string& key, const std::string& assessment) {
    KI_TRY(const auto stored, tx_->find(Table::kAttestations, key));
    if (!stored) return fail(Code::kNotFound, fmt::format("there is no attestation {}", key));
    KI_TRY(const json::Document row, json::read_document(stored->body));
    const json::Value* before = row.root.find("assessment");
    if (before != nullptr && json::canonical(*before) == assessment) return {};
    const std::pair<std::string_view, std::string> columns[] = {{"assessment", assessment}};
    return append(Table::kAttestations, key, stored->version + 1, stored->digest,
                  with_columns(row.root, columns));
  }

  // Leader histories, commit, and what became of the group of `run`.
  Result<Correction> finish(const StoredRun& run, std::string_view reason) {
    Correction done{run.entry.key, false, std::nullopt, {0, 0, now_, {}, catalog::empty_chain()}};
    if (!run.is_serving()) {
      KI_TRY(const auto after, this->after());
      KI_TRY(const LeaderSync synced, sync_leaders(*tx_, *before_, *after, now_, ids_));
      const catalog::Index index = after->find_run(*Uuid::parse(run.entry.key));
      KI_CHECK(index != catalog::kNone);
      const catalog::Index cohort = after->runs()[index].cohort;
      const Digest key(after->cohorts()[cohort].key);
      for (const auto& [changed, leader] : synced.changed)
        done.is_leader_changed = done.is_leader_changed || changed == key;
      done.leader_run_id = leader_of(*after, cohort);
    }
    KI_TRY(done.commit, tx_->commit(now_, reason));
    tx_.reset();
    KI_TRY_VOID(catalog_.refresh());
    return done;
  }

  Instant now() const { return now_; }
  std::string_view actor() const { return actor_; }
  catalog::Transaction& tx() { return *tx_; }
  // Whether some run supersedes this one already.
  Result<std::optional<std::string>> successor_of(const StoredRun& run) {
    if (!run.is_serving()) {
      const catalog::Index index = before_->find_run(*Uuid::parse(run.entry.key));
      if (index == catalog::kNone || before_->runs()[index].superseded_by == catalog::kNone)
        return std::nullopt;
      return Uuid{before_->runs()[before_->runs()[index].superseded_by].id}.to_string();
    }
    std::optional<std::string> successor;
    KI_TRY_VOID(catalog_.store().read_table(
        Table::kServingRuns, before_->seq(),
        [&](const catalog::Entry& entry) -> Result<catalog::Step> {
          KI_TRY(const json::Document row,
                 json::read_document(entry.body, json::Limits{.max_bytes = std::size_t{64} << 20}));
          const json::Value* supersedes = row.root.find("supersedesId");
          if (supersedes != nullptr && supersedes->is_string() &&
              supersedes->string() == run.entry.key) {
            successor = entry.key;
          }
          return catalog::Step::kGoOn;
        }));
    return successor;
  }

 private:
  Result<void> append(Table table, std::string_view key, std::uint32_t version,
                      const std::optional<Digest>& digest, std::string body) {
    KI_TRY(const catalog::Seq seq, tx_->append(table, key, version, digest, body));
    entries_.push_back({seq, table, std::string(key), version, digest, std::move(body)});
    return {};
  }

  static std::optional<std::string> leader_of(const catalog::Snapshot& snapshot,
                                              catalog::Index cohort) {
    std::vector<std::string> ids;
    std::vector<policy::RecordRun> runs;
    const auto members = snapshot.runs_of_cohort(cohort);
    ids.reserve(members.size());
    for (const catalog::Index run : members) {
      const catalog::RunRow& row = snapshot.runs()[run];
      if ((row.flags & catalog::run_flags::kEligible) == 0) continue;
      ids.push_back(Uuid{row.id}.to_string());
      runs.push_back({ids.back(), row.value, Instant{row.observed_ms}});
    }
    const auto leader = policy::find_leader(runs);
    if (!leader) return std::nullopt;
    return ids[*leader];
  }

  catalog::LiveCatalog& catalog_;
  UuidSource& ids_;
  std::string_view actor_;
  Instant now_;
  std::unique_ptr<catalog::Transaction> tx_;
  std::shared_ptr<const catalog::Snapshot> before_;
  std::vector<OwnedEntry> entries_;
};

}  // namespace

Result<Correction> Corrections::retract(std::string_view run, std::string_view reason) {
  if (trim(reason).empty()) return fail(Code::kInvalidArgument, "a retraction needs a reason");
  Correcting work(catalog_, clock_, ids_, actor_);
  KI_TRY_VOID(work.begin());
  KI_TRY(const StoredRun stored, work.find(run));
  if (stored.text("publishedAt").empty()) {
    return fail(Code::kConflict, fmt::format("run {} is not published", stored.entry.key));
  }
  if (!stored.text("retractedAt").empty()) {
    return fail(Code::kConflict, fmt::format("run {} was retracted at {}", stored.entry.key,
                                             stored.text("retractedAt")));
  }
  const std::pair<std::string_view, std::string> columns[] = {
      {"retractedAt", json_text(work.now().to_string())},
      {"retractionReason",
       fmt::format("{{\"actor\":{},\"reason\":{}}}", json_text(actor_), json_text(reason))}};
  KI_TRY_VOID(work.update(stored, columns));
  KI_TRY_VOID(work.audit("retract_run", stored, reason,
                         "{\"retractedAt\":null,\"retractionReason\":null}"));
  return work.finish(stored, "retract");
}

Result<Correction> Corrections::supersede(std::string_view original, std::string_view successor,
                                          std::string_view reason) {
  if (trim(reason).empty()) return fail(Code::kInvalidArgument, "a supersession needs a reason");
  Correcting work(catalog_, clock_, ids_, actor_);
  KI_TRY_VOID(work.begin());
  KI_TRY(const StoredRun old_run, work.find(original));
  KI_TRY(const StoredRun new_run, work.find(successor));
  const auto conflict = [](std::string message) {
    return fail(Code::kConflict, std::move(message));
  };
  if (old_run.entry.table == new_run.entry.table && old_run.entry.key == new_run.entry.key) {
    return fail(Code::kInvalidArgument, "a run cannot supersede itself");
  }
  if (old_run.entry.table != new_run.entry.table ||
      old_run.text("workloadId") != new_run.text("workloadId")) {
    return fail(Code::kInvalidArgument, "a run can only supersede a run of the same workload");
  }
  if (old_run.text("publishedAt").empty())
    return conflict(fmt::format("run {} is not published", old_run.entry.key));
  if (new_run.text("publishedAt").empty())
    return conflict(fmt::format("run {} is not published", new_run.entry.key));
  if (!new_run.text("retractedAt").empty())
    return conflict(fmt::format("run {} is retracted", new_run.entry.key));
  if (!new_run.text("supersedesId").empty()) {
    return conflict(fmt::format("run {} supersedes {} already", new_run.entry.key,
                                new_run.text("supersedesId")));
  }
  KI_TRY(const auto other, work.successor_of(old_run));
  if (other)
    return conflict(fmt::format("run {} is superseded by {} already", old_run.entry.key, *other));
  // What the original supersedes, and so on, must not lead to the successor.
  for (std::string at(old_run.text("supersedesId")); !at.empty();) {
    if (at == new_run.entry.key) {
      return conflict(fmt::format("run {} is superseded by {}: the supersession would be a cycle",
                                  new_run.entry.key, old_run.entry.key));
    }
    KI_TRY(const StoredRun earlier, work.find(at));
    at = earlier.text("supersedesId");
  }
  const std::pair<std::string_view, std::string> columns[] = {
      {"supersedesId", json_text(old_run.entry.key)}};
  KI_TRY_VOID(work.update(new_run, columns));
  KI_TRY_VOID(work.audit(
      "supersede_run", old_run, reason,
      fmt::format("{{\"successor\":{},\"supersedesId\":null}}", json_text(new_run.entry.key))));
  return work.finish(old_run, "supersede");
}

Result<std::uint64_t> Corrections::assess(std::span<const Standing> standings,
                                          std::string_view reason) {
  Correcting work(catalog_, clock_, ids_, actor_);
  KI_TRY_VOID(work.begin());
  std::uint64_t changed = 0;
  for (const Standing& standing : standings) {
    KI_TRY(const StoredRun run, work.find(standing.run_id));
    const auto column = [&](std::string_view name) {
      const json::Value* value = run.row.root.find(name);
      return value == nullptr ? std::string("null") : json::canonical(*value);
    };
    const std::pair<std::string_view, std::string> columns[] = {
        {"independentReplicationCount", std::to_string(standing.independent_replications)},
        {"reproducedByKernelindex", standing.is_reproduced_here ? "true" : "false"}};
    KI_TRY_VOID(work.update_attestation(standing.attestation_key, standing.assessment));
    if (std::ranges::all_of(columns,
                            [&](const auto& one) { return column(one.first) == one.second; }))
      continue;
    std::string prior = "{";
    for (const auto& [name, value] : columns)
      prior += fmt::format("{}\"{}\":{}", prior.size() > 1 ? "," : "", name, column(name));
    KI_TRY_VOID(work.update(run, columns));
    KI_TRY_VOID(work.audit("assess_run", run, reason, prior + "}"));
    ++changed;
  }
  KI_TRY_VOID(work.finish(reason));
  return changed;
}

}  // namespace ki::publish
