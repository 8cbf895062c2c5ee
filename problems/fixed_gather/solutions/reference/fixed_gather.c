/* out[i, :] = table[ids[i], :], as bits. */
#include "ki/kernel_abi.h"

#include <string.h>

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

int32_t fixed_gather(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
                     int32_t output_count, const ki_exec* exec) {
  (void)exec;
  if (input_count != 2 || output_count != 1) return KI_INVALID_ARGUMENT;
  const int64_t rows = inputs[0].shape[0];
  const int64_t count = inputs[1].shape[0];
  const size_t row_bytes = (size_t)inputs[0].shape[1] * sizeof(float);
  const int64_t* ids = (const int64_t*)inputs[1].data;
  for (int64_t i = 0; i < count; ++i) {
    if (ids[i] < 0 || ids[i] >= rows) return KI_INVALID_ARGUMENT;
    memcpy((char*)outputs[0].data + (size_t)i * row_bytes,
           (const char*)inputs[0].data + (size_t)ids[i] * row_bytes, row_bytes);
  }
  return KI_DONE;
}
