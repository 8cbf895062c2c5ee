// What this machine's memory and vector units reach, measured: the denominators of every claim of a
// share of the peak (harness 10 section 6, 14 section 8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ki::machine {

struct Ceiling {
  std::string name;  // "copy_nontemporal", "copy_paired_pages", "copy_memcpy", "copy_regular",
                     // "fma_f32", "fma_f64"
  std::string unit;  // "bytes/s" (read and written, both counted) or "flop/s"
  int threads = 1;
  std::uint64_t bytes = 0;  // of one buffer; 0 for arithmetic
  double best = 0;
  double median = 0;
  double low = 0, high = 0;  // of the median, at 95 % by order statistics
  int repetitions = 0;
  std::string instructions;  // "avx512", "avx2", "sse2"
};

struct CeilingOptions {
  std::vector<int> threads = {1};
  std::uint64_t copy_bytes = std::uint64_t{256} << 20;  // each way
  int copy_repetitions = 9;
  int fma_repetitions = 21;
};

// The four copies are interleaved, so that a slow moment touches all of them.
std::vector<Ceiling> measure_ceilings(const CeilingOptions& options);

// The copies by themselves, for tests: `bytes` a multiple of 8192, buffers aligned to 4096.
using Copy = void (*)(std::byte* target, const std::byte* source, std::size_t bytes);
struct NamedCopy {
  std::string_view name;
  Copy copy;
};
std::vector<NamedCopy> copies();

}  // namespace ki::machine
