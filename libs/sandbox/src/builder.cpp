#include "ki/sandbox/builder.h"

#include "attendant.h"
#include "filter.h"
#include "host_state.h"
#include "kernel_abi_text.h"
#include "ki/digest/sha256.h"
#include "ki/io/file.h"
#include "launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>

namespace ki::sandbox {
namespace {

using std::chrono::milliseconds;
constexpr std::size_t kMaxObject = std::size_t{64} << 20;
constexpr std::size_t kLogBytes = std::size_t{1} << 20;
constexpr std::string_view kMarker = "ki-build-step\n";

struct CompilerPaths {
  const char* c;
  const char* cxx;
};
CompilerPaths paths_of(Compiler compiler) {
  return compiler == Compiler::kGcc ? CompilerPaths{"/usr/bin/gcc", "/usr/bin/g++"}
                                    : CompilerPaths{"/usr/bin/clang-19", "/usr/bin/clang++-19"};
}

bool is_name(std::string_view text, std::string_view also = "_") {
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           also.find(c) != std::string_view::npos;
  });
}

bool is_inner_path(std::string_view path) {
  if (path.empty() || path.starts_with('/') || path.size() > 200) return false;
  if (!is_name(path, "_-./+")) return false;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, slash - at);
    if (part.empty() || part == "." || part == ".." || part.starts_with('-')) return false;
    at = slash + 1;
  }
  return true;
}

bool is_allowed(std::string_view flag) {
  constexpr std::string_view kWhole[] = {"-O0",
                                         "-O1",
                                         "-O2",
                                         "-O3",
                                         "-Os",
                                         "-fopenmp",
                                         "-ffast-math",
                                         "-fno-math-errno",
                                         "-fno-trapping-math",
                                         "-fassociative-math",
                                         "-freciprocal-math",
                                         "-fno-signed-zeros",
                                         "-ffinite-math-only",
                                         "-fno-signaling-nans",
                                         "-fno-exceptions",
                                         "-fno-rtti",
                                         "-fstrict-aliasing",
                                         "-fno-strict-aliasing",
                                         "-ftree-vectorize",
                                         "-fno-tree-vectorize",
                                         "-fopenmp-simd",
                                         "-ffp-contract=off",
                                         "-ffp-contract=on",
                                         "-ffp-contract=fast",
                                         "-fno-semantic-interposition",
                                         "-fomit-frame-pointer",
                                         "-g",
                                         "-pthread"};
  if (std::ranges::find(kWhole, flag) != std::end(kWhole)) return true;
  const auto after = [&](std::string_view prefix) {
    return flag.starts_with(prefix) ? flag.substr(prefix.size()) : std::string_view();
  };
  if (is_name(after("-funroll-"), "-")) return true;
  if (is_name(after("-std="), "+:")) return true;
  // -march=, -mtune=, -mavx2, -mprefer-vector-width=256; never -mcmodel or anything with a path.
  if (const auto rest = after("-m"); is_name(rest, "-=.")) return true;
  if (is_name(after("-W"), "-="))
    return true;  // a comma would make it an option of another program
  if (is_name(after("-l"), "_-+.")) return true;
  if (is_inner_path(after("-I"))) return true;
  if (const auto rest = after("-D"); !rest.empty()) {
    const auto equals = std::min(rest.find('='), rest.size());
    const auto value = equals < rest.size() ? rest.substr(equals + 1) : std::string_view();
    return is_name(rest.substr(0, equals)) &&
           (value.empty() || is_name(value, "_-+*/.()<>,:&| \""));
  }
  return false;
}

bool has_suffix(std::string_view path, std::initializer_list<std::string_view> suffixes) {
  return std::ranges::any_of(suffixes,
                             [&](std::string_view suffix) { return path.ends_with(suffix); });
}

void append_file(std::string& archive, const SourceFile& file) {
  archive += 'F';
  archive += file.path;
  archive += '\0';
  const std::uint64_t size = file.content.size();
  archive.append(reinterpret_cast<const char*>(&size), sizeof size);
  archive += file.content;
}

void append_command(std::string& archive, const std::vector<std::string>& words) {
  archive += 'C';
  const auto count = static_cast<std::uint32_t>(words.size());
  archive.append(reinterpret_cast<const char*>(&count), sizeof count);
  for (const std::string& word : words) {
    archive += word;
    archive += '\0';
  }
}

struct Recipe {
  std::vector<std::vector<std::string>> commands;
};

Recipe recipe_of(const BuildPlan& plan) {
  Recipe out;
  const CompilerPaths compilers = paths_of(plan.compiler);
  bool has_cxx = false;
  std::vector<std::string> objects;
  for (const SourceFile& file : plan.sources) {
    const bool is_c = file.path.ends_with(".c");
    if (!is_c && !has_suffix(file.path, {".cc", ".cpp", ".cxx"})) continue;
    has_cxx = has_cxx || !is_c;
    const std::string object = fmt::format("unit{}.o", objects.size());
    std::vector<std::string> words = {is_c ? compilers.c : compilers.cxx,
                                      is_c ? "-std=gnu17" : "-std=gnu++20",
                                      "-O3",
                                      "-march=native",
                                      "-fPIC",
                                      "-fno-plt",
                                      "-I/work",
                                      "-I/work/.ki"};
    for (const std::string& flag : plan.flags) {
      if (flag.starts_with("-l")) continue;
      // A language version of the other language is an error of the compiler.
      if (flag.starts_with("-std=") && (flag.find("++") != std::string::npos) == is_c) continue;
      words.push_back(flag);
    }
    words.insert(words.end(), {"-c", file.path, "-o", object});
    out.commands.push_back(std::move(words));
    objects.push_back(object);
  }
  std::vector<std::string> link = {has_cxx ? compilers.cxx : compilers.c,
                                   "-shared",
                                   "-Wl,-z,relro,-z,now",
                                   "-Wl,-z,noexecstack",
                                   "-Wl,--no-undefined",
                                   "-o",
                                   "out.so"};
  link.insert(link.end(), objects.begin(), objects.end());
  for (const std::string& flag : plan.flags) {
    if (flag.starts_with("-l") || flag == "-fopenmp" || flag == "-pthread") link.push_back(flag);
  }
  link.emplace_back("-lm");
  if (objects.empty()) return {};
  out.commands.push_back(std::move(link));
  return out;
}

struct Outcome {
  int status = 0;  // of the last command
  int command = 0;
  bool is_built = false;
  bool is_late = false;
  bool was_out_of_memory = false;
  std::string log;
  std::string object;
};

// Runs commands on the files of an archive in a sandbox of their own.
Result<Outcome> run(const Host& host, const std::string& archive, const BuildPlan& plan) {
  auto description = std::make_unique<wire::Launch>();
  *description = {};
  description->mode = wire::Mode::kBuild;
  description->tmp_bytes = std::uint64_t{1} << 30;
  description->work_bytes = std::uint64_t{1} << 30;
  description->cpu_seconds = static_cast<std::uint64_t>(plan.cpu_per_unit.count());
  const auto program = compile(build_rules(), false);
  description->load_filter_length = static_cast<std::uint32_t>(program.size());
  std::ranges::copy(program, description->load_filter);
  KI_TRY(MemoryFile input, MemoryFile::create("ki-sources", archive.size()));
  std::memcpy(input.data(), archive.data(), archive.size());
  KI_TRY_VOID(input.seal());
  KI_TRY(MemoryFile output, MemoryFile::create("ki-object", 1));
  KI_TRY(auto launched,
         Launched::start(host.state(), *description, {.inputs = input.fd(), .outputs = output.fd()},
                         plan.memory_bytes, {"PATH=/usr/bin", "LANG=C", "TMPDIR=/tmp"}));
  if (ControlGroup* group = launched.control_group()) KI_TRY_VOID(group->limit_processes(64));
  Attendant attendant(launched.stderr_fd(), launched.pidfd(), kLogBytes);
  Outcome out;
  auto received = launched.receive(plan.deadline);
  if (!received && received.error().code() == Code::kUnavailable) {
    out.is_late = true;
  } else if (!received) {
    return std::unexpected(std::move(received).error());
  } else if (*received) {
    out.status = (*received)->message.value;
    out.command = (*received)->message.second;
    out.is_built = out.status == 0;
  }
  if (const ControlGroup* group = launched.control_group()) {
    out.was_out_of_memory = group->out_of_memory_kills() > 0;
  }
  launched.wait_end(milliseconds(out.is_late ? 0 : 2'000));
  launched.clean_up();
  attendant.finish();
  out.log = attendant.log();
  if (!out.is_built) return out;
  struct stat info{};
  if (::fstat(output.fd(), &info) != 0)
    return fail(io::system_error(errno, "reading", "the object"));
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size > kMaxObject) return fail(Code::kInvalidArgument, "the object is over 64 MiB");
  out.object.resize(size);
  for (std::size_t at = 0; at < size;) {
    const ssize_t got =
        ::pread(output.fd(), out.object.data() + at, size - at, static_cast<off_t>(at));
    if (got <= 0) return fail(io::system_error(errno, "reading", "the object"));
    at += static_cast<std::size_t>(got);
  }
  return out;
}

// The driver survives the limit that ended the compiler proper, and reports its signal.
bool is_over_cpu(std::string_view log) {
  return log.find("CPU time limit exceeded") != std::string_view::npos;
}

// What -march=native stands for: g++'s words that begin with -m, or clang's processor and the
// features that it has.
std::string machine_flags(std::string_view text) {
  std::vector<std::string> out;
  std::string before;
  for (std::size_t at = 0; at < text.size();) {
    at = text.find_first_not_of(" \n\"", at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(" \n\"", at), text.size());
    std::string word(text.substr(at, end - at));
    at = end;
    const bool is_gcc = word.starts_with("-march=") || word.starts_with("-mtune=") ||
                        (text.starts_with("cc1plus") && word.starts_with("-m"));
    const bool is_clang =
        before == "-target-cpu" || (before == "-target-feature" && word.starts_with('+'));
    const bool is_parameter = before == "--param" || word.starts_with("--param=");
    if (is_gcc || is_clang || is_parameter) out.push_back(word);
    before = std::move(word);
  }
  return fmt::format("{}", fmt::join(out, " "));
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

// SHA-256 of the program that does the compiling: cc1plus, or clang itself.
std::string digest_of_compiler(const std::string& program) {
  std::error_code error;
  const auto path = std::filesystem::canonical(program, error);
  if (error) return {};
  const auto bytes = io::read_file(path);
  return bytes ? Digest::of(*bytes).to_string() : std::string();
}

// What the compiler is, asked inside the sandbox in which it builds.
Result<CompilerIdentity> identify(const Host& host, const BuildPlan& plan) {
  const std::scoped_lock lock(host.state().compilers_mutex);
  auto& known = host.state().compilers;
  if (const auto found = known.find(plan.compiler); found != known.end()) return found->second;
  CompilerIdentity out;
  const CompilerPaths paths = paths_of(plan.compiler);
  out.path = paths.cxx;
  const std::string marker(kMarker);
  std::string archive;
  append_file(archive, {"empty.cpp", ""});
  append_command(archive, {paths.cxx, "--version"});
  append_command(archive, {"/usr/bin/printf", marker});
  append_command(archive, {paths.cxx, "-print-prog-name=cc1plus"});
  append_command(archive, {"/usr/bin/printf", marker});
  append_command(archive, {paths.cxx, "-O3", "-march=native", "-###", "-c", "empty.cpp"});
  append_command(archive, {"/usr/bin/cp", "empty.cpp", "out.so"});  // a build ends with an object
  archive += 'E';
  KI_TRY(const Outcome outcome, run(host, archive, plan));
  const std::string_view log = outcome.log;
  const auto first = log.find(kMarker);
  const auto second = log.find(kMarker, first + kMarker.size());
  if (!outcome.is_built || second == std::string_view::npos) {
    return fail(Code::kUnsupported,
                fmt::format("{} does not say what it is: {}", paths.cxx, first_line(log)));
  }
  out.version = first_line(log);
  const std::string inner = first_line(log.substr(first + kMarker.size()));
  out.digest = digest_of_compiler(inner.starts_with('/') ? inner : out.path);
  // The line that runs the compiler proper; others name what it was configured with.
  const std::string_view rest = log.substr(second);
  auto line = rest.find("cc1plus");
  if (line == std::string_view::npos) line = rest.find("\"-cc1\"");
  if (line != std::string_view::npos) {
    out.machine_flags = machine_flags(rest.substr(line, rest.find('\n', line) - line));
  }
  known.emplace(plan.compiler, out);
  return out;
}

}  // namespace

std::string_view to_string(BuildOutcome outcome) {
  switch (outcome) {
    case BuildOutcome::kBuilt:
      return "built";
    case BuildOutcome::kFlagRejected:
      return "flag_rejected";
    case BuildOutcome::kCompileError:
      return "compile_error";
    case BuildOutcome::kTimeout:
      return "build_timeout";
    case BuildOutcome::kOutOfMemory:
      return "resource_exceeded";
  }
  return "compile_error";
}

bool is_installed(Compiler compiler) { return ::access(paths_of(compiler).cxx, X_OK) == 0; }

Result<void> check_flags(const std::vector<std::string>& flags) {
  std::vector<Issue> issues;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (is_allowed(flags[i])) continue;
    issues.push_back(
        {.code = "flag_rejected",
         .pointer = fmt::format("/{}", i),
         .message = fmt::format("'{}' is not a flag that a build may use", flags[i].substr(0, 80)),
         .fix = "use -O0 to -O3, -ffast-math and its parts, -fopenmp, -funroll-*, -m*, -std=*, -D, "
                "-l, or -I with a folder of the solution"});
  }
  if (issues.empty()) return {};
  return fail(Error(Code::kInvalidArgument, "flags that a build may not use", std::move(issues)));
}

Result<BuildResult> build(const Host& host, const BuildPlan& plan) {
  BuildResult result;
  if (const auto checked = check_flags(plan.flags); !checked) {
    result.outcome = BuildOutcome::kFlagRejected;
    result.reason = checked.error().issues().front().message;
    result.log = checked.error().to_string();
    return result;
  }
  if (!is_installed(plan.compiler)) {
    return fail(Code::kUnsupported,
                fmt::format("{} is not installed", paths_of(plan.compiler).cxx));
  }
  std::string archive;
  append_file(archive, {".ki/ki/kernel_abi.h", std::string(kernel_abi_header())});
  for (const SourceFile& file : plan.sources) {
    if (!is_inner_path(file.path) || file.path.starts_with(".ki")) {
      return fail(Code::kInvalidArgument,
                  fmt::format("source path '{}' is not one below the solution's folder",
                              file.path.substr(0, 80)));
    }
    append_file(archive, file);
  }
  const Recipe recipe = recipe_of(plan);
  if (recipe.commands.empty()) {
    return fail(Code::kInvalidArgument,
                "no source to compile: expected a .c, .cc, .cpp or .cxx file");
  }
  for (const auto& command : recipe.commands) append_command(archive, command);
  archive += 'E';
  KI_TRY(result.compiler, identify(host, plan));
  result.commands = recipe.commands;
  KI_TRY(Outcome outcome, run(host, archive, plan));
  result.log = std::move(outcome.log);
  if (outcome.is_built) {
    result.outcome = BuildOutcome::kBuilt;
    result.object = std::move(outcome.object);
    return result;
  }
  const auto command = static_cast<std::size_t>(std::max(outcome.command, 0));
  const std::string step = command < recipe.commands.size()
                               ? fmt::format("step {} of {}", command + 1, recipe.commands.size())
                               : "the build";
  const bool is_cpu_limit = WIFSIGNALED(outcome.status) && (WTERMSIG(outcome.status) == SIGXCPU ||
                                                            WTERMSIG(outcome.status) == SIGKILL);
  if (outcome.was_out_of_memory) {
    result.outcome = BuildOutcome::kOutOfMemory;
    result.reason = fmt::format("{} took more than {} MiB", step, plan.memory_bytes >> 20);
  } else if (outcome.is_late) {
    result.outcome = BuildOutcome::kTimeout;
    result.reason = fmt::format("not built in {} s", plan.deadline.count());
  } else if (is_cpu_limit || is_over_cpu(outcome.log)) {
    result.outcome = BuildOutcome::kTimeout;
    result.reason =
        fmt::format("{} took more than {} s of processor time", step, plan.cpu_per_unit.count());
  } else {
    result.outcome = BuildOutcome::kCompileError;
    result.reason = fmt::format("{} failed", step);
  }
  return result;
}

}  // namespace ki::sandbox
