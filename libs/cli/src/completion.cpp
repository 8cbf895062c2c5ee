#include "command.h"
#include "ki/base/text.h"

#include <fmt/format.h>

namespace ki::cli {
namespace {

std::string words_of(const Command& command) {
  std::string out;
  for (const std::string_view verb : command.verbs) out += std::string(verb) + " ";
  for (const Option& option : command.all_options()) out += fmt::format("--{} ", option.name);
  if (!out.empty()) out.pop_back();
  return out;
}

std::string command_names() {
  std::string out;
  for (const Command& command : commands())
    out += (out.empty() ? "" : " ") + std::string(command.name);
  return out;
}

std::string bash() {
  std::string out = fmt::format(
      "# ki completion for bash: source this file, or put it into bash_completion.d\n"
      "_ki() {{\n  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" words=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then words=\"{} --help --version\"; else\n    case "
      "\"${{COMP_WORDS[1]}}\" in\n",
      command_names());
  for (const Command& command : commands())
    out += fmt::format("      {}) words=\"{}\" ;;\n", command.name, words_of(command));
  out +=
      "    esac\n  fi\n  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  [ \"${#COMPREPLY[@]}\" -eq 0 ] && COMPREPLY=($(compgen -f -- \"$word\"))\n  return "
      "0\n}\ncomplete -F _ki ki\n";
  return out;
}

std::string escape_single(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string zsh() {
  std::string out = "#compdef ki\n_ki() {\n  local -a names\n  names=(\n";
  for (const Command& command : commands())
    out += fmt::format("    '{}:{}'\n", command.name, escape_single(command.summary));
  out +=
      "  )\n  if (( CURRENT == 2 )); then _describe command names; return; fi\n  case $words[2] "
      "in\n";
  for (const Command& command : commands())
    out += fmt::format("    {}) compadd -- {} ;;\n", command.name, words_of(command));
  return out + "  esac\n  _files\n}\n_ki \"$@\"\n";
}

std::string fish() {
  std::string out = "# ki completion for fish\n";
  for (const Command& command : commands()) {
    out += fmt::format("complete -c ki -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                       command.summary);
    for (const std::string_view verb : command.verbs) {
      out += fmt::format("complete -c ki -n '__fish_seen_subcommand_from {}' -a {}\n", command.name,
                         verb);
    }
    for (const Option& option : command.all_options()) {
      out += fmt::format("complete -c ki -n '__fish_seen_subcommand_from {}' -l {}{}\n",
                         command.name, option.name, option.value.empty() ? "" : " -r");
    }
  }
  return out;
}

}  // namespace

Result<int> run_completion(Context& context) {
  if (context.operands().size() != 1) return context.usage("for which shell?");
  const std::string& shell = context.operands().front();
  if (shell == "bash")
    context.out(bash());
  else if (shell == "zsh")
    context.out(zsh());
  else if (shell == "fish")
    context.out(fish());
  else
    return context.usage(fmt::format("{} is not one of bash, zsh, fish", quote(shell)));
  return kDone;
}

}  // namespace ki::cli
