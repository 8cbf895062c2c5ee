// The program: arguments, streams, signals and the clock of this process, handed to the command
// line.
#include "ki/base/clock.h"
#include "ki/cli/cli.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace {

std::atomic<bool> g_cancel = false;

// The first interrupt asks for a clean stop; a second one ends the process at once.
void on_interrupt(int) {
  if (g_cancel.exchange(true)) std::_Exit(130);
}

void write_all(std::FILE* stream, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stream) != text.size()) std::_Exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  std::signal(SIGPIPE, SIG_DFL);
  const ki::SystemClock clock;
  const ki::cli::Environment environment{
      .out = [](std::string_view text) { write_all(stdout, text); },
      .err =
          [](std::string_view text) {
            write_all(stderr, text);
            std::fflush(stderr);
          },
      .variable = [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
      },
      .read_stdin = [] { return std::string(std::istreambuf_iterator<char>(std::cin), {}); },
      .clock = &clock,
      .is_out_terminal = ::isatty(STDOUT_FILENO) == 1,
      .is_err_terminal = ::isatty(STDERR_FILENO) == 1,
      .cancel = &g_cancel};
  try {
    const std::vector<std::string> args(argv + 1, argv + argc);
    const int code = ki::cli::run(args, environment);
    if (std::fflush(stdout) != 0) return 1;
    return code;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ki: internal error: %s\n", e.what());
    return 70;
  }
}
