#include "run_parts.h"

#include "ki/display/labels.h"
#include "ki/json/reader.h"
#include "stored.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace ki::views {
namespace {

void add(std::vector<KeyValue>& list, std::string_view key, const json::Value* value) {
  if (value != nullptr) list.push_back({std::string(key), scalar_text(*value)});
}

// {"name", "version"} as one text; empty without a name.
std::string name_and_version(const json::Value* object) {
  std::string text(text_of(object, "name"));
  if (const std::string_view version = text_of(object, "version"); !version.empty()) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", version);
  }
  return text;
}

void add_text(std::vector<KeyValue>& list, std::string_view key, std::string text) {
  if (!text.empty()) list.push_back({std::string(key), std::move(text)});
}

RunView::Availability availability_of(std::string_view storage, std::string_view uri) {
  if (storage == "inline" || storage == "object") return RunView::Availability::kPublic;
  return uri.empty() ? RunView::Availability::kUnavailable : RunView::Availability::kUpstream;
}

}  // namespace

std::vector<KeyValue> protocol_list(const json::Value& spec) {
  std::vector<KeyValue> list;
  add_text(list, "harness", name_and_version(spec.find("harness")));
  constexpr std::array kMeasurement = {"timer",
                                       "synchronization",
                                       "compileIncluded",
                                       "setupIncluded",
                                       "warmupIterations",
                                       "warmupDuration",
                                       "measuredIterations",
                                       "samples",
                                       "inputRegeneration",
                                       "primaryStatistic",
                                       "outlierPolicy"};
  for (const std::string_view key : kMeasurement) add(list, key, at(&spec, "measurement", key));
  add(list, "correctnessReference", at(&spec, "correctness", "reference"));
  add(list, "comparabilityFamily", at(&spec, "comparability", "family"));
  return list;
}

std::vector<KeyValue> environment_list(const json::Value& spec, std::string_view architecture) {
  std::vector<KeyValue> list;
  const json::Value* hardware = spec.find("hardware");
  std::string gpu(text_of(hardware, "product"));
  if (!architecture.empty()) gpu += fmt::format(" ({})", architecture);
  add_text(list, "gpu", std::move(gpu));
  add(list, "gpuCount", at(&spec, "hardware", "count"));
  add(list, "formFactor", at(&spec, "hardware", "formFactor"));
  add(list, "memoryBytes", at(&spec, "hardware", "memoryBytes"));
  add(list, "interconnect", at(&spec, "hardware", "interconnect"));
  for (const std::string_view key : {"operatingSystem", "kernel", "driver", "cudaToolkit"}) {
    add(list, key, at(&spec, "software", key));
  }
  add_text(list, "framework", name_and_version(at(&spec, "software", "framework")));
  add(list, "compiler", at(&spec, "software", "compiler"));
  if (const json::Value* libraries = at(&spec, "software", "libraries");
      libraries != nullptr && libraries->is_object()) {
    for (const json::Member& library : libraries->members()) {
      add(list, fmt::format("library {}", library.key), &library.value);
    }
  }
  for (const std::string_view key :
       {"clocksLocked", "persistenceMode", "eccEnabled", "powerLimitWatts"}) {
    add(list, key, at(&spec, "settings", key));
  }
  add(list, "imageDigest", spec.find("imageDigest"));
  return list;
}

std::string correctness_text(std::string_view status, const json::Value* correctness) {
  if (correctness != nullptr) {
    return fmt::format("{}: {}", display::words(status), display::tolerance_summary(*correctness));
  }
  if (status == "passed") {
    return "Marked passed by the source; the correctness policy was not published.";
  }
  return fmt::format("The source states: {}.", display::words(status));
}

std::string external_id(std::string_view source_slug, const json::Value* source_native) {
  const std::string_view id = text_of(source_native, "externalId");
  if (id.empty()) return {};
  const bool is_bare = id.find_first_not_of("0123456789") == id.npos;
  return source_slug == "sol-execbench" && is_bare ? fmt::format("submission/{}", id)
                                                   : std::string(id);
}

std::vector<std::string> source_native_notes(std::string_view source_slug,
                                             const json::Value* metrics) {
  std::vector<std::string> notes;
  if (metrics == nullptr || source_slug != "sol-execbench") return notes;
  if (metrics->find("latency_ms") != nullptr) {
    notes.emplace_back(
        "The source calls its latency a mean; over the cases of a suite it behaves as their "
        "geometric mean.");
  }
  if (metrics->find("avg_speedup") != nullptr) {
    notes.emplace_back(
        "“× reference” is the arithmetic mean over the cases of the ratio to the source's scoring "
        "baseline, not to the reference implementation.");
  }
  if (metrics->find("sol_score") != nullptr) {
    notes.emplace_back("The SOL score is the arithmetic mean of the scores of the cases.");
  }
  return notes;
}

std::string_view layout_text(std::uint8_t layout) {
  constexpr std::array<std::string_view, 3> kNames = {"contiguous", "row_major", "strided"};
  return layout < kNames.size() ? kNames[layout] : std::string_view();
}

std::string permalink(std::string_view public_url, std::string_view digest) {
  if (public_url.ends_with('/')) public_url.remove_suffix(1);
  return fmt::format("{}/runs/{}", public_url, digest);
}

Result<std::vector<RunView::Artifact>> read_artifacts(const catalog::Snapshot& snapshot,
                                                      catalog::Store& store,
                                                      std::string_view run_id) {
  std::vector<RunView::Artifact> artifacts;
  std::vector<std::pair<std::string, std::string>> links;  // artifact id, role
  KI_TRY_VOID(store.read_prefix(
      catalog::Table::kRunArtifacts, fmt::format("{} ", run_id), snapshot.seq(),
      [&](const catalog::Entry& entry) -> Result<catalog::Step> {
        if (entry.version != 0) return catalog::Step::kGoOn;
        KI_TRY(const json::Document row, json::read_document(entry.body));
        links.emplace_back(text_of(&row.root, "artifactId"), text_of(&row.root, "role"));
        return catalog::Step::kGoOn;
      }));
  for (const auto& [id, role] : links) {
    KI_TRY(const auto entry, store.find(catalog::Table::kArtifacts, id, snapshot.seq()));
    if (!entry) {
      return fail(Code::kCorrupt,
                  fmt::format("artifact {} is missing from the store; run ki fsck", id));
    }
    KI_TRY(const json::Document row, json::read_document(entry->body, {.max_bytes = 64u << 20}));
    const json::Value* size = row.root.find("sizeBytes");
    RunView::Artifact& artifact = artifacts.emplace_back();
    artifact.role = role;
    artifact.kind = text_of(&row.root, "kind");
    artifact.digest = text_of(&row.root, "contentDigest");
    artifact.media_type = text_of(&row.root, "mediaType");
    artifact.uri = text_of(&row.root, "uri");
    artifact.availability = availability_of(text_of(&row.root, "storage"), artifact.uri);
    if (size != nullptr && size->is_number()) artifact.size_bytes = size->integer();
  }
  return artifacts;
}

Result<std::vector<RunView::Verification>> read_verifications(const catalog::Snapshot& snapshot,
                                                              catalog::Store& store,
                                                              std::string_view run_id) {
  std::map<std::string, json::Document> newest;  // by key
  KI_TRY_VOID(store.read_prefix(catalog::Table::kAttestations, fmt::format("{} ", run_id),
                                snapshot.seq(),
                                [&](const catalog::Entry& entry) -> Result<catalog::Step> {
                                  KI_TRY(json::Document row, json::read_document(entry.body));
                                  if (text_of(&row.root, "kind") == "controlled_rerun")
                                    newest.insert_or_assign(std::string(entry.key), std::move(row));
                                  return catalog::Step::kGoOn;
                                }));
  std::vector<RunView::Verification> out;
  for (const auto& [key, row] : newest) {
    RunView::Verification& one = out.emplace_back();
    one.created_at = text_of(&row.root, "createdAt");
    one.envelope = text_of(&row.root, "envelope");
    one.digest = Digest::of(one.envelope).to_string();
    const json::Value* assessment = row.root.find("assessment");
    if (assessment == nullptr || !assessment->is_object()) {
      one.key_id = text_of(&row.root, "keyId");
      one.problem = "not assessed yet";
      continue;
    }
    const json::Value* is_verified = assessment->find("isVerified");
    one.is_verified = is_verified != nullptr && is_verified->is_bool() && is_verified->boolean();
    one.policy = text_of(assessment, "policy");
    one.label = text_of(assessment, "label");
    one.problem = text_of(assessment, "problem");
    one.key_id = text_of(assessment, "keyId");
    one.owner = text_of(assessment, "owner");
    one.machine = text_of(assessment, "machine");
    one.host_class = text_of(assessment, "hostClass");
    if (const json::Value* index = assessment->find("logIndex"); index != nullptr)
      one.log_index = index->integer();
    if (const json::Value* notes = assessment->find("notes");
        notes != nullptr && notes->is_array()) {
      for (const json::Value& note : notes->items()) {
        if (note.is_string()) one.notes.emplace_back(note.string());
      }
    }
    const json::Value* clauses = assessment->find("clauses");
    if (clauses == nullptr || !clauses->is_array()) continue;
    for (const json::Value& clause : clauses->items()) {
      const json::Value* holds = clause.find("holds");
      one.clauses.push_back({std::string(text_of(&clause, "clause")),
                             std::string(text_of(&clause, "text")),
                             holds != nullptr && holds->is_bool() && holds->boolean()});
    }
  }
  std::ranges::stable_partition(out, &RunView::Verification::is_verified);
  return out;
}

}  // namespace ki::views
