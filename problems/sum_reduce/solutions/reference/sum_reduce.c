/* y = sum of each row. x: (rows, columns), y: (rows), f32; sixteen partial sums in blocks. */
#include "ki/kernel_abi.h"

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

int32_t sum_reduce(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
                   int32_t output_count, const ki_exec* exec) {
  (void)exec;
  if (input_count != 1 || output_count != 1) return KI_INVALID_ARGUMENT;
  const int64_t rows = inputs[0].shape[0], columns = inputs[0].shape[1];
  float* restrict y = (float*)outputs[0].data;
  for (int64_t r = 0; r < rows; ++r) {
    const float* restrict x = (const float*)inputs[0].data + r * columns;
    double total = 0;
    for (int64_t from = 0; from < columns; from += 4096) {
      const int64_t to = from + 4096 < columns ? from + 4096 : columns;
      float partial[16] = {0};
      int64_t i = from;
      for (; i + 16 <= to; i += 16) {
        for (int64_t lane = 0; lane < 16; ++lane) partial[lane] += x[i + lane];
      }
      for (; i < to; ++i) partial[0] += x[i];
      for (int lane = 0; lane < 16; ++lane) total += (double)partial[lane];
    }
    y[r] = (float)total;
  }
  return KI_DONE;
}
