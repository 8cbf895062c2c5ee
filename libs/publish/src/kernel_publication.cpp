// Publication of a kernel bundle (spec 03.3).

#include "ki/base/text.h"
#include "ki/json/writer.h"
#include "ki/manifest/derived.h"
#include "ki/publish/row_codec.h"
#include "publication.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::publish {
namespace {

using catalog::Index;
using catalog::kNone;
using catalog::Table;
using manifest::ManifestKind;

std::string_view text_of(const json::Value& spec, std::string_view member) {
  const json::Value* v = spec.find(member);
  return v != nullptr && v->is_string() ? v->string() : std::string_view();
}

class KernelPublication final : public Publication {
 public:
  KernelPublication(const Bundle& bundle, catalog::LiveCatalog& catalog, const Clock& clock,
                    UuidSource& ids, std::string_view actor, const PublishOptions& options)
      : Publication(catalog, clock, ids, actor, options), bundle_(bundle) {}

 private:
  struct PreparedRun {
    std::optional<Prepared> run, protocol, environment;
  };
  // An operation that something refers to.
  struct Operation {
    Uuid id;
    const json::Value* spec = nullptr;
  };
  struct Workload {
    Uuid id;
    Digest operation = Digest::of({});
  };
  struct Implementation {
    Uuid id;
    Digest operation = Digest::of({});
    FrozenColumns frozen;
  };

  void prepare() override {
    prepare_source(bundle_.source);
    prepare_projects(bundle_.projects);
    for (std::size_t i = 0; i < bundle_.operations.size(); ++i) {
      const std::string pointer = fmt::format("/operations/{}", i);
      check_slug(bundle_.operations[i].slug, pointer);
      prepared_operations_.push_back(preparer_.prepare(
          bundle_.operations[i].manifest, pointer + "/manifest", {ManifestKind::kOperationSpec}));
    }
    for (std::size_t i = 0; i < bundle_.workloads.size(); ++i) {
      prepared_workloads_.push_back(
          preparer_.prepare(bundle_.workloads[i].manifest, fmt::format("/workloads/{}/manifest", i),
                            {ManifestKind::kWorkloadCase, ManifestKind::kWorkloadSuite}));
    }
    for (std::size_t i = 0; i < bundle_.implementations.size(); ++i) {
      const BundleImplementation& implementation = bundle_.implementations[i];
      const std::string pointer = fmt::format("/implementations/{}", i);
      check_slug(implementation.slug, pointer);
      if (std::ranges::find(bundle_.projects, implementation.project_slug, &BundleProject::slug) ==
          bundle_.projects.end()) {
        refuse("dangling_reference", pointer + "/projectSlug",
               fmt::format("project {} is not in the bundle", quote(implementation.project_slug)));
      }
      prepared_implementations_.push_back(preparer_.prepare(
          implementation.manifest, pointer + "/manifest", {ManifestKind::kImplementationRevision}));
      check_artifacts(implementation.artifacts, pointer);
    }
    for (std::size_t i = 0; i < bundle_.runs.size(); ++i) prepare_run(i);
  }

  void prepare_run(std::size_t i) {
    const BundleRun& run = bundle_.runs[i];
    const std::string pointer = fmt::format("/runs/{}", i);
    PreparedRun prepared{
        preparer_.prepare(run.manifest, pointer + "/manifest", {ManifestKind::kBenchmarkRun}),
        preparer_.prepare(run.protocol, pointer + "/protocol", {ManifestKind::kBenchmarkProtocol}),
        preparer_.prepare(run.environment, pointer + "/environment",
                          {ManifestKind::kExecutionEnvironment})};
    check_artifacts(run.artifacts, pointer);
    if (prepared.run && prepared.protocol && prepared.environment) {
      const json::Value& spec = prepared.run->spec();
      const auto must_be = [&](std::string_view member, const Prepared& named) {
        if (text_of(spec, member) == named.digest.to_string()) return;
        refuse("wrong_reference", fmt::format("{}/manifest/spec/{}", pointer, member),
               fmt::format("the run names {}, but the manifest beside it hashes to {}",
                           quote(text_of(spec, member)), named.digest.to_string()));
      };
      must_be("protocolDigest", *prepared.protocol);
      must_be("environmentDigest", *prepared.environment);
      const auto primary = manifest::primary_measurement(spec);
      if (!primary && options_.publish && text_of(spec, "status") == "passed") {
        refuse("missing_primary", pointer + "/manifest/spec",
               "a passed run without a primary measurement cannot be published",
               "state timing or at least one measurement");
      }
      if (primary && !(primary->value >= 0)) {
        refuse("out_of_range", pointer + "/manifest/spec", "the primary value is below 0");
      }
    }
    prepared_runs_.push_back(std::move(prepared));
  }

  void check_artifacts(const std::vector<BundleArtifact>& artifacts, const std::string& pointer) {
    for (std::size_t i = 0; i < artifacts.size(); ++i) {
      const BundleArtifact& artifact = artifacts[i];
      const std::string at = fmt::format("{}/artifacts/{}", pointer, i);
      if (artifact.storage != "upstream" && artifact.storage != "inline" &&
          artifact.storage != "object") {
        refuse("unknown_choice", at + "/storage", "storage is not upstream, inline or object");
      }
      if (artifact.content && Digest::of(*artifact.content) != artifact.content_digest) {
        refuse("wrong_digest", at + "/contentDigest", "the content has another digest");
      }
    }
  }

  Result<void> store() override {
    KI_TRY_VOID(store_source(bundle_.source, bundle_.snapshots));
    KI_TRY_VOID(store_projects(bundle_.projects));
    KI_TRY_VOID(store_operations());
    KI_TRY_VOID(store_workloads());
    KI_TRY_VOID(store_implementations());
    return store_runs();
  }

  // ---- operations

  Result<void> store_operations() {
    std::map<std::string_view, Digest> slugs;
    for (std::size_t i = 0; i < bundle_.operations.size(); ++i) {
      const BundleOperation& operation = bundle_.operations[i];
      const Prepared& prepared = *prepared_operations_[i];
      const std::string pointer = fmt::format("/operations/{}", i);
      if (const auto [at, is_first] = slugs.try_emplace(operation.slug, prepared.digest);
          !is_first && at->second != prepared.digest) {
        refuse("slug_taken", pointer + "/slug",
               fmt::format("two operations of the bundle have the slug {}", quote(operation.slug)));
        continue;
      }
      Uuid id;
      const Index known = before().find_operation(prepared.digest);
      const auto earlier = operations_.find(prepared.digest);
      if (earlier != operations_.end()) {
        place("operations", false);
        id = earlier->second.id;
      } else if (known != kNone) {
        place("operations", false);
        id = Uuid{before().operations()[known].id};
        operations_.emplace(prepared.digest, Operation{id, &prepared.spec()});
        KI_TRY_VOID(update_tags(known, operation));
      } else {
        if (const Index taken = before().find_operation(operation.slug); taken != kNone) {
          refuse(
              "slug_taken", pointer + "/slug",
              fmt::format(
                  "slug {} already names the operation {}; a slug never changes its meaning",
                  quote(operation.slug), Digest(before().operations()[taken].digest).to_string()),
              "choose another slug, or state that the new operation supersedes the old one");
          continue;
        }
        place("operations", true);
        id = next_id();
        operations_.emplace(prepared.digest, Operation{id, &prepared.spec()});
        KI_TRY_VOID(append_new(Table::kOperations, id, prepared.digest,
                               operation_row(id, operation.slug, operation.tags, prepared, now_)));
      }
      for (const std::string& alias : operation.aliases)
        KI_TRY_VOID(store_alias(id, ascii_lower(alias)));
      KI_TRY_VOID(link("operation", id, operation.external_id));
    }
    return {};
  }

  Result<void> store_alias(const Uuid& operation, const std::string& alias) {
    const std::string key = fmt::format("{} {}", operation.to_string(), alias);
    KI_TRY(const auto known, tx_->find(Table::kOperationAliases, key));
    place("operation_aliases", !known);
    if (known) return {};
    return append(Table::kOperationAliases, key, 0, std::nullopt, alias_row(operation, alias));
  }

  Result<void> update_tags(Index known, const BundleOperation& operation) {
    std::vector<std::string> stored;
    for (const catalog::NameId tag : before().tags(before().operations()[known])) {
      stored.emplace_back(before().name(tag));
    }
    if (operation.tags.empty() || operation.tags == stored) return {};
    const auto as_json = [](const std::vector<std::string>& tags) {
      std::string out;
      json::Writer w(out);
      w.begin_array();
      for (const std::string& tag : tags) w.value(tag);
      w.end_array();
      return out;
    };
    const std::string key = Uuid{before().operations()[known].id}.to_string();
    const std::pair<std::string_view, std::string> columns[] = {{"tags", as_json(operation.tags)}};
    KI_TRY_VOID(update(Table::kOperations, key, columns));
    report_.updates.push_back(fmt::format("tags of operation {}", operation.slug));
    return audit("update_operation_tags", "operation", key, std::nullopt,
                 fmt::format("{{\"tags\":{}}}", as_json(stored)));
  }

  // The operation of that digest, in the bundle or the catalog.
  Result<const Operation*> find_operation(std::string_view digest_text) {
    const auto digest = Digest::parse(digest_text);
    if (!digest) return nullptr;
    if (const auto found = operations_.find(*digest); found != operations_.end())
      return &found->second;
    const Index known = before().find_operation(*digest);
    if (known == kNone) return nullptr;
    const Uuid id{before().operations()[known].id};
    KI_TRY(const auto stored, tx_->find(Table::kOperations, id.to_string()));
    KI_CHECK(stored.has_value());
    KI_TRY(json::Document row,
           json::read_document(stored->body, json::Limits{.max_bytes = std::size_t{64} << 20}));
    stored_operations_.push_back(std::move(row));
    const json::Value* spec = stored_operations_.back().root.find("manifest")->find("spec");
    return &operations_.emplace(*digest, Operation{id, spec}).first->second;
  }

  // ---- workloads

  Result<void> store_workloads() {
    for (std::size_t i = 0; i < bundle_.workloads.size(); ++i) {
      const Prepared& prepared = *prepared_workloads_[i];
      const std::string_view operation_digest = text_of(prepared.spec(), "operationSpecDigest");
      Uuid id;
      if (const auto earlier = workloads_.find(prepared.digest); earlier != workloads_.end()) {
        place("workloads", false);
        id = earlier->second.id;
      } else if (const Index known = before().find_workload(prepared.digest); known != kNone) {
        place("workloads", false);
        id = Uuid{before().workloads()[known].id};
        workloads_.emplace(prepared.digest, workload_of(known));
      } else {
        KI_TRY(const Operation* operation, find_operation(operation_digest));
        if (operation == nullptr) {
          refuse("dangling_reference",
                 fmt::format("/workloads/{}/manifest/spec/operationSpecDigest", i),
                 fmt::format("operation {} is neither in the bundle nor in the catalog",
                             quote(operation_digest)));
          continue;
        }
        place("workloads", true);
        id = next_id();
        workloads_.emplace(prepared.digest, Workload{id, *Digest::parse(operation_digest)});
        KI_TRY_VOID(append_new(Table::kWorkloads, id, prepared.digest,
                               workload_row(id, operation->id, *operation->spec, prepared, now_)));
      }
      KI_TRY_VOID(link("workload", id, bundle_.workloads[i].external_id));
    }
    return {};
  }

  Workload workload_of(Index known) const {
    const catalog::WorkloadRow& row = before().workloads()[known];
    return {Uuid{row.id}, Digest(before().operations()[row.operation].digest)};
  }
  Implementation implementation_of(Index known) const {
    const catalog::ImplementationRow& row = before().implementations()[known];
    FrozenColumns frozen{row.source_available != 0, row.installable != 0, std::nullopt};
    if (row.license_concluded != 0) frozen.license = before().name(row.license_concluded);
    return {Uuid{row.id}, Digest(before().operations()[row.operation].digest), std::move(frozen)};
  }

  // ---- implementations

  Result<void> store_implementations() {
    for (std::size_t i = 0; i < bundle_.implementations.size(); ++i) {
      const BundleImplementation& implementation = bundle_.implementations[i];
      const Prepared& prepared = *prepared_implementations_[i];
      const json::Value metadata = prepared.metadata();
      const std::string_view operation_digest =
          manifest::derive_implementation(prepared.spec(), metadata).operation_digest;
      Uuid id;
      if (const auto earlier = implementations_.find(prepared.digest);
          earlier != implementations_.end()) {
        place("implementations", false);
        id = earlier->second.id;
      } else if (const Index known = before().find_implementation(prepared.digest);
                 known != kNone) {
        place("implementations", false);
        id = Uuid{before().implementations()[known].id};
        implementations_.emplace(prepared.digest, implementation_of(known));
      } else {
        KI_TRY(const Operation* operation, find_operation(operation_digest));
        if (operation == nullptr) {
          refuse("dangling_reference",
                 fmt::format("/implementations/{}/manifest/spec/operation/specDigest", i),
                 fmt::format("operation {} is neither in the bundle nor in the catalog",
                             quote(operation_digest)));
          continue;
        }
        place("implementations", true);
        id = next_id();
        implementations_.emplace(
            prepared.digest,
            Implementation{id, *Digest::parse(operation_digest), frozen_columns(prepared)});
        KI_TRY_VOID(
            append_new(Table::kImplementations, id, prepared.digest,
                       implementation_row(id, projects_.find(implementation.project_slug)->second,
                                          operation->id, implementation.slug, prepared, now_)));
      }
      for (const BundleArtifact& artifact : implementation.artifacts)
        KI_TRY_VOID(store_artifact(artifact));
      KI_TRY_VOID(link("implementation", id, implementation.external_id));
    }
    return {};
  }

  Result<Uuid> store_artifact(const BundleArtifact& artifact) {
    KI_TRY(const auto known, tx_->find_digest(Table::kArtifacts, artifact.content_digest));
    place("artifacts", !known);
    if (known) return *Uuid::parse(known->key);
    const Uuid id = next_id();
    KI_TRY_VOID(append_new(Table::kArtifacts, id, artifact.content_digest,
                           artifact_row(id, artifact, now_)));
    return id;
  }

  // ---- runs

  Result<Digest> store_document(const Prepared& prepared) {
    const Digest document = Digest::of(prepared.canonical);
    KI_TRY(const auto known, tx_->find_digest(Table::kDocuments, document));
    place("documents", !known);
    if (known) return document;
    std::string body;
    append_document_row(body, document, prepared.digest, prepared.canonical);
    KI_TRY_VOID(append(Table::kDocuments, document.to_string(), 0, document, std::move(body)));
    return document;
  }

  Result<void> store_runs() {
    std::unordered_map<Digest, Uuid> earlier;
    for (std::size_t i = 0; i < bundle_.runs.size(); ++i) {
      const Prepared& run = *prepared_runs_[i].run;
      Uuid id;
      if (const auto known = earlier.find(run.digest); known != earlier.end()) {
        place("benchmark_runs", false);
        report_.run_ids.push_back(known->second.to_string());
        continue;
      }
      if (const Index known = before().find_run(run.digest); known != kNone) {
        place("benchmark_runs", false);
        id = Uuid{before().runs()[known].id};
        if (options_.publish &&
            (before().runs()[known].flags & catalog::run_flags::kPublished) == 0) {
          KI_TRY_VOID(publish_stored(id));
        }
      } else {
        KI_TRY(const auto stored, store_run(i));
        if (!stored) continue;
        id = *stored;
        KI_TRY_VOID(store_statements(i, id));
      }
      earlier.emplace(run.digest, id);
      report_.run_ids.push_back(id.to_string());
      for (const BundleArtifact& artifact : bundle_.runs[i].artifacts) {
        KI_TRY(const Uuid artifact_id, store_artifact(artifact));
        const std::string key =
            fmt::format("{} {} {}", id.to_string(), artifact_id.to_string(), artifact.role);
        KI_TRY(const auto linked, tx_->find(Table::kRunArtifacts, key));
        place("run_artifacts", !linked);
        if (!linked) {
          KI_TRY_VOID(append(Table::kRunArtifacts, key, 0, std::nullopt,
                             run_artifact_row(id, artifact_id, artifact.role)));
        }
      }
      KI_TRY_VOID(link("run", id, bundle_.runs[i].external_id));
    }
    return {};
  }

  Result<void> store_statements(std::size_t i, const Uuid& run) {
    for (const BundleStatement& statement : bundle_.runs[i].statements) {
      place("attestations", true);
      const Uuid id = next_id();
      KI_TRY_VOID(append(Table::kAttestations,
                         fmt::format("{} {}", run.to_string(), id.to_string()), 0, std::nullopt,
                         attestation_row(id, run, prepared_runs_[i].run->digest, statement, now_)));
    }
    return {};
  }

  // A run that was stored unpublished before.
  Result<void> publish_stored(const Uuid& id) {
    const std::pair<std::string_view, std::string> columns[] = {
        {"publishedAt", fmt::format("\"{}\"", now_.to_string())}};
    KI_TRY_VOID(update(Table::kBenchmarkRuns, id.to_string(), columns));
    ++report_.runs_published;
    has_run_changes_ = true;
    return audit("publish_run", "run", id.to_string(), std::nullopt, "{\"publishedAt\":null}");
  }

  // Nothing when the run was refused.
  Result<std::optional<Uuid>> store_run(std::size_t i) {
    const PreparedRun& prepared = prepared_runs_[i];
    const json::Value& spec = prepared.run->spec();
    const std::string pointer = fmt::format("/runs/{}/manifest/spec", i);
    const auto named = [&](std::string_view member, auto& placed, auto find_known, auto describe) {
      const auto digest = Digest::parse(text_of(spec, member));
      using Entity = typename std::remove_reference_t<decltype(placed)>::mapped_type;
      const Entity* none = nullptr;
      if (!digest) return none;
      if (const auto found = placed.find(*digest); found != placed.end())
        return const_cast<const Entity*>(&found->second);
      const Index known = find_known(*digest);
      if (known == kNone) return none;
      return const_cast<const Entity*>(&placed.emplace(*digest, describe(known)).first->second);
    };
    const Implementation* implementation = named(
        "implementationDigest", implementations_,
        [&](const Digest& d) { return before().find_implementation(d); },
        [&](Index known) { return implementation_of(known); });
    const Workload* workload = named(
        "workloadDigest", workloads_, [&](const Digest& d) { return before().find_workload(d); },
        [&](Index known) { return workload_of(known); });
    if (implementation == nullptr) {
      refuse("dangling_reference", pointer + "/implementationDigest",
             fmt::format("implementation {} is neither in the bundle nor in the catalog",
                         quote(text_of(spec, "implementationDigest"))));
    }
    if (workload == nullptr) {
      refuse("dangling_reference", pointer + "/workloadDigest",
             fmt::format("workload {} is neither in the bundle nor in the catalog",
                         quote(text_of(spec, "workloadDigest"))));
    }
    if (implementation == nullptr || workload == nullptr) return std::nullopt;
    if (implementation->operation != workload->operation && !options_.allow_operation_mismatch) {
      refuse("operation_mismatch", pointer + "/implementationDigest",
             "OPERATION_MISMATCH: the implementation is of another operation than the workload");
      return std::nullopt;
    }
    KI_TRY(const Digest protocol, store_document(*prepared.protocol));
    KI_TRY(const Digest environment, store_document(*prepared.environment));
    place("benchmark_runs", true);
    const Uuid id = next_id();
    KI_TRY_VOID(
        append_new(Table::kBenchmarkRuns, id, prepared.run->digest,
                   stored_run_row(id, implementation->id, workload->id, source_, *prepared.run,
                                  protocol, environment, implementation->frozen,
                                  options_.publish ? std::optional(now_) : std::nullopt)));
    if (options_.publish) ++report_.runs_published;
    has_run_changes_ = true;
    return id;
  }

  const Bundle& bundle_;
  std::vector<std::optional<Prepared>> prepared_operations_, prepared_workloads_,
      prepared_implementations_;
  std::vector<PreparedRun> prepared_runs_;
  std::unordered_map<Digest, Operation> operations_;
  std::unordered_map<Digest, Workload> workloads_;
  std::unordered_map<Digest, Implementation> implementations_;
  std::vector<json::Document> stored_operations_;  // values stay where they are when this grows
};

}  // namespace

Result<PublishReport> Publisher::publish(const Bundle& bundle, const PublishOptions& options) {
  return KernelPublication(bundle, catalog_, clock_, ids_, actor_, options).run(true);
}

Result<PublishReport> Publisher::check(const Bundle& bundle, const PublishOptions& options) {
  return KernelPublication(bundle, catalog_, clock_, ids_, actor_, options).run(false);
}

}  // namespace ki::publish
