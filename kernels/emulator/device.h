// What kernels say to the device, on a host: cuda/device.h says the same on a device.
#pragma once

#include "machine.h"

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

}  // namespace ki_device

#define KI_UNROLL(times)
#define KI_DEVICE inline
#define KI_KERNEL(threads, blocks) void
#define KI_SHARED(type, name) \
  type* name = reinterpret_cast<type*>(ki_device::Machine::current()->shared())
