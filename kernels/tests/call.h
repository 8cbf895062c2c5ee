// Tensors with guards around them, for tests and benchmarks of kernels.
#pragma once

#include "ki/kernel_abi.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <random>
#include <vector>

namespace ki_kernels {

inline float bf16_number(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
  float out;
  std::memcpy(&out, &wide, sizeof out);
  return out;
}
inline std::uint16_t to_bf16(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

// One tensor with a guard of known bytes on both sides; `offset` elements away from an address that
// is aligned to 64 bytes.
class Buffer {
 public:
  static constexpr std::size_t kGuard = 4096;

  Buffer(std::initializer_list<std::int64_t> shape, std::int32_t dtype, std::int64_t offset = 0)
      : shape_(shape),
        size_(dtype == KI_I64   ? 8
              : dtype == KI_F32 ? 4
                                : 2),
        dtype_(dtype) {
    numel_ = 1;
    for (const std::int64_t extent : shape_) numel_ *= extent;
    lead_ = kGuard + static_cast<std::size_t>(offset) * size_;
    const std::size_t total = (lead_ + bytes() + kGuard + 63) / 64 * 64;
    memory_.reset(
        static_cast<unsigned char*>(std::aligned_alloc(4096, (total + 4095) / 4096 * 4096)));
    total_ = total;
    std::memset(memory_.get(), 0xa5, total_);
    stride_.resize(shape_.size());
    std::int64_t step = 1;
    for (std::size_t i = shape_.size(); i-- > 0;) {
      stride_[i] = step;
      step *= shape_[i];
    }
  }

  template <class T>
  T* as() const {
    return static_cast<T*>(static_cast<void*>(memory_.get() + lead_));
  }
  std::size_t bytes() const { return static_cast<std::size_t>(numel_) * size_; }
  std::int64_t numel() const { return numel_; }
  ki_tensor tensor() const {
    return {
        as<void>(), shape_.data(), stride_.data(), numel_, static_cast<std::int32_t>(shape_.size()),
        dtype_};
  }
  void fill(unsigned char byte) { std::memset(as<void>(), byte, bytes()); }
  bool has_guards() const {
    for (std::size_t i = 0; i < total_; ++i) {
      if (i >= lead_ && i < lead_ + bytes()) continue;
      if (memory_.get()[i] != 0xa5) return false;
    }
    return true;
  }
  std::vector<unsigned char> copy() const {
    return {as<unsigned char>(), as<unsigned char>() + bytes()};
  }

 private:
  struct Free {
    void operator()(unsigned char* p) const { std::free(p); }
  };
  std::vector<std::int64_t> shape_, stride_;
  std::int64_t numel_ = 0;
  std::size_t size_, lead_ = 0, total_ = 0;
  std::int32_t dtype_;
  std::unique_ptr<unsigned char, Free> memory_;
};

// Normal numbers by a generator whose sequence the standard fixes.
inline void fill_normal(Buffer& buffer, std::int32_t dtype, std::uint32_t seed, float scale = 1) {
  std::mt19937 random(seed);
  const auto uniform = [&] { return (static_cast<float>(random() >> 8) + 0.5F) / 16777216.0F; };
  for (std::int64_t i = 0; i < buffer.numel(); ++i) {
    // A sum of four uniform numbers is near enough to a normal one.
    const float x = (uniform() + uniform() + uniform() + uniform() - 2.0F) * 1.7320508F * scale;
    if (dtype == KI_F32) {
      buffer.as<float>()[i] = x;
    } else {
      buffer.as<std::uint16_t>()[i] = to_bf16(x);
    }
  }
}

inline ki_exec exec_of(int threads) {
  ki_exec exec{};
  exec.size = sizeof exec;
  exec.abi = KI_KERNEL_ABI;
  exec.threads = threads;
  return exec;
}

}  // namespace ki_kernels
