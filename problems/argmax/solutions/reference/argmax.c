/* y = index of the largest of each row, of equal ones the first. x: (rows, columns) f32, y: (rows)
 * i64. */
#include "ki/kernel_abi.h"

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

int32_t argmax(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
               int32_t output_count, const ki_exec* exec) {
  (void)exec;
  if (input_count != 1 || output_count != 1) return KI_INVALID_ARGUMENT;
  const int64_t rows = inputs[0].shape[0], columns = inputs[0].shape[1];
  int64_t* restrict y = (int64_t*)outputs[0].data;
  for (int64_t r = 0; r < rows; ++r) {
    const float* restrict x = (const float*)inputs[0].data + r * columns;
    int64_t best = 0;
    for (int64_t i = 1; i < columns; ++i) {
      if (x[i] > x[best]) best = i;
    }
    y[r] = best;
  }
  return KI_DONE;
}
