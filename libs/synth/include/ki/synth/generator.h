// Synthetic catalogs in the form of the public export, with valid digests and keys, that keep the
// real export's proportions: bytes and names per run, runs per comparison group, implementations
// and workloads per run (spec 17, "Measuring"). The same options give the same bytes.
#pragma once

#include "ki/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace ki::synth {

struct Options {
  std::uint64_t runs = 10'000;
  std::uint64_t seed = 1;
};

struct Counts {
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;
  std::uint64_t projects = 0, operations = 0, workloads = 0, implementations = 0, runs = 0,
                measurements = 0, record_events = 0, groups = 0, eligible_runs = 0;
  bool operator==(const Counts&) const = default;
};

// Receives whole lines with their line feeds, many at a time.
using Sink = std::function<Result<void>(std::string_view lines)>;

Result<Counts> generate(const Options& options, const Sink& sink);
// To a file; Zstandard (level 3) when its name ends with ".zst".
Result<Counts> generate_file(const Options& options, const std::filesystem::path& path);

}  // namespace ki::synth
