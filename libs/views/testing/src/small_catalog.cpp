#include "ki/views_testing/small_catalog.h"

#include "ki/base/check.h"
#include "ki/base/uuid.h"
#include "ki/catalog/builder.h"
#include "ki/digest/digest.h"
#include "ki/json/canonical.h"
#include "ki/json/number.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "ki/policy/records.h"

#include <fmt/format.h>

namespace ki::views::testing {
namespace {

using catalog::Table;

constexpr std::string_view kApi = "kernelindex.dev/v1alpha1";

std::string json_text(std::string_view text) {
  std::string out;
  json::Writer(out).value(text);
  return out;
}

std::string text_or_null(std::string_view text) {
  return text.empty() ? std::string("null") : json_text(text);
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string out;
  json::Writer w(out);
  w.begin_array();
  for (const std::string& text : texts) w.value(text);
  w.end_array();
  return out;
}

std::string manifest(std::string_view kind, std::string_view spec, std::string_view name) {
  return fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"{}"}},"spec":{}}})",
                     kApi, kind, name, spec);
}

std::string digest_of(std::string_view text) { return Digest::of(text).to_string(); }

std::string more(std::string_view members) {
  return members.empty() ? std::string() : fmt::format(",{}", members);
}

}  // namespace

SmallCatalog::SmallCatalog() : store_("00000000-0000-7000-8000-000000000000") {}

std::string SmallCatalog::next_id() {
  return fmt::format("01a00000-0000-7000-8000-{:012x}", ++last_id_);
}

void SmallCatalog::append(Table table, std::string_view body, std::uint32_t version) {
  if (!transaction_) {
    auto begun = store_.begin();
    KI_CHECK(begun.has_value());
    transaction_ = std::move(*begun);
  }
  const auto document = json::read_document(body);
  if (!document) fmt::print(stderr, "{}\n{}\n", document.error().to_string(), body);
  KI_CHECK(document.has_value());
  const auto key = catalog::key_of(table, document->root);
  KI_CHECK(key.has_value());
  std::optional<Digest> digest;
  if (const auto member = catalog::info(table).digest_member; !member.empty()) {
    const auto parsed = Digest::parse(document->root.find(member)->string());
    KI_CHECK(parsed.has_value());
    digest = *parsed;
  }
  const auto appended =
      transaction_->append(table, *key, version, digest, json::canonical(document->root));
  if (!appended) fmt::print(stderr, "{}\n", appended.error().to_string());
  KI_CHECK(appended.has_value());
}

void SmallCatalog::source(std::string_view slug, std::string_view kind, std::string_view policy) {
  const std::string id = ids_[fmt::format("source {}", slug)] = next_id();
  append(Table::kSources,
         fmt::format(R"({{"id":"{}","slug":"{}","kind":"{}","name":"Source {}","policy":{}}})", id,
                     slug, kind, slug, policy));
}

void SmallCatalog::project(std::string_view slug, std::string_view kind) {
  const std::string id = ids_[fmt::format("project {}", slug)] = next_id();
  append(Table::kProjects,
         fmt::format(R"({{"id":"{}","slug":"{}","name":"Project {}","kind":"{}"}})", id, slug, slug,
                     kind));
}

void SmallCatalog::operation(const Operation& o) {
  const std::string id = ids_["operation " + o.slug] = next_id();
  const std::string spec = fmt::format(
      R"({{"family":"{}","axes":{{"m":{{"role":"variable","type":"integer","minimum":1,"maximum":4096}},"k":{{"role":"constant","type":"integer","value":64}},"mk":{{"role":"derived","type":"integer","expression":"m * k"}}}},"inputs":[{{"name":"a","tensor":{{"dtype":"fp16","shape":["m","k"],"layout":"row_major"}}}},{{"name":"scale","scalar":{{"dtype":"fp32"}}}}],"outputs":[{{"name":"c","tensor":{{"dtype":"fp16","shape":["m",8]}}}}],"semantics":{{"mutation":"none","determinism":"unspecified","expression":"c = a * scale"}}}})",
      o.family);
  append(
      Table::kOperations,
      fmt::format(
          R"({{"id":"{}","slug":"{}","name":{},"family":"{}","tags":{},"semanticDigest":"{}","manifest":{}}})",
          id, o.slug, json_text(o.name.empty() ? o.slug : o.name), o.family, list_of(o.tags),
          digest_of(o.slug + spec), manifest("OperationSpec", spec, o.slug)));
  for (const std::string& alias : o.aliases) {
    append(Table::kOperationAliases,
           fmt::format(R"({{"operationId":"{}","alias":"{}"}})", id, alias));
  }
}

void SmallCatalog::relation(std::string_view from, std::string_view to, std::string_view relation) {
  append(
      Table::kOperationRelations,
      fmt::format(
          R"({{"id":"{}","fromOperationId":"{}","toOperationId":"{}","relation":"{}","rationale":"same"}})",
          next_id(), ids_.at(fmt::format("operation {}", from)),
          ids_.at(fmt::format("operation {}", to)), relation));
}

std::string SmallCatalog::workload(std::string_view operation, int m) {
  const std::string id = next_id();
  const std::string spec = fmt::format(
      R"({{"operationSpecDigest":"{}","axes":{{"m":{}}},"tensors":{{"a":{{"dtype":"fp16","shape":[{},64]}}}},"correctness":{{"comparator":"allclose","maxAbsoluteError":0.01,"maxRelativeError":0.05}}}})",
      digest_of(operation), m, m);
  append(Table::kWorkloads,
         fmt::format(R"({{"id":"{}","operationId":"{}","workloadDigest":"{}","manifest":{}}})", id,
                     ids_.at(fmt::format("operation {}", operation)), digest_of(spec),
                     manifest("WorkloadCase", spec, "case")));
  return id;
}

void SmallCatalog::implementation(const Implementation& i) {
  const std::string id = next_id();
  ids_["implementation " + i.slug] = id;
  const std::string spec = fmt::format(
      R"({{"projectRevision":{{"version":"{}"}},"callable":{{"language":"python","path":"{}.py","symbol":"run"}},"support":{{"hardwareArchitectures":["sm_100"],"dtypes":["fp16"]}}{}}})",
      i.revision.empty() ? "1" : i.revision, i.slug, more(i.spec));
  append(
      Table::kImplementations,
      fmt::format(
          R"({{"id":"{}","projectId":"{}","operationId":"{}","implementationDigest":"{}","slug":"{}","title":"{}","sourceRevision":{},"language":"python","role":{},"licenseDeclared":{},"licenseExpression":{},"installKind":{},"installCommand":{},"sourceAvailable":{},"installable":{},"createdAt":"2026-01-01T00:00:00.000Z","manifest":{}}})",
          id, ids_.at("project " + i.project), ids_.at("operation " + i.operation),
          digest_of(id + spec), i.slug, i.slug, text_or_null(i.revision), text_or_null(i.role),
          text_or_null(i.licence), text_or_null(i.licence), i.is_installable ? R"("pip")" : "null",
          i.is_installable ? R"("pip install it")" : "null", i.has_source, i.is_installable,
          manifest("ImplementationRevision", spec, i.slug)));
}

std::string SmallCatalog::document(std::string_view kind, std::string_view spec) {
  const std::string text = manifest(kind, spec, "document");
  std::string& digest = documents_[text];
  if (!digest.empty()) return digest;
  const auto read = json::read_document(text);
  KI_CHECK(read.has_value());
  digest = digest_of(json::canonical(read->root));
  append(Table::kDocuments,
         fmt::format(R"({{"documentDigest":"{}","specDigest":"{}","manifest":{}}})", digest,
                     digest_of(spec), text));
  return digest;
}

std::string SmallCatalog::run(const Run& r) {
  const std::string id = next_id();
  const std::string protocol = document(
      "BenchmarkProtocol",
      R"({"harness":{"name":"harness","version":"2"},"measurement":{"timer":"events","setupIncluded":false,"warmupDuration":8000,"samples":100,"primaryStatistic":"median"},"correctness":{"reference":"torch","comparator":"allclose"},"comparability":{"family":"tests"}})");
  const std::string environment = document(
      "ExecutionEnvironment",
      fmt::format(
          R"({{"hardware":{{"vendor":"nvidia","product":"{}","architecture":"sm_100"}},"software":{{"cudaToolkit":"{}","libraries":{{"stack":"v1"}}}}}})",
          r.gpu, r.cuda));
  const std::string timing =
      r.status == "passed"
          ? fmt::format(
                R"(,"timing":{{"primaryStatistic":"median","samples":100,"latencyNs":{{"median":{}}}}})",
                json::number_text(r.value))
          : std::string();
  const std::string spec = fmt::format(
      R"({{"status":"{}","observedAt":"{}T00:00:00.000Z","protocolDigest":"{}","environmentDigest":"{}"{}{}}})",
      r.status, r.observed, protocol, environment, timing, more(r.spec));
  const std::string body = fmt::format(
      R"({{"id":"{}","runDigest":"{}","implementationId":"{}","workloadId":"{}","sourceId":"{}","publishedAt":{},"reported":true,"reproducedByKernelindex":false,"independentReplicationCount":0,"sourceAvailable":false,"installable":false,"licenseExpression":null,"supersedesId":{},"retractedAt":{},"retractionReason":null,"run":{},"protocolDocument":"{}","environmentDocument":"{}"}})",
      id, digest_of(id), ids_.at("implementation " + r.implementation), r.workload,
      ids_.at("source " + r.source), text_or_null(r.published), text_or_null(r.supersedes),
      text_or_null(r.retracted), manifest("BenchmarkRun", spec, "run"), protocol, environment);
  append(Table::kBenchmarkRuns, body);
  rows_[id] = body;
  return id;
}

void SmallCatalog::retract(const std::string& run_id, std::string_view at,
                           std::string_view reason) {
  std::string body = rows_.at(run_id);
  const std::string_view before = R"("retractedAt":null,"retractionReason":null)";
  body.replace(body.find(before), before.size(),
               fmt::format(R"("retractedAt":"{}","retractionReason":{{"actor":"a","reason":"{}"}})",
                           at, reason));
  append(Table::kBenchmarkRuns, body, 1);
}

void SmallCatalog::artifact(const std::string& run_id, std::string_view content,
                            std::string_view role, std::string_view storage, std::string_view uri) {
  const std::string id = next_id();
  append(
      Table::kArtifacts,
      fmt::format(
          R"({{"id":"{}","contentDigest":"{}","kind":"source","mediaType":"text/plain","sizeBytes":{},"storage":"{}","uri":{},"content":"{}"}})",
          id, digest_of(content), content.size(), storage, text_or_null(uri), content));
  append(Table::kRunArtifacts,
         fmt::format(R"({{"runId":"{}","artifactId":"{}","role":"{}"}})", run_id, id, role));
}

std::string SmallCatalog::source_file(std::string_view file_name, std::string_view content) {
  append(
      Table::kArtifacts,
      fmt::format(
          R"({{"id":"{}","contentDigest":"{}","kind":"source","mediaType":"text/plain","sizeBytes":{},"storage":"inline","uri":null,"license":"MIT","content":{}}})",
          next_id(), digest_of(content), content.size(), json_text(content)));
  return fmt::format(R"("source":{{"fileName":"{}","sizeBytes":{},"contentDigest":"{}"}})",
                     file_name, content.size(), digest_of(content));
}

void SmallCatalog::audit(std::string_view action, std::string_view run_id, std::string_view reason,
                         std::string_view at) {
  append(
      Table::kAuditEvents,
      fmt::format(
          R"({{"id":"{}","actor":"maintainer:cli","action":"{}","targetKind":"run","targetId":"{}","reason":"{}","at":"{}"}})",
          next_id(), action, run_id, reason, at));
}

void SmallCatalog::serving_run(std::string_view accelerator, std::string_view source,
                               std::string_view status) {
  const std::string id = next_id();
  std::string& model = ids_["model"];
  if (model.empty()) {
    model = next_id();
    append(Table::kModelRevisions,
           fmt::format(
               R"({{"id":"{}","slug":"llama","name":"Llama","modelDigest":"{}","manifest":{{}}}})",
               model, digest_of("llama")));
  }
  append(
      Table::kServingRuns,
      fmt::format(
          R"({{"id":"{}","runDigest":"{}","modelRevisionId":"{}","configurationId":"c1","sourceId":"{}","status":"{}","acceleratorVendor":"amd","acceleratorModel":"{}","cohortKey":"{}","observedAt":"2026-01-01T00:00:00.000Z","publishedAt":"2026-01-02T00:00:00.000Z","retractedAt":null,"supersedesId":null}})",
          id, digest_of(id), model, ids_.at(fmt::format("source {}", source)), status, accelerator,
          digest_of("cohort")));
}

// As publication does: strict improvements of the eligible runs, in order of observation.
void SmallCatalog::append_events() {
  const auto committed = transaction_->commit(Instant{1}, "test");
  KI_CHECK(committed.has_value());
  transaction_.reset();
  const auto snapshot = catalog::build_snapshot(store_);
  if (!snapshot) fmt::print(stderr, "{}\n", snapshot.error().to_string());
  KI_CHECK(snapshot.has_value());
  const catalog::Snapshot& s = **snapshot;
  for (catalog::Index k = 0; k < s.cohorts().size(); ++k) {
    if (!s.events_of_cohort(k).empty()) continue;  // stored before a correction
    std::vector<std::string> ids;
    std::vector<policy::RecordRun> runs;
    const auto ranked = s.runs_of_cohort(k).first(s.cohorts()[k].ranked);
    ids.reserve(ranked.size());
    for (const auto run : ranked) {
      ids.push_back(Uuid{s.runs()[run].id}.to_string());
      runs.push_back({ids.back(), s.runs()[run].value, Instant{s.runs()[run].observed_ms}});
    }
    for (const policy::RecordEvent& event : policy::record_events_v1(runs)) {
      append(
          Table::kRecordEvents,
          fmt::format(
              R"({{"id":"{}","comparisonKey":"{}","runId":"{}","previousRunId":{},"policyVersion":"ranking-v1","cause":"new_run","at":"{}","createdAt":"{}"}})",
              next_id(), Digest(s.cohorts()[k].key).to_string(), ids[event.run],
              event.previous ? json_text(ids[*event.previous]) : "null",
              runs[event.run].observed_at.to_string(), runs[event.run].observed_at.to_string()));
    }
  }
}

std::shared_ptr<const catalog::Snapshot> SmallCatalog::finish() {
  if (transaction_) append_events();
  if (transaction_) {
    KI_CHECK(transaction_->commit(Instant{2}, "test events").has_value());
    transaction_.reset();
  }
  auto snapshot = catalog::build_snapshot(store_);
  KI_CHECK(snapshot.has_value());
  return *snapshot;
}

}  // namespace ki::views::testing
