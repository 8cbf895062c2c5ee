/* counts of x in 64 bins of [-4, 4). x: (n), counts: (64), f32. */
#include "ki/kernel_abi.h"

#include <math.h>

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

int32_t histogram(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
                  int32_t output_count, const ki_exec* exec) {
  (void)exec;
  if (input_count != 1 || output_count != 1) return KI_INVALID_ARGUMENT;
  const float* restrict x = (const float*)inputs[0].data;
  float* restrict counts = (float*)outputs[0].data;
  const int64_t bins = outputs[0].numel;
  for (int64_t b = 0; b < bins; ++b) counts[b] = 0;
  for (int64_t i = 0; i < inputs[0].numel; ++i) {
    const float place = floorf((x[i] + 4.0f) * ((float)bins / 8.0f));
    const float last = (float)(bins - 1);
    counts[place < 0 ? 0 : place > last ? bins - 1 : (int64_t)place] += 1.0f;
  }
  return KI_DONE;
}
