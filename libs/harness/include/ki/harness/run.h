// A run of one solution against one problem: built in a sandbox, judged and timed in cells, every
// call on inputs that never existed before and every output checked. The parent holds the clock and
// every expected value; the cell holds neither.
#pragma once

#include "ki/harness/plan.h"
#include "ki/judge/compatible.h"
#include "ki/judge/inputs.h"
#include "ki/judge/strict.h"
#include "ki/measure/rejection.h"
#include "ki/measure/sentinel.h"
#include "ki/problem/trace.h"
#include "ki/sandbox/builder.h"
#include "ki/sandbox/cell.h"
#include "ki/sandbox/host.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::harness {

// One judged call, in the order in which they ran.
struct CallFact {
  judge::Phase phase = judge::Phase::kPublic;
  judge::Family family = judge::Family::kBase;
  std::uint32_t process = 0;  // 0: the judging process; 1 to P: the timing ones
  std::uint64_t round = 0;    // with phase and key: which inputs
  Digest inputs = Digest::of(""), outputs = Digest::of("");
  judge::Reason reason = judge::Reason::kNone;  // of ki_strict_v1, the first output that fails
};

struct Sample {
  std::uint32_t process = 1;
  std::uint64_t elapsed_ns = 0;                       // the parent's clock around `calls` calls
  std::uint64_t inside_ticks = 0;                     // the cell's own stamps, summed: advisory
  std::optional<measure::RejectCause> rejected = {};  // by telemetry, never by its time
};

struct Timing {
  std::uint32_t calls_a_sample = 1;  // K: raised until a sample lasts 20 us
  double empty_ns = 0;               // median cost of an empty ring, which every sample has in it
  // Nanoseconds a call, over the accepted samples of all processes.
  double median = 0, mean = 0, p05 = 0, p95 = 0, minimum = 0, maximum = 0, mad = 0;
  std::vector<double> process_medians;
  // 95 %: the wider of the hierarchical bootstrap and Student's t on the process medians.
  double low = 0, high = 0;
  measure::RejectionCount rejections;
  double half_width() const { return median > 0 ? (high - low) / 2 / median : 0; }
};
// Recomputed from samples alone: the same function makes and checks a record. Nothing when no
// sample was accepted.
std::optional<Timing> timing_of(const std::vector<Sample>& samples, std::uint32_t calls_a_sample,
                                double empty_ns, std::uint64_t bootstrap_seed);

struct Verdict {
  problem::Status status = problem::Status::kPassed;
  std::string reason;  // of harness 08 section 3; empty when passed
  std::string detail;  // one sentence
};

struct CaseResult {
  std::string uuid;
  std::vector<problem::AxisValue> axes;
  std::int64_t bytes = 0;
  Verdict strict, compatible;
  judge::CompatibleSummary compatible_summary;
  std::optional<judge::StrictResult> worst;  // the largest error, or what failed
  std::vector<std::string> flags;            // each once: "weak_tolerance", "nondeterministic", ...
  std::vector<std::string> denied;           // system calls that were refused
  std::vector<CallFact> calls;
  std::vector<Sample> samples;
  std::optional<Timing> timing;
  std::string log;  // what the candidate wrote to stderr
};

struct RunResult {
  std::string problem, solution;
  Digest definition_digest = Digest::of(""), solution_digest = Digest::of("");
  Digest key_commitment = Digest::of("");
  std::string key;  // 64 hex digits: revealed, as the run is over
  RunPlan plan;
  sandbox::BuildResult build;
  sandbox::IsolationReport isolation;
  // Fixed work of our own, before the build and after the last case.
  std::vector<measure::SentinelReading> sentinels_before, sentinels_after;
  std::vector<CaseResult> cases;  // one for each of the plan, whatever happened
  Verdict held_out;               // of the sizes that are not published
  bool was_cancelled = false;
  double elapsed_s = 0;
};

struct Progress {
  std::string what;                 // "build", "judge vec_add/n65536", "time 2/6 ..."
  std::size_t done = 0, total = 0;  // cases
};

struct RunInput {
  const problem::Problem& problem;
  const problem::Solution& solution;
  const RunPlan& plan;
  const sandbox::Host& host;
  judge::RunKey key;
  std::function<void(const Progress&)> progress = {};
  const std::atomic<bool>* cancel = nullptr;
  std::optional<std::chrono::steady_clock::time_point> deadline = {};  // cancels the run
  // Called with each case as it ends, so that a run can be resumed.
  std::function<void(const CaseResult&)> on_case = {};
  std::vector<CaseResult> finished = {};  // cases of an earlier attempt that stand
};

// How a solution is built: its sources and its flags.
sandbox::BuildPlan build_plan(const problem::Solution& solution);
// How an argument lies in a cell: a scalar as one of the types of the ABI, a packed type by bytes.
sandbox::TensorPlan tensor_of(const problem::ResolvedArgument& argument);

// An Error is the machine's or the caller's fault. What the candidate does is a verdict.
Result<RunResult> run(const RunInput& input);

// 0 all passed; 1 some did not; 4 cancelled before the end, or all passed on an unhealthy machine.
int exit_code_of(const RunResult& result);

}  // namespace ki::harness
