/* z = x + y, one plain loop. x, y, z: (n) f32. */
#include "ki/kernel_abi.h"

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

int32_t vec_add(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
                int32_t output_count, const ki_exec* exec) {
  (void)exec;
  if (input_count != 2 || output_count != 1) return KI_INVALID_ARGUMENT;
  const float* restrict x = (const float*)inputs[0].data;
  const float* restrict y = (const float*)inputs[1].data;
  float* restrict z = (float*)outputs[0].data;
  const int64_t n = outputs[0].numel;
  for (int64_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
  return KI_DONE;
}
