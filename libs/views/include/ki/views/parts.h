// Parts that the read models share. Texts that stand in the snapshot are views into it: a read
// model must not outlive the snapshot that it was made from.
#pragma once

#include "ki/base/instant.h"
#include "ki/catalog/snapshot.h"
#include "ki/json/writer.h"
#include "ki/policy/evidence.h"
#include "ki/resolve/answer.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::views {

using catalog::Index;
using catalog::kNone;

struct KeyValue {
  std::string key;
  std::string value;
  bool operator==(const KeyValue&) const = default;
};

// A thing that has a page of its own.
struct Named {
  std::string name;  // as people read it
  std::string_view slug;
};
Named named_operation(const catalog::Snapshot& snapshot, Index operation);
Named named_implementation(const catalog::Snapshot& snapshot, Index implementation);
Named named_project(const catalog::Snapshot& snapshot, Index project);

// A number is never without its metric, unit and statistic.
struct MetricValue {
  std::string_view metric;
  std::string_view unit;
  std::string_view statistic;
  double value = 0;
  std::uint32_t samples = 0;                     // 0: not stated
  std::optional<catalog::IntervalRow> interval;  // 95 % confidence, in `unit`
};
// Nothing when the run has no primary measurement.
// What stands beside the words verified and replicated wherever they are said of a run: the class
// of its host, "vm, clocks not controlled". Empty for runs of the other levels.
std::string evidence_note(const catalog::Snapshot& snapshot, Index run);
std::optional<MetricValue> primary_of(const catalog::Snapshot& snapshot, Index run);

struct Licence {
  std::string_view declared;   // empty: none
  std::string_view concluded;  // empty: none
};
Licence licence_of(const catalog::Snapshot& snapshot, Index implementation);

struct SourceRef {
  std::string_view slug;
  std::string_view name;
  std::string_view kind;
};
SourceRef source_of(const catalog::Snapshot& snapshot, Index source);
// The sources of these runs, each once, in order of first use.
std::vector<SourceRef> sources_of(const catalog::Snapshot& snapshot, std::span<const Index> runs);
// True when there are runs and all are of illustrative sources.
bool is_illustrative(const catalog::Snapshot& snapshot, std::span<const Index> runs);

// A run as a result row with the rank in its own comparison group (ranking-v1).
resolve::Row run_row(const catalog::Snapshot& snapshot, Index run, Instant now);

std::string id_text(const catalog::Bytes16& id);
std::string digest_text(const catalog::Bytes32& digest);

void write_json(json::Writer& w, const KeyValue& item);
void write_json(json::Writer& w, const Named& named);
void write_json(json::Writer& w, const MetricValue& value);
void write_json(json::Writer& w, const std::optional<MetricValue>& value);
void write_json(json::Writer& w, const Licence& licence);
void write_json(json::Writer& w, const SourceRef& source);
void write_json(json::Writer& w, std::span<const KeyValue> list);
void write_json(json::Writer& w, std::span<const SourceRef> list);
// The member "install": {kind, command}, or null unless both are known.
void write_install(json::Writer& w, const catalog::Snapshot& snapshot, Index implementation);
// {runId, runDigest, implementation, primary}; null for kNone.
void write_run_ref(json::Writer& w, const catalog::Snapshot& snapshot, Index run);
// Empty text and 0 read null.
void text_or_null(json::Writer& w, std::string_view key, std::string_view text);
void instant_or_null(json::Writer& w, std::string_view key, std::int64_t ms);

}  // namespace ki::views
