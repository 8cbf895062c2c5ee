// Element types of problems. The values are the dtype codes of the C ABI (ki/kernel_abi.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ki::problem {

enum class Dtype : std::int32_t {
  kF64 = 1,
  kF32 = 2,
  kF16 = 3,
  kBf16 = 4,
  kF8E4m3fn = 5,
  kF8E5m2 = 6,
  kF4E2m1x2 = 7,  // two numbers a byte: the last dimension in memory is half the declared one
  kI64 = 8,
  kI32 = 9,
  kI16 = 10,
  kI8 = 11,
  kBool = 12,
};

inline constexpr std::array<Dtype, 12> kDtypes = {
    Dtype::kF64,      Dtype::kF32, Dtype::kF16, Dtype::kBf16, Dtype::kF8E4m3fn, Dtype::kF8E5m2,
    Dtype::kF4E2m1x2, Dtype::kI64, Dtype::kI32, Dtype::kI16,  Dtype::kI8,       Dtype::kBool};

// The spelling of definitions: "float32"; "float4_e2m1fn_x2" for the packed type, which
// "float4_e2m1" names too.
std::string_view to_string(Dtype dtype);
std::optional<Dtype> parse_dtype(std::string_view name);
// The token of manifests: "fp32", "fp8_e4m3", ...; as the importer of SOL-ExecBench writes them.
std::string_view manifest_token(Dtype dtype);

// Bytes of one stored element; 1 for the packed type.
std::int64_t byte_size(Dtype dtype);
bool is_float(Dtype dtype);
bool is_integer(Dtype dtype);  // without bool
// The type in which a scalar argument of a definition is passed: f64, i64 or bool (14 section 6).
Dtype scalar_type(Dtype dtype);

}  // namespace ki::problem
