// Canonical bodies of new rows (spec 03.1), with their derived columns (spec 03.4).
#pragma once

#include "ki/base/instant.h"
#include "ki/base/uuid.h"
#include "ki/publish/bundle.h"
#include "prepared.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ki::publish {

std::string source_row(const Uuid& id, const BundleSource& source, Instant now);
std::string snapshot_row(const Uuid& id, const Uuid& source, const BundleSnapshot& snapshot);
std::string project_row(const Uuid& id, std::string_view slug, const Prepared& project,
                        Instant now);
std::string operation_row(const Uuid& id, std::string_view slug, std::span<const std::string> tags,
                          const Prepared& operation, Instant now);
std::string alias_row(const Uuid& operation, std::string_view alias);
// `operation_spec` decides the first tensor.
std::string workload_row(const Uuid& id, const Uuid& operation, const json::Value& operation_spec,
                         const Prepared& workload, Instant now);
std::string implementation_row(const Uuid& id, const Uuid& project, const Uuid& operation,
                               std::string_view slug, const Prepared& implementation, Instant now);
std::string artifact_row(const Uuid& id, const BundleArtifact& artifact, Instant now);
std::string attestation_row(const Uuid& id, const Uuid& run, const Digest& run_digest,
                            const BundleStatement& statement, Instant now);
std::string run_artifact_row(const Uuid& run, const Uuid& artifact, std::string_view role);
std::string source_link_row(const Uuid& id, const Uuid& source, std::string_view entity_kind,
                            const Uuid& entity, std::string_view external_id, Instant now);

// What a run takes from its implementation when it is stored (spec 03.4, "frozen").
struct FrozenColumns {
  bool is_source_available = false;
  bool is_installable = false;
  std::optional<std::string> license;
};
FrozenColumns frozen_columns(const Prepared& implementation);
std::string stored_run_row(const Uuid& id, const Uuid& implementation, const Uuid& workload,
                           const Uuid& source, const Prepared& run, const Digest& protocol_document,
                           const Digest& environment_document, const FrozenColumns& frozen,
                           std::optional<Instant> published);

std::string model_row(const Uuid& id, std::string_view slug, const Prepared& model, Instant now);
std::string stack_row(const Uuid& id, const Uuid& project, std::string_view slug,
                      const Prepared& stack, Instant now);
std::string configuration_row(const Uuid& id, const Uuid& stack, std::string_view summary,
                              const Prepared& configuration, Instant now);
std::string serving_workload_row(const Uuid& id, std::string_view slug, std::string_view name,
                                 const Prepared& workload, Instant now);
std::string serving_run_row(const Uuid& id, const Uuid& model, const Uuid& configuration,
                            const Uuid& workload, const Uuid& source, const Prepared& run,
                            const json::Value& model_spec, const json::Value& workload_spec,
                            std::optional<Instant> published, Instant now);

}  // namespace ki::publish
