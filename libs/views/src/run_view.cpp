#include "ki/views/run_view.h"

#include "ki/base/uuid.h"
#include "ki/catalog/run_status.h"
#include "ki/display/format.h"
#include "ki/display/labels.h"
#include "ki/manifest/derived.h"
#include "ki/policy/eligibility.h"
#include "ki/policy/ranking.h"
#include "ki/resolve/describe.h"
#include "run_parts.h"
#include "stored.h"

#include <fmt/format.h>

#include <cmath>

namespace ki::views {
namespace {

using catalog::Snapshot;
namespace run_flags = catalog::run_flags;

std::string run_id(const Snapshot& s, Index run) {
  return run == kNone ? std::string() : id_text(s.runs()[run].id);
}

policy::RunFacts facts_of(const catalog::RunRow& run) {
  return {.status = catalog::kRunStatusNames[run.status],
          .published = (run.flags & run_flags::kPublished) != 0,
          .retracted = (run.flags & run_flags::kRetracted) != 0,
          .superseded = run.superseded_by != kNone,
          .has_primary_value = !std::isnan(run.value),
          .operation_mismatch = (run.flags & run_flags::kOperationMismatch) != 0,
          .disputed = false};
}

// The run's own documents: a group may hold several texts of one protocol.
Result<json::Document> read_named_document(catalog::Store& store, const json::Value& row,
                                           std::string_view member) {
  KI_TRY(const Digest digest, Digest::parse(text_of(&row, member)));
  KI_TRY(const auto entry, store.find_digest(catalog::Table::kDocuments, digest));
  if (!entry) {
    return fail(Code::kCorrupt, fmt::format("document {} is missing from the store; run ki fsck",
                                            digest.to_string()));
  }
  return json::read_document(entry->body);
}

class Maker {
 public:
  Maker(const Snapshot& snapshot, catalog::Store& store, Index index, const RunViewOptions& options)
      : s_(snapshot),
        store_(store),
        run_(s_.runs()[index]),
        cohort_(s_.cohorts()[run_.cohort]),
        options_(options) {
    view_.run = index;
  }

  Result<RunView> make() && {
    KI_TRY_VOID(read_documents());
    add_identity();
    add_lifecycle();
    add_group();
    add_code();
    add_workload();
    add_measurements();
    view_.protocol = protocol_list(*view_.protocol_manifest->find("spec"));
    view_.environment =
        environment_list(*view_.environment_manifest->find("spec"),
                         s_.name(s_.environments()[cohort_.environment].display_architecture));
    add_provenance();
    KI_TRY(view_.artifacts, read_artifacts(s_, store_, view_.id));
    KI_TRY(view_.verifications, read_verifications(s_, store_, view_.id));
    view_.evidence_note = evidence_note(s_, view_.run);
    cite();
    return std::move(view_);
  }

 private:
  Result<void> read_documents() {
    auto& documents = view_.documents;
    KI_TRY(documents.run, read_row(store_, run_.entry));
    KI_TRY(documents.workload, read_row(store_, s_.workloads()[run_.workload].entry));
    KI_TRY(documents.protocol, read_named_document(store_, documents.run.root, "protocolDocument"));
    KI_TRY(documents.environment,
           read_named_document(store_, documents.run.root, "environmentDocument"));
    if (run_.source != kNone) {
      KI_TRY(documents.source, read_row(store_, s_.sources()[run_.source].entry));
    }
    view_.run_manifest = documents.run.root.find("run");
    view_.protocol_manifest = documents.protocol.root.find("manifest");
    view_.environment_manifest = documents.environment.root.find("manifest");
    for (const json::Value* manifest :
         {view_.run_manifest, view_.protocol_manifest, view_.environment_manifest}) {
      if (manifest == nullptr || manifest->find("spec") == nullptr) {
        return fail(Code::kCorrupt,
                    fmt::format("run {} lacks a manifest; run ki fsck", run_id(s_, view_.run)));
      }
    }
    return {};
  }

  const json::Value& spec() const { return *view_.run_manifest->find("spec"); }

  void add_identity() {
    view_.catalog_version = s_.seq();
    view_.id = run_id(s_, view_.run);
    view_.digest = digest_text(run_.digest);
    view_.status = catalog::kRunStatusNames[run_.status];
    view_.observed_at = Instant{run_.observed_ms};
    if (run_.published_ms != 0) view_.published_at = Instant{run_.published_ms};
    view_.evidence = static_cast<policy::EvidenceLevel>(run_.evidence);
    view_.replications = run_.replications;
    view_.primary = primary_of(s_, view_.run);
    view_.is_illustrative = is_illustrative(s_, {&view_.run, 1});
  }

  void add_lifecycle() {
    RunView::Lifecycle& lifecycle = view_.lifecycle;
    lifecycle.supersedes_id = run_id(s_, run_.supersedes);
    lifecycle.superseded_by_id = run_id(s_, run_.superseded_by);
    lifecycle.is_stale = policy::is_stale(view_.observed_at, options_.now);
    if ((run_.flags & run_flags::kRetracted) == 0) return;
    const json::Value& row = view_.documents.run.root;
    const json::Value* reason = row.find("retractionReason");
    RunView::Retraction retraction{.at = std::string(text_of(&row, "retractedAt")),
                                   .reason = std::string(text_of(reason, "reason")),
                                   .actor = std::string(text_of(reason, "actor"))};
    if (reason != nullptr && reason->is_string()) retraction.reason = reason->string();
    lifecycle.retracted = std::move(retraction);
  }

  void add_group() {
    RunView::Group& group = view_.group;
    const bool is_source_native = (run_.flags & run_flags::kSourceNative) != 0;
    group.comparison_key = digest_text(cohort_.key);
    group.profile = is_source_native ? "source_native" : "strict_exact";
    group.rank = run_.rank;
    group.size = cohort_.ranked;
    group.is_tied = (run_.flags & run_flags::kTiedWithPrevious) != 0;
    group.ineligible_reasons = policy::eligibility_v1(facts_of(run_));
    group.caveats = policy::caveats_v1(facts_of(run_));
    if (cohort_.ranked != 0) {
      group.head_run_id = run_id(s_, s_.runs_of_cohort(run_.cohort).front());
    }
    view_.rank_line =
        display::rank_line({.rank = run_.rank == 0 ? std::nullopt : std::optional(run_.rank),
                            .cohort_size = cohort_.ranked,
                            .is_tied = group.is_tied,
                            .is_source_native = is_source_native,
                            .observed_at = view_.observed_at,
                            .policy_version = policy::kRankingV1,
                            .as_of = {},
                            .ineligible = group.ineligible_reasons});
  }

  void add_code() {
    const auto& code = s_.implementations()[run_.implementation];
    view_.implementation = named_implementation(s_, run_.implementation);
    view_.implementation_digest = digest_text(code.digest);
    view_.revision = s_.text(code.revision);
    view_.licence = licence_of(s_, run_.implementation);
    view_.project = named_project(s_, code.project);
    view_.operation = named_operation(s_, cohort_.operation);
    view_.operation_digest = digest_text(s_.operations()[cohort_.operation].digest);
  }

  void add_workload() {
    const auto& row = s_.workloads()[run_.workload];
    RunView::Workload& workload = view_.workload;
    workload.id = id_text(row.id);
    workload.digest = digest_text(row.digest);
    workload.label = resolve::workload_label(s_, run_.workload);
    catalog::CaseFacts facts;
    s_.read_case(row, facts);
    for (const auto& axis : facts.axes) workload.axes.emplace_back(s_.name(axis.name), axis.value);
    for (const auto& tensor : facts.tensors) {
      workload.tensors.push_back({.name = s_.name(tensor.name),
                                  .dtype = s_.name(tensor.dtype),
                                  .shape = query::shape_text(tensor.dims),
                                  .layout = layout_text(tensor.layout)});
    }
    if (const json::Value* correctness =
            at(view_.documents.workload.root.find("manifest"), "spec", "correctness");
        correctness != nullptr && correctness->is_object()) {
      for (const json::Member& member : correctness->members()) {
        workload.tolerance.push_back({std::string(member.key), scalar_text(member.value)});
      }
    }
    if (row.correctness != kNone) {
      view_.correctness_key = digest_text(s_.columns().correctness_keys[row.correctness]);
    }
  }

  void add_measurements() {
    for (const auto& m : manifest::expand_measurements(spec())) {
      view_.measurements.push_back({.metric = m.metric,
                                    .statistic = m.statistic,
                                    .unit = m.unit,
                                    .value = m.value,
                                    .samples = m.sample_count});
    }
    view_.correctness = spec().find("correctness");
    view_.correctness_text = correctness_text(view_.status, view_.correctness);
    view_.source_native_metrics = at(&spec(), "sourceNative", "metrics");
    if (view_.source_native_metrics != nullptr) {
      view_.source_native_line =
          display::source_native_line(*view_.source_native_metrics).value_or("");
    }
  }

  void add_provenance() {
    view_.source = source_of(s_, run_.source);
    const json::Value* policy = view_.documents.source.root.find("policy");
    view_.source_url = text_of(policy, "url");
    view_.source_licence = text_of(policy, "license");
    view_.external_id = external_id(view_.source.slug, spec().find("sourceNative"));
    view_.source_native_notes = source_native_notes(view_.source.slug, view_.source_native_metrics);
    view_.protocol_digest = text_of(&spec(), "protocolDigest");
    view_.environment_digest = text_of(&spec(), "environmentDigest");
  }

  void cite() {
    display::Citation& c = view_.citation;
    c.implementation = view_.implementation.name;
    c.operation = view_.operation.name;
    c.workload = view_.workload.label;
    c.hardware = s_.name(s_.environments()[cohort_.environment].product);
    if (view_.primary) {
      c.value = display::primary_text(view_.primary->value, view_.primary->unit);
      c.statistic = view_.primary->statistic;
    }
    c.source = view_.source.name;
    c.run_id = view_.id;
    c.digest = view_.digest;
    c.url = permalink(options_.public_url, view_.digest);
    if (run_.rank != 0) {
      c.rank = fmt::format("rank {} of {} (ranking-v1)", run_.rank, cohort_.ranked);
    }
    c.catalog_version = std::to_string(s_.seq());
    c.authors = {{.name = view_.project.name}};
    c.observed_at = view_.observed_at;
    c.accessed_at = options_.now;
  }

  const Snapshot& s_;
  catalog::Store& store_;
  const catalog::RunRow& run_;
  const catalog::CohortRow& cohort_;
  const RunViewOptions& options_;
  RunView view_;
};

}  // namespace

Result<RunView> run_view(const Snapshot& snapshot, catalog::Store& store, Index run,
                         const RunViewOptions& options) {
  return Maker(snapshot, store, run, options).make();
}

}  // namespace ki::views
