// Backward pass of a KV-cache update with rotary embedding by plain loops, as one writes them
// first: the baseline that other kernels are measured against. The compiler may vectorise what it
// can. Arguments as in kv_cache_rope_bwd.cpp; shapes are trusted but for the positions.
#include "ki/kernel_abi.h"

#include <cstdint>
#include <cstring>

namespace {

float number(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
  float out;
  std::memcpy(&out, &wide, sizeof out);
  return out;
}

std::uint16_t bf16(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  if (x != x) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace

extern "C" std::int32_t ki_kv_cache_rope_bwd_scalar(const ki_tensor* in, std::int32_t n_in,
                                                    ki_tensor* out, std::int32_t n_out,
                                                    const ki_exec* exec) {
  (void)exec;
  if (n_in != 6 || n_out != 6) return KI_INVALID_ARGUMENT;
  const std::int64_t batch = in[0].shape[0], heads = in[0].shape[1], rows = in[0].shape[2];
  const std::int64_t dim = in[0].shape[3], tokens = in[2].shape[2], half = dim / 2;
  const auto* grad_key_cache = static_cast<const std::uint16_t*>(in[0].data);
  const auto* grad_value_cache = static_cast<const std::uint16_t*>(in[1].data);
  const auto* key = static_cast<const std::uint16_t*>(in[2].data);
  const auto* cos = static_cast<const std::uint16_t*>(in[3].data);
  const auto* sin = static_cast<const std::uint16_t*>(in[4].data);
  const auto* position = static_cast<const std::int64_t*>(in[5].data);
  auto* grad_key = static_cast<std::uint16_t*>(out[0].data);
  auto* grad_value = static_cast<std::uint16_t*>(out[1].data);
  auto* grad_cos = static_cast<std::uint16_t*>(out[2].data);
  auto* grad_sin = static_cast<std::uint16_t*>(out[3].data);
  auto* grad_key_in = static_cast<std::uint16_t*>(out[4].data);
  auto* grad_value_in = static_cast<std::uint16_t*>(out[5].data);
  for (std::int64_t s = 0; s < tokens; ++s) {
    if (position[s] < 0 || position[s] >= rows) return KI_INVALID_ARGUMENT;
  }

  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t a = 0; a < heads; ++a) {
      for (std::int64_t s = 0; s < tokens; ++s) {
        const std::uint16_t* g = grad_key_cache + ((b * heads + a) * rows + position[s]) * dim;
        const std::uint16_t* u = grad_value_cache + ((b * heads + a) * rows + position[s]) * dim;
        const std::int64_t row = ((b * heads + a) * tokens + s) * dim;
        const std::uint16_t* c = cos + (b * tokens + s) * dim;
        const std::uint16_t* n = sin + (b * tokens + s) * dim;
        for (std::int64_t d = 0; d < half; ++d) {
          grad_key[row + d] =
              bf16(number(g[d]) * number(c[d]) + number(g[d + half]) * number(n[d + half]));
          grad_key[row + d + half] =
              bf16(number(g[d + half]) * number(c[d + half]) - number(g[d]) * number(n[d]));
        }
        for (std::int64_t d = 0; d < dim; ++d) grad_value[row + d] = u[d];
      }
    }
  }
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t s = 0; s < tokens; ++s) {
      for (std::int64_t d = 0; d < half; ++d) {
        float cos_low = 0, cos_high = 0, sin_low = 0, sin_high = 0;
        for (std::int64_t a = 0; a < heads; ++a) {
          const std::uint16_t* g = grad_key_cache + ((b * heads + a) * rows + position[s]) * dim;
          const std::uint16_t* k = key + ((b * heads + a) * tokens + s) * dim;
          cos_low += number(g[d]) * number(k[d]);
          cos_high += number(g[d + half]) * number(k[d + half]);
          sin_low -= number(g[d]) * number(k[d + half]);
          sin_high += number(g[d + half]) * number(k[d]);
        }
        const std::int64_t at = (b * tokens + s) * dim + d;
        grad_cos[at] = bf16(cos_low);
        grad_cos[at + half] = bf16(cos_high);
        grad_sin[at] = bf16(sin_low);
        grad_sin[at + half] = bf16(sin_high);
      }
    }
  }
  for (std::int64_t i = 0; i < batch * heads * rows * dim; ++i) {
    grad_key_in[i] = grad_key_cache[i];
    grad_value_in[i] = grad_value_cache[i];
  }
  for (std::int64_t plane = 0; plane < batch * heads; ++plane) {
    for (std::int64_t s = 0; s < tokens; ++s) {
      for (std::int64_t d = 0; d < dim; ++d) {
        grad_key_in[(plane * rows + position[s]) * dim + d] = 0;
        grad_value_in[(plane * rows + position[s]) * dim + d] = 0;
      }
    }
  }
  return KI_DONE;
}
