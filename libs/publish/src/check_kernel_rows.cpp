// The tables of kernels: sources to benchmark_runs (spec 03.1 to 03.5).

#include "ki/base/text.h"
#include "ki/json/canonical.h"
#include "ki/manifest/keys.h"
#include "ki/manifest/kind.h"
#include "ki/manifest/scalar.h"
#include "ki/policy/licence.h"
#include "ki/publish/backfill.h"
#include "row_checker_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::publish {

using manifest::ManifestKind;

namespace {

std::string json_text(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

std::string_view title_of(const manifest::ValidManifest& valid) {
  const json::Value* title = valid.metadata.is_object() ? valid.metadata.find("title") : nullptr;
  return title != nullptr && title->is_string() ? title->string() : std::string_view();
}

void check_slug(RowColumns& c, std::string_view slug, std::string_view what,
                std::unordered_set<std::string>& taken, std::uint32_t version) {
  if (slug.empty()) {
    if (!slug.data()) return;  // refused already
    c.refuse("bad_slug", "slug", "column 'slug' is empty");
    return;
  }
  if (version != 0) return;
  if (!taken.emplace(slug).second) {
    c.refuse("duplicate_slug", "slug",
             fmt::format("another {} has the slug {}", what, quote(slug)));
  }
}

}  // namespace

void RowChecker::State::check_source(const json::Value& row) {
  RowColumns c(row, issues);
  own_id(c, sources);
  check_slug(c, c.text("slug"), "source", source_slugs, version);
  c.text("kind");
  c.text("name");
  c.nullable_object("policy");
  c.instant("createdAt");
  c.finish();
  if (!issues.empty()) return;
  sources.insert(*Uuid::parse(row.find("id")->string()));
  compose(row, nullptr);
}

void RowChecker::State::check_project(const json::Value& row) {
  RowColumns c(row, issues);
  own_id(c, projects);
  const std::string_view slug = c.text("slug");
  check_slug(c, slug, "project", project_slugs, version);
  const std::string_view name = c.text("name");
  const json::Value* normalized = c.take("normalizedName");
  const auto valid = manifest(c, "manifest", {ManifestKind::kSoftwareProject});
  if (valid) {
    const manifest::ProjectColumns derived = manifest::derive_project(valid->spec);
    // The name is editorial: a new one has its own normal form.
    if (name == derived.name && (normalized == nullptr || !normalized->is_string() ||
                                 normalized->string() != derived.normalized_name)) {
      c.refuse(
          "wrong_column", "normalizedName",
          fmt::format("column 'normalizedName' is not {}", json_text(derived.normalized_name)));
    }
    c.equals("canonicalUrl", derived.canonical_url);
  } else {
    c.take("canonicalUrl");
  }
  c.nullable_text("licenseExpression");
  const json::Value* kind = c.take("kind");
  if (kind == nullptr) {
    if (form == RowForm::kPublic) {
      added.emplace_back("kind", json_text(backfilled_project_kind(slug, name)));
    }
  } else if (!kind->is_string() || (kind->string() != "library" && kind->string() != "individual" &&
                                    kind->string() != "vendor")) {
    c.refuse("wrong_type", "kind", "column 'kind' is not library, individual or vendor");
  }
  c.instant("createdAt");
  c.finish();
  if (!issues.empty()) return;
  const auto [index, is_new] = projects.insert(*Uuid::parse(row.find("id")->string()));
  if (is_new) {
    project_names.emplace_back(name);
    project_slug_of.emplace_back(slug);
  }
  compose(row, &*valid);
}

void RowChecker::State::check_operation(const json::Value& row) {
  RowColumns c(row, issues);
  own_id(c, operations);
  const std::string_view slug = c.text("slug");
  check_slug(c, slug, "operation", operation_slugs, version);
  const std::string_view family = c.text("family");
  c.text("name");
  c.equals("schemaVersion", manifest::kApiVersion);
  const auto digest = c.digest("semanticDigest");
  const auto valid = manifest(c, "manifest", {ManifestKind::kOperationSpec});
  if (valid && digest && valid->digest != *digest) {
    c.refuse("wrong_digest", "semanticDigest",
             fmt::format("column 'semanticDigest' is {}, but the manifest hashes to {}",
                         digest->to_string(), valid->digest.to_string()));
  }
  c.texts("tags");
  c.instant("createdAt");
  const auto supersedes = c.nullable_id("supersedesId");
  c.finish();
  if (!issues.empty()) return;
  if (form == RowForm::kPublic && backfilled_family(family) != family) {
    added.emplace_back("family", json_text(backfilled_family(family)));
  }
  const auto [index, is_new] = operations.insert(*Uuid::parse(row.find("id")->string()));
  if (is_new) {
    std::string names;
    if (const json::Value* inputs = valid->spec.find("inputs")) {
      for (const json::Value& input : inputs->items()) {
        names += input.find("name")->string();
        names += '\n';
      }
    }
    operation_facts.push_back({valid->digest, input_name_lists.intern(names)});
    if (supersedes) operation_supersedes.emplace_back(*supersedes, place);
  }
  compose(row, &*valid);
}

void RowChecker::State::check_alias(const json::Value& row) {
  RowColumns c(row, issues);
  reference(c, "operationId", operations, "operation");
  const std::string_view alias = c.text("alias");
  if (alias != ascii_lower(alias)) {
    c.refuse("wrong_column", "alias", "column 'alias' is not in lower case");
  }
  c.finish();
  if (issues.empty()) compose(row, nullptr);
}

void RowChecker::State::check_relation(const json::Value& row) {
  RowColumns c(row, issues);
  own_id(c, others);
  const std::uint32_t from = reference(c, "fromOperationId", operations, "operation");
  const std::uint32_t to = reference(c, "toOperationId", operations, "operation");
  if (from != kNoIndex && from == to) {
    c.refuse("self_reference", "toOperationId", "an operation is related to itself");
  }
  c.text("relation");
  c.text("rationale");
  c.instant("createdAt");
  c.finish();
  if (!issues.empty()) return;
  others.insert(*Uuid::parse(row.find("id")->string()));
  compose(row, nullptr);
}

void RowChecker::State::check_workload(const json::Value& row) {
  RowColumns c(row, issues);
  own_id(c, workloads);
  const std::uint32_t operation = reference(c, "operationId", operations, "operation");
  const auto digest = c.digest("workloadDigest");
  c.equals("schemaVersion", manifest::kApiVersion);
  const auto valid =
      manifest(c, "manifest", {ManifestKind::kWorkloadCase, ManifestKind::kWorkloadSuite});
  if (!valid || operation == kNoIndex) {
    for (const std::string_view column : {"shapeSummary", "dtypes", "layoutKeys", "createdAt"})
      c.take(column);
    c.finish();
    return;
  }
  if (digest && valid->digest != *digest) {
    c.refuse("wrong_digest", "workloadDigest",
             fmt::format("column 'workloadDigest' is {}, but the manifest hashes to {}",
                         digest->to_string(), valid->digest.to_string()));
  }
  const OperationFacts& op = operation_facts[operation];
  const json::Value* stated = valid->spec.find("operationSpecDigest");
  if (stated == nullptr || !stated->is_string() || stated->string() != op.digest.to_string()) {
    c.refuse("wrong_reference", "operationId",
             "the manifest's operation is another than the row's");
  }
  manifest::WorkloadColumns derived;
  if (valid->kind == ManifestKind::kWorkloadSuite) {
    derived = manifest::derive_suite(valid->spec);
  } else {
    // Only the names of the operation's inputs decide, so that is all that is kept of it.
    std::vector<json::Member> names;
    std::vector<json::Value> inputs;
    const std::vector<std::string_view> list = split(input_name_lists[op.input_names], '\n');
    names.reserve(list.size());
    for (const std::string_view name : list) {
      if (name.empty()) continue;
      names.push_back({"name", 0, json::Value::string(name)});
      inputs.push_back(json::Value::object(std::span(&names.back(), 1)));
    }
    const json::Member member{"inputs", 0, json::Value::array(inputs)};
    const json::Value spec = json::Value::object(std::span(&member, 1));
    derived = manifest::derive_case(valid->spec, &spec);
  }
  c.equals("shapeSummary", std::string_view(derived.shape_summary));
  c.equals("dtypes", derived.dtypes);
  c.equals("layoutKeys", derived.layout_keys);
  c.instant("createdAt");
  c.finish();
  if (!issues.empty()) return;
  const auto [index, is_new] = workloads.insert(*Uuid::parse(row.find("id")->string()));
  if (is_new) {
    workload_facts.push_back(
        {valid->digest, operation,
         intern(correctness_index, correctness_keys, manifest::correctness_key(valid->spec))});
  }
  compose(row, &*valid);
}

void RowChecker::State::check_implementation(const json::Value& row) {
  RowColumns c(row, issues);
  own_id(c, implementations);
  const std::uint32_t project = reference(c, "projectId", projects, "project");
  const std::uint32_t operation = reference(c, "operationId", operations, "operation");
  const std::string_view slug = c.text("slug");
  if (slug.empty() && slug.data() != nullptr)
    c.refuse("bad_slug", "slug", "column 'slug' is empty");
  const auto digest = c.digest("implementationDigest");
  // The manifest stands late in the row: read it first.
  const auto valid = manifest(c, "manifest", {ManifestKind::kImplementationRevision});
  if (!valid) return;
  if (digest && valid->digest != *digest) {
    c.refuse("wrong_digest", "implementationDigest",
             fmt::format("column 'implementationDigest' is {}, but the manifest hashes to {}",
                         digest->to_string(), valid->digest.to_string()));
  }
  const manifest::ImplementationColumns derived =
      manifest::derive_implementation(valid->spec, valid->metadata);
  if (operation != kNoIndex &&
      derived.operation_digest != operation_facts[operation].digest.to_string()) {
    c.refuse("wrong_reference", "operationId",
             "the manifest's operation is another than the row's");
  }
  const auto licence = policy::conclude_licence(
      derived.license_concluded.value_or(derived.license_declared.value_or(std::string_view())));
  const std::string_view title = title_of(*valid);
  c.equals("sourceRevision", derived.source_revision);
  c.equals("language", derived.language);
  c.equals("framework", derived.framework);
  c.equals("targetArchitectures", derived.target_architectures);
  c.equals("licenseExpression", licence ? std::optional<std::string_view>(*licence) : std::nullopt);
  c.equals_bool("sourceAvailable", derived.source_available);
  c.equals_bool("installable", derived.installable);
  c.equals("title", title.empty() ? std::nullopt : std::optional(title));
  c.equals("installKind", derived.install_kind);
  c.equals("installCommand", derived.install_command);
  c.equals("licenseDeclared", derived.license_declared);
  const json::Value* role = c.take("role");
  if (role == nullptr) {
    if (form == RowForm::kPublic && project != kNoIndex) {
      const auto filled = backfilled_role(derived.role, project_slug_of[project], title);
      added.emplace_back("role", filled ? json_text(*filled) : "null");
    }
  } else if (!role->is_null() && !role->is_string()) {
    c.refuse("wrong_type", "role", "column 'role' is neither text nor null");
  }
  c.instant("createdAt");
  c.nullable_id("supersedesId");
  c.finish();
  if (!issues.empty()) return;
  const auto [index, is_new] = implementations.insert(*Uuid::parse(row.find("id")->string()));
  if (is_new) {
    implementation_facts.push_back({valid->digest, operation,
                                    licence ? licenses.intern(*licence) : kNoIndex,
                                    derived.source_available, derived.installable});
  }
  compose(row, &*valid);
}

void RowChecker::State::check_document(const json::Value& row) {
  RowColumns c(row, issues);
  const auto digest = c.digest("documentDigest");
  const auto valid = manifest(
      c, "manifest", {ManifestKind::kBenchmarkProtocol, ManifestKind::kExecutionEnvironment});
  const auto spec_digest = c.digest("specDigest");
  c.finish();
  if (!valid || !digest || !spec_digest) return;
  if (Digest::of(valid->canonical) != *digest) {
    c.refuse("wrong_digest", "documentDigest", "the manifest's text has another digest");
  }
  if (valid->digest != *spec_digest) {
    c.refuse("wrong_digest", "specDigest",
             fmt::format("column 'specDigest' is {}, but the manifest hashes to {}",
                         spec_digest->to_string(), valid->digest.to_string()));
  }
  if (version == 0 && document_index.contains(*digest)) {
    c.refuse("duplicate_row", "documentDigest", "the document occurs twice");
  }
  if (!issues.empty()) return;
  if (version == 0) add_document(*valid, *digest);
  compose(row, &*valid);
}

Result<void> RowChecker::State::check_run(const json::Value& row, const DocumentSink& sink) {
  RowColumns c(row, issues);
  const bool is_stored = form == RowForm::kStored;
  own_id(c, runs);
  const auto digest = c.digest("runDigest");
  const std::uint32_t implementation =
      reference(c, "implementationId", implementations, "implementation");
  const std::uint32_t workload = reference(c, "workloadId", workloads, "workload");
  reference(c, "sourceId", sources, "source");

  // The manifests.
  std::uint32_t protocol = kNoIndex;
  std::uint32_t environment = kNoIndex;
  const json::Value* run_value = nullptr;
  const json::Value* protocol_value = nullptr;
  const json::Value* environment_value = nullptr;
  if (is_stored) {
    run_value = c.object("run");
    const auto find = [&](std::string_view column, bool is_environment) {
      const auto document_digest = c.digest(column);
      if (!document_digest) return kNoIndex;
      const auto found = document_index.find(*document_digest);
      if (found == document_index.end() ||
          documents[found->second].is_environment != is_environment) {
        c.refuse("dangling_reference", column,
                 fmt::format("column '{}' names no such document", column));
        return kNoIndex;
      }
      return found->second;
    };
    protocol = find("protocolDocument", false);
    environment = find("environmentDocument", true);
  } else if (const json::Value* all = c.object("manifest")) {
    run_value = all->find("run");
    protocol_value = all->find("protocol");
    environment_value = all->find("environment");
    if (run_value == nullptr || protocol_value == nullptr || environment_value == nullptr ||
        all->members().size() != 3) {
      c.refuse("bad_manifest", "manifest", "column 'manifest' is not {run, protocol, environment}");
      run_value = nullptr;
    }
  }
  if (run_value == nullptr) return {};
  if (!is_stored) {
    bool is_sink_failed = false;
    Error sink_error(Code::kInternal, "");
    protocol = document(*protocol_value, "/manifest/protocol", ManifestKind::kBenchmarkProtocol,
                        sink, is_sink_failed, sink_error);
    if (!is_sink_failed) {
      environment = document(*environment_value, "/manifest/environment",
                             ManifestKind::kExecutionEnvironment, sink, is_sink_failed, sink_error);
    }
    if (is_sink_failed) return fail(std::move(sink_error));
  }
  const auto valid = validate(validator, *run_value, is_stored ? "/run" : "/manifest/run",
                              {ManifestKind::kBenchmarkRun});
  if (!valid || !issues.empty()) return {};
  if (valid->digest != *digest) {
    c.refuse("wrong_digest", "runDigest",
             fmt::format("column 'runDigest' is {}, but the manifest hashes to {}",
                         digest->to_string(), valid->digest.to_string()));
  }
  if (protocol == kNoIndex || environment == kNoIndex || implementation == kNoIndex ||
      workload == kNoIndex) {
    return {};
  }

  // What the manifest names must be what the row names (spec 03.2 rule 5).
  const ImplementationFacts& impl = implementation_facts[implementation];
  const WorkloadFacts& work = workload_facts[workload];
  const Digest& protocol_key = spec_keys[documents[protocol].spec_key];
  const Digest& environment_key = spec_keys[documents[environment].spec_key];
  const auto names = [&](std::string_view member, const Digest& expected, std::string_view column) {
    const json::Value* named = valid->spec.find(member);
    if (named == nullptr || !named->is_string() || named->string() != expected.to_string()) {
      c.refuse("wrong_reference", column,
               fmt::format("the run's {} is not the digest {} of what the row names", member,
                           expected.to_string()));
    }
  };
  names("implementationDigest", impl.digest, "implementationId");
  names("workloadDigest", work.digest, "workloadId");
  names("protocolDigest", protocol_key, is_stored ? "protocolDocument" : "protocolKey");
  names("environmentDigest", environment_key, is_stored ? "environmentDocument" : "environmentKey");

  const auto primary = manifest::primary_measurement(valid->spec);
  const std::string metric = manifest::primary_metric_key(primary);
  const Digest& correctness = correctness_keys[work.correctness];
  const Digest comparison = manifest::comparison_key(
      manifest::ComparisonParts{.operation = operation_facts[work.operation].digest,
                                .workload = work.digest,
                                .protocol = protocol_key,
                                .environment = environment_key,
                                .correctness = correctness,
                                .metric = metric});
  const json::Value* status_value = valid->spec.find("status");
  const json::Value* observed_value = valid->spec.find("observedAt");
  const std::string_view status = status_value->string();
  const auto observed = parse_instant(observed_value->string());
  KI_CHECK(observed.has_value());

  std::optional<Instant> published;
  if (is_stored) {
    published = c.nullable_instant("publishedAt");
  } else {
    const json::Value* protocol_spec = protocol_value->find("spec");
    const json::Value* environment_spec = environment_value->find("spec");
    const manifest::RunColumns d =
        manifest::derive_run(valid->spec, *protocol_spec, *environment_spec);
    using Text = std::optional<std::string_view>;
    c.equals("status", d.status);
    c.equals("observedAt", std::string_view(observed->instant.to_string()));
    published = c.nullable_instant("publishedAt");
    c.equals("hardwareVendor", d.hardware_vendor);
    c.equals("hardwareModel", d.hardware_model);
    c.equals("hardwareArchitecture", d.hardware_architecture);
    c.equals("driverMajor", d.driver_major);
    c.equals("cudaMajor", d.cuda_major);
    c.equals("protocolKey", protocol_key);
    c.equals("environmentKey", environment_key);
    c.equals("correctnessKey", correctness);
    c.equals("comparisonKey", comparison);
    c.equals("primaryMetric", primary ? primary->metric : manifest::kNoMetricKey);
    c.equals("primaryValue", primary ? std::optional<double>(primary->value) : std::nullopt);
    c.equals("primaryUnit", primary ? Text(primary->unit) : Text());
    c.equals("sampleCount", primary ? primary->sample_count : std::optional<std::int64_t>());
    c.equals("uncertaintyLow", d.uncertainty_low);
    c.equals("uncertaintyHigh", d.uncertainty_high);
    c.equals("primaryStatistic", primary ? Text(primary->statistic) : Text());
    c.equals_bool("hasRawEvidence", d.has_raw_evidence);
    c.equals_bool("sourceNative", d.has_source_native);
    c.equals("environmentSummary",
             d.environment_summary.empty() ? Text() : Text(d.environment_summary));
    const json::Value* score = c.take("solScore");
    if (score != nullptr || form == RowForm::kExported) {
      const bool is_equal =
          score != nullptr &&
          (d.sol_score ? score->is_number() && score->number() == *d.sol_score : score->is_null());
      if (!is_equal)
        c.refuse("wrong_column", "solScore", "column 'solScore' is not the manifest's sol_score");
    }
  }
  c.boolean("reported");
  c.boolean("reproducedByKernelindex");
  if (const auto count = c.integer("independentReplicationCount"); count && *count < 0) {
    c.refuse("out_of_range", "independentReplicationCount",
             "column 'independentReplicationCount' is below 0");
  }
  c.equals_bool("sourceAvailable", impl.is_source_available);
  c.equals_bool("installable", impl.is_installable);
  c.equals("licenseExpression", impl.license == kNoIndex ? std::optional<std::string_view>()
                                                         : std::optional(licenses[impl.license]));
  const auto supersedes = c.nullable_id("supersedesId");
  const auto retracted = c.nullable_instant("retractedAt");
  c.nullable_object("retractionReason");
  if (row.find("createdAt") != nullptr) c.instant("createdAt");
  c.finish();
  if (published && status == "passed" && !primary) {
    c.refuse("missing_primary", "primaryValue",
             "a published run that passed has no primary measurement");
  }
  if (primary && primary->value < 0) {
    c.refuse("out_of_range", "primaryValue", "the primary value is below 0");
  }
  if (!issues.empty()) return {};

  const auto [index, is_new] = runs.insert(*Uuid::parse(row.find("id")->string()));
  if (is_new) {
    RunFacts facts;
    facts.value = primary ? primary->value : 0;
    facts.has_value = primary.has_value();
    facts.observed_ms = observed->instant.ms;
    facts.group = group(comparison);
    facts.operation = work.operation;
    facts.gpu = static_cast<std::uint16_t>(documents[environment].gpu);
    facts.status = static_cast<std::uint8_t>(statuses.intern(status));
    const std::vector<manifest::Measurement> measurements =
        manifest::expand_measurements(valid->spec);
    measurement_count += measurements.size();
    if (!is_stored) {
      facts.first_measurement = static_cast<std::uint32_t>(measurement_hashes.size());
      facts.measurements = static_cast<std::uint16_t>(measurements.size());
      keep_measurements(measurements, measurement_hashes);
    }
    if (impl.operation != work.operation) ++operation_mismatches;
    run_facts.push_back(facts);
  }
  run_facts[index].published_ms = published ? published->ms : 0;
  run_facts[index].is_retracted = retracted.has_value();
  if (supersedes) {
    std::erase_if(run_successions, [&](const Succession& s) { return s.successor == index; });
    run_successions.push_back({index, *supersedes, place});
  }
  if (is_stored) {
    compose(row, nullptr);
    return {};
  }
  body.clear();
  if (aliases.empty()) {
    append_stored_run(body, row, valid->canonical, documents[protocol].document,
                      documents[environment].document);
    return {};
  }
  // Ids of another catalog: written first as they are, then member by member with ours.
  std::string foreign;
  append_stored_run(foreign, row, valid->canonical, documents[protocol].document,
                    documents[environment].document);
  json::Reader reader(json::Limits{.max_bytes = std::size_t{64} << 20});
  KI_TRY(const json::Value stored, reader.read(foreign));
  compose(stored, nullptr);
  return {};
}

}  // namespace ki::publish
