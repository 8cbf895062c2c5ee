// Backward pass of the query, key and value projections with rotary embedding by plain loops: the
// baseline. Arguments as in qkv_rope_bwd.cpp, any head dimension; shapes are trusted.
#include "ki/kernel_abi.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

// Adds the contribution of one projection: its rotated gradients (tokens x width) times its weights
// to the hidden states' gradient, and their transpose times the hidden states as its weight
// gradient.
void project(const float* g, std::int64_t tokens, std::int64_t width, const float* x,
             std::int64_t hidden, const float* w, float* grad_x, float* grad_w) {
  for (std::int64_t t = 0; t < tokens; ++t) {
    for (std::int64_t o = 0; o < width; ++o) {
      const float factor = g[t * width + o];
      for (std::int64_t e = 0; e < hidden; ++e)
        grad_x[t * hidden + e] += factor * w[o * hidden + e];
    }
  }
  std::memset(grad_w, 0, static_cast<std::size_t>(width * hidden) * sizeof(float));
  for (std::int64_t o = 0; o < width; ++o) {
    for (std::int64_t t = 0; t < tokens; ++t) {
      const float factor = g[t * width + o];
      for (std::int64_t e = 0; e < hidden; ++e)
        grad_w[o * hidden + e] += factor * x[t * hidden + e];
    }
  }
}

}  // namespace

extern "C" std::int32_t ki_qkv_rope_bwd_scalar(const ki_tensor* in, std::int32_t n_in,
                                               ki_tensor* out, std::int32_t n_out,
                                               const ki_exec* exec) {
  (void)exec;
  if (n_in != 9 || n_out != 4) return KI_INVALID_ARGUMENT;
  const std::int64_t batch = in[0].shape[0], sequence = in[0].shape[2], dim = in[0].shape[3];
  const std::int64_t tokens = batch * sequence, hidden = in[3].shape[2], half = dim / 2;
  const auto* x = static_cast<const float*>(in[3].data);
  const auto* cos = static_cast<const float*>(in[7].data);
  const auto* sin = static_cast<const float*>(in[8].data);
  auto* grad_x = static_cast<float*>(out[0].data);
  std::memset(grad_x, 0, static_cast<std::size_t>(tokens * hidden) * sizeof(float));
  for (int i = 0; i < 3; ++i) {
    const std::int64_t heads = in[i].shape[1], width = heads * dim;
    const auto* grad = static_cast<const float*>(in[i].data);
    auto* g = static_cast<float*>(
        std::malloc(static_cast<std::size_t>(tokens * width) * sizeof(float) + 1));
    if (g == nullptr) return KI_UNSUPPORTED_SHAPE;
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t a = 0; a < heads; ++a) {
        for (std::int64_t s = 0; s < sequence; ++s) {
          const float* y = grad + ((b * heads + a) * sequence + s) * dim;
          const float* c = cos + (b * sequence + s) * dim;
          const float* n = sin + (b * sequence + s) * dim;
          float* to = g + (b * sequence + s) * width + a * dim;
          for (std::int64_t d = 0; d < half; ++d) {
            to[d] = i == 2 ? y[d] : y[d] * c[d] + y[d + half] * n[d + half];
            to[d + half] = i == 2 ? y[d + half] : y[d + half] * c[d + half] - y[d] * n[d];
          }
        }
      }
    }
    project(g, tokens, width, x, hidden, static_cast<const float*>(in[4 + i].data), grad_x,
            static_cast<float*>(out[1 + i].data));
    std::free(g);
  }
  return KI_DONE;
}
