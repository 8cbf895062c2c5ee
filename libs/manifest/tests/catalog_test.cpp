// The whole public export: every digest, key and derived column recomputed from the stored
// manifests alone (spec 02.2 and 03.4), with no difference allowed beyond those that the spec
// lists.
#include "ki/io/lines.h"
#include "ki/json/canonical.h"
#include "ki/json/reader.h"
#include "ki/manifest/derived.h"
#include "ki/manifest/keys.h"
#include "support.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

namespace ki::manifest {
namespace {

using json::Value;

// What a column holds, as JSON text: "null" for nothing.
std::string column(const Value& row, std::string_view name) {
  const Value* value = row.find(name);
  return value == nullptr ? "absent" : json::canonical(*value);
}
std::string text_json(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}
template <class T>
std::string text_json(const std::optional<T>& text) {
  return text ? text_json(*text) : "null";
}
std::string number_json(const std::optional<double>& x) {
  return x ? json::canonical(Value::number(*x)) : "null";
}
std::string integer_json(const std::optional<std::int64_t>& x) {
  return x ? std::to_string(*x) : "null";
}
std::string list_json(const std::vector<std::string_view>& texts) {
  std::string out = "[";
  for (const std::string_view text : texts) out += (out.size() > 1 ? "," : "") + text_json(text);
  return out + "]";
}

class Catalog : public testing::Test {
 protected:
  Validator validator{Profile::kCompat};
  std::map<std::string, json::Document> operations;         // id -> spec
  std::map<std::string, json::Document> workloads;          // id -> spec
  std::map<std::string, json::Document> models;             // id -> spec
  std::map<std::string, json::Document> serving_workloads;  // id -> spec
  std::map<std::string, std::size_t> equal;                 // "table.column" -> rows that agree
  std::map<std::string, std::size_t> different;
  std::map<std::string, std::string> example;  // of a difference
  std::set<std::string> measurements;          // expanded from manifests, as text
  std::size_t warned = 0;

  void compare(const std::string& name, const Value& row, std::string_view column_name,
               const std::string& ours) {
    const std::string key = name + "." + std::string(column_name);
    const std::string stored = column(row, column_name);
    if (stored == ours) {
      ++equal[key];
      return;
    }
    ++different[key];
    example.emplace(key, stored + " stored, " + ours + " ours");
  }

  // Validates a manifest and compares its digest; keeps the spec where others need it.
  json::Document check(const std::string& name, const Value& row, const Value& manifest,
                       std::string_view digest_column) {
    const auto valid = validator.validate(manifest);
    EXPECT_TRUE(valid) << (valid ? "" : valid.error().to_string());
    json::Document document;
    if (!valid) return document;
    warned += validator.warnings().size();
    // Nothing in the export needs normalising.
    EXPECT_EQ(json::canonical(manifest), valid->canonical);
    compare(name, row, digest_column, text_json(valid->digest.to_string()));
    return json::read_document(json::canonical(valid->spec)).value();
  }

  void read_row(std::string_view table, const Value& row);
  void read_kernel_run(const Value& row);
  void read_serving_run(const Value& row);
  void add_measurements(const Value& row, const std::vector<Measurement>& list) {
    for (const Measurement& one : list) {
      measurements.insert(fmt::format("{}|{}|{}|{}|{}|{}", row.find("id")->string(), one.metric,
                                      one.statistic, one.unit, number_json(one.value),
                                      integer_json(one.sample_count)));
    }
  }
};

void Catalog::read_row(std::string_view table, const Value& row) {
  const std::string id(row.find("id") != nullptr ? row.find("id")->string() : "");
  const Value* manifest = row.find("manifest");
  const auto metadata = [&]() -> const Value& { return *manifest->find("metadata"); };
  if (table == "projects") {
    const auto valid = validator.validate(*manifest);
    ASSERT_TRUE(valid) << valid.error().to_string();
    const ProjectColumns columns = derive_project(valid->spec);
    compare("projects", row, "canonicalUrl", text_json(columns.canonical_url));
    // Projects are renamed after import, so the columns may differ from the manifest (spec 02.2).
    if (row.find("name")->string() == columns.name)
      compare("projects", row, "normalizedName", text_json(columns.normalized_name));
  } else if (table == "operations") {
    operations.emplace(id, check("operations", row, *manifest, "semanticDigest"));
  } else if (table == "workloads") {
    const json::Document spec = check("workloads", row, *manifest, "workloadDigest");
    const std::string operation(row.find("operationId")->string());
    const bool is_suite = manifest->find("kind")->string() == "WorkloadSuite";
    const WorkloadColumns columns =
        is_suite ? derive_suite(spec.root) : derive_case(spec.root, &operations.at(operation).root);
    compare("workloads", row, "shapeSummary", text_json(columns.shape_summary));
    compare("workloads", row, "dtypes", list_json(columns.dtypes));
    compare("workloads", row, "layoutKeys", list_json(columns.layout_keys));
    workloads.emplace(id, json::read_document(json::canonical(spec.root)).value());
  } else if (table == "implementations") {
    const json::Document spec = check("implementations", row, *manifest, "implementationDigest");
    const ImplementationColumns columns = derive_implementation(spec.root, metadata());
    compare("implementations", row, "sourceRevision", text_json(columns.source_revision));
    compare("implementations", row, "language", text_json(columns.language));
    compare("implementations", row, "framework", text_json(columns.framework));
    compare("implementations", row, "targetArchitectures", list_json(columns.target_architectures));
    compare("implementations", row, "sourceAvailable", columns.source_available ? "true" : "false");
    compare("implementations", row, "installable", columns.installable ? "true" : "false");
    compare("implementations", row, "installKind", text_json(columns.install_kind));
    compare("implementations", row, "installCommand", text_json(columns.install_command));
    compare("implementations", row, "licenseDeclared", text_json(columns.license_declared));
  } else if (table == "benchmark_runs") {
    read_kernel_run(row);
  } else if (table == "model_revisions") {
    const json::Document spec = check(std::string(table), row, *manifest, "modelDigest");
    const ModelColumns columns = derive_model(spec.root);
    compare("model_revisions", row, "parameterCount", integer_json(columns.parameter_count));
    compare("model_revisions", row, "contextLength", integer_json(columns.context_length));
    compare("model_revisions", row, "tokenizer", text_json(columns.tokenizer));
    compare("model_revisions", row, "license", text_json(columns.license));
    models.emplace(id, json::read_document(json::canonical(spec.root)).value());
  } else if (table == "serving_stack_revisions") {
    const json::Document spec = check(std::string(table), row, *manifest, "stackDigest");
    const StackColumns columns = derive_stack(spec.root, metadata());
    compare("serving_stack_revisions", row, "name", text_json(columns.name));
    compare("serving_stack_revisions", row, "version", text_json(columns.version));
  } else if (table == "serving_configurations") {
    const json::Document spec = check(std::string(table), row, *manifest, "configurationDigest");
    const ConfigurationColumns columns = derive_configuration(spec.root);
    compare("serving_configurations", row, "dtype", text_json(columns.dtype));
    compare("serving_configurations", row, "quantization", text_json(columns.quantization));
    compare("serving_configurations", row, "tensorParallel", integer_json(columns.tensor_parallel));
  } else if (table == "serving_workloads") {
    const json::Document spec = check(std::string(table), row, *manifest, "workloadDigest");
    const ServingWorkloadColumns columns = derive_serving_workload(spec.root);
    compare("serving_workloads", row, "streaming", columns.streaming ? "true" : "false");
    compare("serving_workloads", row, "loadGeneration", text_json(columns.load_generation));
    serving_workloads.emplace(id, json::read_document(json::canonical(spec.root)).value());
  } else if (table == "serving_runs") {
    read_serving_run(row);
  } else if (table == "measurements" || table == "serving_measurements") {
    const std::string text =
        fmt::format("{}|{}|{}|{}|{}|{}", row.find("runId")->string(), row.find("metric")->string(),
                    row.find("statistic")->string(), row.find("unit")->string(),
                    column(row, "value"), column(row, "sampleCount"));
    ++(measurements.erase(text) == 1 ? equal : different)[std::string(table)];
  }
}

void Catalog::read_kernel_run(const Value& row) {
  const Value& manifests = *row.find("manifest");
  const std::string table = "benchmark_runs";
  const json::Document run = check(table, row, *manifests.find("run"), "runDigest");
  const json::Document protocol = check(table, row, *manifests.find("protocol"), "protocolKey");
  const json::Document environment =
      check(table, row, *manifests.find("environment"), "environmentKey");
  const json::Document& workload = workloads.at(std::string(row.find("workloadId")->string()));

  const RunColumns columns = derive_run(run.root, protocol.root, environment.root);
  const Digest correctness = correctness_key(workload.root);
  compare(table, row, "correctnessKey", text_json(correctness.to_string()));
  const std::string metric = primary_metric_key(columns.primary);
  const auto digest = [](std::string_view text) { return Digest::parse(text).value(); };
  const Digest comparison =
      comparison_key({.operation = digest(workload.root.find("operationSpecDigest")->string()),
                      .workload = digest(columns.workload_digest),
                      .protocol = digest(columns.protocol_digest),
                      .environment = digest(columns.environment_digest),
                      .correctness = correctness,
                      .metric = metric});
  compare(table, row, "comparisonKey", text_json(comparison.to_string()));

  compare(table, row, "status", text_json(columns.status));
  compare(table, row, "hardwareVendor", text_json(columns.hardware_vendor));
  compare(table, row, "hardwareModel", text_json(columns.hardware_model));
  compare(table, row, "hardwareArchitecture", text_json(columns.hardware_architecture));
  compare(table, row, "driverMajor", integer_json(columns.driver_major));
  compare(table, row, "cudaMajor", integer_json(columns.cuda_major));
  const auto& primary = columns.primary;
  compare(table, row, "primaryMetric", primary ? text_json(primary->metric) : "\"none\"");
  compare(table, row, "primaryValue", primary ? number_json(primary->value) : "null");
  compare(table, row, "primaryUnit", primary ? text_json(primary->unit) : "null");
  compare(table, row, "primaryStatistic", primary ? text_json(primary->statistic) : "null");
  compare(table, row, "sampleCount", primary ? integer_json(primary->sample_count) : "null");
  compare(table, row, "uncertaintyLow", number_json(columns.uncertainty_low));
  compare(table, row, "uncertaintyHigh", number_json(columns.uncertainty_high));
  compare(table, row, "hasRawEvidence", columns.has_raw_evidence ? "true" : "false");
  compare(table, row, "sourceNative", columns.has_source_native ? "true" : "false");
  compare(table, row, "environmentSummary", text_json(columns.environment_summary));
  add_measurements(row, expand_measurements(run.root));
}

void Catalog::read_serving_run(const Value& row) {
  const std::string table = "serving_runs";
  const json::Document run = check(table, row, *row.find("manifest"), "runDigest");
  const json::Document& model = models.at(std::string(row.find("modelRevisionId")->string()));
  const json::Document& workload =
      serving_workloads.at(std::string(row.find("workloadId")->string()));
  compare(table, row, "cohortKey",
          text_json(cohort_key(run.root, model.root, workload.root).to_string()));
  compare(table, row, "protocolKey", text_json(serving_protocol_key(run.root, workload.root)));
  compare(table, row, "metricSetKey", text_json(serving_metric_set_key(run.root)));
  const ServingRunColumns columns = derive_serving_run(run.root);
  compare(table, row, "status", text_json(columns.status));
  compare(table, row, "qualityPolicy", text_json(columns.quality_policy));
  compare(table, row, "scenario", text_json(columns.scenario));
  compare(table, row, "acceleratorVendor", text_json(columns.accelerator_vendor));
  compare(table, row, "acceleratorModel", text_json(columns.accelerator_model));
  compare(table, row, "acceleratorCount", integer_json(columns.accelerator_count));
  compare(table, row, "nodeCount", integer_json(columns.node_count));
  compare(table, row, "totalAccelerators", integer_json(columns.total_accelerators));
  add_measurements(row, columns.measurements);
}

TEST_F(Catalog, IsRecomputedEqual) {
  if (!shared_dir()) GTEST_SKIP() << kNoShared;
  validator.collect_warnings(true);
  const auto path = *shared_dir() / "data" / "catalog-2026-08-16.jsonl.zst";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "skipped: ../shared/data has no export";
  auto lines = io::LineReader::open(path);
  ASSERT_TRUE(lines) << lines.error().to_string();
  json::Reader reader({.max_bytes = std::size_t{64} << 20});
  for (;;) {
    const auto line = lines->next();
    ASSERT_TRUE(line) << line.error().to_string();
    if (!*line) break;
    const auto value = reader.read(**line);
    ASSERT_TRUE(value) << value.error().to_string();
    read_row(value->find("table")->string(), *value->find("row"));
  }
  for (const auto& [name, count] : different)
    ADD_FAILURE() << name << ": " << count << " rows differ; " << example[name];
  EXPECT_TRUE(measurements.empty()) << measurements.size() << " measurements are not in the export";
  const std::map<std::string, std::size_t> counts = {
      {"operations.semanticDigest", 449},
      {"workloads.workloadDigest", 5627},
      {"workloads.shapeSummary", 5627},
      {"workloads.layoutKeys", 5627},
      {"implementations.implementationDigest", 4250},
      {"benchmark_runs.runDigest", 7857},
      {"benchmark_runs.protocolKey", 7857},
      {"benchmark_runs.environmentKey", 7857},
      {"benchmark_runs.correctnessKey", 7857},
      {"benchmark_runs.comparisonKey", 7857},
      {"benchmark_runs.primaryValue", 7857},
      {"benchmark_runs.environmentSummary", 7857},
      {"model_revisions.modelDigest", 6},
      {"serving_stack_revisions.stackDigest", 71},
      {"serving_configurations.configurationDigest", 130},
      {"serving_workloads.workloadDigest", 17},
      {"serving_runs.runDigest", 722},
      {"serving_runs.cohortKey", 722},
      {"serving_runs.protocolKey", 722},
      {"serving_runs.metricSetKey", 722},
      {"measurements", 13853},
      {"serving_measurements", 722},
      {"projects.normalizedName", 284},
  };
  for (const auto& [name, count] : counts) EXPECT_EQ(equal[name], count) << name;
}

}  // namespace
}  // namespace ki::manifest
