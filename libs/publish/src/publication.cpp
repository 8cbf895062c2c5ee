#include "publication.h"

#include "ki/base/text.h"
#include "ki/catalog/builder.h"
#include "ki/json/canonical.h"
#include "ki/manifest/scalar.h"
#include "ki/publish/commit_time.h"
#include "ki/publish/leader_sync.h"
#include "ki/publish/row_codec.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::publish {

using catalog::kNone;
using catalog::OwnedEntry;
using catalog::Table;

Result<PublishReport> Publication::run(bool is_kept) {
  prepare();
  if (issues_.empty()) {
    KI_TRY(tx_, catalog_.store().begin());
    // The lock is held: what is committed now is what this publication builds on.
    KI_TRY_VOID(catalog_.refresh());
    before_ = catalog_.current();
    KI_TRY(now_, commit_time(catalog_.store(), now_));
    KI_TRY_VOID(store());
  }
  if (!issues_.empty()) {
    const bool is_conflict =
        std::ranges::all_of(issues_, [](const Issue& issue) { return issue.code == "slug_taken"; });
    std::string message =
        issues_.size() == 1
            ? std::string("the bundle has a problem; nothing was stored")
            : fmt::format("the bundle has {} problems; nothing was stored", issues_.size());
    return fail(Error(is_conflict ? Code::kConflict : Code::kInvalidArgument, std::move(message),
                      std::move(issues_)));
  }
  report_.source_id = source_.to_string();
  if (entries_.empty()) return std::move(report_);
  if (has_run_changes_ && options_.publish) {
    catalog::SnapshotBuilder builder(*before_);
    for (const OwnedEntry& e : entries_) {
      KI_TRY_VOID(builder.apply({e.seq, e.table, e.key, e.version, e.digest, e.body}));
    }
    const auto after = std::move(builder).finish(tx_->head());
    KI_TRY(const LeaderSync synced, sync_leaders(*tx_, *before_, *after, now_, ids_));
    report_.leader_changes = synced.leader_changes;
  }
  std::string summary;
  for (const auto& [entity, counts] : report_.counts) {
    if (counts.inserted == 0) continue;
    if (!summary.empty()) summary += ", ";
    summary += fmt::format("{} {}", counts.inserted, entity);
  }
  KI_TRY_VOID(audit(options_.publish ? "publish" : "store_unpublished", "source", report_.source_id,
                    summary.empty() ? std::optional<std::string_view>()
                                    : std::optional<std::string_view>(summary),
                    {}));
  if (!is_kept) return std::move(report_);
  KI_TRY(report_.commit, tx_->commit(now_, options_.reason));
  tx_.reset();
  KI_TRY_VOID(catalog_.refresh());
  return std::move(report_);
}

EntityCount& Publication::count(std::string_view entity) {
  for (auto& [name, counts] : report_.counts) {
    if (name == entity) return counts;
  }
  return report_.counts.emplace_back(std::string(entity), EntityCount{}).second;
}

Result<void> Publication::append(Table table, std::string_view key, std::uint32_t version,
                                 const std::optional<Digest>& digest, std::string body) {
  KI_TRY(const catalog::Seq seq, tx_->append(table, key, version, digest, body));
  entries_.push_back({seq, table, std::string(key), version, digest, std::move(body)});
  return {};
}

Result<void> Publication::audit(std::string_view action, std::string_view kind,
                                std::string_view target, std::optional<std::string_view> reason,
                                std::string_view prior_state) {
  const Uuid id = next_id();
  return append_new(Table::kAuditEvents, id, std::nullopt,
                    audit_event_row(id, actor_, action, kind, target, reason, prior_state, now_));
}

Result<void> Publication::update(
    Table table, std::string_view key,
    std::span<const std::pair<std::string_view, std::string>> columns) {
  KI_TRY(const auto stored, tx_->find(table, key));
  KI_CHECK(stored.has_value());
  KI_TRY(const json::Document row,
         json::read_document(stored->body, json::Limits{.max_bytes = std::size_t{64} << 20}));
  return append(table, key, stored->version + 1, stored->digest, with_columns(row.root, columns));
}

Result<void> Publication::link(std::string_view entity_kind, const Uuid& entity,
                               const std::optional<std::string>& external_id) {
  if (!external_id) return {};
  const std::string key = fmt::format("{} {} {}", source_.to_string(), entity_kind, *external_id);
  KI_TRY(const auto known, tx_->find(Table::kSourceLinks, key));
  place("source_links", !known);
  if (known) return {};
  return append(Table::kSourceLinks, key, 0, std::nullopt,
                source_link_row(next_id(), source_, entity_kind, entity, *external_id, now_));
}

bool Publication::check_slug(std::string_view slug, const std::string& pointer) {
  if (manifest::is_slug(slug)) return true;
  refuse(
      "bad_slug", pointer + "/slug",
      fmt::format("slug {} is not lower-case letters, digits and '-' (at most 100)", quote(slug)));
  return false;
}

void Publication::prepare_source(const BundleSource& source) {
  check_slug(source.slug, "/source");
  if (source.kind.empty()) refuse("missing_member", "/source/kind", "the source has no kind");
  if (source.name.empty()) refuse("missing_member", "/source/name", "the source has no name");
  if (!source.policy) return;
  json::Reader reader;
  const auto policy = reader.read(*source.policy);
  if (!policy || !policy->is_object()) {
    refuse("wrong_type", "/source/policy", "the source's policy is not a JSON object");
  }
}

void Publication::prepare_projects(const std::vector<BundleProject>& projects) {
  for (std::size_t i = 0; i < projects.size(); ++i) {
    const std::string pointer = fmt::format("/projects/{}", i);
    check_slug(projects[i].slug, pointer);
    prepared_projects_.push_back(preparer_.prepare(projects[i].manifest, pointer + "/manifest",
                                                   {manifest::ManifestKind::kSoftwareProject}));
  }
}

Result<void> Publication::store_source(const BundleSource& source,
                                       const std::vector<BundleSnapshot>& snapshots) {
  std::optional<std::string> policy;
  if (source.policy) {
    KI_TRY(const json::Document document, json::read_document(*source.policy));
    policy = json::canonical(document.root);
  }
  const auto known = std::ranges::find_if(before().sources(), [&](const catalog::SourceRow& row) {
    return before().text(row.slug) == source.slug;
  });
  const bool is_new = known == before().sources().end();
  place("sources", is_new);
  if (is_new) {
    source_ = next_id();
    BundleSource canonical = source;
    canonical.policy = policy;
    KI_TRY_VOID(
        append_new(Table::kSources, source_, std::nullopt, source_row(source_, canonical, now_)));
  } else {
    source_ = Uuid{known->id};
    if (policy) {
      KI_TRY(const auto stored, tx_->find(Table::kSources, source_.to_string()));
      KI_CHECK(stored.has_value());
      KI_TRY(const json::Document row, json::read_document(stored->body));
      const json::Value* old = row.root.find("policy");
      const std::string old_json = old == nullptr ? "null" : json::canonical(*old);
      if (old_json != *policy) {
        const std::pair<std::string_view, std::string> columns[] = {{"policy", *policy}};
        KI_TRY_VOID(update(Table::kSources, source_.to_string(), columns));
        KI_TRY_VOID(audit("update_source_policy", "source", source_.to_string(), std::nullopt,
                          fmt::format("{{\"policy\":{}}}", old_json)));
        report_.updates.push_back(fmt::format("policy of source {}", source.slug));
      }
    }
  }
  if (snapshots.empty()) return {};
  std::unordered_map<std::string, bool> stored;  // "<digest> <locator>" of this source
  KI_TRY_VOID(catalog_.store().read_table(
      Table::kSourceSnapshots, before().seq(),
      [&](const catalog::Entry& entry) -> Result<catalog::Step> {
        KI_TRY(const json::Document row,
               json::read_document(entry.body, json::Limits{.max_bytes = std::size_t{64} << 20}));
        if (row.root.find("sourceId")->string() == source_.to_string()) {
          stored.emplace(fmt::format("{} {}", row.root.find("contentDigest")->string(),
                                     row.root.find("locator")->string()),
                         true);
        }
        return catalog::Step::kGoOn;
      }));
  for (const BundleSnapshot& snapshot : snapshots) {
    const bool is_stored =
        !stored
             .emplace(fmt::format("{} {}", snapshot.content_digest.to_string(), snapshot.locator),
                      true)
             .second;
    place("source_snapshots", !is_stored);
    if (is_stored) continue;
    const Uuid id = next_id();
    KI_TRY_VOID(
        append_new(Table::kSourceSnapshots, id, std::nullopt, snapshot_row(id, source_, snapshot)));
  }
  return {};
}

Result<void> Publication::store_projects(const std::vector<BundleProject>& projects) {
  for (std::size_t i = 0; i < projects.size(); ++i) {
    const BundleProject& project = projects[i];
    if (projects_.contains(project.slug)) {
      place("projects", false);
      continue;
    }
    const catalog::Index known = before().find_project(project.slug);
    place("projects", known == kNone);
    const Uuid id = known == kNone ? next_id() : Uuid{before().columns().projects[known].id};
    projects_.emplace(project.slug, id);
    if (known == kNone) {
      KI_TRY_VOID(append_new(Table::kProjects, id, std::nullopt,
                             project_row(id, project.slug, *prepared_projects_[i], now_)));
    }
    KI_TRY_VOID(link("project", id, project.external_id));
  }
  return {};
}

}  // namespace ki::publish
