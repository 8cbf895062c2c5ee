#include "ki/harness/run.h"

#include "case_run.h"
#include "ki/base/text.h"
#include "ki/harness/oracle.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>

namespace ki::harness {
namespace {

using problem::Status;

// The verdict of a build that made nothing.
Verdict build_verdict(const sandbox::BuildResult& build) {
  Verdict out{Status::kCompileError, "compiler_error", build.reason};
  switch (build.outcome) {
    case sandbox::BuildOutcome::kFlagRejected:
      out.reason = "flag_rejected";
      break;
    case sandbox::BuildOutcome::kTimeout:
      out.reason = "build_timeout";
      break;
    case sandbox::BuildOutcome::kOutOfMemory:
      out.reason = "resource_exceeded";
      break;
    case sandbox::BuildOutcome::kCompileError:
    case sandbox::BuildOutcome::kBuilt:
      break;
  }
  return out;
}

// Keeps this thread, which is the clock, off the processors of the cells, and gives it its old ones
// back. Where the cells use every processor nothing is done: the parent sleeps while they run.
class ClockPlacement {
 public:
  explicit ClockPlacement(const std::vector<int>& cell_cpus) {
    CPU_ZERO(&before_);
    if (::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t after = before_;
    for (const int cpu : cell_cpus) CPU_CLR(static_cast<std::size_t>(cpu), &after);
    is_moved_ = CPU_COUNT(&after) > 0 && ::sched_setaffinity(0, sizeof after, &after) == 0;
  }
  ClockPlacement(const ClockPlacement&) = delete;
  ClockPlacement& operator=(const ClockPlacement&) = delete;
  ~ClockPlacement() {
    if (is_moved_) ::sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
  bool is_moved_ = false;
};

CaseResult unrun(const RunInput& input, const CasePlan& plan, const Verdict& verdict) {
  CaseResult out;
  out.uuid = input.problem.workloads[plan.workload].uuid;
  out.axes = plan.axes;
  out.bytes = plan.bytes;
  out.strict = out.compatible = verdict;
  return out;
}

}  // namespace

sandbox::BuildPlan build_plan(const problem::Solution& solution) {
  sandbox::BuildPlan out;
  for (const problem::SourceFile& file : solution.sources) {
    out.sources.push_back({file.path, file.content});
  }
  if (solution.compile_options) {
    if (!solution.compile_options->x_std.empty())
      out.flags.push_back("-std=" + solution.compile_options->x_std);
    for (const auto* list :
         {&solution.compile_options->cflags, &solution.compile_options->ld_flags})
      out.flags.insert(out.flags.end(), list->begin(), list->end());
    if (solution.compile_options->x_compiler == "clang-19")
      out.compiler = sandbox::Compiler::kClang19;
  }
  return out;
}

Result<RunResult> run(const RunInput& input) {
  const auto started = std::chrono::steady_clock::now();
  RunResult out;
  out.problem = input.problem.definition.name;
  out.solution = input.solution.name;
  out.definition_digest = input.problem.definition.digest;
  out.solution_digest = input.solution.digest();
  out.key_commitment = input.key.commitment();
  out.plan = input.plan;
  out.isolation = input.host.isolation();
  if (!input.solution.is_cpu_abi()) {
    return fail(
        Code::kUnsupported,
        fmt::format("{} is written for {}; this machine runs the languages x_c and x_cpp",
                    input.solution.name,
                    input.solution.languages.empty() ? std::string("Python")
                                                     : join(input.solution.languages, ", ")));
  }
  const auto tell = [&](std::string what) {
    if (input.progress)
      input.progress({std::move(what), out.cases.size(), input.plan.cases.size()});
  };
  const auto is_cancelled = [&] {
    return (input.cancel != nullptr && input.cancel->load()) ||
           (input.deadline && std::chrono::steady_clock::now() >= *input.deadline);
  };
  const auto finish = [&](CaseResult result) {
    if (input.on_case) input.on_case(result);
    out.cases.push_back(std::move(result));
  };

  const ClockPlacement placement(cell_processors(input.solution.x_threads));
  const Oracle* oracle = find_oracle(input.problem.definition.digest);
  out.sentinels_before = measure::run_sentinels();
  tell("build");
  KI_TRY(out.build, sandbox::build(input.host, build_plan(input.solution)));
  const bool is_built = out.build.outcome == sandbox::BuildOutcome::kBuilt;

  for (const CasePlan& plan : input.plan.cases) {
    const std::string& uuid = input.problem.workloads[plan.workload].uuid;
    if (const auto known = std::ranges::find(input.finished, uuid, &CaseResult::uuid);
        known != input.finished.end()) {
      out.cases.push_back(*known);
      continue;
    }
    if (is_cancelled()) {
      out.was_cancelled = true;
      break;
    }
    if (!is_built) {
      finish(unrun(input, plan, build_verdict(out.build)));
    } else if (oracle == nullptr) {
      finish(unrun(input, plan,
                   {Status::kInvalidReference, "no_oracle",
                    "no oracle of ours answers for this definition"}));
    } else {
      CaseRun one(input, plan, input.problem.workloads[plan.workload], *oracle, out.build.object,
                  tell);
      KI_TRY(CaseResult result, one.run());
      if (one.was_cancelled()) {
        out.was_cancelled = true;
        break;
      }
      finish(std::move(result));
    }
  }
  if (is_built && oracle != nullptr && !out.was_cancelled) {
    for (std::size_t i = 0; i < input.plan.held_out.size(); ++i) {
      tell(fmt::format("held-out size {}", i + 1));
      problem::Workload workload = input.problem.workloads.front();
      workload.uuid = fmt::format("held-out-{}", i);
      CaseRun one(input, input.plan.held_out[i], workload, *oracle, out.build.object, tell);
      KI_TRY(const Verdict verdict, one.run_held_out());
      if (verdict.status != Status::kPassed && out.held_out.status == Status::kPassed)
        out.held_out = verdict;
    }
    // A solution that is right for the published sizes alone was fitted to them.
    if (out.held_out.status == Status::kIncorrectNumerical) {
      for (CaseResult& result : out.cases) {
        if (result.strict.status == Status::kPassed)
          result.strict = {Status::kIncorrectNumerical, "held_out", out.held_out.detail};
      }
    }
  }
  out.sentinels_after = measure::run_sentinels();
  out.key = input.key.hex();
  out.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return out;
}

int exit_code_of(const RunResult& result) {
  if (result.was_cancelled) return 4;
  const bool are_passed =
      !result.cases.empty() && std::ranges::all_of(result.cases, [](const CaseResult& one) {
        return one.strict.status == Status::kPassed;
      });
  if (!are_passed) return 1;
  const bool is_unhealthy = std::ranges::any_of(result.cases, [](const CaseResult& one) {
    return std::ranges::find(one.flags, "unhealthy") != one.flags.end();
  });
  return is_unhealthy ? 4 : 0;
}

}  // namespace ki::harness
