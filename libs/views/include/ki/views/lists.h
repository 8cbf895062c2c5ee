// Lists of what the catalog holds (spec 07.1): operations, projects, runs, hardware, models,
// sources, and the counts of the home page. Every list has a limit.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"
#include "ki/views/records.h"

namespace ki::views {

inline constexpr std::size_t kListLimit = 50;

// ---- operations

enum class OperationSort : std::uint8_t { kRuns, kActive, kName };
std::optional<OperationSort> parse_operation_sort(std::string_view text);  // runs, active, az
struct OperationListOptions {
  std::string_view family{};   // exact, in lower case; empty: all
  std::string_view tag{};      // exact; empty: all
  bool only_measured = false;  // with eligible runs
  OperationSort sort = OperationSort::kRuns;
  std::size_t offset = 0;
  std::size_t limit = kListLimit;
};
struct OperationItem {
  Index operation = kNone;
  Named named;
  std::string_view family;
  std::vector<std::string_view> tags;
  std::size_t workloads = 0;
  std::size_t implementations = 0;
  std::uint32_t runs = 0;    // eligible
  std::uint32_t groups = 0;  // with eligible runs
  std::int64_t last_observed_ms = 0;
};
struct OperationList {
  std::vector<OperationItem> items;
  std::size_t total = 0;
  std::size_t offset = 0;
};
OperationList list_operations(const catalog::Snapshot& snapshot,
                              const OperationListOptions& options);
void write_json(json::Writer& w, const OperationItem& item);

// ---- projects

enum class ProjectSort : std::uint8_t { kRuns, kRecords, kGained, kName };
// presence (runs), records, gained, az.
std::optional<ProjectSort> parse_project_sort(std::string_view text);
struct ProjectListOptions {
  std::string_view kind{};    // library, individual, vendor; empty: all
  bool only_measured = true;  // with eligible kernel runs
  ProjectSort sort = ProjectSort::kRuns;
  RecordPolicy policy = RecordPolicy::kBreaks;  // of gained and lost
  std::size_t offset = 0;
  std::size_t limit = kListLimit;
  Instant now{};
};
struct ProjectItem {
  Index project = kNone;
  std::string_view slug;
  std::string_view name;
  std::string_view kind;
  std::string_view url;
  std::uint32_t implementations = 0;   // with eligible runs
  std::uint32_t runs = 0;              // eligible
  std::uint32_t records = 0;           // groups that it leads
  std::uint32_t gained = 0, lost = 0;  // announced changes of leader in the 30 days before now
  std::optional<policy::EvidenceLevel> best_evidence;
  std::vector<std::string_view> licences;  // concluded, of measured implementations, by name
  std::vector<std::string_view> hardware;  // of eligible runs, by name
  bool is_source_available = false;        // any measured implementation
  bool is_installable = false;
  std::int64_t last_observed_ms = 0;
};
struct ProjectList {
  std::vector<ProjectItem> items;
  std::size_t total = 0;
  std::size_t offset = 0;
};
ProjectList list_projects(const RecordLedger& ledger, const ProjectListOptions& options);
void write_json(json::Writer& w, const ProjectItem& item);

// ---- runs

// A place in the list of runs, newest observed first. No publication moves it: pages that start
// after it never repeat a run, nor leave out one that was there.
struct RunPlace {
  std::int64_t observed_ms = 0;
  catalog::Bytes16 id{};
};
struct RunListOptions {
  Index operation = kNone;
  std::string_view hardware{};      // a GPU, matched as a product; empty: all
  std::string_view source{};        // slug; empty: all
  std::string_view status{};        // empty: all
  std::int64_t since_ms = 0;        // observed then or later; 0: any
  std::optional<RunPlace> after{};  // RunList::next of the page before; nothing: the newest
  std::size_t limit = kListLimit;
};
struct RunItem {
  Index run = kNone;
  std::string id;
  std::string digest;
  Named operation;
  Named implementation;
  Named project;
  std::string_view hardware;
  std::string_view status;
  std::optional<MetricValue> primary;
  policy::EvidenceLevel evidence = policy::EvidenceLevel::kReported;
  std::string evidence_note;  // beside the level: "vm, clocks not controlled"
  bool is_source_available = false;
  std::uint32_t rank = 0;  // 0: not ranked
  std::uint32_t group_size = 0;
  SourceRef source;
  std::int64_t observed_ms = 0;
};
struct RunList {
  std::vector<RunItem> items;    // newest observed first
  std::optional<RunPlace> next;  // the last item's, when there are more
};
// kInvalidArgument: an unknown source or status.
Result<RunList> list_runs(const catalog::Snapshot& snapshot, const RunListOptions& options);
void write_json(json::Writer& w, const RunItem& item);

// ---- serving facts, which the snapshot does not hold

struct ServingFacts {
  struct Run {
    std::string accelerator;  // model
    std::string vendor;       // empty: not stated
    Index source = kNone;
    Index model = kNone;
    std::int64_t observed_ms = 0;
    std::string configuration_id;
    bool is_published = false;
    bool is_eligible = false;
  };
  std::vector<Run> runs;
};
// Reads every serving run once; keep it as long as the snapshot.
Result<ServingFacts> read_serving_facts(const catalog::Snapshot& snapshot, catalog::Store& store);

// ---- hardware

struct HardwareItem {
  std::string slug;
  std::string model;
  std::string vendor;             // empty: unknown
  std::string_view architecture;  // empty: unknown
  std::uint32_t kernel_runs = 0;  // eligible
  std::uint32_t serving_runs = 0;
  std::uint32_t operations = 0;
  std::uint32_t families = 0;
  std::uint32_t records = 0;  // groups with a leader
  std::int64_t last_observed_ms = 0;
};
// Kernel GPUs by runs, then (with `serving`) those with serving runs only, by name.
std::vector<HardwareItem> list_hardware(const catalog::Snapshot& snapshot,
                                        const ServingFacts* serving);
void write_json(json::Writer& w, const HardwareItem& item);

// ---- models

struct KernelModel {
  std::string_view model;        // of the tag "model:…"
  std::uint32_t operations = 0;  // with that tag
  std::uint32_t measured = 0;    // of them with eligible runs
  std::uint32_t families = 0;
  std::uint32_t runs = 0;  // eligible
  std::uint32_t gpus = 0;
  std::int64_t last_observed_ms = 0;
};
struct ServingModel {
  std::string_view slug;
  std::string_view name;
  std::int64_t parameters = 0;  // 0: unknown
  std::uint32_t runs = 0;
};
struct ModelList {
  std::vector<KernelModel> kernel;    // by runs, then name
  std::vector<ServingModel> serving;  // by runs, then slug
};
ModelList list_models(const catalog::Snapshot& snapshot);
void write_json(json::Writer& w, const KernelModel& model);
void write_json(json::Writer& w, const ServingModel& model);
void write_json(json::Writer& w, const ModelList& list);

// ---- sources

struct SourceItem {
  SourceRef source;
  bool is_serving = false;
  std::uint32_t runs = 0;      // eligible
  std::uint32_t indexed = 0;   // published
  std::uint32_t breadth = 0;   // operations; configurations of a serving source
  std::uint32_t hardware = 0;  // GPUs
  std::string last_fetched;    // instant of the newest snapshot; empty: none
};
// By indexed runs; kernel sources first. `store` and `serving` may be null.
Result<std::vector<SourceItem>> list_sources(const catalog::Snapshot& snapshot,
                                             catalog::Store* store, const ServingFacts* serving);
void write_json(json::Writer& w, const SourceItem& item);

// ---- coverage

// Eligible runs of the families and GPUs that people ask for first, gaps stated.
struct Coverage {
  struct Row {
    std::string_view family;
    std::vector<std::uint32_t> runs;  // by GPU
    std::uint32_t total = 0;          // on any GPU
  };
  bool is_illustrative = false;
  std::vector<std::string_view> gpus;
  std::vector<Row> rows;
};
Coverage coverage(const catalog::Snapshot& snapshot);
void write_json(json::Writer& w, const Coverage& coverage);  // {gpus, rows}

// ---- counts

struct Stats {
  catalog::Seq catalog_version = 0;
  std::size_t operations = 0;  // all
  std::size_t measured_operations = 0;
  std::size_t workloads = 0;
  std::size_t implementations = 0;
  std::size_t projects = 0;
  std::size_t sources = 0;
  std::size_t runs = 0;
  std::size_t published_runs = 0;
  std::size_t eligible_runs = 0;
  std::size_t groups = 0;            // with eligible runs
  std::size_t contested_groups = 0;  // whose leader changed (ranking-v1)
  std::size_t gpus = 0;
  std::size_t record_events = 0;
  std::size_t breaks = 0;
  std::size_t models = 0;
  std::size_t serving_runs = 0;
  std::array<std::size_t, 5> evidence{};  // eligible runs by policy::EvidenceLevel
  std::int64_t last_published_ms = 0;
};
Stats stats(const RecordLedger& ledger);
void write_json(json::Writer& w, const Stats& stats);

}  // namespace ki::views
