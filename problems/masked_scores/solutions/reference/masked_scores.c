/* masked = allowed ? scores scale : -inf. (queries, keys) f32, allowed bool, scale f64 scalar. */
#include "ki/kernel_abi.h"

#include <math.h>

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

int32_t masked_scores(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
                      int32_t output_count, const ki_exec* exec) {
  (void)exec;
  if (input_count != 3 || output_count != 1) return KI_INVALID_ARGUMENT;
  const float* restrict scores = (const float*)inputs[0].data;
  const uint8_t* restrict allowed = (const uint8_t*)inputs[1].data;
  const float scale = (float)*(const double*)inputs[2].data;
  float* restrict masked = (float*)outputs[0].data;
  for (int64_t i = 0; i < outputs[0].numel; ++i) {
    masked[i] = allowed[i] ? scores[i] * scale : -INFINITY;
  }
  return KI_DONE;
}
