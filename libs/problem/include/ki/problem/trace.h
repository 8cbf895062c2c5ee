// Trace: the result of one workload in the original's schema (harness 01 section 4). What is ours
// goes into `correctness.extra` and the prefix of `log`, never into new members.
#pragma once

#include "ki/problem/workload.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ki::problem {

enum class Status : std::uint8_t {
  kPassed,
  kIncorrectShape,
  kIncorrectNumerical,
  kIncorrectDtype,
  kRuntimeError,
  kCompileError,
  kTimeout,
  kRewardHack,
  kInvalidReference,
};
inline constexpr int kStatusCount = 9;
std::string_view to_string(Status status);  // "PASSED", "INCORRECT_NUMERICAL", ...
std::optional<Status> parse_status(std::string_view name);
// The status of a BenchmarkRun; the reason codes resource_exceeded and policy_violation of a
// RUNTIME_ERROR have statuses of their own (harness 01 section 6).
std::string_view run_status(Status status, std::string_view reason);

struct Correctness {
  double max_relative_error = 0;
  double max_absolute_error = 0;
  bool has_nan = false;
  bool has_inf = false;
  std::string extra_json;  // an object, or empty for null
};
struct Performance {
  double latency_ms = 0;
  double reference_latency_ms = 0;
  double speedup_factor = 0;
};
struct Evaluation {
  Status status = Status::kPassed;
  std::string hardware;
  std::map<std::string, std::string> libs;
  std::string timestamp;  // RFC 3339 in UTC
  std::string log;
  std::optional<Correctness> correctness;
  std::optional<Performance> performance;
};
struct Trace {
  std::string definition;
  Workload workload;
  std::string solution;                  // empty: none
  std::optional<Evaluation> evaluation;  // none with no solution: a workload trace
};

// Which parts a status carries; anything else is refused: PASSED both, INCORRECT_NUMERICAL
// correctness alone, all others none.
bool is_complete(Status status, bool has_correctness, bool has_performance);

Reading<Trace> read_trace(std::string_view json, std::uint32_t first_line = 1);
// One line without its line feed. Fails when the parts do not fit the status, or a number is not
// finite: strict JSON has no word for it.
Result<std::string> write_trace(const Trace& trace);

}  // namespace ki::problem
