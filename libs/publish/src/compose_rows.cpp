#include "compose_rows.h"

#include "ki/json/canonical.h"
#include "ki/json/writer.h"
#include "ki/manifest/derived.h"
#include "ki/manifest/keys.h"
#include "ki/manifest/kind.h"
#include "ki/policy/licence.h"

namespace ki::publish {
namespace {

// Snapshot bodies above this are kept as a digest only (importers 00 section 4).
constexpr std::size_t kInlineBodyBytes = std::size_t{512} << 10;

// A row under construction; members are added in the order of their names.
class Row {
 public:
  Row() { writer_.begin_object(); }
  template <class T>
  Row& with(std::string_view column, const T& value) {
    writer_.member(column, value);
    return *this;
  }
  Row& id(std::string_view column, const Uuid& value) { return with(column, value.to_string()); }
  Row& digest(std::string_view column, const Digest& value) {
    return with(column, value.to_string());
  }
  Row& at(std::string_view column, Instant value) { return with(column, value.to_string()); }
  Row& at(std::string_view column, std::optional<Instant> value) {
    return value ? at(column, *value) : null(column);
  }
  template <class T>
  Row& nullable(std::string_view column, const std::optional<T>& value) {
    writer_.nullable(column, value);
    return *this;
  }
  Row& null(std::string_view column) {
    writer_.key(column).null();
    return *this;
  }
  Row& raw(std::string_view column, std::string_view json) {
    writer_.key(column).raw(json);
    return *this;
  }
  template <class Texts>
  Row& texts(std::string_view column, const Texts& all) {
    writer_.key(column).begin_array();
    for (const auto& text : all) writer_.value(std::string_view(text));
    writer_.end_array();
    return *this;
  }
  std::string done() {
    writer_.end_object();
    return std::move(out_);
  }

 private:
  std::string out_;
  json::Writer writer_{out_};
};

std::optional<std::string_view> non_empty(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

std::string source_row(const Uuid& id, const BundleSource& source, Instant now) {
  Row row;
  row.at("createdAt", now).id("id", id).with("kind", source.kind).with("name", source.name);
  source.policy ? row.raw("policy", *source.policy) : row.null("policy");
  return row.with("slug", source.slug).done();
}

std::string snapshot_row(const Uuid& id, const Uuid& source, const BundleSnapshot& s) {
  const bool is_inline = s.body && s.body->size() <= kInlineBodyBytes;
  Row row;
  is_inline ? row.with("body", *s.body) : row.null("body");
  return row.digest("contentDigest", s.content_digest)
      .at("fetchedAt", s.fetched_at)
      .null("httpMetadata")
      .id("id", id)
      .with("locator", s.locator)
      .nullable("mediaType", s.media_type)
      .at("observedAt", s.observed_at)
      .with("parserName", s.parser_name)
      .with("parserVersion", s.parser_version)
      .nullable("resolvedLocator", s.resolved_locator)
      .nullable("sizeBytes", s.size_bytes)
      .id("sourceId", source)
      .null("storageRef")
      .done();
}

std::string project_row(const Uuid& id, std::string_view slug, const Prepared& project,
                        Instant now) {
  const manifest::ProjectColumns c = manifest::derive_project(project.spec());
  return Row()
      .nullable("canonicalUrl", c.canonical_url)
      .at("createdAt", now)
      .id("id", id)
      .with("kind", c.kind)
      .null("licenseExpression")
      .raw("manifest", project.canonical)
      .with("name", c.name)
      .with("normalizedName", c.normalized_name)
      .with("slug", slug)
      .done();
}

std::string operation_row(const Uuid& id, std::string_view slug, std::span<const std::string> tags,
                          const Prepared& operation, Instant now) {
  const std::string_view title = operation.metadata_text("title");
  return Row()
      .at("createdAt", now)
      .with("family", operation.spec().find("family")->string())
      .id("id", id)
      .raw("manifest", operation.canonical)
      .with("name", title.empty() ? slug : title)
      .with("schemaVersion", manifest::kApiVersion)
      .digest("semanticDigest", operation.digest)
      .with("slug", slug)
      .null("supersedesId")
      .texts("tags", tags)
      .done();
}

std::string alias_row(const Uuid& operation, std::string_view alias) {
  return Row().with("alias", alias).id("operationId", operation).done();
}

std::string workload_row(const Uuid& id, const Uuid& operation, const json::Value& operation_spec,
                         const Prepared& workload, Instant now) {
  const manifest::WorkloadColumns c = workload.kind == manifest::ManifestKind::kWorkloadSuite
                                          ? manifest::derive_suite(workload.spec())
                                          : manifest::derive_case(workload.spec(), &operation_spec);
  return Row()
      .at("createdAt", now)
      .texts("dtypes", c.dtypes)
      .id("id", id)
      .texts("layoutKeys", c.layout_keys)
      .raw("manifest", workload.canonical)
      .id("operationId", operation)
      .with("schemaVersion", manifest::kApiVersion)
      .with("shapeSummary", c.shape_summary)
      .digest("workloadDigest", workload.digest)
      .done();
}

FrozenColumns frozen_columns(const Prepared& implementation) {
  const auto c = manifest::derive_implementation(implementation.spec(), implementation.metadata());
  return {c.source_available, c.installable,
          policy::conclude_licence(
              c.license_concluded.value_or(c.license_declared.value_or(std::string_view())))};
}

std::string implementation_row(const Uuid& id, const Uuid& project, const Uuid& operation,
                               std::string_view slug, const Prepared& implementation, Instant now) {
  const json::Value metadata = implementation.metadata();
  const auto c = manifest::derive_implementation(implementation.spec(), metadata);
  const FrozenColumns frozen = frozen_columns(implementation);
  return Row()
      .at("createdAt", now)
      .nullable("framework", c.framework)
      .id("id", id)
      .digest("implementationDigest", implementation.digest)
      .nullable("installCommand", c.install_command)
      .nullable("installKind", c.install_kind)
      .with("installable", c.installable)
      .with("language", c.language)
      .nullable("licenseDeclared", c.license_declared)
      .nullable("licenseExpression", frozen.license)
      .raw("manifest", implementation.canonical)
      .id("operationId", operation)
      .id("projectId", project)
      .nullable("role", c.role)
      .with("slug", slug)
      .with("sourceAvailable", c.source_available)
      .nullable("sourceRevision", c.source_revision)
      .null("supersedesId")
      .texts("targetArchitectures", c.target_architectures)
      .nullable("title", non_empty(implementation.metadata_text("title")))
      .done();
}

std::string artifact_row(const Uuid& id, const BundleArtifact& a, Instant now) {
  Row row;
  if (a.content) row.with("content", *a.content);
  return row.digest("contentDigest", a.content_digest)
      .at("createdAt", now)
      .id("id", id)
      .with("kind", a.kind)
      .nullable("license", a.license)
      .with("mediaType", a.media_type)
      .nullable("sizeBytes", a.size_bytes)
      .with("storage", a.storage)
      .nullable("uri", a.uri)
      .done();
}

std::string attestation_row(const Uuid& id, const Uuid& run, const Digest& run_digest,
                            const BundleStatement& statement, Instant now) {
  return Row()
      .null("assessment")
      .at("createdAt", now)
      .with("envelope", statement.envelope)
      .id("id", id)
      .with("keyId", statement.key_id)
      .with("kind", statement.kind)
      .digest("runDigest", run_digest)
      .id("runId", run)
      .done();
}

std::string run_artifact_row(const Uuid& run, const Uuid& artifact, std::string_view role) {
  return Row().id("artifactId", artifact).with("role", role).id("runId", run).done();
}

std::string source_link_row(const Uuid& id, const Uuid& source, std::string_view entity_kind,
                            const Uuid& entity, std::string_view external_id, Instant now) {
  return Row()
      .at("createdAt", now)
      .id("entityId", entity)
      .with("entityKind", entity_kind)
      .with("externalId", external_id)
      .id("id", id)
      .id("sourceId", source)
      .done();
}

std::string stored_run_row(const Uuid& id, const Uuid& implementation, const Uuid& workload,
                           const Uuid& source, const Prepared& run, const Digest& protocol_document,
                           const Digest& environment_document, const FrozenColumns& frozen,
                           std::optional<Instant> published) {
  return Row()
      .digest("environmentDocument", environment_document)
      .id("id", id)
      .id("implementationId", implementation)
      .with("independentReplicationCount", 0)
      .with("installable", frozen.is_installable)
      .nullable("licenseExpression", frozen.license)
      .digest("protocolDocument", protocol_document)
      .at("publishedAt", published)
      .with("reported", true)
      .with("reproducedByKernelindex", false)
      .null("retractedAt")
      .null("retractionReason")
      .raw("run", run.canonical)
      .digest("runDigest", run.digest)
      .with("sourceAvailable", frozen.is_source_available)
      .id("sourceId", source)
      .null("supersedesId")
      .id("workloadId", workload)
      .done();
}

std::string model_row(const Uuid& id, std::string_view slug, const Prepared& model, Instant now) {
  const manifest::ModelColumns c = manifest::derive_model(model.spec());
  const std::string_view title = model.metadata_text("title");
  return Row()
      .nullable("contextLength", c.context_length)
      .at("createdAt", now)
      .id("id", id)
      .nullable("license", c.license)
      .raw("manifest", model.canonical)
      .digest("modelDigest", model.digest)
      .with("name", title.empty() ? slug : title)
      .nullable("parameterCount", c.parameter_count)
      .with("schemaVersion", manifest::kApiVersion)
      .with("slug", slug)
      .nullable("tokenizer", c.tokenizer)
      .done();
}

std::string stack_row(const Uuid& id, const Uuid& project, std::string_view slug,
                      const Prepared& stack, Instant now) {
  const json::Value metadata = stack.metadata();
  const manifest::StackColumns c = manifest::derive_stack(stack.spec(), metadata);
  return Row()
      .at("createdAt", now)
      .id("id", id)
      .raw("manifest", stack.canonical)
      .with("name", c.name)
      .id("projectId", project)
      .with("schemaVersion", manifest::kApiVersion)
      .with("slug", slug)
      .digest("stackDigest", stack.digest)
      .nullable("version", c.version)
      .done();
}

std::string configuration_row(const Uuid& id, const Uuid& stack, std::string_view summary,
                              const Prepared& configuration, Instant now) {
  const manifest::ConfigurationColumns c = manifest::derive_configuration(configuration.spec());
  return Row()
      .digest("configurationDigest", configuration.digest)
      .at("createdAt", now)
      .nullable("dtype", c.dtype)
      .id("id", id)
      .raw("manifest", configuration.canonical)
      .nullable("quantization", c.quantization)
      .with("schemaVersion", manifest::kApiVersion)
      .id("stackRevisionId", stack)
      .with("summary", summary)
      .nullable("tensorParallel", c.tensor_parallel)
      .done();
}

std::string serving_workload_row(const Uuid& id, std::string_view slug, std::string_view name,
                                 const Prepared& workload, Instant now) {
  const manifest::ServingWorkloadColumns c = manifest::derive_serving_workload(workload.spec());
  return Row()
      .at("createdAt", now)
      .id("id", id)
      .with("loadGeneration", c.load_generation)
      .raw("manifest", workload.canonical)
      .with("name", name)
      .with("schemaVersion", manifest::kApiVersion)
      .with("slug", slug)
      .with("streaming", c.streaming)
      .digest("workloadDigest", workload.digest)
      .done();
}

std::string serving_run_row(const Uuid& id, const Uuid& model, const Uuid& configuration,
                            const Uuid& workload, const Uuid& source, const Prepared& run,
                            const json::Value& model_spec, const json::Value& workload_spec,
                            std::optional<Instant> published, Instant now) {
  const manifest::ServingRunColumns c = manifest::derive_serving_run(run.spec());
  const auto observed = parse_instant(c.observed_at);
  KI_CHECK(observed.has_value());
  return Row()
      .with("acceleratorCount", c.accelerator_count)
      .with("acceleratorModel", c.accelerator_model)
      .nullable("acceleratorVendor", c.accelerator_vendor)
      .digest("cohortKey", manifest::cohort_key(run.spec(), model_spec, workload_spec))
      .id("configurationId", configuration)
      .at("createdAt", now)
      .id("id", id)
      .raw("manifest", run.canonical)
      .with("metricSetKey", manifest::serving_metric_set_key(run.spec()))
      .id("modelRevisionId", model)
      .with("nodeCount", c.node_count)
      .at("observedAt", observed->instant)
      .with("protocolKey", manifest::serving_protocol_key(run.spec(), workload_spec))
      .at("publishedAt", published)
      .with("qualityPolicy", c.quality_policy)
      .with("reported", true)
      .null("retractedAt")
      .null("retractionReason")
      .digest("runDigest", run.digest)
      .with("scenario", c.scenario)
      .with("schemaVersion", manifest::kApiVersion)
      .id("sourceId", source)
      .with("status", c.status)
      .null("supersedesId")
      .with("totalAccelerators", c.total_accelerators)
      .id("workloadId", workload)
      .done();
}

}  // namespace ki::publish
