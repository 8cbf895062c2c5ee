/* y = exp(x - max) / sum(exp(x - max)) along rows. x, y: (rows, columns) f32. */
#include "ki/kernel_abi.h"

#include <math.h>

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

int32_t softmax(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
                int32_t output_count, const ki_exec* exec) {
  (void)exec;
  if (input_count != 1 || output_count != 1) return KI_INVALID_ARGUMENT;
  const int64_t rows = inputs[0].shape[0], columns = inputs[0].shape[1];
  for (int64_t r = 0; r < rows; ++r) {
    const float* restrict x = (const float*)inputs[0].data + r * columns;
    float* restrict y = (float*)outputs[0].data + r * columns;
    float largest = x[0];
    for (int64_t i = 1; i < columns; ++i) largest = x[i] > largest ? x[i] : largest;
    double sum = 0;
    for (int64_t i = 0; i < columns; ++i) {
      y[i] = expf(x[i] - largest);
      sum += (double)y[i];
    }
    const float factor = (float)(1.0 / sum);
    for (int64_t i = 0; i < columns; ++i) y[i] *= factor;
  }
  return KI_DONE;
}
