/* c = a b^T. a: (m, k), b: (n, k) i8, c: (m, n) i32. */
#include "ki/kernel_abi.h"

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

int32_t int8_dot(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
                 int32_t output_count, const ki_exec* exec) {
  (void)exec;
  if (input_count != 2 || output_count != 1) return KI_INVALID_ARGUMENT;
  const int64_t m = inputs[0].shape[0], k = inputs[0].shape[1], n = inputs[1].shape[0];
  int32_t* restrict c = (int32_t*)outputs[0].data;
  for (int64_t i = 0; i < m; ++i) {
    const int8_t* restrict a = (const int8_t*)inputs[0].data + i * k;
    for (int64_t j = 0; j < n; ++j) {
      const int8_t* restrict b = (const int8_t*)inputs[1].data + j * k;
      int32_t sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += (int32_t)a[p] * (int32_t)b[p];
      c[i * n + j] = sum;
    }
  }
  return KI_DONE;
}
