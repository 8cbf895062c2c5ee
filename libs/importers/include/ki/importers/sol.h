// SOL-ExecBench snapshots (importers 01): saved API answers (kernels.json, kernel-<id>.json,
// submissions-<id>.json) or a tree of definitions, workloads, solutions and traces. Reads files,
// fetches nothing, writes nothing: the bundle goes to publish::Publisher.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"
#include "ki/importers/review_report.h"
#include "ki/publish/bundle.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ki::importers {

struct SolOptions {
  std::vector<std::string> kernels;            // names; empty: all
  std::optional<std::string> tag;              // exact member of a kernel's tags
  std::optional<std::string> resume;           // start at this kernel
  std::optional<std::uint64_t> limit;          // kernels, after resume
  std::uint64_t top = 3;                       // submissions of a kernel
  std::optional<std::string> source_revision;  // evaluation stack version
  std::optional<std::string> examples_commit;  // 40 hex digits: pins solutions of trace folders
  std::string locator_base;  // prefix of snapshot locators; empty: file://<absolute path>
};

struct SolImport {
  publish::Bundle bundle;
  ReviewReport report;
};

// `catalog` decides which proposed objects exist and which slugs are taken; null: none.
// Fails only when the folder cannot be read; everything else is an issue of the report.
Result<SolImport> read_sol(const std::filesystem::path& folder, const SolOptions& options,
                           catalog::Store* catalog);

}  // namespace ki::importers
