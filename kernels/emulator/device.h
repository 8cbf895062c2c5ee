// What kernels say to the device, on a host: cuda/device.h says the same on a device.
#pragma once

#include "machine.h"

#include <cmath>

namespace ki_device {

inline Line load_once(const void* p) {
  Machine::current()->access(p, sizeof(Line), false);
  Line v = {{0x7fc17fc1u, 0x7fc17fc1u, 0x7fc17fc1u, 0x7fc17fc1u}};
  if (Machine::current()->allowed()) std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store_once(void* p, const Line& v) {
  char* to = static_cast<char*>(p) + Machine::current()->faults().shift;
  Machine::current()->access(to, sizeof(Line), true);
  if (Machine::current()->allowed()) std::memcpy(to, &v, sizeof v);
}
inline void store_kept(void* p, const Line& v) { store_once(p, v); }
inline void store_pair(void* p, float x, float y) {
  Machine::current()->access(p, 2 * sizeof(float), true);
  if (!Machine::current()->allowed()) return;
  std::memcpy(p, &x, sizeof x);
  std::memcpy(static_cast<char*>(p) + sizeof x, &y, sizeof y);
}
inline std::int64_t load_position(const std::int64_t* p) {
  Machine::current()->access(p, sizeof(std::int64_t), false);
  return Machine::current()->allowed() ? *p : -1;
}
inline std::uint32_t exchange(std::uint32_t value, int lane_mask) {
  return Machine::current()->exchange(value, lane_mask);
}
inline void barrier() { Machine::current()->barrier(); }
inline void set_bits(std::uint32_t* word, std::uint32_t bits) { *word |= bits; }
inline int thread() { return Machine::current()->thread(); }
inline int block() { return Machine::current()->block(); }
inline int blocks() { return Machine::current()->blocks(); }
inline float number(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
inline std::uint32_t bits(float x) {
  std::uint32_t out;
  std::memcpy(&out, &x, sizeof out);
  return out;
}
inline float product(float a, float b) { return a * b; }
inline float sum(float a, float b) { return a + b; }
inline float fused(float a, float b, float c) { return std::fma(a, b, c); }

// To 11 bits of significand, ties away from zero; the rest of the word is zero.
inline std::uint32_t tf32(float x) { return (bits(x) + 0x1000u) & 0xffffe000u; }
// binary16 by arithmetic: ties to even, subnormals kept, infinite beyond 65504.
inline std::uint32_t half(float x) {
  const std::uint32_t sign = bits(x) >> 16 & 0x8000u;
  const float size = std::fabs(x);
  if (std::isnan(x)) return sign | 0x7e00u;
  if (size >= 65520.0F) return sign | 0x7c00u;
  if (size < 0x1p-14F) return sign | static_cast<std::uint32_t>(std::nearbyint(size * 0x1p24F));
  int exponent = 0;
  const float fraction = std::frexp(size, &exponent);  // in [1/2, 1)
  const auto digits = static_cast<std::uint32_t>(std::nearbyint(fraction * 2048.0F));
  return sign | ((static_cast<std::uint32_t>(exponent + 13) << 10) + digits);
}
inline float from_half(std::uint32_t h) {
  const std::uint32_t exponent = h >> 10 & 31u, digits = h & 1023u;
  const float size = exponent == 31u ? (digits != 0 ? std::nanf("") : HUGE_VALF)
                     : exponent == 0 ? static_cast<float>(digits) * 0x1p-24F
                                     : std::ldexp(static_cast<float>(1024u + digits),
                                                  static_cast<int>(exponent) - 25);
  return (h & 0x8000u) != 0 ? -size : size;
}
inline std::uint32_t halves(float low, float high) { return half(low) | half(high) << 16; }
inline std::uint32_t rest_halves(float low, float high, std::uint32_t rounded) {
  return halves((low - from_half(rounded & 0xffffu)) * 2048.0F,
                (high - from_half(rounded >> 16)) * 2048.0F);
}
// Fragments as PTX lays them out: 4 registers of A and 2 of B a lane, lane 4 g + q. Row or column g
// (and g + 8 in odd registers of A); inner index by q.
inline void mma_f16(float* c, const std::uint32_t* a, const std::uint32_t* b) {
  const Fragments& all = Machine::current()->together(a, b);
  const int g = Machine::current()->thread() % 32 / 4, q = Machine::current()->thread() % 4;
  for (int e = 0; e < 4; ++e) {
    const int row = g, column = 2 * q + e % 2;
    for (int k = 0; k < 16; ++k) {
      const std::uint32_t x = all.a[4 * row + k % 8 / 2][e / 2 + k / 8 * 2];
      const std::uint32_t y = all.b[4 * column + k % 8 / 2][k / 8];
      c[e] += from_half(x >> k % 2 * 16 & 0xffffu) * from_half(y >> k % 2 * 16 & 0xffffu);
    }
  }
}
inline void mma_tf32(float* c, const std::uint32_t* a, const std::uint32_t* b) {
  const Fragments& all = Machine::current()->together(a, b);
  const int g = Machine::current()->thread() % 32 / 4, q = Machine::current()->thread() % 4;
  for (int e = 0; e < 4; ++e) {
    for (int k = 0; k < 8; ++k) {
      c[e] += number(all.a[4 * g + k % 4][e / 2 + k / 4 * 2]) *
              number(all.b[4 * (2 * q + e % 2) + k % 4][k / 4]);
    }
  }
}

}  // namespace ki_device

#define KI_UNROLL(times)
#define KI_DEVICE inline
#define KI_KERNEL(threads, blocks) void
#define KI_SHARED(type, name) \
  type* name = reinterpret_cast<type*>(ki_device::Machine::current()->shared())
