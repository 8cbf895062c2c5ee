#include "ki/harness/plan.h"

#include "ki/base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::harness {
namespace {

// Nanoseconds a byte of input and output that a checked call costs beside the candidate's own time:
// drawing, both paths of the oracle, comparison, digests. Measured on two-core machines with the
// mini-suite (7 to 14); the estimate takes the upper end.
constexpr double kCheckNsPerByte = 14;
constexpr double kProcessSeconds = 0.15;  // start, load, seal, stop
constexpr double kBuildSeconds = 2.0;

Result<CasePlan> case_of(const problem::Problem& problem,
                         const std::vector<problem::AxisValue>& given, const PlanOptions& options) {
  CasePlan out;
  KI_TRY(out.axes, problem::resolve_axes(problem.definition, given));
  KI_TRY(out.inputs, problem::resolve_arguments(problem.definition.inputs, out.axes));
  KI_TRY(out.outputs, problem::resolve_arguments(problem.definition.outputs, out.axes));
  for (const auto* list : {&out.inputs, &out.outputs}) {
    for (const problem::ResolvedArgument& argument : *list) out.bytes += argument.bytes;
  }
  if (out.bytes > kLargeCallBytes) out.public_rounds = 4;
  if (options.is_quick) {
    out.public_rounds = std::min(out.public_rounds, 3);
    out.warmup = std::chrono::milliseconds(20);
    out.samples = 12;
    out.sampling = std::chrono::milliseconds(20);
  }
  return out;
}

}  // namespace

std::string_view protocol_name(Cache cache) {
  return cache == Cache::kCold ? "ki_cold_v1" : "ki_hot_v1";
}

Result<RunPlan> make_plan(const problem::Problem& problem,
                          const std::vector<std::vector<problem::AxisValue>>& held_out,
                          const PlanOptions& options) {
  RunPlan out;
  out.processes = options.is_quick ? std::min(options.processes, 3) : options.processes;
  out.threads = options.threads;
  out.cache = options.cache;
  out.is_quick = options.is_quick;
  for (const std::string& name : options.cases) {
    if (std::ranges::find(problem.workloads, name, &problem::Workload::uuid) ==
        problem.workloads.end()) {
      std::vector<std::string_view> known;
      for (const auto& workload : problem.workloads) known.push_back(workload.uuid);
      const auto near = did_you_mean(name, known);
      return fail(Code::kNotFound,
                  fmt::format("{} has no case {}{}", problem.definition.name, quote(name),
                              near ? fmt::format("; did you mean {}?", quote(*near)) : ""));
    }
  }
  out.estimate_s = kBuildSeconds;
  for (std::size_t i = 0; i < problem.workloads.size(); ++i) {
    const problem::Workload& workload = problem.workloads[i];
    if (!options.cases.empty() &&
        std::ranges::find(options.cases, workload.uuid) == options.cases.end())
      continue;
    KI_TRY(CasePlan one, case_of(problem, workload.axes, options));
    one.workload = i;
    const double calls = one.public_rounds + one.hidden_rounds + 3 +
                         out.processes * (one.warmup_calls + one.samples);
    out.estimate_s += calls * static_cast<double>(one.bytes) * kCheckNsPerByte * 1e-9 +
                      (out.processes + 1) * kProcessSeconds;
    out.cases.push_back(std::move(one));
  }
  for (const auto& axes : held_out) {
    KI_TRY(CasePlan one, case_of(problem, axes, options));
    out.estimate_s += kProcessSeconds + static_cast<double>(one.bytes) * kCheckNsPerByte * 1e-9;
    out.held_out.push_back(std::move(one));
    if (out.held_out.size() == 2) break;
  }
  return out;
}

}  // namespace ki::harness
