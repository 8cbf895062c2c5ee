// Bundle: everything that one publication brings, as manifests that are not yet trusted
// (spec 03.3). Importers make bundles and never write; Publisher is the only writer.
#pragma once

#include "ki/base/instant.h"
#include "ki/digest/digest.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ki::publish {

// Manifests are JSON or YAML text of one manifest each. External ids are the source's own names of
// things; each becomes a row of source_links.

struct BundleSource {
  std::string slug;
  std::string kind;  // leaderboard, benchmark, submission, illustrative, ...
  std::string name;
  std::optional<std::string> policy;  // a JSON object; replaces the stored policy when it differs
};

struct BundleSnapshot {
  std::string locator;
  std::optional<std::string> resolved_locator;
  Digest content_digest;
  std::optional<std::string> media_type;
  std::optional<std::uint64_t> size_bytes;
  std::optional<std::string> body;  // kept inline when at most 512 KiB (importers 00 section 4)
  std::string parser_name;
  std::string parser_version;
  Instant observed_at;
  Instant fetched_at;
};

struct BundleArtifact {
  Digest content_digest;
  std::string role;  // of the run_artifacts row: source, logs, rawSamples, ...
  std::string kind;  // source, log, ...
  std::string media_type;
  std::optional<std::uint64_t> size_bytes;
  std::string storage;  // upstream, inline, object
  std::optional<std::string> uri;
  std::optional<std::string> content;  // must hash to content_digest
  std::optional<std::string> license;
};

struct BundleProject {
  std::string manifest;
  std::string slug;
  std::optional<std::string> external_id;
};

struct BundleOperation {
  std::string manifest;
  std::string slug;
  std::vector<std::string> aliases;  // stored in lower case
  std::vector<std::string> tags;     // replace the stored tags when not empty and different
  std::optional<std::string> external_id;
};

struct BundleWorkload {
  std::string manifest;  // a WorkloadCase or a WorkloadSuite
  std::optional<std::string> external_id;
};

struct BundleImplementation {
  std::string manifest;
  std::string slug;
  std::string project_slug;  // of a project of the bundle
  std::optional<std::string> external_id;
  std::vector<BundleArtifact> artifacts;
};

// A signed statement about a run (a DSSE envelope), stored beside it as an attestation. What it is
// worth is decided later, from the keys that the catalog trusts (Corrections::assess).
struct BundleStatement {
  std::string kind;      // "controlled_rerun"
  std::string key_id;    // of the signer
  std::string envelope;  // JSON text
};

struct BundleRun {
  std::string manifest;
  std::string protocol;
  std::string environment;
  std::optional<std::string> external_id;
  std::vector<BundleArtifact> artifacts;
  std::vector<BundleStatement> statements = {};  // stored with a run that is new
};

// Order inside each list does not matter: references are digests.
struct Bundle {
  BundleSource source;
  std::vector<BundleSnapshot> snapshots;
  std::vector<BundleProject> projects;
  std::vector<BundleOperation> operations;
  std::vector<BundleWorkload> workloads;
  std::vector<BundleImplementation> implementations;
  std::vector<BundleRun> runs;
};

struct BundleModel {
  std::string manifest;
  std::string slug;
  std::optional<std::string> external_id;
};
struct BundleStack {
  std::string manifest;
  std::string slug;
  std::string project_slug;
};
struct BundleConfiguration {
  std::string manifest;
  std::string summary;
};
struct BundleServingWorkload {
  std::string manifest;
  std::string slug;
  std::string name;
};
struct BundleServingRun {
  std::string manifest;
  std::optional<std::string> external_id;
};

// Every digest that a serving run names must be inside the bundle.
struct ServingBundle {
  BundleSource source;
  std::vector<BundleSnapshot> snapshots;
  std::vector<BundleProject> projects;
  std::vector<BundleModel> models;
  std::vector<BundleStack> stacks;
  std::vector<BundleConfiguration> configurations;
  std::vector<BundleServingWorkload> workloads;
  std::vector<BundleServingRun> runs;
};

}  // namespace ki::publish
