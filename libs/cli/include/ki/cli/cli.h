// The command line: arguments in, text out, an exit code. Nothing here knows main(): tests run it
// in process with their own streams, clock and environment.
#pragma once

#include "ki/base/clock.h"

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ki::cli {

struct Environment {
  std::function<void(std::string_view)> out;  // standard output: the result
  std::function<void(std::string_view)> err;  // standard error: talk
  std::function<std::optional<std::string>(const std::string&)> variable;
  std::function<std::string()> read_stdin;
  const Clock* clock = nullptr;
  bool is_out_terminal = false;
  bool is_err_terminal = false;
  const std::atomic<bool>* cancel = nullptr;  // set by SIGINT
};

// Runs `ki ARGS...`. Exit codes (spec 17): 0 done; 1 failed or did not pass; 2 usage or invalid
// input; 3 not found; 4 answered but nothing exact; 70 internal.
int run(std::span<const std::string> args, const Environment& environment);

}  // namespace ki::cli
