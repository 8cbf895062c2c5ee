#include "flush.h"

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <emmintrin.h>
#endif

namespace ki::harness {

#if defined(__x86_64__)
namespace {

bool has_clflushopt() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & (1U << 23)) != 0;
}

}  // namespace

void flush_lines(std::span<const std::byte> bytes) {
  static const bool kOptimised = has_clflushopt();
  constexpr std::uintptr_t kLine = 64;
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data()) & ~(kLine - 1);
  const auto end = reinterpret_cast<std::uintptr_t>(bytes.data()) + bytes.size();
  if (kOptimised) {
    for (std::uintptr_t at = begin; at < end; at += kLine)
      asm volatile("clflushopt (%0)" : : "r"(at) : "memory");
  } else {
    for (std::uintptr_t at = begin; at < end; at += kLine)
      _mm_clflush(reinterpret_cast<const void*>(at));
  }
  _mm_sfence();
}
#else
void flush_lines(std::span<const std::byte>) {}
#endif

}  // namespace ki::harness
