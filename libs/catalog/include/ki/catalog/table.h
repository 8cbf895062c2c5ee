// The tables of a catalog: their names in exports, their order, and what identifies a row.
#pragma once

#include "ki/base/result.h"
#include "ki/json/value.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ki::catalog {

// The numbers are stored: never change or reuse one.
enum class Table : std::uint8_t {
  kSources = 1,
  kProjects = 2,
  kOperations = 3,
  kOperationAliases = 4,
  kOperationRelations = 5,
  kWorkloads = 6,
  kImplementations = 7,
  kDocuments = 8,  // protocol and environment manifests, each stored once
  kBenchmarkRuns = 9,
  kRecordEvents = 10,   // the source's leader events, policy ranking-v1
  kLeaderChanges = 11,  // ours: an append-only sequence per comparison group (spec 03.6)
  kArtifacts = 12,
  kRunArtifacts = 13,
  kSourceLinks = 14,
  kSourceSnapshots = 15,
  kModelRevisions = 16,
  kServingStackRevisions = 17,
  kServingConfigurations = 18,
  kServingWorkloads = 19,
  kServingRuns = 20,
  kAttestations = 21,
  kReports = 22,
  kAuditEvents = 23,
  kLogEntries = 24,   // leaves of the transparency log (module logbook)
  kLogHeads = 25,     // its size and root after each transaction
  kTrustedKeys = 26,  // whose signatures this catalog believes
};

struct TableInfo {
  Table table;
  std::string_view name;  // as in exports: "benchmark_runs"
  // Members of the row whose texts, joined by one space, are the row's key.
  std::array<std::string_view, 3> key_members;
  // The member that holds the content digest; empty for tables without one.
  std::string_view digest_member;
};

// In the order of an export, which is also an order in which every reference points backwards.
std::span<const TableInfo> tables();
const TableInfo& info(Table table);
std::optional<Table> find_table(std::string_view name);

// The key of a row: unique within its table, never changed. Fails when a key member is missing.
Result<std::string> key_of(Table table, const json::Value& row);

}  // namespace ki::catalog
