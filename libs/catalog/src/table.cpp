#include "ki/catalog/table.h"

#include "ki/base/check.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::catalog {
namespace {

constexpr std::array kTables = {
    TableInfo{Table::kSources, "sources", {"id"}, ""},
    TableInfo{Table::kProjects, "projects", {"id"}, ""},
    TableInfo{Table::kOperations, "operations", {"id"}, "semanticDigest"},
    TableInfo{Table::kOperationAliases, "operation_aliases", {"operationId", "alias"}, ""},
    TableInfo{Table::kOperationRelations, "operation_relations", {"id"}, ""},
    TableInfo{Table::kWorkloads, "workloads", {"id"}, "workloadDigest"},
    TableInfo{Table::kImplementations, "implementations", {"id"}, "implementationDigest"},
    TableInfo{Table::kDocuments, "documents", {"documentDigest"}, "documentDigest"},
    TableInfo{Table::kBenchmarkRuns, "benchmark_runs", {"id"}, "runDigest"},
    TableInfo{Table::kRecordEvents, "record_events", {"id"}, ""},
    TableInfo{Table::kLeaderChanges, "leader_changes", {"id"}, ""},
    TableInfo{Table::kArtifacts, "artifacts", {"id"}, "contentDigest"},
    TableInfo{Table::kRunArtifacts, "run_artifacts", {"runId", "artifactId", "role"}, ""},
    TableInfo{Table::kSourceLinks, "source_links", {"sourceId", "entityKind", "externalId"}, ""},
    TableInfo{Table::kSourceSnapshots, "source_snapshots", {"id"}, ""},
    TableInfo{Table::kModelRevisions, "model_revisions", {"id"}, "modelDigest"},
    TableInfo{Table::kServingStackRevisions, "serving_stack_revisions", {"id"}, "stackDigest"},
    TableInfo{
        Table::kServingConfigurations, "serving_configurations", {"id"}, "configurationDigest"},
    TableInfo{Table::kServingWorkloads, "serving_workloads", {"id"}, "workloadDigest"},
    TableInfo{Table::kServingRuns, "serving_runs", {"id"}, "runDigest"},
    TableInfo{Table::kAttestations, "attestations", {"runId", "id"}, ""},
    TableInfo{Table::kReports, "reports", {"targetId", "id"}, ""},
    TableInfo{Table::kAuditEvents, "audit_events", {"id"}, ""},
    TableInfo{Table::kLogEntries, "log_entries", {"type", "digest"}, ""},
    TableInfo{Table::kLogHeads, "log_heads", {"log"}, ""},
    TableInfo{Table::kTrustedKeys, "trusted_keys", {"keyid"}, ""},
};

}  // namespace

std::span<const TableInfo> tables() { return kTables; }

const TableInfo& info(Table table) {
  const auto found = std::ranges::find(kTables, table, &TableInfo::table);
  KI_CHECK(found != kTables.end());
  return *found;
}

std::optional<Table> find_table(std::string_view name) {
  const auto found = std::ranges::find(kTables, name, &TableInfo::name);
  if (found == kTables.end()) return std::nullopt;
  return found->table;
}

Result<std::string> key_of(Table table, const json::Value& row) {
  std::string key;
  for (const std::string_view member : info(table).key_members) {
    if (member.empty()) break;
    const json::Value* part = row.find(member);
    if (part == nullptr || !part->is_string()) {
      return fail(Code::kInvalidArgument,
                  fmt::format("a row of {} has no text member '{}'", info(table).name, member));
    }
    if (!key.empty()) key += ' ';
    key += part->string();
  }
  return key;
}

}  // namespace ki::catalog
