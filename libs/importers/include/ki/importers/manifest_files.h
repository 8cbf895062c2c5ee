// Our own files: single manifests and bundle documents {projects, operations, workloads,
// implementations: [{manifest, projectSlug}], runs: [{run, protocol, environment}]}, YAML or JSON.
// All problems of all files at once; links are digests, so that the order does not matter.
#pragma once

#include "ki/base/result.h"
#include "ki/manifest/validator.h"
#include "ki/publish/bundle.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::importers {

struct ManifestFile {
  std::string name;  // for messages
  std::string text;
};

struct FoundManifest {
  std::string file;
  std::string kind;
  std::string name;
  std::string digest;
};

struct ManifestImport {
  publish::Bundle bundle;
  std::vector<FoundManifest> objects;  // in order of files
};

struct ManifestOptions {
  manifest::Profile profile = manifest::Profile::kStrict;
  // The source of the bundle; "local" (kind submission) without one.
  std::optional<publish::BundleSource> source;
};

// kInvalidArgument with every problem of every file; an issue's pointer starts with the file's name
// and a '#'. A file may hold `source: {slug, kind, name, policy?}` beside the lists of a bundle.
Result<ManifestImport> read_manifest_files(std::span<const ManifestFile> files,
                                           const ManifestOptions& options = {});
// Reads the files, and *.yaml, *.yml and *.json of folders (not below them), first.
Result<ManifestImport> read_manifest_files(std::span<const std::filesystem::path> paths,
                                           const ManifestOptions& options = {});

}  // namespace ki::importers
