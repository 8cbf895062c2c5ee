// The verbs of `ki problem` that have a file of their own.
#pragma once

#include "command.h"
#include "ki/problem/directory.h"

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
};
// Judges and times one solution as the options say that `problem run` and `rerun` share, prints
// what came out, and publishes it when asked. Returns the exit code.
Result<int> judge_and_time(const Context& context, const problem::Problem& problem,
                           problem::Solution solution, const Judging& judging);

}  // namespace ki::cli
