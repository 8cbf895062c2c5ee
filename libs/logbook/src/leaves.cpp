#include "ki/logbook/leaves.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace ki::logbook {
namespace {

using catalog::Table;
using tlog::EntryType;

// Members of a manifest's spec that name other manifests. What a leaf says never changes: leaves
// that are in logs were made with this list.
constexpr std::array<std::string_view, 8> kReferences = {
    "operationSpecDigest", "implementationDigest", "workloadDigest", "protocolDigest",
    "environmentDigest",   "modelDigest",          "stackDigest",    "configurationDigest"};

std::string_view text_of(const json::Value& row, std::string_view member) {
  const json::Value* value = row.find(member);
  return value != nullptr && value->is_string() ? value->string() : std::string_view();
}

Result<Digest> digest_of(const json::Value& row, std::string_view member) {
  auto digest = Digest::parse(text_of(row, member));
  if (!digest) {
    return fail(Code::kCorrupt, fmt::format("a row to be logged has no digest '{}'", member));
  }
  return *digest;
}

void add_parent(std::vector<Digest>& parents, const Digest& digest) {
  const auto at = std::ranges::lower_bound(parents, digest);
  if (at == parents.end() || *at != digest) parents.insert(at, digest);
}

std::vector<Digest> parents_of(const json::Value& row, std::string_view manifest) {
  std::vector<Digest> parents;
  const json::Value* document = row.find(manifest);
  const json::Value* spec = document == nullptr ? nullptr : document->find("spec");
  if (spec == nullptr) return parents;
  for (const std::string_view member : kReferences) {
    if (const auto digest = Digest::parse(text_of(*spec, member))) add_parent(parents, *digest);
  }
  if (const json::Value* operation = spec->find("operation"); operation != nullptr) {
    if (const auto digest = Digest::parse(text_of(*operation, "specDigest"))) {
      add_parent(parents, *digest);  // of an implementation
    }
  }
  return parents;
}

Result<std::optional<Leaf>> manifest_leaf(EntryType type, const json::Value& row,
                                          std::string_view digest_member,
                                          std::string_view manifest = "manifest") {
  KI_TRY(const Digest digest, digest_of(row, digest_member));
  return Leaf{type, digest, parents_of(row, manifest)};
}

std::string_view kind_of(const json::Value& row) {
  const json::Value* manifest = row.find("manifest");
  return manifest == nullptr ? std::string_view() : text_of(*manifest, "kind");
}

// A correction's leaf names its audit event; its parents are the runs that it is about.
Result<std::optional<Leaf>> correction_leaf(const json::Value& row, std::string_view body,
                                            const FindRun& find_run) {
  const std::string_view action = text_of(row, "action");
  const bool is_retraction = action == "retract_run";
  if (!is_retraction && action != "supersede_run") return std::nullopt;
  Leaf leaf{is_retraction ? EntryType::kRetraction : EntryType::kSupersession, Digest::of(body)};
  std::vector<std::string_view> runs = {text_of(row, "targetId")};
  if (const json::Value* prior = row.find("priorState"); !is_retraction && prior != nullptr) {
    runs.push_back(text_of(*prior, "successor"));
  }
  for (const std::string_view run : runs) {
    if (run.empty()) continue;
    KI_TRY(const std::optional<Digest> digest, find_run(run));
    if (digest) add_parent(leaf.parents, *digest);
  }
  return leaf;
}

// An attestation that is an envelope: the digest of the stored envelope text.
Result<std::optional<Leaf>> attestation_leaf(const json::Value& row) {
  const json::Value* envelope = row.find("envelope");
  if (envelope == nullptr || !envelope->is_string()) return std::nullopt;  // an unsigned note
  Leaf leaf{EntryType::kAttestation, Digest::of(envelope->string())};
  if (const auto run = Digest::parse(text_of(row, "runDigest"))) leaf.parents.push_back(*run);
  return leaf;
}

constexpr std::string_view kIndexMember = ",\"index\":";

}  // namespace

std::string Leaf::key() const {
  return fmt::format("{} {}", tlog::to_string(type), digest.to_string());
}

Result<std::optional<Leaf>> LeafReader::read(Table table, std::uint32_t version,
                                             std::string_view body, const FindRun& find_run) {
  switch (table) {
    case Table::kOperations:
    case Table::kWorkloads:
    case Table::kImplementations:
    case Table::kDocuments:
    case Table::kServingWorkloads:
      if (version != 0) return std::nullopt;
      break;
    case Table::kBenchmarkRuns:
    case Table::kServingRuns:
    case Table::kAttestations:
    case Table::kAuditEvents:
      break;
    case Table::kTrustedKeys:
      return Leaf{EntryType::kKey, Digest::of(body)};
    case Table::kSources:
    case Table::kProjects:
    case Table::kOperationAliases:
    case Table::kOperationRelations:
    case Table::kRecordEvents:
    case Table::kLeaderChanges:
    case Table::kArtifacts:
    case Table::kRunArtifacts:
    case Table::kSourceLinks:
    case Table::kSourceSnapshots:
    case Table::kModelRevisions:
    case Table::kServingStackRevisions:
    case Table::kServingConfigurations:
    case Table::kReports:
    case Table::kLogEntries:
    case Table::kLogHeads:
      return std::nullopt;
  }
  KI_TRY(const json::Value row, reader_.read(body));
  switch (table) {
    case Table::kOperations:
      return manifest_leaf(EntryType::kOperation, row, "semanticDigest");
    case Table::kWorkloads:
    case Table::kServingWorkloads:
      return manifest_leaf(
          kind_of(row) == "WorkloadSuite" ? EntryType::kSuite : EntryType::kWorkload, row,
          "workloadDigest");
    case Table::kImplementations:
      return manifest_leaf(EntryType::kImplementation, row, "implementationDigest");
    case Table::kDocuments:
      return manifest_leaf(
          kind_of(row) == "ExecutionEnvironment" ? EntryType::kEnvironment : EntryType::kProtocol,
          row, "specDigest");
    case Table::kBenchmarkRuns:
    case Table::kServingRuns:
      if (text_of(row, "publishedAt").empty()) return std::nullopt;
      return manifest_leaf(EntryType::kRun, row, "runDigest",
                           table == Table::kBenchmarkRuns ? "run" : "manifest");
    case Table::kAttestations:
      return attestation_leaf(row);
    case Table::kAuditEvents:
      return correction_leaf(row, body, find_run);
    default:
      return std::nullopt;
  }
}

std::string log_row(const tlog::Entry& entry, std::uint64_t index) {
  // RFC 8785 sorts members: at, digest, index, parents, type, v.
  std::string text = tlog::to_text(entry);
  text.insert(text.find(",\"parents\":"), fmt::format("{}{}", kIndexMember, index));
  return text;
}

Result<LogRow> read_log_row(std::string_view body) {
  const auto wrong = [] { return fail(Code::kCorrupt, "a row of log_entries is damaged"); };
  const std::size_t at = body.find(kIndexMember);
  if (at == body.npos) return wrong();
  const std::string_view digits = body.substr(at + kIndexMember.size());
  LogRow row;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), row.index);
  if (error != std::errc()) return wrong();
  const auto after = static_cast<std::size_t>(end - digits.data());
  row.text = std::string(body.substr(0, at)).append(digits.substr(after));
  if (!row.text.starts_with("{\"at\":") || !digits.substr(after).starts_with(",\"parents\":")) {
    return wrong();
  }
  return row;
}

}  // namespace ki::logbook
