/* y = running sum of each row. x, y: (rows, columns) f32, the sum in f64. */
#include "ki/kernel_abi.h"

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

int32_t scan(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs, int32_t output_count,
             const ki_exec* exec) {
  (void)exec;
  if (input_count != 1 || output_count != 1) return KI_INVALID_ARGUMENT;
  const int64_t rows = inputs[0].shape[0], columns = inputs[0].shape[1];
  for (int64_t r = 0; r < rows; ++r) {
    const float* restrict x = (const float*)inputs[0].data + r * columns;
    float* restrict y = (float*)outputs[0].data + r * columns;
    double sum = 0;
    for (int64_t i = 0; i < columns; ++i) {
      sum += (double)x[i];
      y[i] = (float)sum;
    }
  }
  return KI_DONE;
}
