// The dossier of one operation (spec 07.2, 10).
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"
#include "ki/json/value.h"
#include "ki/views/parts.h"

namespace ki::views {

struct OperationView {
  struct Argument {
    std::string_view name;
    std::string_view dtype;
    std::string shape;   // "[m, k]"; empty for a scalar
    std::string layout;  // empty: not stated
    bool is_tensor = false;
  };
  struct Axis {
    std::string_view name;
    std::string_view role;  // variable, constant, derived
    std::optional<std::int64_t> value;
    std::string constraint;  // "m = a * b", "m >= 1, m <= 64"; empty without
  };
  struct Workload {
    Index workload = kNone;
    std::string id;
    std::string digest;
    std::string label;
    std::vector<std::pair<std::string_view, std::int64_t>> axes;
    std::vector<std::string_view> dtypes;
    std::string tolerance;  // "abs ≤ 0.01, …" or the comparator
    std::uint32_t runs = 0;
  };
  struct GroupOption {
    Index cohort = kNone;
    std::string comparison_key;
    std::string label;              // "NVIDIA B200 · CUDA 12.8"
    std::vector<KeyValue> differs;  // what tells it from the other options on that GPU
    std::uint32_t runs = 0;         // ranked
    Index head = kNone;             // its first run
  };
  struct Group {
    Index cohort = kNone;
    std::string comparison_key;
    std::string_view profile;
    std::vector<KeyValue> facts;
  };
  struct Implementation {
    Index implementation = kNone;
    Named named;
    Named project;
    std::string_view language;   // empty: not stated
    std::string_view framework;  // empty: not stated
    std::optional<policy::EvidenceLevel> evidence;
    std::uint32_t runs = 0;
    Index best_run = kNone;  // its fastest in the shown group; kNone: not measured there
    bool is_source_available = false;
    bool is_installable = false;
    Licence licence;
  };
  struct Equivalent {
    Named named;
    std::string relation;
  };

  Index operation = kNone;
  catalog::Seq catalog_version = 0;
  bool is_illustrative = false;
  std::string id;
  std::string_view slug;
  std::string name;
  std::string_view family;
  std::string semantic_digest;
  std::vector<std::string_view> aliases;
  std::vector<std::string_view> tags;
  std::vector<std::string_view> models;  // of the tags "model:…"
  std::vector<Equivalent> equivalents;
  std::string summary;     // description, else expression; may be empty
  std::string expression;  // may be empty
  std::string determinism;
  std::vector<std::string> constraints;
  std::vector<Argument> inputs;
  std::vector<Argument> outputs;
  std::vector<Axis> axes;
  std::vector<Workload> workloads;  // the page, most runs first
  std::size_t workloads_total = 0;
  Index selected_workload = kNone;
  std::vector<GroupOption> group_options;  // of the selected workload
  std::optional<Group> group;              // the one shown
  std::vector<resolve::Row> records;       // of the shown group, in rank order: the page
  std::size_t records_total = 0;
  std::vector<Implementation> implementations;  // measured in the shown group first, then by runs
  std::size_t implementations_total = 0;
  std::array<std::uint32_t, 5> evidence{};  // eligible runs by policy::EvidenceLevel
  std::int64_t last_observed_ms = 0;        // 0: nothing measured
  std::vector<SourceRef> sources;
  json::Document document;  // the stored row
  const json::Value* manifest = nullptr;
};

struct OperationViewOptions {
  Index workload = kNone;  // to show; kNone: the one with most runs
  Index cohort = kNone;    // to show; chooses its workload
  std::size_t records_limit = 50;
  std::size_t workloads_limit = 50;
  std::size_t implementations_limit = 50;
  Instant now{};
};

// A workload or cohort of another operation is kInvalidArgument.
Result<OperationView> operation_view(const catalog::Snapshot& snapshot, catalog::Store& store,
                                     Index operation, const OperationViewOptions& options);

// {illustrative, operation, semantics, workloads, workloadsTotal, selectedWorkloadId,
// cohortOptions, cohort, records, recordsTotal, implementations, implementationsTotal, coverage,
// sources, catalogVersion}. The snapshot is the one that the view was made from.
void write_json(json::Writer& w, const catalog::Snapshot& snapshot, const OperationView& view);

}  // namespace ki::views
