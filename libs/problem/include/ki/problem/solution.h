// Solution: sources and how to build and call them (solution.json, harness 01 section 3).
#pragma once

#include "ki/digest/digest.h"
#include "ki/problem/definition.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::problem {

struct SourceFile {
  std::string path;
  std::string content;  // empty until it was read from the file beside the solution
};

struct CompileOptions {
  std::vector<std::string> cflags;
  std::vector<std::string> cuda_cflags = {"-O3", "--use_fast_math"};
  std::vector<std::string> ld_flags = {"-lcuda"};
  std::string x_std;       // ours: "c11", "c++20", ...; empty: the compiler's
  std::string x_compiler;  // ours: "g++" or "clang-19"; empty: g++
};

struct Solution {
  std::string name, definition, author, description;
  std::vector<std::string> languages, target_hardware, dependencies;
  std::string entry_file, entry_symbol;
  bool destination_passing_style = true;
  std::string binding;                            // empty: torch
  std::optional<CompileOptions> compile_options;  // absent: no flags at all
  int x_threads = 1;                              // ours: threads that the kernel may use
  std::vector<SourceFile> sources;

  bool is_cpu_abi() const { return binding == "x_ki_abi1"; }
  // RFC 8785 text of the solution with the contents of all its sources; read_solution() reads it.
  std::string to_json() const;
  // SHA-256 of to_json(): the identity of what was built and judged.
  Digest digest() const;
  // SHA-1 of the original's build cache key, for joining with its records only; 40 hex digits.
  std::string compat_sha1() const;
};

// Reads solution.json. A source without content is refused unless `beside` gives it: the directory
// convention of problems/ (harness 14 section 7) has sources as files beside solution.json. The
// function is called with a path that was checked before.
using ReadBeside = Result<std::string> (*)(const void* context, std::string_view path);
Reading<Solution> read_solution(std::string_view json, ReadBeside beside = nullptr,
                                const void* context = nullptr);

// solution.definition must be the definition's name; a Python solution cannot answer for the C ABI.
Findings check_solution(const Definition& definition, const Solution& solution);

}  // namespace ki::problem
