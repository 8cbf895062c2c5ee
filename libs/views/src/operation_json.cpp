#include "ki/policy/ranking.h"
#include "ki/views/answer_json.h"
#include "ki/views/operation_view.h"
#include "ki/views/sweep.h"
#include "text_list.h"

namespace ki::views {
namespace {

using catalog::Snapshot;

void write_operation(json::Writer& w, const OperationView& view) {
  w.key("operation")
      .begin_object()
      .member("id", view.id)
      .member("slug", view.slug)
      .member("name", view.name)
      .member("family", view.family);
  text_list(w, "aliases", view.aliases);
  text_list(w, "tags", view.tags);
  text_list(w, "models", view.models);
  w.key("equivalents").begin_array();
  for (const OperationView::Equivalent& equivalent : view.equivalents) {
    w.begin_object()
        .member("name", equivalent.named.name)
        .member("slug", equivalent.named.slug)
        .member("relation", equivalent.relation)
        .end_object();
  }
  w.end_array().member("semanticDigest", view.semantic_digest);
  text_or_null(w, "summary", view.summary);
  w.key("supersededById").null().end_object();
}

void write_arguments(json::Writer& w, std::string_view key,
                     const std::vector<OperationView::Argument>& arguments) {
  w.key(key).begin_array();
  for (const OperationView::Argument& argument : arguments) {
    w.begin_object().member("name", argument.name).member("dtype", argument.dtype);
    text_or_null(w, "shape", argument.shape);
    text_or_null(w, "layout", argument.layout);
    w.end_object();
  }
  w.end_array();
}

void write_semantics(json::Writer& w, const OperationView& view) {
  w.key("semantics").begin_object();
  write_arguments(w, "inputs", view.inputs);
  write_arguments(w, "outputs", view.outputs);
  w.key("axes").begin_array();
  for (const OperationView::Axis& axis : view.axes) {
    w.begin_object()
        .member("name", axis.name)
        .member("role", axis.role)
        .nullable("value", axis.value);
    text_or_null(w, "constraint", axis.constraint);
    w.end_object();
  }
  w.end_array();
  text_or_null(w, "expression", view.expression);
  text_or_null(w, "determinism", view.determinism);
  text_list(w, "constraints", view.constraints);
  w.end_object();
}

void write_workloads(json::Writer& w, const OperationView& view) {
  w.key("workloads").begin_array();
  for (const OperationView::Workload& workload : view.workloads) {
    w.begin_object()
        .member("id", workload.id)
        .member("digest", workload.digest)
        .member("label", workload.label)
        .key("axes")
        .begin_object();
    for (const auto& [name, value] : workload.axes) w.member(name, value);
    w.end_object();
    text_list(w, "dtypes", workload.dtypes);
    text_or_null(w, "toleranceSummary", workload.tolerance);
    w.member("runs", workload.runs).end_object();
  }
  w.end_array().member("workloadsTotal", view.workloads_total);
}

void write_groups(json::Writer& w, const Snapshot& s, const OperationView& view) {
  w.key("cohortOptions").begin_array();
  for (const OperationView::GroupOption& option : view.group_options) {
    w.begin_object()
        .member("key", option.comparison_key)
        .member("label", option.label)
        .key("differs");
    write_json(w, option.differs);
    w.member("runs", option.runs).key("head");
    write_run_ref(w, s, option.head);
    w.end_object();
  }
  w.end_array().key("cohort");
  if (view.group) {
    w.begin_object()
        .member("comparisonKey", view.group->comparison_key)
        .member("profile", view.group->profile)
        .key("facts");
    write_json(w, view.group->facts);
    w.end_object();
  } else {
    w.null();
  }
  w.key("records").begin_array();
  for (const resolve::Row& row : view.records) write_row(w, s, row);
  w.end_array().member("recordsTotal", view.records_total).key("sweep");
  const auto sweep = view.group ? find_sweep(s, view.group->cohort) : std::nullopt;
  if (sweep) {
    write_json(w, s, *sweep);
  } else {
    w.null();
  }
}

void write_implementations(json::Writer& w, const Snapshot& s, const OperationView& view) {
  w.key("implementations").begin_array();
  for (const OperationView::Implementation& item : view.implementations) {
    w.begin_object().member("slug", item.named.slug).member("name", item.named.name).key("project");
    write_json(w, item.project);
    text_or_null(w, "language", item.language);
    text_or_null(w, "framework", item.framework);
    text_or_null(w, "evidence",
                 item.evidence ? policy::to_string(*item.evidence) : std::string_view());
    w.member("runs", item.runs).key("bestPrimary");
    if (item.best_run == kNone) {
      w.null();
    } else {
      write_json(w, primary_of(s, item.best_run));
    }
    w.member("sourceAvailable", item.is_source_available)
        .member("installable", item.is_installable)
        .key("license");
    write_json(w, item.licence);
    w.end_object();
  }
  w.end_array().member("implementationsTotal", view.implementations_total);
}

}  // namespace

void write_json(json::Writer& w, const Snapshot& s, const OperationView& view) {
  w.begin_object().member("illustrative", view.is_illustrative);
  write_operation(w, view);
  write_semantics(w, view);
  write_workloads(w, view);
  text_or_null(w, "selectedWorkloadId",
               view.selected_workload == kNone ? std::string()
                                               : id_text(s.workloads()[view.selected_workload].id));
  write_groups(w, s, view);
  write_implementations(w, s, view);
  const auto evidence = [&](policy::EvidenceLevel level) {
    return view.evidence[static_cast<std::size_t>(level)];
  };
  w.key("coverage")
      .begin_object()
      .member("verified", evidence(policy::EvidenceLevel::kVerified) +
                              evidence(policy::EvidenceLevel::kReplicated))
      .member("reproducible", evidence(policy::EvidenceLevel::kReproducible))
      .member("reported", evidence(policy::EvidenceLevel::kReported));
  instant_or_null(w, "lastObservedAt", view.last_observed_ms);
  w.end_object().key("sources");
  write_json(w, view.sources);
  w.member("policyVersion", policy::kRankingV1)
      .member("catalogVersion", view.catalog_version)
      .end_object();
}

}  // namespace ki::views
