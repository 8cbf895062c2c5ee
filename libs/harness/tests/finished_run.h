// A finished run of vec_add that no machine made, for tests of what becomes of runs.
#pragma once

#include "ki/harness/publication.h"
#include "run_world.h"

#include <utility>

namespace ki::harness {

// A finished run of vec_add that no machine made: every case passed with six processes.
struct Finished {
  problem::Problem problem = load("vec_add");
  problem::Solution solution = solution_of(problem, "int x;");
  judge::RunKey key;
  RunResult run;

  explicit Finished(std::uint64_t seed = 3) : key(judge::RunKey::of_seed(seed)) {
    run.problem = problem.definition.name;
    run.solution = solution.name;
    run.plan = make_plan(problem, {}, {}).value();
    run.isolation.level = sandbox::IsolationLevel::kFull;
    run.definition_digest = problem.definition.digest;
    run.solution_digest = solution.digest();
    run.key_commitment = key.commitment();
    run.build.outcome = sandbox::BuildOutcome::kBuilt;
    run.build.compiler.version = "g++ 12.2.0";
    run.sentinels_before = {{"fma_chain", 1000}, {"triad_memory", 5000}};
    run.sentinels_after = {{"fma_chain", 1010}, {"triad_memory", 4900}};
    run.key = key.hex();
    for (const CasePlan& plan : run.plan.cases) {
      CaseResult one;
      one.uuid = problem.workloads[plan.workload].uuid;
      one.axes = plan.axes;
      one.worst.emplace();
      for (std::uint32_t process = 1; process <= 6; ++process) {
        for (std::uint64_t i = 0; i < 30; ++i) {
          one.samples.push_back({.process = process, .elapsed_ns = 20'000 + 10 * process + i});
          one.calls.push_back({.phase = judge::Phase::kTimed, .process = process, .round = i});
        }
      }
      one.timing =
          timing_of(one.samples, 1, 300,
                    judge::stream_key(key, one.uuid, judge::Phase::kTimed, 0, "bootstrap"));
      run.cases.push_back(one);
    }
  }
  Result<publish::Bundle> publication(bool is_seeded = false) const {
    const Machine machine{"amd",
                          "AMD EPYC (family 25, model 1, stepping 1)",
                          "x86_64",
                          "vm",
                          std::int64_t{8} << 30,
                          2,
                          "Debian GNU/Linux 12",
                          "Linux 6.18.0",
                          "glibc 2.36",
                          "madvise",
                          "off",
                          "unknown"};
    return publication_of(run, problem, solution, key, is_seeded, machine, {"AMD EPYC", "0.1.0"},
                          Instant{1'796'000'000'000});
  }
};

}  // namespace ki::harness
