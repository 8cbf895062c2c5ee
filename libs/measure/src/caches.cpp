#include "ki/measure/caches.h"

#include <immintrin.h>

#include <cstdint>

namespace ki::measure {
namespace {

constexpr std::uintptr_t kLine = 64;

__attribute__((target("clflushopt"))) void flush_optimised(std::uintptr_t begin,
                                                           std::uintptr_t end) {
  for (std::uintptr_t at = begin; at < end; at += kLine) {
    _mm_clflushopt(reinterpret_cast<void*>(at));
  }
}
void flush_plain(std::uintptr_t begin, std::uintptr_t end) {
  for (std::uintptr_t at = begin; at < end; at += kLine) {
    _mm_clflush(reinterpret_cast<const void*>(at));
  }
}
// CPUID leaf 7, EBX bit 23; __builtin_cpu_supports does not know it in every compiler.
bool has_clflushopt() {
  unsigned a = 7, b = 0, c = 0, d = 0;
  __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  return (b >> 23 & 1) != 0;
}

}  // namespace

void flush_lines(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  static const bool is_optimised = has_clflushopt();
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data()) / kLine * kLine;
  const auto end = reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size());
  is_optimised ? flush_optimised(begin, end) : flush_plain(begin, end);
  _mm_sfence();
}

void flush_cell(const sandbox::Cell& cell, int first_set, int count) {
  for (int set = first_set; set < first_set + count; ++set) {
    for (int i = 0; i < cell.tensor_count(); ++i) flush_lines(cell.tensor(set, i));
  }
}

}  // namespace ki::measure
