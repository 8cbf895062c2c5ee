// The serving tables (spec 03.1, 14.1).

#include "ki/base/text.h"
#include "ki/json/canonical.h"
#include "ki/manifest/keys.h"
#include "ki/manifest/kind.h"
#include "ki/publish/backfill.h"
#include "row_checker_state.h"

#include <fmt/format.h>

namespace ki::publish {

using manifest::ManifestKind;

namespace {

void check_digest(RowColumns& c, std::string_view column, const std::optional<Digest>& stated,
                  const Digest& computed) {
  if (stated && *stated != computed) {
    c.refuse("wrong_digest", column,
             fmt::format("column '{}' is {}, but the manifest hashes to {}", column,
                         stated->to_string(), computed.to_string()));
  }
}

Uuid id_of(const json::Value& row) { return *Uuid::parse(row.find("id")->string()); }

// The spec keeps its own memory: these tables are small.
json::Document copy_of(const json::Value& spec) {
  auto copy =
      json::read_document(json::canonical(spec), json::Limits{.max_bytes = std::size_t{64} << 20});
  KI_CHECK(copy.has_value());
  return *std::move(copy);
}

}  // namespace

void RowChecker::State::check_model(const json::Value& row) {
  RowColumns c(row, issues);
  own_id(c, models);
  c.text("slug");
  const auto digest = c.digest("modelDigest");
  c.text("name");
  const auto valid = manifest(c, "manifest", {ManifestKind::kModelRevision});
  if (!valid) return;
  check_digest(c, "modelDigest", digest, valid->digest);
  const manifest::ModelColumns derived = manifest::derive_model(valid->spec);
  c.equals("parameterCount", derived.parameter_count);
  c.equals("contextLength", derived.context_length);
  c.equals("tokenizer", derived.tokenizer);
  c.equals("license", derived.license);
  c.equals("schemaVersion", manifest::kApiVersion);
  c.instant("createdAt");
  c.finish();
  if (!issues.empty()) return;
  if (models.insert(id_of(row)).second) {
    model_specs.push_back(copy_of(valid->spec));
    model_digests.push_back(valid->digest);
  }
  compose(row, &*valid);
}

void RowChecker::State::check_stack(const json::Value& row) {
  RowColumns c(row, issues);
  own_id(c, stacks);
  const std::uint32_t project = reference(c, "projectId", projects, "project");
  c.text("slug");
  const auto digest = c.digest("stackDigest");
  const std::string_view name = c.text("name");
  const auto valid = manifest(c, "manifest", {ManifestKind::kServingStackRevision});
  if (!valid) return;
  check_digest(c, "stackDigest", digest, valid->digest);
  const manifest::StackColumns derived = manifest::derive_stack(valid->spec, valid->metadata);
  c.equals("version", derived.version);
  c.equals("schemaVersion", manifest::kApiVersion);
  c.instant("createdAt");
  c.finish();
  if (!issues.empty()) return;
  const json::Value* title = valid->metadata.is_object() ? valid->metadata.find("title") : nullptr;
  const auto filled = title == nullptr
                          ? backfilled_stack_name(derived.version, project_names[project])
                          : std::nullopt;
  if (form == RowForm::kPublic && name == derived.name && filled && *filled != name) {
    std::string filled_json;
    json::append_string(filled_json, *filled);
    added.emplace_back("name", filled_json);
  } else if (name != derived.name && !(filled && name == *filled)) {
    c.refuse("wrong_column", "name",
             "column 'name' is neither the title, nor the version, nor the name");
    return;
  }
  if (stacks.insert(id_of(row)).second) stack_digests.push_back(valid->digest);
  compose(row, &*valid);
}

void RowChecker::State::check_configuration(const json::Value& row) {
  RowColumns c(row, issues);
  own_id(c, configurations);
  const std::uint32_t stack = reference(c, "stackRevisionId", stacks, "stack");
  const auto digest = c.digest("configurationDigest");
  const auto valid = manifest(c, "manifest", {ManifestKind::kServingConfiguration});
  if (!valid) return;
  check_digest(c, "configurationDigest", digest, valid->digest);
  const manifest::ConfigurationColumns derived = manifest::derive_configuration(valid->spec);
  if (stack != kNoIndex && derived.stack_digest != stack_digests[stack].to_string()) {
    c.refuse("wrong_reference", "stackRevisionId",
             "the manifest's stack is another than the row's");
  }
  c.equals("dtype", derived.dtype);
  c.equals("quantization", derived.quantization);
  c.equals("tensorParallel", derived.tensor_parallel);
  c.text("summary");
  c.equals("schemaVersion", manifest::kApiVersion);
  c.instant("createdAt");
  c.finish();
  if (!issues.empty()) return;
  if (configurations.insert(id_of(row)).second) configuration_digests.push_back(valid->digest);
  compose(row, &*valid);
}

void RowChecker::State::check_serving_workload(const json::Value& row) {
  RowColumns c(row, issues);
  own_id(c, serving_workloads);
  const auto digest = c.digest("workloadDigest");
  c.text("slug");
  c.text("name");
  const auto valid = manifest(c, "manifest", {ManifestKind::kServingWorkload});
  if (!valid) return;
  check_digest(c, "workloadDigest", digest, valid->digest);
  const manifest::ServingWorkloadColumns derived = manifest::derive_serving_workload(valid->spec);
  c.equals_bool("streaming", derived.streaming);
  c.equals("loadGeneration", derived.load_generation);
  c.equals("schemaVersion", manifest::kApiVersion);
  c.instant("createdAt");
  c.finish();
  if (!issues.empty()) return;
  if (serving_workloads.insert(id_of(row)).second) {
    serving_workload_specs.push_back(copy_of(valid->spec));
    serving_workload_digests.push_back(valid->digest);
  }
  compose(row, &*valid);
}

void RowChecker::State::check_serving_run(const json::Value& row) {
  RowColumns c(row, issues);
  own_id(c, serving_runs);
  const auto digest = c.digest("runDigest");
  const std::uint32_t model = reference(c, "modelRevisionId", models, "model");
  const std::uint32_t configuration =
      reference(c, "configurationId", configurations, "configuration");
  const std::uint32_t workload = reference(c, "workloadId", serving_workloads, "serving workload");
  reference(c, "sourceId", sources, "source");
  const auto valid = manifest(c, "manifest", {ManifestKind::kServingRun});
  if (!valid || !issues.empty()) return;
  check_digest(c, "runDigest", digest, valid->digest);
  const manifest::ServingRunColumns d = manifest::derive_serving_run(valid->spec);
  const auto names = [&](std::string_view named, const Digest& expected, std::string_view column) {
    if (named != expected.to_string()) {
      c.refuse("wrong_reference", column,
               fmt::format("the manifest names another than column '{}'", column));
    }
  };
  names(d.model_digest, model_digests[model], "modelRevisionId");
  names(d.configuration_digest, configuration_digests[configuration], "configurationId");
  names(d.workload_digest, serving_workload_digests[workload], "workloadId");
  const json::Value& model_spec = model_specs[model].root;
  const json::Value& workload_spec = serving_workload_specs[workload].root;
  const auto observed = parse_instant(d.observed_at);
  KI_CHECK(observed.has_value());
  c.equals("status", d.status);
  c.equals("observedAt", std::string_view(observed->instant.to_string()));
  c.nullable_instant("publishedAt");
  c.equals("cohortKey", manifest::cohort_key(valid->spec, model_spec, workload_spec));
  c.equals("protocolKey",
           std::string_view(manifest::serving_protocol_key(valid->spec, workload_spec)));
  c.equals("qualityPolicy", d.quality_policy);
  c.equals("metricSetKey", std::string_view(manifest::serving_metric_set_key(valid->spec)));
  c.equals("scenario", d.scenario);
  c.equals("acceleratorVendor", d.accelerator_vendor);
  c.equals("acceleratorModel", d.accelerator_model);
  c.equals("acceleratorCount", std::optional<std::int64_t>(d.accelerator_count));
  c.equals("nodeCount", std::optional<std::int64_t>(d.node_count));
  c.equals("totalAccelerators", std::optional<std::int64_t>(d.total_accelerators));
  c.boolean("reported");
  c.equals("schemaVersion", manifest::kApiVersion);
  const auto supersedes = c.nullable_id("supersedesId");
  c.nullable_instant("retractedAt");
  c.nullable_object("retractionReason");
  c.instant("createdAt");
  c.finish();
  if (!issues.empty()) return;
  const auto [index, is_new] = serving_runs.insert(id_of(row));
  if (is_new) {
    ServingRunFacts facts;
    facts.workload = workload;
    facts.first_measurement = static_cast<std::uint32_t>(serving_measurement_hashes.size());
    if (form != RowForm::kStored) {
      facts.measurements = static_cast<std::uint32_t>(d.measurements.size());
      keep_measurements(d.measurements, serving_measurement_hashes);
    }
    serving_run_facts.push_back(facts);
  }
  if (supersedes) {
    std::erase_if(serving_successions, [&](const Succession& s) { return s.successor == index; });
    serving_successions.push_back({index, *supersedes, place});
  }
  compose(row, &*valid);
}

}  // namespace ki::publish
