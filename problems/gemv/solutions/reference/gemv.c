/* y = a x. a: (m, k), x: (k), y: (m), f32; sixteen partial sums. */
#include "ki/kernel_abi.h"

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

int32_t gemv(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs, int32_t output_count,
             const ki_exec* exec) {
  (void)exec;
  if (input_count != 2 || output_count != 1) return KI_INVALID_ARGUMENT;
  const int64_t m = inputs[0].shape[0], k = inputs[0].shape[1];
  const float* restrict x = (const float*)inputs[1].data;
  float* restrict y = (float*)outputs[0].data;
  for (int64_t i = 0; i < m; ++i) {
    const float* restrict a = (const float*)inputs[0].data + i * k;
    float partial[16] = {0};
    int64_t p = 0;
    for (; p + 16 <= k; p += 16) {
      for (int64_t lane = 0; lane < 16; ++lane) partial[lane] += a[p + lane] * x[p + lane];
    }
    float sum = 0;
    for (; p < k; ++p) sum += a[p] * x[p];
    for (int lane = 0; lane < 16; ++lane) sum += partial[lane];
    y[i] = sum;
  }
  return KI_DONE;
}
