/* y[j, i] = x[i, j], in tiles of 16. x: (m, n), y: (n, m), f32. */
#include "ki/kernel_abi.h"

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

int32_t transpose(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
                  int32_t output_count, const ki_exec* exec) {
  (void)exec;
  if (input_count != 1 || output_count != 1) return KI_INVALID_ARGUMENT;
  const int64_t m = inputs[0].shape[0], n = inputs[0].shape[1];
  const float* restrict x = (const float*)inputs[0].data;
  float* restrict y = (float*)outputs[0].data;
  for (int64_t i0 = 0; i0 < m; i0 += 16) {
    const int64_t i1 = i0 + 16 < m ? i0 + 16 : m;
    for (int64_t j0 = 0; j0 < n; j0 += 16) {
      const int64_t j1 = j0 + 16 < n ? j0 + 16 : n;
      for (int64_t j = j0; j < j1; ++j) {
        for (int64_t i = i0; i < i1; ++i) y[j * m + i] = x[i * n + j];
      }
    }
  }
  return KI_DONE;
}
