/* y = x / sqrt(mean(x^2) + 1e-6) scale. x, y: (tokens, hidden), scale: (hidden), f32. */
#include "ki/kernel_abi.h"

#include <math.h>

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

int32_t rmsnorm(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
                int32_t output_count, const ki_exec* exec) {
  (void)exec;
  if (input_count != 2 || output_count != 1) return KI_INVALID_ARGUMENT;
  const int64_t tokens = inputs[0].shape[0], hidden = inputs[0].shape[1];
  const float* restrict scale = (const float*)inputs[1].data;
  for (int64_t t = 0; t < tokens; ++t) {
    const float* restrict x = (const float*)inputs[0].data + t * hidden;
    float* restrict y = (float*)outputs[0].data + t * hidden;
    float squares[16] = {0};
    int64_t i = 0;
    for (; i + 16 <= hidden; i += 16) {
      for (int64_t lane = 0; lane < 16; ++lane) squares[lane] += x[i + lane] * x[i + lane];
    }
    float sum = 0;
    for (; i < hidden; ++i) sum += x[i] * x[i];
    for (int lane = 0; lane < 16; ++lane) sum += squares[lane];
    const float factor = 1.0f / sqrtf(sum / (float)hidden + 1e-6f);
    for (i = 0; i < hidden; ++i) y[i] = x[i] * factor * scale[i];
  }
  return KI_DONE;
}
