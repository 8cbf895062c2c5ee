// What the tests of runs share: a host, and a solution made from C text.
#pragma once

#include "ki/harness/run.h"
#include "ki/problem/directory.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ki::harness {

inline const std::filesystem::path kProblems = std::filesystem::path(KI_SOURCE_DIR) / "problems";

// Nothing, with `why`, where this machine or user may make no sandbox.
inline const sandbox::Host* shared_host(std::string& why) {
  static const auto host = sandbox::Host::open();
  if (!host) why = host.error().to_string();
  return host ? &*host : nullptr;
}

inline problem::Problem load(const std::string& name) {
  auto out = problem::load_problem(kProblems / name, problem::Mode::kStrict);
  EXPECT_TRUE(out) << (out ? "" : out.error().to_string());
  return *std::move(out);
}

inline problem::Solution solution_of(const problem::Problem& problem, const std::string& source,
                                     std::vector<std::string> flags = {}, int threads = 1) {
  problem::Solution out;
  out.name = "test";
  out.definition = problem.definition.name;
  out.author = "test";
  out.languages = {"x_c"};
  out.target_hardware = {"X_CPU"};
  out.entry_file = "kernel.c";
  out.entry_symbol = "entry";
  out.binding = "x_ki_abi1";
  out.x_threads = threads;
  if (!flags.empty()) {
    out.compile_options.emplace();
    out.compile_options->cuda_cflags.clear();
    out.compile_options->ld_flags.clear();
    out.compile_options->cflags = std::move(flags);
  }
  out.sources = {{"kernel.c", source}};
  return out;
}

struct Options {
  std::vector<std::string> cases;
  std::uint64_t seed = 1;
  int processes = 2;
  std::chrono::milliseconds deadline{300};
  bool has_held_out = false;
};

inline Result<RunResult> run_solution(const sandbox::Host& host, const problem::Problem& problem,
                                      const problem::Solution& solution,
                                      const Options& options = {}) {
  std::vector<std::vector<problem::AxisValue>> held_out;
  if (options.has_held_out) held_out = problem::held_out_axes(problem.folder).value();
  KI_TRY(RunPlan plan,
         make_plan(problem, held_out,
                   {.cases = options.cases, .processes = options.processes, .is_quick = true}));
  for (CasePlan& one : plan.cases) one.call_deadline = options.deadline;
  return run({.problem = problem,
              .solution = solution,
              .plan = plan,
              .host = host,
              .key = judge::RunKey::of_seed(options.seed)});
}

}  // namespace ki::harness
