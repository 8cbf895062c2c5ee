#include "ki/publish/row_codec.h"

#include "ki/json/canonical.h"
#include "ki/json/number.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "ki/manifest/keys.h"

#include <fmt/format.h>

#include <array>
#include <map>

namespace ki::publish {
namespace {

// Columns of benchmark_runs that are the run's own, as opposed to derived from its manifests.
constexpr std::array<std::string_view, 16> kOwnRunColumns = {
    "createdAt",
    "id",
    "implementationId",
    "independentReplicationCount",
    "installable",
    "licenseExpression",
    "publishedAt",
    "reported",
    "reproducedByKernelindex",
    "retractedAt",
    "retractionReason",
    "runDigest",
    "sourceAvailable",
    "sourceId",
    "supersedesId",
    "workloadId",
};

const json::Value& spec_of(const json::Value& manifest) {
  const json::Value* spec = manifest.find("spec");
  KI_CHECK(spec != nullptr);
  return *spec;
}

// Writes members in one pass in the order of keys; callers ask in that order.
class SortedRow {
 public:
  explicit SortedRow(std::string& out) : out_(out) { out_ += '{'; }
  void own(const json::Value& row, std::string_view column) {
    if (const json::Value* v = row.find(column)) {
      key(column);
      json::append_canonical(out_, *v);
    }
  }
  void text(std::string_view column, std::string_view value) {
    key(column);
    json::append_string(out_, value);
  }
  void nullable_text(std::string_view column, const std::optional<std::string_view>& value) {
    value ? text(column, *value) : raw(column, "null");
  }
  void number(std::string_view column, const std::optional<double>& value) {
    if (!value) return raw(column, "null");
    key(column);
    json::append_number(out_, *value);
  }
  void number(std::string_view column, const std::optional<std::int64_t>& value) {
    if (!value) return raw(column, "null");
    key(column);
    json::append_integer(out_, *value);
  }
  void boolean(std::string_view column, bool value) { raw(column, value ? "true" : "false"); }
  void raw(std::string_view column, std::string_view json) {
    key(column);
    out_ += json;
  }
  void key(std::string_view column) {
    if (!is_first_) out_ += ',';
    is_first_ = false;
    json::append_string(out_, column);
    out_ += ':';
  }
  void end() { out_ += '}'; }

 private:
  std::string& out_;
  bool is_first_ = true;
};

}  // namespace

void append_run_row(std::string& out, const json::Value& stored, const RunContext& context) {
  const json::Value* run = stored.find("run");
  KI_CHECK(run != nullptr && context.protocol != nullptr && context.environment != nullptr);
  const json::Value& spec = spec_of(*run);
  const manifest::RunColumns c =
      manifest::derive_run(spec, spec_of(*context.protocol), spec_of(*context.environment));
  const std::string metric = manifest::primary_metric_key(c.primary);
  const Digest comparison = Digest::of(
      manifest::comparison_text(manifest::ComparisonTexts{.operation = context.operation_digest,
                                                          .workload = c.workload_digest,
                                                          .protocol = context.protocol_key,
                                                          .environment = context.environment_key,
                                                          .correctness = context.correctness_key,
                                                          .metric = metric}));
  const auto observed = parse_instant(c.observed_at);
  KI_CHECK(observed.has_value());
  const auto& p = c.primary;
  using Text = std::optional<std::string_view>;

  SortedRow row(out);
  row.text("comparisonKey", comparison.to_string());
  row.text("correctnessKey", context.correctness_key);
  row.own(stored, "createdAt");
  row.number("cudaMajor", c.cuda_major);
  row.number("driverMajor", c.driver_major);
  row.text("environmentKey", context.environment_key);
  row.nullable_text("environmentSummary",
                    c.environment_summary.empty() ? Text() : Text(c.environment_summary));
  row.text("hardwareArchitecture", c.hardware_architecture);
  row.text("hardwareModel", c.hardware_model);
  row.text("hardwareVendor", c.hardware_vendor);
  row.boolean("hasRawEvidence", c.has_raw_evidence);
  row.own(stored, "id");
  row.own(stored, "implementationId");
  row.own(stored, "independentReplicationCount");
  row.own(stored, "installable");
  row.own(stored, "licenseExpression");
  row.key("manifest");
  out += "{\"environment\":";
  json::append_canonical(out, *context.environment);
  out += ",\"protocol\":";
  json::append_canonical(out, *context.protocol);
  out += ",\"run\":";
  json::append_canonical(out, *run);
  out += '}';
  row.text("observedAt", observed->instant.to_string());
  row.text("primaryMetric", p ? p->metric : manifest::kNoMetricKey);
  row.nullable_text("primaryStatistic", p ? Text(p->statistic) : Text());
  row.nullable_text("primaryUnit", p ? Text(p->unit) : Text());
  row.number("primaryValue", p ? std::optional<double>(p->value) : std::nullopt);
  row.text("protocolKey", context.protocol_key);
  row.own(stored, "publishedAt");
  row.own(stored, "reported");
  row.own(stored, "reproducedByKernelindex");
  row.own(stored, "retractedAt");
  row.own(stored, "retractionReason");
  row.own(stored, "runDigest");
  row.number("sampleCount", p ? p->sample_count : std::nullopt);
  row.number("solScore", c.sol_score);
  row.own(stored, "sourceAvailable");
  row.own(stored, "sourceId");
  row.boolean("sourceNative", c.has_source_native);
  row.text("status", c.status);
  row.own(stored, "supersedesId");
  row.number("uncertaintyHigh", c.uncertainty_high);
  row.number("uncertaintyLow", c.uncertainty_low);
  row.own(stored, "workloadId");
  row.end();
}

void append_stored_run(std::string& out, const json::Value& exported,
                       std::string_view run_canonical, const Digest& protocol_document,
                       const Digest& environment_document) {
  SortedRow row(out);
  bool are_documents_written = false;
  bool is_run_written = false;
  for (const std::string_view column : kOwnRunColumns) {
    if (!are_documents_written && column > "environmentDocument") {
      row.text("environmentDocument", environment_document.to_string());
      are_documents_written = true;
    }
    if (column == "publishedAt") row.text("protocolDocument", protocol_document.to_string());
    if (!is_run_written && column > "run") {
      row.raw("run", run_canonical);
      is_run_written = true;
    }
    row.own(exported, column);
  }
  row.end();
}

void append_document_row(std::string& out, const Digest& document, const Digest& spec,
                         std::string_view manifest_canonical) {
  SortedRow row(out);
  row.text("documentDigest", document.to_string());
  row.raw("manifest", manifest_canonical);
  row.text("specDigest", spec.to_string());
  row.end();
}

void append_measurement_row(std::string& out, std::string_view run_id,
                            const manifest::Measurement& measurement) {
  SortedRow row(out);
  row.text("metric", measurement.metric);
  row.text("runId", run_id);
  row.number("sampleCount", measurement.sample_count);
  row.text("statistic", measurement.statistic);
  row.text("unit", measurement.unit);
  row.number("value", std::optional<double>(measurement.value));
  row.end();
}

std::string with_columns(const json::Value& row,
                         std::span<const std::pair<std::string_view, std::string>> columns) {
  std::map<std::string_view, std::string> members;
  for (const json::Member& member : row.members())
    members.emplace(member.key, json::canonical(member.value));
  for (const auto& [column, value] : columns) members.insert_or_assign(column, value);
  std::string out;
  SortedRow sorted(out);
  for (const auto& [column, value] : members) sorted.raw(column, value);
  sorted.end();
  return out;
}

namespace {

Result<json::Document> read_row(const catalog::OwnedEntry& entry) {
  auto row = json::read_document(entry.body, json::Limits{.max_bytes = std::size_t{64} << 20});
  if (!row) {
    return fail(Error(Code::kCorrupt, fmt::format("entry {} ({} {}) holds no JSON: {}", entry.seq,
                                                  catalog::info(entry.table).name, entry.key,
                                                  row.error().message())));
  }
  return row;
}

Result<json::Document> find_row(catalog::Store& store, catalog::Table table, const json::Value& row,
                                std::string_view column, catalog::Seq upto) {
  const json::Value* key = row.find(column);
  if (key != nullptr && key->is_string()) {
    KI_TRY(auto found, store.find(table, key->string(), upto));
    if (found) return read_row(*found);
  }
  return fail(Code::kCorrupt,
              fmt::format("column '{}' names no row of {}", column, catalog::info(table).name));
}

std::string_view text_of(const json::Document& row, std::string_view column) {
  const json::Value* v = row.root.find(column);
  return v != nullptr && v->is_string() ? v->string() : std::string_view();
}

}  // namespace

Result<std::string> exported_row(catalog::Store& store, const catalog::OwnedEntry& entry) {
  if (entry.table != catalog::Table::kBenchmarkRuns) return entry.body;
  KI_TRY(const catalog::Head head, store.head());
  KI_TRY(const json::Document run, read_row(entry));
  using catalog::Table;
  KI_TRY(const auto protocol,
         find_row(store, Table::kDocuments, run.root, "protocolDocument", head.seq));
  KI_TRY(const auto environment,
         find_row(store, Table::kDocuments, run.root, "environmentDocument", head.seq));
  KI_TRY(const auto workload, find_row(store, Table::kWorkloads, run.root, "workloadId", head.seq));
  KI_TRY(const auto operation,
         find_row(store, Table::kOperations, workload.root, "operationId", head.seq));
  const json::Value* workload_manifest = workload.root.find("manifest");
  KI_CHECK(workload_manifest != nullptr);
  const std::string correctness =
      manifest::correctness_key(spec_of(*workload_manifest)).to_string();
  std::string out;
  append_run_row(out, run.root,
                 {.protocol = protocol.root.find("manifest"),
                  .environment = environment.root.find("manifest"),
                  .protocol_key = text_of(protocol, "specDigest"),
                  .environment_key = text_of(environment, "specDigest"),
                  .operation_digest = text_of(operation, "semanticDigest"),
                  .correctness_key = correctness});
  return out;
}

}  // namespace ki::publish
