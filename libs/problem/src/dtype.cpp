#include "ki/problem/dtype.h"

namespace ki::problem {
namespace {

struct Row {
  Dtype dtype;
  std::string_view name, token;
  std::int64_t bytes;
};

// "float4_e2m1" comes last, so that the packed spelling is the one that is written.
constexpr std::array<Row, 13> kRows = {
    {{Dtype::kF64, "float64", "fp64", 8},
     {Dtype::kF32, "float32", "fp32", 4},
     {Dtype::kF16, "float16", "fp16", 2},
     {Dtype::kBf16, "bfloat16", "bf16", 2},
     {Dtype::kF8E4m3fn, "float8_e4m3fn", "fp8_e4m3", 1},
     {Dtype::kF8E5m2, "float8_e5m2", "fp8_e5m2", 1},
     {Dtype::kF4E2m1x2, "float4_e2m1fn_x2", "float4_e2m1fn_x2", 1},
     {Dtype::kI64, "int64", "int64", 8},
     {Dtype::kI32, "int32", "int32", 4},
     {Dtype::kI16, "int16", "int16", 2},
     {Dtype::kI8, "int8", "int8", 1},
     {Dtype::kBool, "bool", "bool", 1},
     {Dtype::kF4E2m1x2, "float4_e2m1", "fp4_e2m1", 1}}};

const Row& row(Dtype dtype) { return kRows[static_cast<std::size_t>(dtype) - 1]; }

}  // namespace

std::string_view to_string(Dtype dtype) { return row(dtype).name; }
std::string_view manifest_token(Dtype dtype) { return row(dtype).token; }
std::int64_t byte_size(Dtype dtype) { return row(dtype).bytes; }

std::optional<Dtype> parse_dtype(std::string_view name) {
  for (const Row& r : kRows) {
    if (r.name == name) return r.dtype;
  }
  return std::nullopt;
}

bool is_float(Dtype dtype) { return dtype <= Dtype::kF4E2m1x2; }
bool is_integer(Dtype dtype) { return dtype >= Dtype::kI64 && dtype <= Dtype::kI8; }

Dtype scalar_type(Dtype dtype) {
  if (is_float(dtype)) return Dtype::kF64;
  return is_integer(dtype) ? Dtype::kI64 : Dtype::kBool;
}

}  // namespace ki::problem
