// The verbs of `ki problem` that have a file of their own.
#pragma once

#include "command.h"
#include "ki/harness/run.h"
#include "ki/problem/directory.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ki::cli {

Result<int> run_problem_run(Context& context, std::span<const std::string> operands);

struct Judging {
  std::vector<std::string> cases;  // empty: all
  bool is_published = false;
  bool must_be_verified = false;                // otherwise the exit code is 4
  std::optional<std::string> record_file = {};  // everything that is known of the run, as JSON

  // Of a runner, which has a job instead of options.
  std::optional<harness::PlanOptions> plan = {};
  std::optional<Digest> job = {};
  const std::atomic<bool>* cancel = nullptr;  // beside an interrupt
  // Where the finished cases of an attempt that was killed lie: it is resumed.
  std::optional<std::filesystem::path> state_folder = {};
  bool has_lock = false;                                 // the caller holds the measuring lock
  std::function<Result<void>()> before_publishing = {};  // an error: nothing is published
  // With the ids of the runs of the cases, in their order; empty when nothing was published.
  std::function<void(const harness::RunResult&, const std::vector<std::string>&)> on_end = {};
};
// Judges and times one solution as the options say that `problem run` and `rerun` share, prints
// what came out, and publishes it when asked. Returns the exit code.
Result<int> judge_and_time(const Context& context, const problem::Problem& problem,
                           problem::Solution solution, const Judging& judging);

// What the options that `problem run`, `rerun` and `job submit` share say of a plan.
Result<harness::PlanOptions> plan_options(const Context& context);

}  // namespace ki::cli
