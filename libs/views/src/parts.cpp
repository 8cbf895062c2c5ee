#include "ki/views/parts.h"

#include "ki/base/uuid.h"
#include "ki/digest/digest.h"
#include "ki/policy/verified_cpu.h"
#include "ki/resolve/describe.h"
#include "ki/resolve/row_facts.h"

#include <algorithm>
#include <cmath>

namespace ki::views {

using catalog::Snapshot;

Named named_operation(const Snapshot& snapshot, Index operation) {
  return {.name = resolve::operation_name(snapshot, operation),
          .slug = snapshot.text(snapshot.operations()[operation].slug)};
}
Named named_implementation(const Snapshot& snapshot, Index implementation) {
  return {.name = resolve::implementation_name(snapshot, implementation),
          .slug = snapshot.text(snapshot.implementations()[implementation].slug)};
}
Named named_project(const Snapshot& snapshot, Index project) {
  const auto& row = snapshot.projects()[project];
  return {.name = std::string(snapshot.text(row.name)), .slug = snapshot.text(row.slug)};
}

std::string evidence_note(const catalog::Snapshot& snapshot, Index run) {
  if (run == kNone) return {};
  const catalog::RunRow& row = snapshot.runs()[run];
  if (static_cast<policy::EvidenceLevel>(row.evidence) < policy::EvidenceLevel::kVerified)
    return {};
  const auto& environment = snapshot.environments()[snapshot.cohorts()[row.cohort].environment];
  const auto host = policy::parse_host_class(snapshot.name(environment.form_factor));
  return host ? policy::host_note(*host) : std::string();
}

std::optional<MetricValue> primary_of(const Snapshot& snapshot, Index run) {
  const auto& row = snapshot.runs()[run];
  if (std::isnan(row.value)) return std::nullopt;
  const auto& metric = snapshot.metrics()[snapshot.cohorts()[row.cohort].metric];
  MetricValue value{.metric = snapshot.name(metric.metric),
                    .unit = snapshot.name(metric.unit),
                    .statistic = snapshot.name(metric.statistic),
                    .value = row.value,
                    .samples = row.samples,
                    .interval = std::nullopt};
  if (row.interval != kNone) value.interval = snapshot.columns().run_intervals[row.interval];
  return value;
}

Licence licence_of(const Snapshot& snapshot, Index implementation) {
  const auto& row = snapshot.implementations()[implementation];
  return {.declared = snapshot.name(row.license_declared),
          .concluded = snapshot.name(row.license_concluded)};
}

SourceRef source_of(const Snapshot& snapshot, Index source) {
  if (source == kNone) return {};
  const auto& row = snapshot.sources()[source];
  return {.slug = snapshot.text(row.slug),
          .name = snapshot.text(row.name),
          .kind = snapshot.text(row.kind)};
}

std::vector<SourceRef> sources_of(const Snapshot& snapshot, std::span<const Index> runs) {
  std::vector<Index> seen;
  for (const Index run : runs) {
    const Index source = snapshot.runs()[run].source;
    if (source != kNone && std::ranges::find(seen, source) == seen.end()) seen.push_back(source);
  }
  std::vector<SourceRef> sources;
  sources.reserve(seen.size());
  for (const Index source : seen) sources.push_back(source_of(snapshot, source));
  return sources;
}

bool is_illustrative(const Snapshot& snapshot, std::span<const Index> runs) {
  return !runs.empty() && std::ranges::all_of(runs, [&](Index run) {
    return source_of(snapshot, snapshot.runs()[run].source).kind == "illustrative";
  });
}

resolve::Row run_row(const Snapshot& snapshot, Index run, Instant now) {
  const auto& row = snapshot.runs()[run];
  resolve::Row result;
  resolve::fill_facts(
      result, snapshot, run, now,
      snapshot.name(snapshot.implementations()[row.implementation].role) == "baseline",
      source_of(snapshot, row.source).kind == "illustrative");
  if (row.rank != 0) {
    resolve::fill_rank(result, row, snapshot.cohorts()[row.cohort]);
    return result;
  }
  result.why =
      std::isnan(row.value) ? resolve::WhyRanked::kNoMeasurement : resolve::WhyRanked::kNotInGroup;
  result.caveats |= resolve::caveat_bit(resolve::Caveat::kUnranked);
  return result;
}

std::string id_text(const catalog::Bytes16& id) { return Uuid{id}.to_string(); }
std::string digest_text(const catalog::Bytes32& digest) { return Digest(digest).to_string(); }

void text_or_null(json::Writer& w, std::string_view key, std::string_view text) {
  w.key(key);
  if (text.empty()) {
    w.null();
  } else {
    w.value(text);
  }
}

void instant_or_null(json::Writer& w, std::string_view key, std::int64_t ms) {
  text_or_null(w, key, ms == 0 ? std::string() : Instant{ms}.to_string());
}

void write_json(json::Writer& w, const KeyValue& item) {
  w.begin_object().member("key", item.key).member("value", item.value).end_object();
}

void write_json(json::Writer& w, const Named& named) {
  w.begin_object().member("name", named.name).member("slug", named.slug).end_object();
}

void write_json(json::Writer& w, const MetricValue& value) {
  w.begin_object()
      .member("metric", value.metric)
      .member("unit", value.unit)
      .member("statistic", value.statistic)
      .member("value", value.value)
      .key("sampleCount");
  if (value.samples == 0) {
    w.null();
  } else {
    w.value(value.samples);
  }
  w.key("uncertainty");
  if (value.interval) {
    w.begin_object()
        .member("low", value.interval->low)
        .member("high", value.interval->high)
        .end_object();
  } else {
    w.null();
  }
  w.end_object();
}

void write_json(json::Writer& w, const std::optional<MetricValue>& value) {
  if (value) {
    write_json(w, *value);
  } else {
    w.null();
  }
}

void write_json(json::Writer& w, const Licence& licence) {
  w.begin_object();
  text_or_null(w, "declared", licence.declared);
  text_or_null(w, "concluded", licence.concluded);
  w.end_object();
}

void write_json(json::Writer& w, const SourceRef& source) {
  w.begin_object()
      .member("slug", source.slug)
      .member("name", source.name)
      .member("kind", source.kind)
      .end_object();
}

void write_json(json::Writer& w, std::span<const KeyValue> list) {
  w.begin_array();
  for (const KeyValue& item : list) write_json(w, item);
  w.end_array();
}

void write_json(json::Writer& w, std::span<const SourceRef> list) {
  w.begin_array();
  for (const SourceRef& item : list) write_json(w, item);
  w.end_array();
}

void write_install(json::Writer& w, const Snapshot& snapshot, Index implementation) {
  const auto& row = snapshot.implementations()[implementation];
  w.key("install");
  if (row.install_kind == 0 || row.install_command.length == 0) {
    w.null();
    return;
  }
  w.begin_object()
      .member("kind", snapshot.name(row.install_kind))
      .member("command", snapshot.text(row.install_command))
      .end_object();
}

void write_run_ref(json::Writer& w, const Snapshot& snapshot, Index run) {
  if (run == kNone) {
    w.null();
    return;
  }
  const auto& row = snapshot.runs()[run];
  w.begin_object()
      .member("runId", id_text(row.id))
      .member("runDigest", digest_text(row.digest))
      .key("implementation");
  write_json(w, named_implementation(snapshot, row.implementation));
  w.key("primary");
  write_json(w, primary_of(snapshot, run));
  w.end_object();
}

}  // namespace ki::views
