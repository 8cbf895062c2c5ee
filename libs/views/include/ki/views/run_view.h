// The dossier of one run (spec 07.2, 10): what the run page, `ki show run` and the API show.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"
#include "ki/display/cite.h"
#include "ki/json/value.h"
#include "ki/views/parts.h"

#include <functional>

namespace ki::views {

struct RunView {
  struct Retraction {
    std::string at;  // as stored, an instant
    std::string reason;
    std::string actor;  // may be empty
  };
  struct Lifecycle {
    std::string supersedes_id;     // empty: none
    std::string superseded_by_id;  // empty: none
    std::optional<Retraction> retracted;
    bool is_stale = false;
  };
  struct Group {  // the comparison group, and where the run stands in it
    std::string comparison_key;
    std::string_view profile;  // of this run: source_native or strict_exact
    std::uint32_t rank = 0;    // 0: not ranked
    std::uint32_t size = 0;    // ranked runs
    bool is_tied = false;      // with the run before it
    std::vector<std::string> ineligible_reasons;
    std::vector<std::string_view> caveats;  // what ranking-v2 would exclude it for
    std::string head_run_id;                // its first run; empty without ranked runs
  };
  struct Tensor {
    std::string_view name;
    std::string_view dtype;
    std::string shape;  // "[64, 7168]"
    std::string_view layout;
  };
  struct Workload {
    std::string id;
    std::string digest;
    std::string label;
    std::vector<std::pair<std::string_view, std::int64_t>> axes;  // of a case
    std::vector<Tensor> tensors;                                  // of a case
    std::vector<KeyValue> tolerance;  // spec.correctness, member by member
  };
  struct Measured {
    std::string_view metric;
    std::string_view statistic;
    std::string_view unit;
    double value = 0;
    std::optional<std::int64_t> samples;
  };
  enum class Availability : std::uint8_t { kPublic, kUpstream, kUnavailable };
  struct Artifact {
    std::string role;
    std::string kind;
    std::string digest;
    std::string media_type;
    std::optional<std::int64_t> size_bytes;
    std::string uri;  // may be empty
    Availability availability = Availability::kUnavailable;
  };

  // What the signed statement of a rerun is worth here, as it was assessed last.
  struct Verification {
    struct Clause {
      std::string letter, text;  // "a", "180 of 180 timed calls checked"
      bool holds = false;
    };
    bool is_verified = false;
    std::string policy, label, problem;  // label when verified; problem when not believed
    std::vector<Clause> clauses;
    std::string key_id, owner, machine, host_class;
    std::optional<std::int64_t> log_index;
    std::vector<std::string> notes;
    std::string created_at;
    std::string digest;    // of the envelope
    std::string envelope;  // DSSE, JSON text
  };

  Index run = kNone;
  catalog::Seq catalog_version = 0;
  bool is_illustrative = false;
  std::string id;
  std::string digest;
  std::string_view status;
  Instant observed_at;
  std::optional<Instant> published_at;
  policy::EvidenceLevel evidence = policy::EvidenceLevel::kReported;
  Lifecycle lifecycle;
  std::optional<MetricValue> primary;
  Group group;
  std::string rank_line;           // "Rank 2 of 70 in its comparison group · …" (spec 13.5)
  std::string source_native_line;  // "SOL 0.0914 · 0.12× reference · …"; empty without
  // What the words of that line mean, where they are easily misread (harness 07).
  std::vector<std::string> source_native_notes;
  Named implementation;
  std::string implementation_digest;
  std::string_view revision;  // in full; empty: not stated
  Licence licence;
  Named project;
  Named operation;
  std::string operation_digest;
  Workload workload;
  std::string correctness_text;  // one sentence
  std::vector<Measured> measurements;
  std::vector<KeyValue> protocol;
  std::vector<KeyValue> environment;
  std::vector<Artifact> artifacts;
  std::string evidence_note;                // beside the level: "vm, clocks not controlled"
  std::vector<Verification> verifications;  // verified ones first
  std::uint32_t replications = 0;
  SourceRef source;
  std::string source_url;      // of the source's policy; may be empty
  std::string source_licence;  // of the source's policy; may be empty
  std::string external_id;     // "submission/6715"; empty without
  std::string external_url;    // of the submission at its source; empty without
  std::string protocol_digest;
  std::string environment_digest;
  std::string correctness_key;
  display::Citation citation;  // accessed_at is the `now` of the options

  // The stored documents that the values below point into.
  struct Documents {
    json::Document run, protocol, environment, workload, source;
  } documents;
  const json::Value* correctness = nullptr;            // the run's own; null: not published
  const json::Value* source_native_metrics = nullptr;  // null: none
  const json::Value* run_manifest = nullptr;
  const json::Value* protocol_manifest = nullptr;
  const json::Value* environment_manifest = nullptr;
};

struct RunViewOptions {
  Instant now{};                  // staleness, and the day of access of the citation
  std::string_view public_url{};  // of this index, for the permalink; empty: the path alone
};

// kCorrupt when a document is missing from the store.
Result<RunView> run_view(const catalog::Snapshot& snapshot, catalog::Store& store, Index run,
                         const RunViewOptions& options);

// {illustrative, run, evidence, lifecycle, primary, sourceNativeMetrics, cohort, implementation,
// project, operation, workload, correctness, measurements, protocol, environment, artifacts,
// provenance, manifest, catalogVersion}.
// `more` writes further members before catalogVersion.
void write_json(json::Writer& w, const RunView& view,
                const std::function<void(json::Writer&)>& more = {});

}  // namespace ki::views
