// Between rows as a catalog stores them and rows as an export shows them. They differ in one table:
// a stored benchmark_runs row keeps the run manifest and points at its protocol and environment; an
// exported one holds all three manifests and every derived column (spec 03.1, 03.4).
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"
#include "ki/digest/digest.h"
#include "ki/json/value.h"
#include "ki/manifest/derived.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace ki::publish {

// What a run's exported row needs from elsewhere. Values must outlive the call.
struct RunContext {
  const json::Value* protocol = nullptr;     // whole manifest
  const json::Value* environment = nullptr;  // whole manifest
  std::string_view protocol_key;             // "sha256:..." of its spec
  std::string_view environment_key;
  std::string_view operation_digest;  // of the workload's operation
  std::string_view correctness_key;   // of the workload
};

// Appends the exported row of a stored benchmark_runs row as canonical JSON.
void append_run_row(std::string& out, const json::Value& stored, const RunContext& context);

// Appends the stored form of an exported benchmark_runs row, given the canonical text of its run
// manifest and the digests of its two documents.
void append_stored_run(std::string& out, const json::Value& exported,
                       std::string_view run_canonical, const Digest& protocol_document,
                       const Digest& environment_document);

// A documents row: {"documentDigest", "manifest", "specDigest"}.
void append_document_row(std::string& out, const Digest& document, const Digest& spec,
                         std::string_view manifest_canonical);

// Appends one exported measurement row: {"metric", "runId", "sampleCount", "statistic", "unit",
// "value"}. Measurements follow from run manifests (manifest::expand_measurements) and are not
// stored.
void append_measurement_row(std::string& out, std::string_view run_id,
                            const manifest::Measurement& measurement);

// The canonical row with some columns (name, JSON) set; they need not be there before.
std::string with_columns(const json::Value& row,
                         std::span<const std::pair<std::string_view, std::string>> columns);

// The exported row of an entry (the stored body itself for all other tables), read from the store.
Result<std::string> exported_row(catalog::Store& store, const catalog::OwnedEntry& entry);

}  // namespace ki::publish
