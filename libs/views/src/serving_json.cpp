#include "ki/digest/digest.h"
#include "ki/views/serving.h"
#include "stored.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ki::views {
namespace {

using catalog::Snapshot;
using Run = ServingTable::Run;

const catalog::ModelRow& model_of(const Snapshot& s, Index model) {
  return s.columns().models[model];
}

void write_named(json::Writer& w, std::string_view slug, std::string_view name) {
  w.begin_object().member("slug", slug).member("name", name).end_object();
}

void write_model(json::Writer& w, const Snapshot& s, Index model) {
  w.key("model");
  write_named(w, s.text(model_of(s, model).slug), s.text(model_of(s, model).name));
}

void write_measurements(json::Writer& w, const Run& run) {
  w.key("measurements").begin_array();
  for (const auto& m : run.measurements) {
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

void write_hardware(json::Writer& w, const Run& run) {
  w.key("hardware").begin_object().member("model", run.accelerator);
  text_or_null(w, "vendor", run.vendor);
  w.member("perNode", run.per_node)
      .member("nodes", run.nodes)
      .member("total", run.total)
      .end_object();
}

void write_caveats(json::Writer& w, const Run& run) {
  w.key("caveats").begin_array();
  for (const std::string& caveat : run.caveats) w.value(caveat);
  w.end_array();
}

void write_source(json::Writer& w, const Snapshot& s, const Run& run) {
  w.key("source");
  if (run.source == kNone) {
    w.null();
    return;
  }
  const SourceRef source = source_of(s, run.source);
  w.begin_object().member("slug", source.slug).member("name", source.name);
  text_or_null(w, "externalId", run.external_id);
  w.end_object();
}

void write_row(json::Writer& w, const Snapshot& s, const ServingTable& table,
               const ServingRequest& request, const ServingAnswer::Row& row) {
  const Run& run = *row.run;
  const auto& configuration = table.configurations[run.configuration];
  w.begin_object()
      .member("runId", run.id)
      .nullable("rank", row.rank)
      .member("onFrontier", row.is_on_frontier);
  write_model(w, s, run.model);
  w.member("stack", table.stacks[configuration.stack].label())
      .member("configuration", configuration.summary);
  text_or_null(w, "dtype", configuration.dtype);
  w.member("qualityPolicy", run.quality).member("scenario", run.scenario);
  write_hardware(w, run);
  w.member("harness", run.harness);
  write_measurements(w, run);
  w.key("constraints").begin_array();
  for (std::size_t i = 0; i < row.constraints.size(); ++i) {
    const policy::ConstraintAnswer& one = row.constraints[i];
    w.begin_object()
        .member("constraint", request.constraints[i].text())
        .member("state", policy::to_string(one.state))
        .nullable("satisfied", one.is_satisfied);
    text_or_null(w, "detail", one.reason);
    w.end_object();
  }
  w.end_array();
  write_caveats(w, run);
  w.member("observedAt", Instant{run.observed_ms}.to_string());
  write_source(w, s, run);
  w.end_object();
}

void write_group(json::Writer& w, const Snapshot& s, const ServingTable& table,
                 const ServingRequest& request, const ServingAnswer::Group& group) {
  const Run& any = *group.any;
  const std::string_view model = s.text(model_of(s, any.model).name);
  const std::string& workload = table.workloads[any.workload].name;
  w.begin_object()
      .member("cohortKey", any.cohort_key)
      .member("description",
              fmt::format("{} · {} · {} · {}", model, workload, any.topology(), any.quality))
      .key("identity")
      .begin_object()
      .member("model", model)
      .member("workload", workload)
      .member("scenario", any.scenario)
      .member("topology", any.topology())
      .member("quality", any.quality)
      .end_object()
      .key("rows")
      .begin_array();
  for (const auto& row : group.rows) write_row(w, s, table, request, row);
  w.end_array().key("excluded").begin_array();
  for (const auto& one : group.excluded) {
    w.begin_object()
        .member("runId", one.run->id)
        .member("configuration", table.configurations[one.run->configuration].summary)
        .key("reasons")
        .begin_array();
    for (const std::string& reason : one.reasons) w.value(reason);
    w.end_array().end_object();
  }
  w.end_array().key("sharedAxes").begin_array();
  for (const std::string& axis : group.shared_axes) w.value(axis);
  w.end_array().end_object();
}

void write_input(json::Writer& w, const ServingRequest& request) {
  w.key("input").begin_object();
  text_or_null(w, "model", request.model);
  text_or_null(w, "workload", request.workload);
  text_or_null(w, "hardware", request.hardware);
  w.key("countMaximum");
  if (request.count_maximum == 0) {
    w.null();
  } else {
    w.value(request.count_maximum);
  }
  w.key("objective");
  if (request.objective) {
    w.begin_object()
        .member("direction", request.objective->direction == policy::Direction::kLowerIsBetter
                                 ? "minimize"
                                 : "maximize")
        .member("metric", request.objective->metric);
    text_or_null(w, "statistic", request.objective->statistic);
    w.end_object();
  } else {
    w.null();
  }
  w.key("constraints").begin_array();
  for (const auto& one : request.constraints) w.value(one.text());
  w.end_array().end_object();
}

void write_facets(json::Writer& w, const Snapshot& s, const ServingTable& table) {
  std::vector<Index> models;
  for (Index i = 0; i < table.model_runs.size(); ++i) {
    if (table.model_runs[i] != 0) models.push_back(i);
  }
  std::ranges::stable_sort(
      models, [&](Index a, Index b) { return table.model_runs[a] > table.model_runs[b]; });
  w.key("facets").begin_object().key("models").begin_array();
  for (const Index model : models) {
    w.begin_object()
        .member("slug", s.text(model_of(s, model).slug))
        .member("name", s.text(model_of(s, model).name))
        .member("runs", table.model_runs[model])
        .end_object();
  }
  w.end_array().key("workloads").begin_array();
  std::vector<const ServingTable::Workload*> workloads;
  for (const auto& workload : table.workloads) {
    if (workload.runs != 0) workloads.push_back(&workload);
  }
  std::ranges::stable_sort(workloads,
                           [](const auto* a, const auto* b) { return a->runs > b->runs; });
  for (const auto* workload : workloads) {
    w.begin_object()
        .member("slug", workload->slug)
        .member("name", workload->name)
        .member("runs", workload->runs)
        .end_object();
  }
  std::set<std::string_view> hardware, metrics;
  for (const Run& run : table.runs) {
    if (!run.is_eligible) continue;
    hardware.insert(run.accelerator);
    for (const auto& m : run.measurements) metrics.insert(m.metric);
  }
  w.end_array().key("hardware").begin_array();
  for (const std::string_view name : hardware) w.value(name);
  w.end_array().key("metrics").begin_array();
  for (const std::string_view name : metrics) w.value(name);
  w.end_array().end_object();
}

}  // namespace

void write_members(json::Writer& w, const Snapshot& s, const ServingTable& table,
                   const ServingRequest& request, const ServingAnswer& answer) {
  write_input(w, request);
  write_facets(w, s, table);
  w.key("groups").begin_array();
  for (const auto& group : answer.groups) write_group(w, s, table, request, group);
  w.end_array()
      .member("groupsTotal", answer.groups_total)
      .member("totalRuns", answer.runs_total)
      .member("policyVersion", policy::kServingV1);
}

void write_overview(json::Writer& w, const Snapshot& s, const ServingTable& table,
                    std::span<const ServingOverview> overview) {
  w.begin_array();
  for (const ServingOverview& line : overview) {
    w.begin_object();
    write_model(w, s, line.model);
    w.key("workload");
    write_named(w, table.workloads[line.workload].slug, table.workloads[line.workload].name);
    w.member("scenario", line.scenario)
        .member("runs", line.runs)
        .member("configurations", line.configurations)
        .key("best");
    if (line.best == nullptr) {
      w.null();
    } else {
      const auto& configuration = table.configurations[line.best->configuration];
      w.begin_object()
          .member("runId", line.best->id)
          .member("throughput", line.throughput)
          .member("stack", table.stacks[configuration.stack].label())
          .member("hardware", line.best->accelerator)
          .member("totalAccelerators", line.best->total)
          .end_object();
    }
    w.end_object();
  }
  w.end_array();
}

void write_item(json::Writer& w, const Snapshot& s, const ServingTable& table, const Run& run) {
  const auto& configuration = table.configurations[run.configuration];
  w.begin_object().member("id", run.id).member("digest", run.digest);
  write_model(w, s, run.model);
  w.key("workload");
  write_named(w, table.workloads[run.workload].slug, table.workloads[run.workload].name);
  w.member("stack", table.stacks[configuration.stack].label())
      .member("configuration", configuration.summary)
      .member("scenario", run.scenario)
      .member("hardware", run.accelerator)
      .member("totalAccelerators", run.total)
      .member("status", run.status)
      .member("observedAt", Instant{run.observed_ms}.to_string())
      .end_object();
}

Result<ServingDossier> serving_dossier(const ServingTable& table, const Snapshot& s,
                                       catalog::Store& store, const Run& run) {
  ServingDossier out;
  out.run = &run;
  KI_TRY(out.document, read_row(store, s.columns().serving_runs[run.row].entry));
  out.manifest = out.document.root.find("manifest");
  const auto digest = Digest::parse(table.configurations[run.configuration].digest);
  if (digest) {
    KI_TRY(const auto entry, store.find_digest(catalog::Table::kServingConfigurations, *digest));
    if (entry) {
      KI_TRY(const json::Document row, json::read_document(entry->body));
      const json::Value* spec = spec_of(row.root);
      for (const std::string_view part : {"parallelism", "kvCache", "limits", "options"}) {
        const json::Value* group = spec == nullptr ? nullptr : spec->find(part);
        if (group == nullptr || !group->is_object()) continue;
        for (const json::Member& member : group->members()) {
          out.facts.push_back({std::string(member.key), scalar_text(member.value)});
        }
      }
    }
  }
  if (run.source != kNone) {
    const SourceRef source = source_of(s, run.source);
    out.attribution = source.name;
    if (!run.division.empty()) out.attribution += " · " + run.division + "/" + run.category;
    if (!run.external_id.empty()) out.attribution += " · entry " + run.external_id;
    KI_TRY(const json::Document row, read_row(store, s.sources()[run.source].entry));
    out.source_url = text_of(row.root.find("policy"), "url");
  }
  return out;
}

void write_json(json::Writer& w, const Snapshot& s, const ServingTable& table,
                const ServingDossier& dossier) {
  const Run& run = *dossier.run;
  const auto& configuration = table.configurations[run.configuration];
  const auto& stack = table.stacks[configuration.stack];
  const auto& workload = table.workloads[run.workload];
  w.begin_object()
      .key("run")
      .begin_object()
      .member("id", run.id)
      .member("digest", run.digest)
      .member("status", run.status)
      .member("observedAt", Instant{run.observed_ms}.to_string());
  text_or_null(w, "publishedAt", text_of(&dossier.document.root, "publishedAt"));
  w.end_object()
      .key("cohort")
      .begin_object()
      .member("key", run.cohort_key)
      .member("description", fmt::format("{} · {} · {} · {}", s.text(model_of(s, run.model).name),
                                         workload.name, run.topology(), run.quality))
      .member("qualityPolicy", run.quality)
      .member("scenario", run.scenario)
      .end_object();
  write_model(w, s, run.model);
  w.key("stack")
      .begin_object()
      .member("slug", stack.slug)
      .member("name", stack.label())
      .end_object()
      .key("configuration")
      .begin_object()
      .member("id", configuration.id)
      .member("digest", configuration.digest)
      .member("summary", configuration.summary);
  text_or_null(w, "dtype", configuration.dtype);
  text_or_null(w, "quantization", configuration.quantization);
  w.key("facts").begin_array();
  for (const KeyValue& fact : dossier.facts) {
    w.begin_object().member("key", fact.key).member("value", fact.value).end_object();
  }
  w.end_array()
      .end_object()
      .key("workload")
      .begin_object()
      .member("slug", workload.slug)
      .member("name", workload.name)
      .member("streaming", workload.is_streaming)
      .member("loadGeneration", workload.load_generation)
      .key("declaredBounds")
      .begin_array();
  for (const auto& bound : workload.slo) {
    w.begin_object()
        .member("metric", bound.metric)
        .member("statistic", bound.statistic)
        .member("operator", bound.op)
        .member("value", bound.value)
        .end_object();
  }
  w.end_array().end_object();
  write_hardware(w, run);
  w.member("topology", run.topology()).member("harness", run.harness);
  write_measurements(w, run);
  write_caveats(w, run);
  w.key("lifecycle").begin_object().key("retracted");
  if (run.retracted_at.empty()) {
    w.null();
  } else {
    w.begin_object()
        .member("at", run.retracted_at)
        .member("reason", run.retraction_reason)
        .end_object();
  }
  text_or_null(w, "supersededById", run.superseded_by);
  w.end_object().key("attribution").begin_object().member("line", dossier.attribution);
  text_or_null(w, "url", dossier.source_url);
  w.end_object().key("manifest");
  if (dossier.manifest == nullptr) {
    w.null();
  } else {
    w.value(*dossier.manifest);
  }
  w.member("catalogVersion", s.seq()).end_object();
}

}  // namespace ki::views
