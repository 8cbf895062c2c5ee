// What the oracles share: one formula, written once for an arithmetic type, gives both paths.
#pragma once

#include "ki/harness/oracle.h"
#include "ki/judge/convert.h"

#include <type_traits>
#include <utility>
#include <vector>

namespace ki::harness {

// An input in the arithmetic of a path.
template <class T>
std::vector<T> input_as(const OracleCall& call, std::size_t index) {
  if constexpr (std::is_same_v<T, double>) {
    return call.numbers(index);
  } else {
    return call.floats(index);
  }
}

inline std::vector<std::byte> stored(const problem::ResolvedArgument& output,
                                     std::span<const double> numbers) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(output.bytes));
  judge::encode(output.dtype, numbers, bytes);
  return bytes;
}

// One floating output. `formula` is called with double and with float values (T{} tells which) and
// returns the output's numbers in row-major order; the float path is rounded to the output's type.
template <class Formula>
Result<std::vector<OracleOutput>> both_paths(const OracleCall& call, Formula formula) {
  std::vector<OracleOutput> out(1);
  out[0].exact = formula(double{});
  const std::vector<float> native = formula(float{});
  const std::vector<double> widened(native.begin(), native.end());
  out[0].native = stored(call.outputs[0], widened);
  return out;
}

// One output of an integer or boolean type.
inline Result<std::vector<OracleOutput>> exactly(const OracleCall& call,
                                                 const std::vector<std::int64_t>& values) {
  std::vector<OracleOutput> out(1);
  out[0].exact.assign(values.begin(), values.end());
  const auto size = static_cast<std::size_t>(problem::byte_size(call.outputs[0].dtype));
  out[0].native.resize(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t b = 0; b < size; ++b)  // little end first, as on every machine we time
      out[0].native[i * size + b] = static_cast<std::byte>(values[i] >> (8 * b));
  }
  return out;
}

}  // namespace ki::harness
