/* y = (x - mean) / sqrt(variance + 1e-5) scale + shift; all bf16, arithmetic in f32. */
#include "ki/kernel_abi.h"

#include <math.h>
#include <string.h>

/* bf16 is the upper half of an f32; back by rounding to nearest even. */
static float widen(uint16_t x) {
  const uint32_t bits = (uint32_t)x << 16;
  float out;
  memcpy(&out, &bits, sizeof out);
  return out;
}
static uint16_t narrow(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (uint16_t)((bits >> 16) | 0x40u);
  return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

int32_t layernorm(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
                  int32_t output_count, const ki_exec* exec) {
  (void)exec;
  if (input_count != 3 || output_count != 1) return KI_INVALID_ARGUMENT;
  const int64_t tokens = inputs[0].shape[0], hidden = inputs[0].shape[1];
  const uint16_t* restrict scale = (const uint16_t*)inputs[1].data;
  const uint16_t* restrict shift = (const uint16_t*)inputs[2].data;
  for (int64_t t = 0; t < tokens; ++t) {
    const uint16_t* restrict x = (const uint16_t*)inputs[0].data + t * hidden;
    uint16_t* restrict y = (uint16_t*)outputs[0].data + t * hidden;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < hidden; ++i) sum += widen(x[i]);
    const float mean = (float)(sum / (double)hidden);
    for (int64_t i = 0; i < hidden; ++i) {
      const float d = widen(x[i]) - mean;
      squares += (double)(d * d);
    }
    const float factor = 1.0f / sqrtf((float)(squares / (double)hidden) + 1e-5f);
    for (int64_t i = 0; i < hidden; ++i) {
      y[i] = narrow((widen(x[i]) - mean) * factor * widen(scale[i]) + widen(shift[i]));
    }
  }
  return KI_DONE;
}
