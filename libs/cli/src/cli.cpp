#include "ki/cli/cli.h"

#include "command.h"
#include "ki/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace ki::cli {
namespace {

std::string overview() {
  std::string out =
      "ki: what is the fastest kernel for an exact workload, and why believe the number?\n\n"
      "usage: ki COMMAND [options]\n\n";
  for (const Command& command : commands())
    out += fmt::format("  {:<12} {}\n", command.name, command.summary);
  out +=
      "\nki COMMAND --help shows examples and options. ki --version prints the version.\n"
      "Exit codes: 0 done; 1 failed or did not pass; 2 usage or invalid input; 3 not found;\n"
      "4 answered but nothing exact; 70 internal error.\n";
  return out;
}

std::string page(const Command& command) {
  std::string out =
      fmt::format("ki {}: {}\n\nusage: ki {}{}{} [options]\n", command.name, command.summary,
                  command.name, command.operands.empty() ? "" : " ", command.operands);
  if (!command.help.empty()) out += fmt::format("\n{}", command.help);
  out += "\nOptions:\n";
  for (const Option& option : command.all_options()) {
    const std::string name = option.value.empty()
                                 ? fmt::format("--{}", option.name)
                                 : fmt::format("--{} {}", option.name, option.value);
    out += fmt::format("  {:<24} {}\n", name, option.help);
  }
  return out;
}

const Command* find_command(std::string_view name) {
  const auto found = std::ranges::find(commands(), name, &Command::name);
  return found == commands().end() ? nullptr : &*found;
}

int fail_with(const Environment& environment, std::string_view command, const Error& error) {
  environment.err(
      fmt::format("ki{}{}: {}\n", command.empty() ? "" : " ", command, error.to_string()));
  return exit_code(error.code());
}

// `ki --catalog PATH COMMAND …` is what `ki COMMAND --catalog PATH …` is: the catalog may be named
// first.
std::vector<std::string> catalog_after_command(std::span<const std::string> args) {
  std::size_t leading = 0;
  while (leading < args.size() && args[leading].starts_with("--catalog"))
    leading += args[leading] == "--catalog" ? 2 : 1;
  std::vector<std::string> out(args.begin(), args.end());
  if (leading < out.size()) {
    const auto command = out.begin() + static_cast<std::ptrdiff_t>(leading);
    std::rotate(out.begin(), command, command + 1);
  }
  return out;
}

}  // namespace

int run(std::span<const std::string> given, const Environment& environment) {
  const std::vector<std::string> args = catalog_after_command(given);
  if (args.empty()) {
    environment.err(overview());
    return kUsage;
  }
  const std::string& name = args.front();
  if (name == "--help" || name == "-h" || name == "help") {
    if (args.size() > 1) {
      if (const Command* command = find_command(args[1])) {
        environment.out(page(*command));
        return kDone;
      }
    } else {
      environment.out(overview());
      return kDone;
    }
  }
  if (name == "--version") {
    environment.out(fmt::format("ki {}\n", KI_VERSION));
    return kDone;
  }
  const Command* command = find_command(name == "help" ? args[1] : name);
  if (command == nullptr) {
    std::vector<std::string_view> names;
    for (const Command& known : commands()) names.push_back(known.name);
    const std::string& typed = name == "help" ? args[1] : name;
    const auto near = did_you_mean(typed, names);
    environment.err(fmt::format("ki: {} is no command{}; ki --help lists them\n", quote(typed),
                                near ? fmt::format("; did you mean '{}'?", *near) : ""));
    return kUsage;
  }
  const std::vector<Option> options = command->all_options();
  auto arguments = Arguments::parse(std::span(args).subspan(1), options);
  if (!arguments) return fail_with(environment, command->name, arguments.error());
  if (arguments->has("help")) {
    environment.out(page(*command));
    return kDone;
  }
  Context context(*command, *std::move(arguments), environment);
  const Result<int> code = command->run(context);
  return code ? *code : fail_with(environment, command->name, code.error());
}

}  // namespace ki::cli
