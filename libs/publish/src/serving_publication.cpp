// Publication of a serving bundle (spec 03.3, last paragraph): as for kernels, but every digest
// that a run names must be inside the bundle.

#include "ki/base/text.h"
#include "ki/json/reader.h"
#include "ki/manifest/derived.h"
#include "publication.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::publish {
namespace {

using catalog::Table;
using manifest::ManifestKind;

class ServingPublication final : public Publication {
 public:
  ServingPublication(const ServingBundle& bundle, catalog::LiveCatalog& catalog, const Clock& clock,
                     UuidSource& ids, std::string_view actor, const PublishOptions& options)
      : Publication(catalog, clock, ids, actor, options), bundle_(bundle) {}

 private:
  struct Entity {
    Uuid id;
    const Prepared* prepared = nullptr;
  };
  using Entities = std::map<std::string, Entity, std::less<>>;  // by digest text

  template <class Item>
  void prepare_list(const std::vector<Item>& items, std::string_view list, ManifestKind kind,
                    std::vector<std::optional<Prepared>>& prepared) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string pointer = fmt::format("/{}/{}", list, i);
      if constexpr (requires { items[i].slug; }) check_slug(items[i].slug, pointer);
      prepared.push_back(preparer_.prepare(items[i].manifest, pointer + "/manifest", {kind}));
    }
  }

  void prepare() override {
    prepare_source(bundle_.source);
    prepare_projects(bundle_.projects);
    prepare_list(bundle_.models, "models", ManifestKind::kModelRevision, models_);
    prepare_list(bundle_.stacks, "stacks", ManifestKind::kServingStackRevision, stacks_);
    prepare_list(bundle_.configurations, "configurations", ManifestKind::kServingConfiguration,
                 configurations_);
    prepare_list(bundle_.workloads, "workloads", ManifestKind::kServingWorkload, workloads_);
    prepare_list(bundle_.runs, "runs", ManifestKind::kServingRun, runs_);
    for (std::size_t i = 0; i < bundle_.stacks.size(); ++i) {
      if (std::ranges::find(bundle_.projects, bundle_.stacks[i].project_slug,
                            &BundleProject::slug) == bundle_.projects.end()) {
        refuse(
            "dangling_reference", fmt::format("/stacks/{}/projectSlug", i),
            fmt::format("project {} is not in the bundle", quote(bundle_.stacks[i].project_slug)));
      }
    }
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (!runs_[i]) continue;
      const auto columns = manifest::derive_serving_run(runs_[i]->spec());
      if (columns.status == "valid" && options_.publish && columns.measurements.empty()) {
        refuse("missing_measurement", fmt::format("/runs/{}/manifest/spec/measurements", i),
               "a valid serving run without measurements cannot be published");
      }
    }
  }

  // One entity table: existing by digest, new ones made by `compose`.
  template <class Compose>
  Result<void> store_list(std::vector<std::optional<Prepared>>& prepared, Table table,
                          Entities& placed, Compose&& compose) {
    const std::string_view name = catalog::info(table).name;
    for (std::size_t i = 0; i < prepared.size(); ++i) {
      const Prepared& item = *prepared[i];
      const std::string digest = item.digest.to_string();
      if (placed.contains(digest)) {
        place(name, false);
        continue;
      }
      KI_TRY(const auto known, tx_->find_digest(table, item.digest));
      if (known) {
        place(name, false);
        placed.emplace(digest, Entity{*Uuid::parse(known->key), &item});
        continue;
      }
      const Uuid id = next_id();
      const std::optional<std::string> body = compose(i, id, item);
      if (!body) continue;  // refused
      place(name, true);
      placed.emplace(digest, Entity{id, &item});
      KI_TRY_VOID(append_new(table, id, item.digest, *body));
    }
    return {};
  }

  const Entity* in_bundle(const Entities& placed, std::string_view digest,
                          const std::string& pointer) {
    const auto found = placed.find(digest);
    if (found != placed.end()) return &found->second;
    refuse("dangling_reference", pointer, fmt::format("{} is not in the bundle", quote(digest)));
    return nullptr;
  }

  Result<void> store() override {
    KI_TRY_VOID(store_source(bundle_.source, bundle_.snapshots));
    KI_TRY_VOID(store_projects(bundle_.projects));
    KI_TRY_VOID(store_list(models_, Table::kModelRevisions, placed_models_,
                           [&](std::size_t i, const Uuid& id, const Prepared& item) {
                             return std::optional(
                                 model_row(id, bundle_.models[i].slug, item, now_));
                           }));
    KI_TRY_VOID(store_list(stacks_, Table::kServingStackRevisions, placed_stacks_,
                           [&](std::size_t i, const Uuid& id, const Prepared& item) {
                             return std::optional(stack_row(
                                 id, projects_.find(bundle_.stacks[i].project_slug)->second,
                                 bundle_.stacks[i].slug, item, now_));
                           }));
    KI_TRY_VOID(store_list(
        configurations_, Table::kServingConfigurations, placed_configurations_,
        [&](std::size_t i, const Uuid& id, const Prepared& item) -> std::optional<std::string> {
          const Entity* stack =
              in_bundle(placed_stacks_, manifest::derive_configuration(item.spec()).stack_digest,
                        fmt::format("/configurations/{}/manifest/spec/stackDigest", i));
          if (stack == nullptr) return std::nullopt;
          return configuration_row(id, stack->id, bundle_.configurations[i].summary, item, now_);
        }));
    KI_TRY_VOID(store_list(workloads_, Table::kServingWorkloads, placed_workloads_,
                           [&](std::size_t i, const Uuid& id, const Prepared& item) {
                             return std::optional(
                                 serving_workload_row(id, bundle_.workloads[i].slug,
                                                      bundle_.workloads[i].name, item, now_));
                           }));
    KI_TRY_VOID(store_list(
        runs_, Table::kServingRuns, placed_runs_,
        [&](std::size_t i, const Uuid& id, const Prepared& item) { return run_row(i, id, item); }));
    for (std::size_t i = 0; i < runs_.size() && issues_.empty(); ++i) {
      const Uuid id = placed_runs_.find(runs_[i]->digest.to_string())->second.id;
      report_.run_ids.push_back(id.to_string());
      if (options_.publish) KI_TRY_VOID(publish_stored(id));
      KI_TRY_VOID(link("serving_run", id, bundle_.runs[i].external_id));
    }
    return {};
  }

  // A run that was stored unpublished before.
  Result<void> publish_stored(const Uuid& id) {
    KI_TRY(const auto stored, tx_->find(Table::kServingRuns, id.to_string()));
    KI_CHECK(stored.has_value());
    KI_TRY(const json::Document row,
           json::read_document(stored->body, json::Limits{.max_bytes = std::size_t{64} << 20}));
    const json::Value* published = row.root.find("publishedAt");
    if (published != nullptr && published->is_string()) return {};
    const std::pair<std::string_view, std::string> columns[] = {
        {"publishedAt", fmt::format("\"{}\"", now_.to_string())}};
    KI_TRY_VOID(update(Table::kServingRuns, id.to_string(), columns));
    ++report_.runs_published;
    return audit("publish_run", "serving_run", id.to_string(), std::nullopt,
                 "{\"publishedAt\":null}");
  }

  std::optional<std::string> run_row(std::size_t i, const Uuid& id, const Prepared& item) {
    const auto columns = manifest::derive_serving_run(item.spec());
    const std::string pointer = fmt::format("/runs/{}/manifest/spec", i);
    const Entity* model = in_bundle(placed_models_, columns.model_digest, pointer + "/modelDigest");
    const Entity* configuration = in_bundle(placed_configurations_, columns.configuration_digest,
                                            pointer + "/configurationDigest");
    const Entity* workload =
        in_bundle(placed_workloads_, columns.workload_digest, pointer + "/workloadDigest");
    if (model == nullptr || configuration == nullptr || workload == nullptr) return std::nullopt;
    if (options_.publish) ++report_.runs_published;
    return serving_run_row(id, model->id, configuration->id, workload->id, source_, item,
                           model->prepared->spec(), workload->prepared->spec(),
                           options_.publish ? std::optional(now_) : std::nullopt, now_);
  }

  const ServingBundle& bundle_;
  std::vector<std::optional<Prepared>> models_, stacks_, configurations_, workloads_, runs_;
  Entities placed_models_, placed_stacks_, placed_configurations_, placed_workloads_, placed_runs_;
};

}  // namespace

Result<PublishReport> Publisher::publish(const ServingBundle& bundle,
                                         const PublishOptions& options) {
  return ServingPublication(bundle, catalog_, clock_, ids_, actor_, options).run(true);
}

Result<PublishReport> Publisher::check(const ServingBundle& bundle, const PublishOptions& options) {
  return ServingPublication(bundle, catalog_, clock_, ids_, actor_, options).run(false);
}

}  // namespace ki::publish
