// Plan: what a run will do, decided before anything starts: cases, rounds, calls, processes, and
// what that will take. Pure.
#pragma once

#include "ki/problem/directory.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ki::harness {

enum class Cache : std::uint8_t { kCold, kHot };
std::string_view protocol_name(Cache cache);  // "ki_cold_v1", "ki_hot_v1"

struct PlanOptions {
  std::vector<std::string> cases;  // uuids; empty: all
  Cache cache = Cache::kCold;
  int processes = 6;
  int threads = 1;
  bool is_quick = false;  // for development: three processes, fewer calls; never verified
};

struct CasePlan {
  std::size_t workload = 0;  // index into the problem's
  std::vector<problem::AxisValue> axes;
  std::vector<problem::ResolvedArgument> inputs, outputs;
  std::int64_t bytes = 0;  // of inputs and outputs: what one call moves
  int public_rounds = 10;
  int hidden_rounds = 6;
  int warmup_calls = 3;
  std::chrono::milliseconds warmup{200};
  int samples = 30;                         // at least, of each process
  std::chrono::milliseconds sampling{300};  // at least, or 10 samples
  std::chrono::milliseconds call_deadline{2'000};
};

struct RunPlan {
  std::vector<CasePlan> cases;
  std::vector<CasePlan> held_out;  // sizes of bounds.json, one hidden round each
  int processes = 6;
  int threads = 1;
  Cache cache = Cache::kCold;
  bool is_quick = false;
  double estimate_s = 0;  // build, inputs, oracle, checks and calls
};

// Fails on a case that is not there and on sizes that do not resolve.
Result<RunPlan> make_plan(const problem::Problem& problem,
                          const std::vector<std::vector<problem::AxisValue>>& held_out,
                          const PlanOptions& options);

// A moves of memory above this makes a case large: fewer rounds (harness 14 section 3).
inline constexpr std::int64_t kLargeCallBytes = std::int64_t{64} << 20;

}  // namespace ki::harness
