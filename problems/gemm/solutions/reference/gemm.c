/* c = a b. a: (m, k), b: (k, n), c: (m, n), f32. */
#include "ki/kernel_abi.h"

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

int32_t gemm(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs, int32_t output_count,
             const ki_exec* exec) {
  (void)exec;
  if (input_count != 2 || output_count != 1) return KI_INVALID_ARGUMENT;
  const int64_t m = inputs[0].shape[0], k = inputs[0].shape[1], n = inputs[1].shape[1];
  const float* restrict b = (const float*)inputs[1].data;
  for (int64_t i = 0; i < m; ++i) {
    const float* restrict a = (const float*)inputs[0].data + i * k;
    float* restrict c = (float*)outputs[0].data + i * n;
    for (int64_t j = 0; j < n; ++j) c[j] = 0;
    for (int64_t p = 0; p < k; ++p) {
      for (int64_t j = 0; j < n; ++j) c[j] += a[p] * b[p * n + j];
    }
  }
  return KI_DONE;
}
