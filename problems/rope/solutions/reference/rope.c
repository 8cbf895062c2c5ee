/* y = x cos + rotate_half(x) sin. x, y: (tokens, heads, dim), cos, sin: (tokens, dim), f32. */
#include "ki/kernel_abi.h"

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

int32_t rope(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs, int32_t output_count,
             const ki_exec* exec) {
  (void)exec;
  if (input_count != 3 || output_count != 1) return KI_INVALID_ARGUMENT;
  const int64_t tokens = inputs[0].shape[0], heads = inputs[0].shape[1], dim = inputs[0].shape[2];
  const int64_t half = dim / 2;
  for (int64_t t = 0; t < tokens; ++t) {
    const float* restrict c = (const float*)inputs[1].data + t * dim;
    const float* restrict s = (const float*)inputs[2].data + t * dim;
    for (int64_t h = 0; h < heads; ++h) {
      const float* restrict x = (const float*)inputs[0].data + (t * heads + h) * dim;
      float* restrict y = (float*)outputs[0].data + (t * heads + h) * dim;
      for (int64_t d = 0; d < half; ++d) {
        y[d] = x[d] * c[d] - x[d + half] * s[d];
        y[d + half] = x[d + half] * c[d + half] + x[d] * s[d + half];
      }
    }
  }
  return KI_DONE;
}
