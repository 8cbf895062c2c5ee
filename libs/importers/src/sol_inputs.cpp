// Reading SOL-ExecBench's own objects: definitions, workload entries, submissions, solutions,
// traces.

#include "ki/base/text.h"
#include "sol_manifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ki::importers {
namespace {

const json::Value* member(const json::Value& value, std::string_view name) {
  const json::Value* v = value.find(name);
  return v == nullptr || v->is_null() ? nullptr : v;
}

Result<std::string_view> required_text(const json::Value& value, std::string_view name) {
  const json::Value* v = member(value, name);
  if (v == nullptr || !v->is_string() || v->string().empty()) {
    return fail(Code::kInvalidArgument, fmt::format("member '{}' is missing or not text", name));
  }
  return v->string();
}

Result<std::string_view> optional_text(const json::Value& value, std::string_view name) {
  const json::Value* v = member(value, name);
  if (v == nullptr) return std::string_view();
  if (!v->is_string())
    return fail(Code::kInvalidArgument, fmt::format("member '{}' is not text", name));
  return v->string();
}

Result<std::optional<double>> optional_number(const json::Value& value, std::string_view name) {
  const json::Value* v = member(value, name);
  if (v == nullptr) return std::nullopt;
  if (!v->is_number())
    return fail(Code::kInvalidArgument, fmt::format("member '{}' is not a number", name));
  return v->number();
}

Result<bool> optional_bool(const json::Value& value, std::string_view name) {
  const json::Value* v = member(value, name);
  if (v == nullptr) return false;
  if (!v->is_bool())
    return fail(Code::kInvalidArgument, fmt::format("member '{}' is not true or false", name));
  return v->boolean();
}

Result<const json::Value*> required_object(const json::Value& value, std::string_view name) {
  const json::Value* v = member(value, name);
  if (v == nullptr || !v->is_object()) {
    return fail(Code::kInvalidArgument,
                fmt::format("member '{}' is missing or not an object", name));
  }
  return v;
}

Result<std::vector<std::string_view>> texts(const json::Value& value, std::string_view name) {
  std::vector<std::string_view> out;
  const json::Value* v = member(value, name);
  if (v == nullptr) return out;
  if (!v->is_array())
    return fail(Code::kInvalidArgument, fmt::format("member '{}' is not a list", name));
  for (const json::Value& item : v->items()) {
    if (!item.is_string())
      return fail(Code::kInvalidArgument,
                  fmt::format("member '{}' holds something that is not text", name));
    out.push_back(item.string());
  }
  return out;
}

// Bounds may be the texts "Infinity" and "NaN": then there is no number.
std::optional<double> error_bound(const json::Value& value, std::string_view name) {
  const json::Value* v = member(value, name);
  return v != nullptr && v->is_number() ? std::optional(v->number()) : std::nullopt;
}

template <std::size_t N>
void note_drift(const json::Value& value, const std::array<std::string_view, N>& known,
                std::string_view what, std::vector<std::string>& drift) {
  for (const json::Member& m : value.members()) {
    if (std::ranges::find(known, m.key) != known.end()) continue;
    if (m.key.starts_with("collection_") || m.key.starts_with("disqualification_") ||
        m.key.starts_with("review_"))
      continue;
    std::string warning = fmt::format("{} has a member that is not known: {}", what, quote(m.key));
    if (std::ranges::find(drift, warning) == drift.end()) drift.push_back(std::move(warning));
  }
}

}  // namespace

Result<SolDefinition> read_sol_definition(const json::Value& value,
                                          std::vector<std::string>& drift) {
  if (!value.is_object()) return fail(Code::kInvalidArgument, "the definition is not an object");
  static constexpr std::array<std::string_view, 18> kKnown = {"name",
                                                              "op_type",
                                                              "description",
                                                              "title",
                                                              "id",
                                                              "gpu_types",
                                                              "axes",
                                                              "inputs",
                                                              "outputs",
                                                              "reference",
                                                              "tags",
                                                              "hf_id",
                                                              "custom_inputs_entrypoint",
                                                              "baseline",
                                                              "baseline_latency_ms",
                                                              "latency_unit",
                                                              "sol_is_dummy",
                                                              "workloads"};
  note_drift(value, kKnown, "a definition", drift);
  SolDefinition d;
  KI_TRY(d.name, required_text(value, "name"));
  KI_TRY(d.title, optional_text(value, "title"));
  KI_TRY(d.description, optional_text(value, "description"));
  KI_TRY(d.op_type, optional_text(value, "op_type"));
  KI_TRY(d.tags, texts(value, "tags"));
  KI_TRY(d.axes, required_object(value, "axes"));
  KI_TRY(d.inputs, required_object(value, "inputs"));
  KI_TRY(d.outputs, required_object(value, "outputs"));
  KI_TRY(d.is_sol_dummy, optional_bool(value, "sol_is_dummy"));
  KI_TRY(const std::string_view reference, optional_text(value, "reference"));
  d.has_reference = !reference.empty();
  d.workloads = member(value, "workloads");
  if (d.workloads != nullptr && !d.workloads->is_array()) {
    return fail(Code::kInvalidArgument, "member 'workloads' is not a list");
  }
  return d;
}

Result<SolEntry> read_sol_entry(const json::Value& value) {
  if (!value.is_object())
    return fail(Code::kInvalidArgument, "the workload entry is not an object");
  SolEntry entry;
  KI_TRY(const json::Value* axes, required_object(value, "axes"));
  for (const json::Member& axis : axes->members()) {
    const auto size = axis.value.integer();
    if (!size)
      return fail(Code::kInvalidArgument,
                  fmt::format("axis {} is not an integer", quote(axis.key)));
    entry.axes.emplace_back(axis.key, *size);
  }
  entry.inputs = member(value, "inputs");
  if (entry.inputs != nullptr && !entry.inputs->is_object()) {
    return fail(Code::kInvalidArgument, "member 'inputs' is not an object");
  }
  if (const json::Value* tolerance = member(value, "tolerance")) {
    if (!tolerance->is_object())
      return fail(Code::kInvalidArgument, "member 'tolerance' is not an object");
    KI_TRY(entry.max_atol, optional_number(*tolerance, "max_atol"));
    KI_TRY(entry.max_rtol, optional_number(*tolerance, "max_rtol"));
  }
  KI_TRY(entry.sol_ms, optional_number(value, "sol_ms"));
  KI_TRY(const std::string_view uuid, optional_text(value, "uuid"));
  entry.key = uuid.empty() ? sol_case_key(entry.axes) : std::string(uuid);
  return entry;
}

Result<SolSubmission> read_sol_submission(const json::Value& value,
                                          std::vector<std::string>& drift) {
  if (!value.is_object()) return fail(Code::kInvalidArgument, "the submission is not an object");
  static constexpr std::array<std::string_view, 26> kKnown = {"id",
                                                              "username",
                                                              "kernel_id",
                                                              "kernel_name",
                                                              "status",
                                                              "gpu_type",
                                                              "is_correct",
                                                              "sol_score",
                                                              "latency_ms",
                                                              "avg_speedup",
                                                              "fast_1_count",
                                                              "fast_1_total",
                                                              "worker_id",
                                                              "evaluation_stack_version",
                                                              "is_disqualified",
                                                              "submission_mode",
                                                              "submitted_at",
                                                              "finished_at",
                                                              "type",
                                                              "user_id",
                                                              "kernel_title",
                                                              "benchmark_results",
                                                              "disqualified_at",
                                                              "error_log",
                                                              "original_filename",
                                                              "started_at"};
  static constexpr std::array<std::string_view, 2> kAlsoKnown = {"profiling_results", "run_log"};
  std::vector<std::string> unknown;
  note_drift(value, kKnown, "a submission", unknown);
  for (std::string& warning : unknown) {
    const bool is_known = std::ranges::any_of(
        kAlsoKnown, [&](std::string_view k) { return warning.ends_with(quote(k)); });
    if (!is_known && std::ranges::find(drift, warning) == drift.end())
      drift.push_back(std::move(warning));
  }
  SolSubmission s;
  const json::Value* id = member(value, "id");
  if (id == nullptr || !id->integer())
    return fail(Code::kInvalidArgument, "member 'id' is missing or not an integer");
  s.id = *id->integer();
  KI_TRY(s.username, required_text(value, "username"));
  KI_TRY(s.kernel_name, required_text(value, "kernel_name"));
  KI_TRY(s.status, required_text(value, "status"));
  KI_TRY(s.gpu_type, required_text(value, "gpu_type"));
  KI_TRY(s.is_correct, optional_bool(value, "is_correct"));
  KI_TRY(s.is_disqualified, optional_bool(value, "is_disqualified"));
  KI_TRY(s.sol_score, optional_number(value, "sol_score"));
  KI_TRY(s.latency_ms, optional_number(value, "latency_ms"));
  KI_TRY(s.avg_speedup, optional_number(value, "avg_speedup"));
  KI_TRY(s.fast_1_count, optional_number(value, "fast_1_count"));
  KI_TRY(s.fast_1_total, optional_number(value, "fast_1_total"));
  KI_TRY(s.worker_id, optional_text(value, "worker_id"));
  KI_TRY(s.stack, optional_text(value, "evaluation_stack_version"));
  KI_TRY(s.submitted_at, optional_text(value, "submitted_at"));
  KI_TRY(s.finished_at, optional_text(value, "finished_at"));
  return s;
}

Result<SolSolution> read_sol_solution(const json::Value& value) {
  if (!value.is_object()) return fail(Code::kInvalidArgument, "the solution is not an object");
  SolSolution s;
  KI_TRY(s.name, required_text(value, "name"));
  KI_TRY(s.definition, required_text(value, "definition"));
  KI_TRY(s.author, optional_text(value, "author"));
  KI_TRY(s.description, optional_text(value, "description"));
  KI_TRY(const json::Value* spec, required_object(value, "spec"));
  KI_TRY(s.languages, texts(*spec, "languages"));
  KI_TRY(s.target_hardware, texts(*spec, "target_hardware"));
  KI_TRY(s.entry_point, optional_text(*spec, "entry_point"));
  KI_TRY(s.binding, optional_text(*spec, "binding"));
  return s;
}

Result<SolTrace> read_sol_trace(const json::Value& value) {
  if (!value.is_object()) return fail(Code::kInvalidArgument, "the trace is not an object");
  SolTrace t;
  KI_TRY(t.definition, required_text(value, "definition"));
  KI_TRY(t.solution, optional_text(value, "solution"));
  KI_TRY(t.workload, required_object(value, "workload"));
  const json::Value* evaluation = member(value, "evaluation");
  if (evaluation == nullptr) return t;
  if (!evaluation->is_object())
    return fail(Code::kInvalidArgument, "member 'evaluation' is not an object");
  t.has_evaluation = true;
  KI_TRY(t.status, required_text(*evaluation, "status"));
  KI_TRY(t.log, optional_text(*evaluation, "log"));
  KI_TRY(t.timestamp, required_text(*evaluation, "timestamp"));
  KI_TRY(const json::Value* environment, required_object(*evaluation, "environment"));
  KI_TRY(t.hardware, required_text(*environment, "hardware"));
  t.libs = member(*environment, "libs");
  if (t.libs != nullptr && !t.libs->is_object())
    return fail(Code::kInvalidArgument, "member 'libs' is not an object");
  if (const json::Value* correctness = member(*evaluation, "correctness")) {
    t.has_correctness = true;
    t.max_absolute_error = error_bound(*correctness, "max_absolute_error");
    t.max_relative_error = error_bound(*correctness, "max_relative_error");
  }
  if (const json::Value* performance = member(*evaluation, "performance")) {
    KI_TRY(t.latency_ms, optional_number(*performance, "latency_ms"));
    if (!t.latency_ms || !(*t.latency_ms > 0)) {
      return fail(Code::kInvalidArgument, "member 'latency_ms' is missing or not above 0");
    }
    KI_TRY(t.reference_latency_ms, optional_number(*performance, "reference_latency_ms"));
    KI_TRY(t.speedup_factor, optional_number(*performance, "speedup_factor"));
  }
  return t;
}

}  // namespace ki::importers
