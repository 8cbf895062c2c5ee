// Elements of tensors as numbers and back, for all twelve element types of the C ABI.
#pragma once

#include "ki/problem/dtype.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace ki::judge {

using problem::Dtype;

// The numbers that the stored elements mean. `out` has one place a number: two a byte for the
// packed fp4 type. Integers beyond 2^53 lose digits here; compare those with decode_integers().
void decode(Dtype dtype, std::span<const std::byte> bytes, std::span<double> out);

// Rounds to nearest, ties to even. Beyond the largest number: infinity where the type has one, NaN
// for e4m3fn, 6 for e2m1 (as the original's conversions do). Integer types round toward zero and
// saturate, NaN becomes 0; bool is whether the number is not 0.
void encode(Dtype dtype, std::span<const double> numbers, std::span<std::byte> out);

// Integers and booleans without loss; a bool is its byte, so that 2 is not 1.
void decode_integers(Dtype dtype, std::span<const std::byte> bytes, std::span<std::int64_t> out);

// As the original sees an element before it compares: converted to binary32 in one rounding.
void decode_f32(Dtype dtype, std::span<const std::byte> bytes, std::span<float> out);

// Numbers that `bytes` of that type hold.
inline std::int64_t count_of(Dtype dtype, std::size_t bytes) {
  const auto stored = static_cast<std::int64_t>(bytes) / problem::byte_size(dtype);
  return dtype == Dtype::kF4E2m1x2 ? stored * 2 : stored;
}

// Distance of 1 to the next number of a floating type, 2^-10 for f16; 0 for integers.
double epsilon(Dtype dtype);
// The smallest number above 0 of a floating type: no rounding is finer; 0 for integers.
double smallest(Dtype dtype);

}  // namespace ki::judge
