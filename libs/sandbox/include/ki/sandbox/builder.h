// build(): compiles the sources of a candidate to a shared object, in a sandbox of its own.
#pragma once

#include "ki/base/result.h"
#include "ki/sandbox/host.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ki::sandbox {

struct SourceFile {
  std::string path;  // relative, below the build's folder: "src/kernel.cpp"
  std::string content;
};

enum class Compiler : std::uint8_t { kGcc, kClang19 };

struct BuildPlan {
  std::vector<SourceFile> sources = {};  // .c, .cc, .cpp, .cxx are compiled, others are only there
  std::vector<std::string> flags = {};   // after the defaults; see check_flags()
  Compiler compiler = Compiler::kGcc;
  std::chrono::seconds cpu_per_unit{180};
  std::chrono::seconds deadline{600};
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;
};

struct CompilerIdentity {
  std::string path;
  std::string version;        // first line of --version
  std::string digest;         // sha256 of the program that compiles C++ (cc1plus, clang)
  std::string machine_flags;  // what -march=native stands for here
};

enum class BuildOutcome : std::uint8_t {
  kBuilt,
  kFlagRejected,
  kCompileError,
  kTimeout,  // CPU of a unit or the whole build's deadline
  kOutOfMemory,
};
std::string_view to_string(BuildOutcome outcome);  // "built", "flag_rejected", "compile_error",
                                                   // "build_timeout", "resource_exceeded"

struct BuildResult {
  BuildOutcome outcome = BuildOutcome::kCompileError;
  std::string object;  // bytes of the shared object; empty unless built
  std::string log;     // of the compiler, at most 1 MiB
  std::string reason;  // one line, empty when built
  std::vector<std::vector<std::string>> commands;
  CompilerIdentity compiler;
};

// The flags a candidate may ask for: -O0 to -O3 and -Os, -ffast-math and its parts, -fopenmp,
// -funroll-*, -m* features, -std=*, -DNAME[=VALUE], -I of a folder of its own, -lNAME, -W*
// warnings. kInvalidArgument with one issue ("flag_rejected") each for others.
Result<void> check_flags(const std::vector<std::string>& flags);

// An Error is the machine's fault (no compiler, no sandbox) or a path of a source that leaves the
// folder; everything that the sources cause is an outcome.
Result<BuildResult> build(const Host& host, const BuildPlan& plan);

// Whether the compiler is installed.
bool is_installed(Compiler compiler);

}  // namespace ki::sandbox
