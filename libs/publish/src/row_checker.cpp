#include "ki/publish/row_checker.h"

#include "ki/json/canonical.h"
#include "ki/policy/eligibility.h"
#include "row_checker_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace ki::publish {

using catalog::Table;

std::uint64_t measurement_hash(std::string_view metric, std::string_view statistic,
                               std::string_view unit, double value,
                               std::optional<std::int64_t> samples) {
  std::string text;
  text.reserve(64);
  for (const std::string_view part : {metric, statistic, unit}) {
    text += part;
    text += '\0';
  }
  if (value == 0) value = 0;  // -0
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  text.append(reinterpret_cast<const char*>(&bits), sizeof bits);
  const std::int64_t count = samples.value_or(-1);
  text.append(reinterpret_cast<const char*>(&count), sizeof count);
  const std::uint64_t hash = std::hash<std::string_view>()(text);
  return hash == 0 ? 1 : hash;
}

std::optional<manifest::ValidManifest> RowChecker::State::validate(
    manifest::Validator& with, const json::Value& value, std::string_view pointer,
    std::initializer_list<manifest::ManifestKind> kinds) {
  auto valid = with.validate(value, text);
  if (!valid) {
    if (valid.error().issues().empty()) {
      Issue issue;
      issue.code = "bad_manifest";
      issue.pointer = pointer;
      issue.message = valid.error().message();
      issues.push_back(std::move(issue));
    }
    for (Issue issue : valid.error().issues()) {
      issue.pointer = std::string(pointer) + issue.pointer;
      issue.line = 0;  // the row's line is known to the caller
      issues.push_back(std::move(issue));
    }
    return std::nullopt;
  }
  if (std::ranges::find(kinds, valid->kind) == kinds.end()) {
    Issue issue;
    issue.code = "wrong_kind";
    issue.pointer = pointer;
    issue.message = fmt::format("the manifest is a {}; expected {}", to_string(valid->kind),
                                to_string(*kinds.begin()));
    issues.push_back(std::move(issue));
    return std::nullopt;
  }
  return *std::move(valid);
}

std::optional<manifest::ValidManifest> RowChecker::State::manifest(
    RowColumns& columns, std::string_view column,
    std::initializer_list<manifest::ManifestKind> kinds) {
  const json::Value* value = columns.object(column);
  if (value == nullptr) return std::nullopt;
  return validate(validator, *value, "/" + std::string(column), kinds);
}

Uuid RowChecker::State::local(const Uuid& id) const {
  if (aliases.empty()) return id;
  const auto found = aliases.find(id);
  return found == aliases.end() ? id : found->second;
}

std::uint32_t RowChecker::State::own_id(RowColumns& columns, IdTable& table) {
  const auto id = columns.id("id");
  if (!id) return kNoIndex;
  const std::uint32_t known = table.find(*id);
  if (version == 0 && known != kNoIndex) {
    columns.refuse("duplicate_row", "id", fmt::format("the id {} occurs twice", id->to_string()));
    return kNoIndex;
  }
  if (version != 0 && known == kNoIndex) {
    columns.refuse(
        "lost_version", "id",
        fmt::format("version {} of {} has no version before it", version, id->to_string()));
  }
  return known;
}

std::uint32_t RowChecker::State::reference(RowColumns& columns, std::string_view column,
                                           const IdTable& table, std::string_view table_name) {
  const auto id = columns.id(column);
  if (!id) return kNoIndex;
  const std::uint32_t index = table.find(*id);
  if (index == kNoIndex) {
    columns.refuse("dangling_reference", column,
                   fmt::format("column '{}' names {} {}, which is not there", column, table_name,
                               id->to_string()));
  }
  return index;
}

std::uint32_t RowChecker::State::group(const Digest& group_key) {
  return intern(group_index, groups, group_key);
}

void RowChecker::State::compose(const json::Value& row, const manifest::ValidManifest* manifest) {
  struct Part {
    std::string_view name;
    const json::Value* value;
    std::string_view json;
  };
  thread_local std::vector<Part> parts;
  parts.clear();
  for (const json::Member& member : row.members()) {
    if (manifest != nullptr && member.key == "manifest") {
      parts.push_back({member.key, nullptr, manifest->canonical});
    } else {
      parts.push_back({member.key, &member.value, {}});
    }
  }
  for (const auto& [name, json] : added) {
    const auto known = std::ranges::find(parts, name, &Part::name);
    if (known != parts.end()) {
      *known = {name, nullptr, json};
    } else {
      parts.push_back({name, nullptr, json});
    }
  }
  std::ranges::sort(parts, {}, &Part::name);  // column names are ASCII
  body.clear();
  body += '{';
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    if (i != 0) body += ',';
    json::append_string(body, part.name);
    body += ':';
    if (part.value == nullptr) {
      body += part.json;
      continue;
    }
    if (!aliases.empty() && part.value->is_string() && part.name != "externalId" &&
        part.name.ends_with("Id")) {
      if (const auto id = Uuid::parse(part.value->string())) {
        json::append_string(body, local(*id).to_string());
        continue;
      }
    }
    json::append_canonical(body, *part.value);
  }
  body += '}';
}

void RowChecker::State::add_document(const manifest::ValidManifest& valid,
                                     const Digest& document_digest) {
  DocumentFacts facts{document_digest, intern(spec_key_index, spec_keys, valid.digest), 0,
                      valid.kind == manifest::ManifestKind::kExecutionEnvironment};
  if (facts.is_environment) {
    const json::Value* hardware = valid.spec.find("hardware");
    const json::Value* vendor = hardware == nullptr ? nullptr : hardware->find("vendor");
    const json::Value* product = hardware == nullptr ? nullptr : hardware->find("product");
    std::string gpu;
    if (vendor != nullptr && vendor->is_string()) gpu += vendor->string();
    gpu += '\n';
    if (product != nullptr && product->is_string()) gpu += product->string();
    facts.gpu = gpus.intern(gpu);
  }
  document_index.emplace(document_digest, static_cast<std::uint32_t>(documents.size()));
  documents.push_back(facts);
}

std::uint32_t RowChecker::State::document(const json::Value& value, std::string_view pointer,
                                          manifest::ManifestKind kind, const DocumentSink& sink,
                                          bool& is_sink_failed, Error& sink_error) {
  scratch.clear();
  json::append_canonical(scratch, value);
  const Digest spelling = Digest::of(scratch);
  if (const auto known = document_spellings.find(spelling); known != document_spellings.end()) {
    return known->second;
  }
  const auto valid = validate(document_validator, value, pointer, {kind});
  if (!valid) return kNoIndex;
  const Digest document_digest = Digest::of(valid->canonical);
  const auto known = document_index.find(document_digest);
  std::uint32_t index = known == document_index.end() ? kNoIndex : known->second;
  if (index == kNoIndex) {
    if (form == RowForm::kExported) {
      Issue issue;
      issue.code = "dangling_reference";
      issue.pointer = pointer;
      issue.message = "the document is not among the rows of documents";
      issues.push_back(std::move(issue));
      return kNoIndex;
    }
    index = static_cast<std::uint32_t>(documents.size());
    add_document(*valid, document_digest);
    if (sink) {
      document_body.clear();
      append_document_row(document_body, document_digest, valid->digest, valid->canonical);
      const std::string document_key = document_digest.to_string();
      CheckedRow row;
      row.table = Table::kDocuments;
      row.key = document_key;
      row.digest = document_digest;
      row.body = document_body;
      if (auto passed = sink(row); !passed) {
        is_sink_failed = true;
        sink_error = passed.error();
      }
    }
  }
  document_spellings.emplace(spelling, index);
  return index;
}

void RowChecker::State::keep_measurements(std::span<const manifest::Measurement> all,
                                          std::vector<std::uint64_t>& hashes) {
  for (const manifest::Measurement& m : all) {
    hashes.push_back(measurement_hash(m.metric, m.statistic, m.unit, m.value, m.sample_count));
  }
}

bool RowChecker::State::is_eligible(std::uint32_t run) const {
  const RunFacts& facts = run_facts[run];
  return policy::is_eligible_v1({.status = statuses[facts.status],
                                 .published = facts.published_ms != 0,
                                 .retracted = facts.is_retracted,
                                 .superseded = facts.is_superseded,
                                 .has_primary_value = facts.has_value});
}

RowChecker::RowChecker(RowForm form) : state_(std::make_unique<State>(form)) {}
RowChecker::~RowChecker() = default;
RowChecker::RowChecker(RowChecker&&) noexcept = default;
RowChecker& RowChecker::operator=(RowChecker&&) noexcept = default;

void RowChecker::alias_id(const Uuid& foreign, const Uuid& local) {
  state_->aliases.insert_or_assign(foreign, local);
}

bool RowChecker::has_row(Table table, const Uuid& id) const {
  const State& s = *state_;
  const auto has = [&](const IdTable& ids) { return ids.find(id) != kNoIndex; };
  switch (table) {
    case Table::kSources:
      return has(s.sources);
    case Table::kProjects:
      return has(s.projects);
    case Table::kOperations:
      return has(s.operations);
    case Table::kWorkloads:
      return has(s.workloads);
    case Table::kImplementations:
      return has(s.implementations);
    case Table::kBenchmarkRuns:
      return has(s.runs);
    case Table::kArtifacts:
      return has(s.artifacts);
    case Table::kModelRevisions:
      return has(s.models);
    case Table::kServingStackRevisions:
      return has(s.stacks);
    case Table::kServingConfigurations:
      return has(s.configurations);
    case Table::kServingWorkloads:
      return has(s.serving_workloads);
    case Table::kServingRuns:
      return has(s.serving_runs);
    case Table::kOperationAliases:
    case Table::kDocuments:
    case Table::kRunArtifacts:
    case Table::kSourceLinks:
    case Table::kLogEntries:
    case Table::kLogHeads:
    case Table::kTrustedKeys:
      return false;
    case Table::kOperationRelations:
    case Table::kRecordEvents:
    case Table::kLeaderChanges:
    case Table::kSourceSnapshots:
    case Table::kAttestations:
    case Table::kReports:
    case Table::kAuditEvents:
      return has(s.others);
  }
  return false;
}

Result<CheckedRow> RowChecker::check(Table table, const json::Value& row, std::string_view text,
                                     std::uint64_t place, std::uint32_t version,
                                     const DocumentSink& sink) {
  State& s = *state_;
  s.issues.clear();
  s.added.clear();
  s.place = place;
  s.version = version;
  s.text = text;
  s.body.clear();
  s.key.clear();
  if (!row.is_object()) return fail(Code::kInvalidArgument, "the row is not an object");
  auto key = catalog::key_of(table, row);
  if (!key) return fail(std::move(key).error());
  s.key = *std::move(key);

  switch (table) {
    case Table::kSources:
      s.check_source(row);
      break;
    case Table::kProjects:
      s.check_project(row);
      break;
    case Table::kOperations:
      s.check_operation(row);
      break;
    case Table::kOperationAliases:
      s.check_alias(row);
      break;
    case Table::kOperationRelations:
      s.check_relation(row);
      break;
    case Table::kWorkloads:
      s.check_workload(row);
      break;
    case Table::kImplementations:
      s.check_implementation(row);
      break;
    case Table::kDocuments:
      s.check_document(row);
      break;
    case Table::kBenchmarkRuns:
      KI_TRY_VOID(s.check_run(row, sink));
      break;
    case Table::kRecordEvents:
      s.check_event(row);
      break;
    case Table::kLeaderChanges:
      s.check_leader(row);
      break;
    case Table::kArtifacts:
      s.check_artifact(row);
      break;
    case Table::kRunArtifacts:
      s.check_run_artifact(row);
      break;
    case Table::kSourceLinks:
      s.check_source_link(row);
      break;
    case Table::kSourceSnapshots:
      s.check_source_snapshot(row);
      break;
    case Table::kModelRevisions:
      s.check_model(row);
      break;
    case Table::kServingStackRevisions:
      s.check_stack(row);
      break;
    case Table::kServingConfigurations:
      s.check_configuration(row);
      break;
    case Table::kServingWorkloads:
      s.check_serving_workload(row);
      break;
    case Table::kServingRuns:
      s.check_serving_run(row);
      break;
    case Table::kAttestations:
      s.check_attestation(row);
      break;
    case Table::kReports:
      s.check_other(row);
      break;
    case Table::kAuditEvents:
      s.check_audit_event(row);
      break;
    case Table::kLogEntries:
      s.check_log_entry(row);
      break;
    case Table::kLogHeads:
      s.check_log_head(row);
      break;
    case Table::kTrustedKeys:
      s.check_trusted_key(row);
      break;
  }
  if (!s.issues.empty()) {
    return fail(Error(Code::kInvalidArgument, s.issues.front().message, s.issues));
  }
  if (!s.aliases.empty() && (table == Table::kOperationAliases || table == Table::kRunArtifacts ||
                             table == Table::kSourceLinks)) {
    // Keys made of references follow the rewritten body.
    json::Reader reader(json::Limits{.max_bytes = std::size_t{1} << 20});
    if (const auto rewritten = reader.read(s.body)) {
      KI_TRY(s.key, catalog::key_of(table, *rewritten));
    }
  }
  CheckedRow checked;
  checked.table = table;
  checked.key = s.key;
  checked.body = s.body;
  checked.row = &row;
  if (const std::string_view member = catalog::info(table).digest_member; !member.empty()) {
    const json::Value* digest = row.find(member);
    if (digest == nullptr || !digest->is_string()) {
      return fail(Code::kInvalidArgument, fmt::format("the row has no text column '{}'", member));
    }
    KI_TRY(const Digest parsed, Digest::parse(digest->string()));
    checked.digest = parsed;
  }
  return checked;
}

Result<void> RowChecker::check_measurement(const json::Value& row, bool is_serving) {
  State& s = *state_;
  s.issues.clear();
  if (!row.is_object()) return fail(Code::kInvalidArgument, "the row is not an object");
  RowColumns c(row, s.issues);
  if (s.form == RowForm::kPublic) c.id("id");
  const std::uint32_t run = is_serving ? s.reference(c, "runId", s.serving_runs, "serving run")
                                       : s.reference(c, "runId", s.runs, "run");
  const std::string_view metric = c.text("metric");
  const std::string_view statistic = c.text("statistic");
  const std::string_view unit = c.text("unit");
  const auto value = c.nullable_number("value");
  const auto samples = c.nullable_integer("sampleCount");
  c.finish();
  if (s.issues.empty() && !value) c.refuse("wrong_type", "value", "column 'value' is not a number");
  if (s.issues.empty()) {
    const std::uint64_t hash = measurement_hash(metric, statistic, unit, *value, samples);
    std::span<std::uint64_t> expected;
    if (is_serving) {
      const ServingRunFacts& facts = s.serving_run_facts[run];
      expected = std::span(s.serving_measurement_hashes)
                     .subspan(facts.first_measurement, facts.measurements);
    } else {
      const RunFacts& facts = s.run_facts[run];
      expected =
          std::span(s.measurement_hashes).subspan(facts.first_measurement, facts.measurements);
    }
    const auto found = std::ranges::find(expected, hash);
    if (found == expected.end()) {
      c.refuse(
          "wrong_measurement", "",
          fmt::format("the run's manifest makes no measurement {} {} of this value and unit, or it "
                      "was stated before",
                      metric, statistic));
    } else {
      *found = 0;
    }
  }
  if (!s.issues.empty())
    return fail(Error(Code::kInvalidArgument, s.issues.front().message, s.issues));
  return {};
}

CatalogFacts RowChecker::facts() const {
  const State& s = *state_;
  CatalogFacts facts;
  facts.runs = s.run_facts.size();
  facts.leader_events = s.events.size();
  facts.measurements = s.measurement_count;
  facts.serving_runs = s.serving_run_facts.size();
  std::vector<bool> groups(s.groups.size()), operations(s.operations.size()), gpus(s.gpus.size());
  std::map<std::string, std::uint64_t> ineligible;
  for (std::uint32_t run = 0; run < s.run_facts.size(); ++run) {
    const RunFacts& r = s.run_facts[run];
    if (!gpus[r.gpu]) gpus[r.gpu] = true, ++facts.gpus;
    if (!s.is_eligible(run)) {
      ++ineligible[policy::eligibility_v1({.status = s.statuses[r.status],
                                           .published = r.published_ms != 0,
                                           .retracted = r.is_retracted,
                                           .superseded = r.is_superseded,
                                           .has_primary_value = r.has_value})
                       .front()];
      continue;
    }
    ++facts.eligible_runs;
    if (!groups[r.group]) groups[r.group] = true, ++facts.groups;
    if (!operations[r.operation]) operations[r.operation] = true, ++facts.measured_operations;
  }
  facts.ineligible.assign(ineligible.begin(), ineligible.end());
  facts.operation_mismatches = s.operation_mismatches;
  return facts;
}

void RowChecker::for_each_group(
    const std::function<void(const Digest&, std::span<const LeaderRun>)>& visit) const {
  const State& s = *state_;
  const std::vector<std::uint32_t> order = s.runs_by_group();
  std::vector<LeaderRun> runs;
  for (std::size_t i = 0; i < order.size();) {
    const std::uint32_t group = s.run_facts[order[i]].group;
    runs.clear();
    for (; i < order.size() && s.run_facts[order[i]].group == group; ++i) {
      const RunFacts& facts = s.run_facts[order[i]];
      if (s.is_eligible(order[i]))
        runs.push_back({s.runs[order[i]], facts.value, facts.observed_ms});
    }
    if (!runs.empty()) visit(s.groups[group], runs);
  }
}

}  // namespace ki::publish
