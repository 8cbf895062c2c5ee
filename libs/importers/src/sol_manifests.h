// Manifests of SOL-ExecBench objects, as JSON text (importers 01 section 5). Identity-bearing texts
// are the source's own facts, byte for byte.
#pragma once

#include "ki/base/instant.h"
#include "ki/base/result.h"
#include "ki/json/value.h"
#include "sol_maps.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ki::importers {

using SolAxes =
    std::vector<std::pair<std::string_view, std::int64_t>>;  // in the source's order and case

// A definition file or API answer; a view of its document.
struct SolDefinition {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view op_type;
  std::vector<std::string_view> tags;
  const json::Value* axes = nullptr;
  const json::Value* inputs = nullptr;
  const json::Value* outputs = nullptr;
  const json::Value* workloads = nullptr;
  bool has_reference = false;
  bool is_sol_dummy = false;
};
// Fails with one sentence; unknown members are added to `drift`.
Result<SolDefinition> read_sol_definition(const json::Value& value,
                                          std::vector<std::string>& drift);

struct SolEntry {
  std::string key;  // uuid, else of the axes
  SolAxes axes;
  const json::Value* inputs = nullptr;
  std::optional<double> max_atol, max_rtol;
  std::optional<double> sol_ms;
};
Result<SolEntry> read_sol_entry(const json::Value& value);

Result<std::string> sol_operation(const SolDefinition& definition);
// `operation_axes` is the operation manifest's spec.axes.
Result<std::string> sol_case(const SolDefinition& definition, const SolEntry& entry,
                             const json::Value& operation_axes, std::string_view operation_digest);
std::string sol_suite(const SolDefinition& definition, std::span<const SolEntry> entries,
                      std::string_view operation_digest);
// dtypes of all inputs, scalars too, in order, each once.
std::vector<std::string> sol_input_dtypes(const SolDefinition& definition);

std::string sol_user_project(std::string_view user);
std::string sol_examples_project();

struct SolSubmission {
  std::int64_t id = 0;
  std::string_view username, kernel_name, status, gpu_type;
  bool is_correct = false;
  bool is_disqualified = false;
  std::optional<double> sol_score, latency_ms, avg_speedup, fast_1_count, fast_1_total;
  std::string_view worker_id, stack, submitted_at, finished_at;  // empty: absent
};
Result<SolSubmission> read_sol_submission(const json::Value& value,
                                          std::vector<std::string>& drift);

std::string sol_submission_implementation(const SolSubmission& submission,
                                          const SolDefinition& definition,
                                          std::string_view operation_digest);
std::string sol_leaderboard_protocol(std::string_view stack);
std::string sol_leaderboard_environment(const SolHardware& hardware, std::string_view gpu_type,
                                        std::string_view stack);
std::string sol_submission_run(const SolSubmission& submission, std::int64_t latency_ns,
                               Instant observed, std::string_view implementation,
                               std::string_view workload, std::string_view protocol,
                               std::string_view environment);

struct SolSolution {
  std::string_view name, definition, author, description, entry_point, binding;
  std::vector<std::string_view> languages, target_hardware;
};
Result<SolSolution> read_sol_solution(const json::Value& value);
std::string sol_solution_implementation(const SolSolution& solution,
                                        const SolDefinition& definition,
                                        std::string_view operation_digest, std::string_view commit,
                                        std::string_view folder);

struct SolTrace {
  std::string_view definition, solution, status, log, timestamp, hardware;
  const json::Value* workload = nullptr;
  const json::Value* libs = nullptr;
  bool has_evaluation = false;
  std::optional<double> max_absolute_error, max_relative_error;
  bool has_correctness = false;
  std::optional<double> latency_ms, reference_latency_ms, speedup_factor;
};
Result<SolTrace> read_sol_trace(const json::Value& value);
std::string sol_trace_protocol();
std::string sol_trace_environment(const SolTrace& trace);
std::string sol_trace_run(const SolTrace& trace, std::string_view key, std::string_view our_status,
                          Instant observed, std::optional<std::int64_t> latency_ns,
                          std::optional<std::string_view> log_digest,
                          std::string_view implementation, std::string_view workload,
                          std::string_view protocol, std::string_view environment);

}  // namespace ki::importers
