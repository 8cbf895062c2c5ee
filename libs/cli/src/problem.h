// The verbs of `ki problem` that have a file of their own.
#pragma once

#include "command.h"

#include <span>
#include <string>

namespace ki::cli {

Result<int> run_problem_run(Context& context, std::span<const std::string> operands);

}  // namespace ki::cli
