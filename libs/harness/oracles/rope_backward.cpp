// The backward passes of a KV-cache update and of the QKV projections, both with rotary embedding.
#include "rope_backward.h"

#include "common.h"
#include "ki/judge/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace ki::harness {
namespace {

// A number of the native path of a bf16 problem: every operation is stored, hence rounded. The
// exact path is binary64 throughout.
template <class T>
T rounded(T x) {
  if constexpr (std::is_same_v<T, double>) {
    return x;
  } else {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    if (x != x) return x;
    return std::bit_cast<float>((bits + 0x7fffU + ((bits >> 16) & 1U)) & 0xffff0000U);
  }
}

template <class T>
using Arrays = std::array<std::vector<T>, 6>;

struct CacheSizes {
  std::size_t batch, heads, rows, tokens, dim;
};

template <class T>
Arrays<T> kv_cache_path(const OracleCall& call, const CacheSizes& size,
                        const std::vector<std::int64_t>& positions) {
  const auto grad_key = input_as<T>(call, 0), grad_value = input_as<T>(call, 1);
  const auto key = input_as<T>(call, 2), cos = input_as<T>(call, 3), sin = input_as<T>(call, 4);
  const auto& [batch, heads, rows, tokens, dim] = size;
  const std::size_t half = dim / 2;
  Arrays<T> out;
  out[0].resize(key.size());
  out[1].resize(key.size());
  out[2].assign(cos.size(), T{0});
  out[3].assign(cos.size(), T{0});
  out[4] = grad_key;
  out[5] = grad_value;
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t a = 0; a < heads; ++a) {
      const std::size_t plane = b * heads + a;
      for (std::size_t s = 0; s < tokens; ++s) {
        const std::size_t cached = (plane * rows + static_cast<std::size_t>(positions[s])) * dim;
        const std::size_t row = (plane * tokens + s) * dim, angle = (b * tokens + s) * dim;
        for (std::size_t d = 0; d < dim; ++d) {
          // The partner in the other half, and the sign that it is rotated with.
          const std::size_t other = d < half ? d + half : d - half;
          const T sign = d < half ? T{1} : T{-1};
          const T g = grad_key[cached + d];
          out[0][row + d] = rounded<T>(g * cos[angle + d]) +
                            sign * rounded<T>(grad_key[cached + other] * sin[angle + other]);
          out[1][row + d] = grad_value[cached + d];
          out[2][angle + d] += rounded<T>(g * key[row + d]);
          out[3][angle + d] -= sign * rounded<T>(g * key[row + other]);
        }
      }
      for (std::size_t s = 0; s < tokens; ++s) {
        const std::size_t cached = (plane * rows + static_cast<std::size_t>(positions[s])) * dim;
        std::fill_n(out[4].begin() + static_cast<std::ptrdiff_t>(cached), dim, T{0});
        std::fill_n(out[5].begin() + static_cast<std::ptrdiff_t>(cached), dim, T{0});
      }
    }
  }
  return out;
}

// G: one row a token, the rotated gradients of all heads side by side.
template <class T>
std::vector<T> rotated_gradients(const OracleCall& call, std::size_t batch, std::size_t tokens,
                                 std::size_t dim) {
  const auto cos = input_as<T>(call, 7), sin = input_as<T>(call, 8);
  const std::size_t half = dim / 2;
  std::size_t width = 0;
  for (std::size_t i = 0; i < 3; ++i)
    width += static_cast<std::size_t>(call.inputs[i].shape[1]) * dim;
  std::vector<T> g(batch * tokens * width);
  std::size_t first = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto grad = input_as<T>(call, i);
    const auto heads = static_cast<std::size_t>(call.inputs[i].shape[1]);
    for (std::size_t b = 0; b < batch; ++b) {
      for (std::size_t a = 0; a < heads; ++a) {
        for (std::size_t s = 0; s < tokens; ++s) {
          const std::size_t from = ((b * heads + a) * tokens + s) * dim;
          const std::size_t angle = (b * tokens + s) * dim;
          T* to = &g[(b * tokens + s) * width + first + a * dim];
          for (std::size_t d = 0; d < dim; ++d) {
            if (i == 2) {  // values are not rotated
              to[d] = grad[from + d];
              continue;
            }
            const std::size_t other = d < half ? d + half : d - half;
            const T turned = grad[from + other] * sin[angle + other];
            to[d] = grad[from + d] * cos[angle + d] + (d < half ? turned : -turned);
          }
        }
      }
    }
    first += heads * dim;
  }
  return g;
}

// c (m, n) += a (m, k) b (k, n), in blocks of k so that sums of binary32 stay short.
template <class T>
void multiply(const std::vector<T>& a, const std::vector<T>& b, std::size_t m, std::size_t k,
              std::size_t n, T* c) {
  constexpr std::size_t kBlock = 64;
  std::vector<T> partial(n);
  for (std::size_t i = 0; i < m; ++i) {
    std::fill_n(c + i * n, n, T{0});
    for (std::size_t from = 0; from < k; from += kBlock) {
      std::ranges::fill(partial, T{0});
      for (std::size_t p = from; p < std::min(from + kBlock, k); ++p) {
        const T factor = a[i * k + p];
        for (std::size_t j = 0; j < n; ++j) partial[j] += factor * b[p * n + j];
      }
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += partial[j];
    }
  }
}

template <class T>
std::array<std::vector<T>, 4> qkv_path(const OracleCall& call) {
  const auto batch = static_cast<std::size_t>(call.axis("batch_size"));
  const auto tokens = static_cast<std::size_t>(call.axis("seq_len"));
  const auto dim = static_cast<std::size_t>(call.axis("head_dim"));
  const auto hidden = static_cast<std::size_t>(call.axis("hidden_size"));
  const auto g = rotated_gradients<T>(call, batch, tokens, dim);
  const auto x = input_as<T>(call, 3);
  std::vector<T> weights;
  for (const std::size_t i : {4, 5, 6}) {
    const auto part = input_as<T>(call, i);
    weights.insert(weights.end(), part.begin(), part.end());
  }
  const std::size_t rows = batch * tokens, width = weights.size() / hidden;
  std::array<std::vector<T>, 4> out;
  out[0].resize(rows * hidden);
  multiply(g, weights, rows, width, hidden, out[0].data());
  std::vector<T> transposed(g.size());
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t o = 0; o < width; ++o) transposed[o * rows + t] = g[t * width + o];
  }
  std::vector<T> grad_weights(width * hidden);
  multiply(transposed, x, width, rows, hidden, grad_weights.data());
  std::ptrdiff_t first = 0;
  for (const std::size_t i : {1, 2, 3}) {
    const auto count = static_cast<std::ptrdiff_t>(call.outputs[i].elements);
    out[i].assign(grad_weights.begin() + first, grad_weights.begin() + first + count);
    first += count;
  }
  return out;
}

template <std::size_t N>
std::vector<OracleOutput> joined(const OracleCall& call, std::array<std::vector<double>, N> exact,
                                 const std::array<std::vector<float>, N>& native) {
  std::vector<OracleOutput> out(N);
  for (std::size_t i = 0; i < N; ++i) {
    const std::vector<double> widened(native[i].begin(), native[i].end());
    out[i].native = stored(call.outputs[i], widened);
    out[i].exact = std::move(exact[i]);
  }
  return out;
}

}  // namespace

Result<std::vector<OracleOutput>> kv_cache_rope_backward(const OracleCall& call) {
  const auto axis = [&](std::string_view name) {
    return static_cast<std::size_t>(call.axis(name));
  };
  const CacheSizes size = {axis("batch_size"), axis("num_kv_heads"), axis("max_seq_len"),
                           axis("new_seq_len"), axis("head_dim")};
  const auto positions = call.integers(5);
  for (std::size_t s = 0; s < positions.size(); ++s) {
    if (positions[s] < 0 || positions[s] >= static_cast<std::int64_t>(size.rows)) {
      return fail(Code::kInvalidArgument,
                  fmt::format("cache_position[{}] is {}; 0 to {} are expected", s, positions[s],
                              size.rows - 1));
    }
  }
  return joined(call, kv_cache_path<double>(call, size, positions),
                kv_cache_path<float>(call, size, positions));
}

// Normal numbers, and positions 0, 1, 2, ...
void draw_kv_cache(std::span<const problem::AxisValue> axes,
                   std::span<const problem::ResolvedArgument> inputs, std::uint64_t key,
                   std::span<const std::span<std::byte>> out) {
  (void)axes;
  for (std::size_t i = 0; i < 5; ++i) {
    const std::uint64_t own = key + (i + 1) * 0x9e3779b97f4a7c15U;
    judge::fill_input(inputs[i], judge::Distribution::kDefault, judge::Family::kBase, own, own,
                      out[i]);
  }
  std::vector<double> positions(static_cast<std::size_t>(inputs[5].elements));
  for (std::size_t s = 0; s < positions.size(); ++s) positions[s] = static_cast<double>(s);
  judge::encode(inputs[5].dtype, positions, out[5]);
}

Result<std::vector<OracleOutput>> qkv_rope_backward(const OracleCall& call) {
  return joined(call, qkv_path<double>(call), qkv_path<float>(call));
}

}  // namespace ki::harness
