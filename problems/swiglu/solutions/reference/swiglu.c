/* y = silu(gate) up. gate, up, y: (n) f16, arithmetic in f32. */
#include "ki/kernel_abi.h"

#include <math.h>

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

int32_t swiglu(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
               int32_t output_count, const ki_exec* exec) {
  (void)exec;
  if (input_count != 2 || output_count != 1) return KI_INVALID_ARGUMENT;
  const _Float16* restrict gate = (const _Float16*)inputs[0].data;
  const _Float16* restrict up = (const _Float16*)inputs[1].data;
  _Float16* restrict y = (_Float16*)outputs[0].data;
  const int64_t n = outputs[0].numel;
  for (int64_t i = 0; i < n; ++i) {
    const float g = (float)gate[i];
    y[i] = (_Float16)(g / (1.0f + expf(-g)) * (float)up[i]);
  }
  return KI_DONE;
}
