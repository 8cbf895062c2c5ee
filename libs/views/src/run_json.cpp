#include "ki/policy/ranking.h"
#include "ki/views/run_view.h"

namespace ki::views {
namespace {

std::string_view to_string(RunView::Availability availability) {
  switch (availability) {
    case RunView::Availability::kPublic:
      return "public";
    case RunView::Availability::kUpstream:
      return "upstream";
    case RunView::Availability::kUnavailable:
      break;
  }
  return "unavailable";
}

void write_lifecycle(json::Writer& w, const RunView::Lifecycle& lifecycle) {
  w.key("lifecycle").begin_object();
  text_or_null(w, "supersedesId", lifecycle.supersedes_id);
  text_or_null(w, "supersededById", lifecycle.superseded_by_id);
  w.key("retracted");
  if (lifecycle.retracted) {
    w.begin_object().member("at", lifecycle.retracted->at);
    text_or_null(w, "reason", lifecycle.retracted->reason);
    text_or_null(w, "actor", lifecycle.retracted->actor);
    w.end_object();
  } else {
    w.null();
  }
  w.key("disputed").null().member("stale", lifecycle.is_stale).end_object();
}

void write_group(json::Writer& w, const RunView& view) {
  const RunView::Group& group = view.group;
  w.key("cohort")
      .begin_object()
      .member("comparisonKey", group.comparison_key)
      .member("profile", group.profile)
      .key("rank");
  if (group.rank == 0) {
    w.null();
  } else {
    w.value(group.rank);
  }
  w.member("cohortSize", group.size)
      .member("tiedWithPrevious", group.is_tied)
      .member("policyVersion", policy::kRankingV1)
      .member("line", view.rank_line)
      .member("eligible", group.ineligible_reasons.empty())
      .key("ineligibleReasons")
      .begin_array();
  for (const std::string& reason : group.ineligible_reasons) w.value(reason);
  w.end_array().key("caveats").begin_array();
  for (const std::string_view caveat : group.caveats) w.value(caveat);
  w.end_array();
  text_or_null(w, "headRunId", group.head_run_id);
  w.end_object();
}

void write_identity(json::Writer& w, const RunView& view) {
  w.key("implementation")
      .begin_object()
      .member("name", view.implementation.name)
      .member("slug", view.implementation.slug)
      .member("digest", view.implementation_digest);
  text_or_null(w, "revision", view.revision);
  w.key("license");
  write_json(w, view.licence);
  w.end_object().key("project");
  write_json(w, view.project);
  w.key("operation")
      .begin_object()
      .member("name", view.operation.name)
      .member("slug", view.operation.slug)
      .member("digest", view.operation_digest)
      .end_object();
}

void write_workload(json::Writer& w, const RunView::Workload& workload) {
  w.key("workload")
      .begin_object()
      .member("id", workload.id)
      .member("digest", workload.digest)
      .member("label", workload.label)
      .key("axes")
      .begin_object();
  for (const auto& [name, value] : workload.axes) w.member(name, value);
  w.end_object().key("tensors").begin_array();
  for (const RunView::Tensor& tensor : workload.tensors) {
    w.begin_object()
        .member("name", tensor.name)
        .member("dtype", tensor.dtype)
        .member("shape", tensor.shape)
        .member("layout", tensor.layout)
        .end_object();
  }
  w.end_array().key("tolerance");
  write_json(w, workload.tolerance);
  w.end_object();
}

void write_correctness(json::Writer& w, const RunView& view) {
  w.member("correctnessText", view.correctness_text).key("correctness");
  if (view.correctness == nullptr) {
    w.null();
    return;
  }
  const auto member = [&](std::string_view name, std::string_view stored) {
    const json::Value* value = view.correctness->find(stored);
    w.key(name);
    if (value == nullptr) {
      w.null();
    } else {
      w.value(*value);
    }
  };
  w.begin_object();
  member("comparator", "comparator");
  member("maxAbsoluteError", "maximumAbsoluteError");
  member("maxRelativeError", "maximumRelativeError");
  member("matchedRatio", "matchedRatio");
  w.member("passed", view.status == "passed").end_object();
}

void write_measurements(json::Writer& w, const RunView& view) {
  w.key("measurements").begin_array();
  for (const RunView::Measured& m : view.measurements) {
    w.begin_object()
        .member("metric", m.metric)
        .member("statistic", m.statistic)
        .member("value", m.value)
        .member("unit", m.unit)
        .nullable("sampleCount", m.samples)
        .end_object();
  }
  w.end_array();
}

void write_artifacts(json::Writer& w, const RunView& view) {
  w.key("artifacts").begin_array();
  for (const RunView::Artifact& artifact : view.artifacts) {
    w.begin_object()
        .member("role", artifact.role)
        .member("kind", artifact.kind)
        .member("digest", artifact.digest)
        .member("mediaType", artifact.media_type)
        .nullable("sizeBytes", artifact.size_bytes);
    text_or_null(w, "uri", artifact.uri);
    w.member("availability", to_string(artifact.availability)).end_object();
  }
  w.end_array();
}

void write_verifications(json::Writer& w, const RunView& view) {
  w.key("verifications").begin_array();
  for (const RunView::Verification& one : view.verifications) {
    w.begin_object().member("verified", one.is_verified);
    text_or_null(w, "label", one.label);
    text_or_null(w, "problem", one.problem);
    text_or_null(w, "policy", one.policy);
    w.key("clauses").begin_array();
    for (const RunView::Verification::Clause& clause : one.clauses) {
      w.begin_object().member("clause", clause.letter).member("holds", clause.holds);
      w.member("text", clause.text).end_object();
    }
    w.end_array();
    text_or_null(w, "keyId", one.key_id);
    text_or_null(w, "owner", one.owner);
    text_or_null(w, "machine", one.machine);
    text_or_null(w, "hostClass", one.host_class);
    w.nullable("logIndex", one.log_index).key("notes").begin_array();
    for (const std::string& note : one.notes) w.value(note);
    w.end_array().member("createdAt", one.created_at).member("digest", one.digest);
    w.member("envelope", one.envelope).end_object();
  }
  w.end_array();
}

void write_provenance(json::Writer& w, const RunView& view) {
  w.key("provenance")
      .begin_object()
      .key("source")
      .begin_object()
      .member("slug", view.source.slug)
      .member("name", view.source.name)
      .member("kind", view.source.kind);
  text_or_null(w, "url", view.source_url);
  text_or_null(w, "license", view.source_licence);
  text_or_null(w, "externalId", view.external_id);
  w.member("observedAt", view.observed_at.to_string()).end_object();
  text_or_null(w, "externalId", view.external_id);
  text_or_null(w, "externalUrl", view.external_url);
  // Runs are not linked to the snapshots that they were read from.
  w.key("parserVersion").null().key("snapshotDigest").null();
  w.member("protocolKey", view.protocol_digest)
      .member("environmentKey", view.environment_digest)
      .member("correctnessKey", view.correctness_key)
      .member("replications", view.replications)
      .end_object();
}

}  // namespace

void write_json(json::Writer& w, const RunView& view,
                const std::function<void(json::Writer&)>& more) {
  w.begin_object()
      .member("illustrative", view.is_illustrative)
      .key("run")
      .begin_object()
      .member("id", view.id)
      .member("digest", view.digest)
      .member("status", view.status)
      .member("observedAt", view.observed_at.to_string());
  text_or_null(w, "publishedAt",
               view.published_at ? view.published_at->to_string() : std::string());
  w.end_object().member("evidence", policy::to_string(view.evidence));
  text_or_null(w, "evidenceNote", view.evidence_note);
  write_lifecycle(w, view.lifecycle);
  w.key("primary");
  write_json(w, view.primary);
  w.key("sourceNativeMetrics");
  if (view.source_native_metrics == nullptr) {
    w.null();
  } else {
    w.value(*view.source_native_metrics);
  }
  text_or_null(w, "sourceNativeLine", view.source_native_line);
  w.key("sourceNativeNotes").begin_array();
  for (const std::string& note : view.source_native_notes) w.value(note);
  w.end_array();
  write_group(w, view);
  write_identity(w, view);
  write_workload(w, view.workload);
  write_correctness(w, view);
  write_measurements(w, view);
  w.key("protocol");
  write_json(w, view.protocol);
  w.key("environment");
  write_json(w, view.environment);
  write_artifacts(w, view);
  write_verifications(w, view);
  write_provenance(w, view);
  w.key("manifest")
      .begin_object()
      .key("run")
      .value(*view.run_manifest)
      .key("protocol")
      .value(*view.protocol_manifest)
      .key("environment")
      .value(*view.environment_manifest)
      .end_object();
  if (more) more(w);
  w.member("catalogVersion", view.catalog_version).end_object();
}

}  // namespace ki::views
