// Serving results (spec 14): a surface of their own, never ranked with kernels.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/snapshot.h"
#include "ki/catalog/store.h"
#include "ki/json/writer.h"
#include "ki/policy/serving.h"
#include "ki/views/parts.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::views {

// Every serving run of one catalog version with what it names, decoded once.
struct ServingTable {
  struct Workload {
    std::string id, slug, name, load_generation;
    bool is_streaming = false;
    struct Bound {
      std::string metric, statistic, op;
      double value = 0;
    };
    std::vector<Bound> slo = {};  // declared: at most `value`
    std::uint32_t runs = 0;       // eligible
  };
  struct Stack {
    std::string id, slug, name, version;
    std::string label() const;  // "name version", the name alone when they are equal
  };
  struct Configuration {
    std::string id, digest, summary, dtype, quantization;
    std::uint32_t stack = 0;
    std::uint32_t runs = 0;  // eligible
  };
  struct Measured {
    std::string metric, statistic, unit;
    double value = 0;
    std::optional<std::int64_t> samples = {};
  };
  struct Run {
    std::uint32_t row = 0;  // position in the snapshot's serving runs
    std::string id, digest, cohort_key;
    Index model = kNone;
    std::uint32_t configuration = 0, workload = 0;
    Index source = kNone;
    std::string accelerator, vendor, scenario, quality, harness;
    std::int64_t per_node = 0, nodes = 0, total = 0;
    std::vector<Measured> measurements;
    std::vector<std::string> caveats;
    std::string external_id, division, category;
    std::int64_t observed_ms = 0;
    std::string status, retracted_at, retraction_reason, superseded_by;
    bool is_published = false;
    bool is_eligible = false;

    std::string topology() const;  // "8× NVIDIA B200-SXM-180GB × 2 nodes"
    // Of one statistic of a metric.
    const Measured* find(std::string_view metric, std::string_view statistic) const;
  };
  std::vector<Workload> workloads;
  std::vector<Stack> stacks;
  std::vector<Configuration> configurations;
  std::vector<Run> runs;                  // newest observed first, then by id
  std::vector<std::uint32_t> model_runs;  // eligible, by position of the snapshot's models
};

// kCorrupt when a run names what the store does not have.
Result<ServingTable> read_serving_table(const catalog::Snapshot& snapshot, catalog::Store& store);

// ---- resolving (policy serving-v1)

struct ServingRequest {
  std::string model, workload;     // slugs; empty: any
  std::string hardware;            // part of the accelerator's name, whatever its case; empty: any
  std::int64_t count_maximum = 0;  // of accelerators in all; 0: any
  struct Objective {
    policy::Direction direction = policy::Direction::kHigherIsBetter;
    std::string metric, statistic;  // empty statistic: the only one that a group reports
  };
  std::optional<Objective> objective = {};
  struct Constraint {
    std::string metric, statistic = "p99";
    bool is_strict = false;
    double value = 0;
    std::string text() const;  // "ttft_ms p99 <= 2000"
  };
  std::vector<Constraint> constraints = {};  // at most 8
  std::size_t limit = 100;                   // groups
  bool is_narrowed() const {
    return !model.empty() || !workload.empty() || !hardware.empty() || count_maximum != 0 ||
           !constraints.empty();
  }
};
// {model?, workload?, hardware? {model?, countMaximum?}, objective? {direction?, metric,
// statistic?}, constraints? [{metric, statistic?, operator?, value}], limit?}, strict: every
// problem is an issue. The direction of a metric that the policy knows must be its own.
Result<ServingRequest> read_serving_request(const json::Value& request);

struct ServingAnswer {
  struct Row {
    const ServingTable::Run* run = nullptr;
    std::optional<std::uint32_t> rank = {};
    bool is_on_frontier = false;
    std::vector<policy::ConstraintAnswer> constraints = {};  // one for each of the request
  };
  struct Excluded {
    const ServingTable::Run* run = nullptr;
    std::vector<std::string> reasons;
  };
  struct Group {
    const ServingTable::Run* any = nullptr;  // one of its runs: what all have in common
    std::vector<Row> rows;                   // by rank, then frontier first
    std::vector<Excluded> excluded;
    std::vector<std::string> shared_axes;  // "metric·statistic"
  };
  std::vector<Group> groups;  // more rows first, then by key; at most `limit`
  std::size_t groups_total = 0;
  std::size_t runs_total = 0;  // that match, feasible or not
};
// Views into the table, which must outlive the answer.
ServingAnswer resolve_serving(const ServingTable& table, const catalog::Snapshot& snapshot,
                              const ServingRequest& request);

// One line for each model and workload: runs, configurations, best reported throughput.
struct ServingOverview {
  Index model = kNone;
  std::uint32_t workload = 0;
  std::string scenario;
  std::uint32_t runs = 0, configurations = 0;
  const ServingTable::Run* best = nullptr;  // by output_token_throughput_tps; null: none reports it
  double throughput = 0;
};
std::vector<ServingOverview> serving_overview(const ServingTable& table,
                                              const catalog::Snapshot& snapshot);

// A published run by id or digest; kNotFound. Retracted ones are found.
Result<const ServingTable::Run*> find_serving_run(const ServingTable& table, std::string_view id);

// ---- as JSON

// {illustrative, input, facets, groups, groupsTotal, totalRuns, policyVersion}: members of an
// object that is open.
void write_members(json::Writer& w, const catalog::Snapshot& snapshot, const ServingTable& table,
                   const ServingRequest& request, const ServingAnswer& answer);
void write_overview(json::Writer& w, const catalog::Snapshot& snapshot, const ServingTable& table,
                    std::span<const ServingOverview> overview);
// {id, model, stack, configuration, scenario, hardware, totalAccelerators, observedAt}.
void write_item(json::Writer& w, const catalog::Snapshot& snapshot, const ServingTable& table,
                const ServingTable::Run& run);

// The dossier of one run, with its documents.
struct ServingDossier {
  const ServingTable::Run* run = nullptr;
  std::vector<KeyValue> facts;  // of the configuration: parallelism, limits, options
  std::string source_url;       // may be empty
  std::string attribution;      // "MLPerf · closed/datacenter · entry v5.1/5.1-0001"
  json::Document document;      // the stored row
  const json::Value* manifest = nullptr;
};
Result<ServingDossier> serving_dossier(const ServingTable& table, const catalog::Snapshot& snapshot,
                                       catalog::Store& store, const ServingTable::Run& run);
void write_json(json::Writer& w, const catalog::Snapshot& snapshot, const ServingTable& table,
                const ServingDossier& dossier);

}  // namespace ki::views
