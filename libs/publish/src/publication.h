// Publication: one publication transaction, what kernel and serving bundles share.
#pragma once

#include "compose_rows.h"
#include "ki/catalog/live.h"
#include "ki/publish/publisher.h"
#include "prepared.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ki::publish {

class Publication {
 public:
  Publication(catalog::LiveCatalog& catalog, const Clock& clock, UuidSource& ids,
              std::string_view actor, const PublishOptions& options)
      : catalog_(catalog),
        ids_(ids),
        actor_(actor),
        options_(options),
        now_(clock.now()),
        preparer_(options.profile, issues_) {}
  virtual ~Publication() = default;

  // `is_kept` false checks everything and stores nothing.
  Result<PublishReport> run(bool is_kept);

 protected:
  // Validates the bundle without looking at the catalog; problems become issues.
  virtual void prepare() = 0;
  // Appends the rows; problems become issues.
  virtual Result<void> store() = 0;

  // Entities that the bundle brings: digest (or slug) to id.
  struct Placed {
    Uuid id;
    bool is_new = false;
  };
  EntityCount& count(std::string_view entity);
  void place(std::string_view entity, bool is_new) {
    ++(is_new ? count(entity).inserted : count(entity).existing);
  }
  Uuid next_id() { return ids_.next(now_); }
  const catalog::Snapshot& before() const { return *before_; }
  void refuse(std::string code, const std::string& pointer, std::string message,
              std::string fix = {}) {
    preparer_.refuse(std::move(code), pointer, std::move(message), std::move(fix));
  }

  Result<void> append(catalog::Table table, std::string_view key, std::uint32_t version,
                      const std::optional<Digest>& digest, std::string body);
  Result<void> append_new(catalog::Table table, const Uuid& id, const std::optional<Digest>& digest,
                          std::string body) {
    return append(table, id.to_string(), 0, digest, std::move(body));
  }
  Result<void> audit(std::string_view action, std::string_view kind, std::string_view target,
                     std::optional<std::string_view> reason, std::string_view prior_state);
  // A new version of a stored row with some columns set.
  Result<void> update(catalog::Table table, std::string_view key,
                      std::span<const std::pair<std::string_view, std::string>> columns);
  Result<void> link(std::string_view entity_kind, const Uuid& entity,
                    const std::optional<std::string>& external_id);

  // The steps that both kinds of bundle begin with.
  void prepare_source(const BundleSource& source);
  void prepare_projects(const std::vector<BundleProject>& projects);
  Result<void> store_source(const BundleSource& source,
                            const std::vector<BundleSnapshot>& snapshots);
  Result<void> store_projects(const std::vector<BundleProject>& projects);
  bool check_slug(std::string_view slug, const std::string& pointer);

  catalog::LiveCatalog& catalog_;
  UuidSource& ids_;
  std::string_view actor_;
  const PublishOptions& options_;
  Instant now_;
  std::vector<Issue> issues_;
  Preparer preparer_;
  std::unique_ptr<catalog::Transaction> tx_;
  std::shared_ptr<const catalog::Snapshot> before_;
  PublishReport report_;
  std::vector<catalog::OwnedEntry> entries_;
  bool has_run_changes_ = false;

  Uuid source_;
  std::vector<std::optional<Prepared>> prepared_projects_;
  std::map<std::string, Uuid, std::less<>> projects_;  // of the bundle, by slug
};

}  // namespace ki::publish
