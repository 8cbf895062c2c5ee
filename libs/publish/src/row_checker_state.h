// What RowChecker remembers of the rows that came before, in as little memory as a million runs
// allow.
#pragma once

#include "id_table.h"
#include "ki/catalog/table.h"
#include "ki/json/reader.h"
#include "ki/manifest/derived.h"
#include "ki/manifest/validator.h"
#include "ki/publish/row_checker.h"
#include "ki/publish/row_codec.h"
#include "row_columns.h"

#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ki::publish {

inline constexpr std::uint32_t kNoIndex = IdTable::kNone;

struct OperationFacts {
  Digest digest;
  std::uint32_t input_names = 0;  // in State::input_name_lists
};
struct WorkloadFacts {
  Digest digest;
  std::uint32_t operation = kNoIndex;
  std::uint32_t correctness = kNoIndex;  // in State::correctness_keys
};
struct ImplementationFacts {
  Digest digest;
  std::uint32_t operation = kNoIndex;
  std::uint32_t license = kNoIndex;  // in State::licenses; kNoIndex: none
  bool is_source_available = false;
  bool is_installable = false;
};
struct DocumentFacts {
  Digest document;
  std::uint32_t spec_key = 0;  // in State::spec_keys
  std::uint32_t gpu = 0;       // of an environment, in State::gpus
  bool is_environment = false;
};
struct RunFacts {
  double value = 0;
  std::int64_t observed_ms = 0;
  std::int64_t published_ms = 0;
  std::uint32_t group = kNoIndex;
  std::uint32_t operation = kNoIndex;  // of its workload
  std::uint32_t first_measurement = 0;
  std::uint16_t measurements = 0;
  std::uint16_t gpu = 0;
  std::uint8_t status = 0;  // in State::statuses
  bool has_value = false;
  bool is_retracted = false;
  bool is_superseded = false;  // by a published run; known after finish()
};
struct ServingRunFacts {
  std::uint32_t workload = kNoIndex;
  std::uint32_t first_measurement = 0;
  std::uint32_t measurements = 0;
};
struct EventFacts {
  Uuid id;
  std::int64_t at_ms = 0;
  std::int64_t created_ms = 0;
  std::uint64_t place = 0;
  std::uint32_t group = kNoIndex;
  std::uint32_t run = kNoIndex;
  std::uint32_t previous = kNoIndex;
  bool is_retraction = false;
};
struct LeaderFacts {
  Uuid id;
  std::uint64_t place = 0;
  std::uint32_t group = kNoIndex;
  std::uint32_t leader = kNoIndex;
  std::uint32_t previous = kNoIndex;
};
// A link to a row of a table that comes after source_links.
struct LateLink {
  const IdTable* table = nullptr;
  Uuid entity;
  std::uint64_t place = 0;
  std::string key;
};
struct Succession {
  std::uint32_t successor = kNoIndex;
  Uuid original;
  std::uint64_t place = 0;
};

// Small dense dictionary of texts.
class Texts {
 public:
  std::uint32_t intern(std::string_view text) {
    const auto [at, is_new] =
        index_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(&at->first);
    return at->second;
  }
  std::string_view operator[](std::uint32_t index) const { return *texts_[index]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::unordered_map<std::string, std::uint32_t> index_;
  std::vector<const std::string*> texts_;
};

struct RowChecker::State {
  explicit State(RowForm row_form) : form(row_form) {}

  RowForm form;
  manifest::Validator validator{manifest::Profile::kCompat};
  manifest::Validator document_validator{manifest::Profile::kCompat};

  IdTable sources, projects, operations, workloads, implementations, runs, artifacts, models,
      stacks, configurations, serving_workloads, serving_runs, others;
  std::unordered_set<std::string> source_slugs, project_slugs, operation_slugs;
  std::vector<std::string> project_names, project_slug_of;  // by project
  std::vector<OperationFacts> operation_facts;
  std::vector<WorkloadFacts> workload_facts;
  std::vector<ImplementationFacts> implementation_facts;
  std::vector<DocumentFacts> documents;
  std::unordered_map<Digest, std::uint32_t> document_index;      // of the stored text
  std::unordered_map<Digest, std::uint32_t> document_spellings;  // of a text as it was given
  std::vector<RunFacts> run_facts;
  std::vector<ServingRunFacts> serving_run_facts;
  std::vector<Succession> run_successions, serving_successions;
  std::vector<EventFacts> events;
  std::vector<LeaderFacts> leaders;
  std::vector<LateLink> late_links;
  std::vector<std::pair<Uuid, std::uint64_t>> operation_supersedes;
  std::vector<json::Document> model_specs, serving_workload_specs;
  std::vector<Digest> model_digests, stack_digests, configuration_digests, serving_workload_digests;

  std::unordered_map<Digest, std::uint32_t> group_index;
  std::vector<Digest> groups;
  std::unordered_map<Digest, std::uint32_t> correctness_index;
  std::vector<Digest> correctness_keys;
  std::unordered_map<Digest, std::uint32_t> spec_key_index;
  std::vector<Digest> spec_keys;
  Texts statuses, licenses, gpus, input_name_lists;

  std::vector<std::uint64_t> measurement_hashes;  // 0: seen
  std::vector<std::uint64_t> serving_measurement_hashes;
  std::uint64_t measurement_count = 0;
  std::uint64_t operation_mismatches = 0;
  std::unordered_map<Uuid, Uuid, std::size_t (*)(const Uuid&)> aliases{
      0, [](const Uuid& id) {
        return std::hash<std::string_view>()({reinterpret_cast<const char*>(id.bytes.data()), 16});
      }};

  // ---- of the row being checked
  std::vector<Issue> issues;
  std::uint64_t place = 0;
  std::uint32_t version = 0;
  std::string_view text;
  std::string key;
  std::string body;
  std::string document_body;
  std::string scratch;
  std::vector<std::pair<std::string_view, std::string>> added;  // back-filled columns: name, JSON

  // The manifest column: valid, of that kind. Nothing when it is not (issues were added).
  std::optional<manifest::ValidManifest> manifest(
      RowColumns& columns, std::string_view column,
      std::initializer_list<manifest::ManifestKind> kinds);
  std::optional<manifest::ValidManifest> validate(
      manifest::Validator& with, const json::Value& value, std::string_view pointer,
      std::initializer_list<manifest::ManifestKind> kinds);
  // The id column, in the table; a second row of an id is refused unless it is a later version.
  std::uint32_t own_id(RowColumns& columns, IdTable& table);
  // A reference to a row that came before; kNoIndex when there is none (an issue was added).
  std::uint32_t reference(RowColumns& columns, std::string_view column, const IdTable& table,
                          std::string_view table_name);
  Uuid local(const Uuid& id) const;
  std::uint32_t group(const Digest& key);
  template <class Map>
  static std::uint32_t intern(Map& index, std::vector<Digest>& all, const Digest& digest) {
    const auto [at, is_new] = index.try_emplace(digest, static_cast<std::uint32_t>(all.size()));
    if (is_new) all.push_back(digest);
    return at->second;
  }
  // The stored body: the row with its manifest column in canonical form, in the order of names.
  void compose(const json::Value& row, const manifest::ValidManifest* manifest);
  std::uint32_t document(const json::Value& value, std::string_view pointer,
                         manifest::ManifestKind kind, const DocumentSink& sink,
                         bool& is_sink_failed, Error& sink_error);
  void add_document(const manifest::ValidManifest& manifest, const Digest& document);
  void keep_measurements(std::span<const ki::manifest::Measurement> all,
                         std::vector<std::uint64_t>& hashes);
  bool is_eligible(std::uint32_t run) const;

  // ---- one function a table
  void check_source(const json::Value& row);
  void check_project(const json::Value& row);
  void check_operation(const json::Value& row);
  void check_alias(const json::Value& row);
  void check_relation(const json::Value& row);
  void check_workload(const json::Value& row);
  void check_implementation(const json::Value& row);
  void check_document(const json::Value& row);
  Result<void> check_run(const json::Value& row, const DocumentSink& sink);
  void check_event(const json::Value& row);
  void check_leader(const json::Value& row);
  void check_artifact(const json::Value& row);
  void check_run_artifact(const json::Value& row);
  void check_source_link(const json::Value& row);
  void check_source_snapshot(const json::Value& row);
  void check_model(const json::Value& row);
  void check_stack(const json::Value& row);
  void check_configuration(const json::Value& row);
  void check_serving_workload(const json::Value& row);
  void check_serving_run(const json::Value& row);
  void check_audit_event(const json::Value& row);
  void check_log_entry(const json::Value& row);
  void check_log_head(const json::Value& row);
  void check_trusted_key(const json::Value& row);
  void check_attestation(const json::Value& row);
  void check_other(const json::Value& row);

  // ---- over all rows
  void finish_successions(std::vector<Finding>& findings);
  void finish_events(std::vector<Finding>& findings);
  void finish_leaders(std::vector<Finding>& findings);
  void finish_measurements(std::vector<Finding>& findings);
  // Runs with a value by group, in order of (observedAt, id).
  std::vector<std::uint32_t> runs_by_group() const;
  Finding finding(std::string code, std::uint64_t at, catalog::Table table, const Uuid& id,
                  std::string message) const;
};

std::uint64_t measurement_hash(std::string_view metric, std::string_view statistic,
                               std::string_view unit, double value,
                               std::optional<std::int64_t> samples);

}  // namespace ki::publish
