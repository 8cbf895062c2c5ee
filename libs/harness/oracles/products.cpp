// gemm, gemv, int8_dot, and the gathers.
#include "products.h"

#include "common.h"
#include "ki/base/text.h"
#include "ki/judge/inputs.h"
#include "ki/judge/random.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>

namespace ki::harness {

// a: (m, k), b: (k, n), c = a b: (m, n). Row by row of b, so that the inner loop runs along memory.
Result<std::vector<OracleOutput>> gemm(const OracleCall& call) {
  return both_paths(call, [&]<class T>(T) {
    const auto a = input_as<T>(call, 0), b = input_as<T>(call, 1);
    const auto m = static_cast<std::size_t>(call.axis("m"));
    const auto n = static_cast<std::size_t>(call.axis("n"));
    const auto k = static_cast<std::size_t>(call.axis("k"));
    std::vector<T> c(m * n, T{0});
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t p = 0; p < k; ++p) {
        const T factor = a[i * k + p];
        for (std::size_t j = 0; j < n; ++j) c[i * n + j] += factor * b[p * n + j];
      }
    }
    return c;
  });
}

// a: (m, k), x: (k), y = a x. Eight partial sums, as a vector unit keeps them.
Result<std::vector<OracleOutput>> gemv(const OracleCall& call) {
  return both_paths(call, [&]<class T>(T) {
    const auto a = input_as<T>(call, 0), x = input_as<T>(call, 1);
    const auto m = static_cast<std::size_t>(call.axis("m"));
    const auto k = static_cast<std::size_t>(call.axis("k"));
    std::vector<T> y(m);
    for (std::size_t i = 0; i < m; ++i) {
      std::array<T, 8> partial{};
      for (std::size_t p = 0; p < k; ++p) partial[p % 8] += a[i * k + p] * x[p];
      T sum = 0;
      for (const T one : partial) sum += one;
      y[i] = sum;
    }
    return y;
  });
}

// a: (m, k) and b: (n, k) of int8, c[i, j] = sum of a[i, p] b[j, p] in int32.
Result<std::vector<OracleOutput>> int8_dot(const OracleCall& call) {
  const auto a = call.integers(0), b = call.integers(1);
  const auto m = static_cast<std::size_t>(call.axis("m"));
  const auto n = static_cast<std::size_t>(call.axis("n"));
  const auto k = static_cast<std::size_t>(call.axis("k"));
  std::vector<std::int64_t> c(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      std::int64_t sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += a[i * k + p] * b[j * k + p];
      c[i * n + j] = sum;
    }
  }
  return exactly(call, c);
}

// table: (rows, dim), ids: (count): the rows that the ids name, as bits.
Result<std::vector<OracleOutput>> gather(const OracleCall& call) {
  const auto ids = call.integers(1);
  const auto rows = call.inputs[0].shape[0];
  const auto row_bytes =
      static_cast<std::size_t>(call.inputs[0].shape[1] * problem::byte_size(call.inputs[0].dtype));
  std::vector<OracleOutput> out(1);
  out[0].native.resize(ids.size() * row_bytes);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= rows) {
      return fail(Code::kInvalidArgument,
                  fmt::format("id {} is {}; 0 to {} are expected", i, ids[i], rows - 1));
    }
    std::memcpy(out[0].native.data() + i * row_bytes,
                call.data[0].data() + static_cast<std::size_t>(ids[i]) * row_bytes, row_bytes);
  }
  out[0].exact.resize(static_cast<std::size_t>(call.outputs[0].elements));
  judge::decode(call.outputs[0].dtype, out[0].native, out[0].exact);
  return out;
}

// A table of N(0,1) and ids that are uniform over its rows.
void draw_gather(std::span<const problem::AxisValue> axes,
                 std::span<const problem::ResolvedArgument> inputs, std::uint64_t key,
                 std::span<const std::span<std::byte>> out) {
  (void)axes;
  judge::fill_input(inputs[0], judge::Distribution::kDefault, judge::Family::kBase, key, key,
                    out[0]);
  std::vector<double> uniform(static_cast<std::size_t>(inputs[1].elements));
  judge::Stream(~key).uniform(0, uniform);
  for (double& x : uniform) x = std::floor(x * static_cast<double>(inputs[0].shape[0]));
  judge::encode(inputs[1].dtype, uniform, out[1]);
}

}  // namespace ki::harness
