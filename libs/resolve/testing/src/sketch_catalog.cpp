#include "ki/resolve/testing/sketch_catalog.h"

#include "ki/base/check.h"
#include "ki/digest/digest.h"
#include "ki/json/canonical.h"
#include "ki/json/reader.h"

#include <fmt/format.h>

#include <cstdio>

namespace ki::resolve::testing {
namespace {

constexpr std::string_view kVersion = "kernelindex.dev/v1alpha1";
constexpr std::string_view kCreated = "2026-01-01T00:00:00.000Z";

std::string in_quotes(std::string_view text) { return fmt::format("\"{}\"", text); }
std::string text_or_null(std::string_view text) { return text.empty() ? "null" : in_quotes(text); }

std::string text_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ",") + in_quotes(text);
  return "[" + list + "]";
}

// Spec 02: the digest of the canonical {apiVersion, kind, spec}.
std::string spec_digest(std::string_view kind, std::string_view spec) {
  const std::string text =
      fmt::format(R"({{"apiVersion":"{}","kind":"{}","spec":{}}})", kVersion, kind, spec);
  const auto document = json::read_document(text);
  KI_CHECK(document.has_value());
  return Digest::of(json::canonical(document->root)).to_string();
}

std::string manifest(std::string_view kind, std::string_view name, std::string_view spec) {
  return fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"{}"}},"spec":{}}})",
                     kVersion, kind, name, spec);
}

}  // namespace

SketchCatalog::SketchCatalog() {
  source_ = next_id();
  add("sources",
      fmt::format(
          R"({{"id":"{}","slug":"bench","kind":"benchmark","name":"A benchmark","policy":null,"createdAt":"{}"}})",
          source_, kCreated));
  project_ = next_id();
  add("projects",
      fmt::format(
          R"({{"id":"{}","slug":"library","name":"Library","normalizedName":"library","canonicalUrl":null,)"
          R"("licenseExpression":null,"kind":"library","manifest":{},"createdAt":"{}"}})",
          project_, manifest("SoftwareProject", "library", R"({"name":"Library"})"), kCreated));
}

std::string SketchCatalog::next_id() {
  return fmt::format("01900000-0000-7000-8000-{:012x}", ++ids_);
}

void SketchCatalog::add(std::string_view table, const std::string& row) {
  const auto added = folder_.add(table, std::string_view(row));
  if (!added)
    std::fprintf(stderr, "%s: %s\n%s\n", std::string(table).c_str(),
                 added.error().to_string().c_str(), row.c_str());
  KI_CHECK(added.has_value());
}

std::string SketchCatalog::operation(const Operation& sketch) {
  const std::string id = next_id();
  const std::string name = sketch.name.empty() ? sketch.slug : sketch.name;
  const std::string spec = fmt::format(
      R"({{"family":"{}","axes":{},"inputs":{},"outputs":{},"semantics":{{"expression":"{}"}}}})",
      sketch.family, sketch.axes, sketch.inputs, sketch.outputs, sketch.slug);
  digests_[id] = spec_digest("OperationSpec", spec);
  add("operations",
      fmt::format(
          R"({{"id":"{}","slug":"{}","family":"{}","name":"{}","schemaVersion":"{}","semanticDigest":"{}",)"
          R"("manifest":{},"tags":{},"createdAt":"{}","supersedesId":null}})",
          id, sketch.slug, sketch.family, name, kVersion, digests_[id],
          manifest("OperationSpec", sketch.slug, spec), text_list(sketch.tags), kCreated));
  for (const std::string& alias : sketch.aliases) {
    add("operation_aliases", fmt::format(R"({{"operationId":"{}","alias":"{}"}})", id, alias));
  }
  return id;
}

std::string SketchCatalog::add_workload(const std::string& operation,
                                        const std::string& row_manifest) {
  const std::string id = next_id();
  const auto document = json::read_document(row_manifest);
  KI_CHECK(document.has_value());
  digests_[id] = spec_digest(document->root.find("kind")->string(),
                             json::canonical(*document->root.find("spec")));
  add("workloads",
      fmt::format(
          R"({{"id":"{}","operationId":"{}","workloadDigest":"{}","schemaVersion":"{}","manifest":{},)"
          R"("shapeSummary":"","dtypes":[],"layoutKeys":[],"createdAt":"{}"}})",
          id, operation, digests_[id], kVersion, row_manifest, kCreated));
  return id;
}

std::string SketchCatalog::workload(const std::string& operation, std::string_view axes,
                                    std::string_view tensors) {
  const std::string spec = fmt::format(
      R"({{"operationSpecDigest":"{}","axes":{},"tensors":{},"correctness":{{"comparator":"close"}}}})",
      digests_.at(operation), axes, tensors);
  return add_workload(operation, manifest("WorkloadCase", "case", spec));
}

std::string SketchCatalog::case_of(const std::string& operation, int m, std::string_view dtype) {
  return workload(operation, fmt::format(R"({{"k":64,"m":{}}})", m),
                  fmt::format(R"({{"a":{{"dtype":"{}","shape":[{},64]}}}})", dtype, m));
}

std::string SketchCatalog::suite(const std::string& operation, int cases) {
  std::string list;
  for (int i = 0; i < cases; ++i) {
    list += fmt::format(R"({}{{"externalId":"c{}","axes":{{"k":64,"m":{}}}}})", i == 0 ? "" : ",",
                        i, i + 1);
  }
  const std::string spec = fmt::format(
      R"({{"operationSpecDigest":"{}","cases":[{}],"aggregation":{{"metric":"latency","statistic":"mean"}},)"
      R"("correctness":{{"comparator":"close"}}}})",
      digests_.at(operation), list);
  return add_workload(operation, manifest("WorkloadSuite", "suite", spec));
}

std::string SketchCatalog::implementation(const std::string& operation,
                                          const Implementation& sketch) {
  const std::string id = next_id();
  const std::string spec = fmt::format(
      R"({{"operation":{{"specDigest":"{}"}},"callable":{{"language":"{}"}},"name":"{}"}})",
      digests_.at(operation), sketch.language, sketch.slug);
  digests_[id] = spec_digest("ImplementationRevision", spec);
  add("implementations",
      fmt::format(
          R"({{"id":"{}","projectId":"{}","operationId":"{}","slug":"{}","implementationDigest":"{}","sourceRevision":null,)"
          R"("language":"{}","framework":{},"targetArchitectures":[],"licenseExpression":{},"sourceAvailable":{},)"
          R"("installable":{},"title":"{}","installKind":{},"installCommand":{},"licenseDeclared":{},"role":{},)"
          R"("manifest":{},"createdAt":"{}","supersedesId":null}})",
          id, project_, operation, sketch.slug, digests_[id], sketch.language,
          text_or_null(sketch.framework), text_or_null(sketch.license), sketch.has_source,
          sketch.is_installable, sketch.slug, sketch.is_installable ? in_quotes("pip") : "null",
          sketch.is_installable ? in_quotes("pip install it") : "null",
          text_or_null(sketch.license), text_or_null(sketch.role),
          manifest("ImplementationRevision", sketch.slug, spec), kCreated));
  return id;
}

std::string SketchCatalog::run(const std::string& implementation, const std::string& workload,
                               const Run& sketch) {
  const std::string id = next_id();
  const std::string protocol_spec = fmt::format(
      R"({{"harness":{{"name":"harness"{}}},"measurement":{{"primaryStatistic":"median","timer":"wall"}},"comparability":{{"family":"test"}}}})",
      sketch.harness_version.empty() ? ""
                                     : fmt::format(R"(,"version":"{}")", sketch.harness_version));
  std::string software;
  if (!sketch.cuda.empty()) software += fmt::format(R"("cudaToolkit":"{}")", sketch.cuda);
  if (!sketch.driver.empty())
    software += fmt::format(R"({}"driver":"{}")", software.empty() ? "" : ",", sketch.driver);
  const std::string environment_spec = fmt::format(
      R"({{"hardware":{{"vendor":"{}","product":"{}","architecture":"{}"}},"software":{{{}}}}})",
      sketch.product.starts_with("AMD") ? "amd" : "nvidia", sketch.product, sketch.architecture,
      software);
  std::string measured;
  if (sketch.status == "passed" && sketch.metric.empty()) {
    const std::string interval = sketch.interval
                                     ? fmt::format(R"(,"confidence95":[{},{}])",
                                                   sketch.interval->first, sketch.interval->second)
                                     : "";
    measured =
        fmt::format(R"(,"timing":{{"primaryStatistic":"median","latencyNs":{{"median":{}{}}}}})",
                    sketch.value, interval);
  } else if (sketch.status == "passed") {
    measured = fmt::format(
        R"(,"measurements":[{{"metric":"{}","statistic":"mean","unit":"s","value":{}}}])",
        sketch.metric, sketch.value);
  }
  if (sketch.has_raw_evidence) measured += R"(,"evidence":{"logs":"https://example.org/log"})";
  const std::string run_spec = fmt::format(
      R"({{"implementationDigest":"{}","workloadDigest":"{}","protocolDigest":"{}","environmentDigest":"{}","status":"{}","observedAt":"{}"{}}})",
      digests_.at(implementation), digests_.at(workload),
      spec_digest("BenchmarkProtocol", protocol_spec),
      spec_digest("ExecutionEnvironment", environment_spec), sketch.status, sketch.observed,
      measured);
  // Runs that are equal in everything else stay different runs.
  const std::string run_digest = Digest::of(run_spec + id).to_string();
  add("benchmark_runs",
      fmt::format(
          R"({{"id":"{}","runDigest":"{}","implementationId":"{}","workloadId":"{}","sourceId":"{}","publishedAt":{},)"
          R"("reported":true,"reproducedByKernelindex":{},"independentReplicationCount":{},"sourceAvailable":true,)"
          R"("installable":false,"licenseExpression":null,"supersedesId":{},"retractedAt":{},"retractionReason":null,)"
          R"("manifest":{{"run":{},"protocol":{},"environment":{}}}}})",
          id, run_digest, implementation, workload, source_,
          sketch.is_published ? in_quotes("2026-06-01T00:00:00.000Z") : "null",
          sketch.is_reproduced, sketch.replications, text_or_null(sketch.supersedes),
          sketch.is_retracted ? in_quotes("2026-07-01T00:00:00.000Z") : "null",
          manifest("BenchmarkRun", "run", run_spec),
          manifest("BenchmarkProtocol", "protocol", protocol_spec),
          manifest("ExecutionEnvironment", "environment", environment_spec)));
  return id;
}

std::shared_ptr<const catalog::Snapshot> SketchCatalog::finish() && {
  return std::move(folder_).finish();
}

}  // namespace ki::resolve::testing
