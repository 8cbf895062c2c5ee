#include "ki/judge/poison.h"

#include "ki/base/check.h"

#include <cstring>

namespace ki::judge {
namespace {

// SplitMix64 of the word's position (Steele, Lea, Flood, OOPSLA 2014).
std::uint64_t random_word(std::uint64_t key, std::uint64_t index) {
  std::uint64_t z = key + (index + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

// Bits that are set, and bits that are cleared, in each element of a word of eight bytes: all of
// the exponent, one of the payload that is not the quiet bit, and not the quiet bit.
struct Shape {
  std::uint64_t set, clear;
};
Shape shape_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return {0x7ff0000000000001ULL, 0x0008000000000000ULL};
    case Dtype::kF32:
      return {0x7f8000017f800001ULL, 0x0040000000400000ULL};
    case Dtype::kF16:
      return {0x7c017c017c017c01ULL, 0x0200020002000200ULL};
    case Dtype::kBf16:
      return {0x7f817f817f817f81ULL, 0x0040004000400040ULL};
    case Dtype::kF8E5m2:
      return {0x7d7d7d7d7d7d7d7dULL, 0x0202020202020202ULL};
    case Dtype::kBool:
      return {0x0202020202020202ULL, 0};  // neither 0 nor 1
    case Dtype::kF8E4m3fn:
    case Dtype::kF4E2m1x2:
    case Dtype::kI64:
    case Dtype::kI32:
    case Dtype::kI16:
    case Dtype::kI8:
      return {0, 0};
  }
  return {0, 0};
}

}  // namespace

void poison_of(Dtype dtype, std::uint64_t key, std::uint64_t first, std::span<std::byte> out) {
  const Shape shape = shape_of(dtype);
  const auto size = static_cast<std::uint64_t>(problem::byte_size(dtype));
  std::uint64_t at = first * size;  // byte position in the tensor
  std::size_t done = 0;
  while (done < out.size()) {
    const std::uint64_t word = (random_word(key, at / 8) | shape.set) & ~shape.clear;
    const std::size_t lead = static_cast<std::size_t>(at % 8);
    const std::size_t count = std::min<std::size_t>(8 - lead, out.size() - done);
    std::memcpy(out.data() + done, reinterpret_cast<const char*>(&word) + lead, count);
    done += count;
    at += count;
  }
}

void fill_poison(Dtype dtype, std::uint64_t key, std::span<std::byte> out) {
  poison_of(dtype, key, 0, out);
}

}  // namespace ki::judge
