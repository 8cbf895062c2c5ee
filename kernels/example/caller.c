/* Calls a kernel of libki_kernels on one small case and prints a sum of each output.
 *   cc caller.c $(pkg-config --cflags --libs ki-kernels) -o caller */
#include <ki/kernels.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBatch = 1, kHeads = 8, kRows = 64, kTokens = 5, kDim = 128 };

static ki_tensor tensor(int32_t dtype, size_t element, int32_t ndim, const int64_t* shape,
                        const int64_t* stride) {
  ki_tensor t = {NULL, shape, stride, 1, ndim, dtype};
  for (int32_t i = 0; i < ndim; ++i) t.numel *= shape[i];
  t.data = calloc((size_t)t.numel, element);
  return t;
}

int main(void) {
  static const int64_t cache[] = {kBatch, kHeads, kRows, kDim};
  static const int64_t cache_stride[] = {kHeads * kRows * kDim, kRows * kDim, kDim, 1};
  static const int64_t states[] = {kBatch, kHeads, kTokens, kDim};
  static const int64_t states_stride[] = {kHeads * kTokens * kDim, kTokens * kDim, kDim, 1};
  static const int64_t angles[] = {kBatch, kTokens, kDim};
  static const int64_t angles_stride[] = {kTokens * kDim, kDim, 1};
  static const int64_t tokens[] = {kTokens};
  static const int64_t one[] = {1};
  ki_tensor in[6], out[6];
  for (int i = 0; i < 2; ++i) {
    in[i] = tensor(KI_BF16, 2, 4, cache, cache_stride);
    out[i] = tensor(KI_BF16, 2, 4, states, states_stride);
    out[2 + i] = tensor(KI_BF16, 2, 3, angles, angles_stride);
    out[4 + i] = tensor(KI_BF16, 2, 4, cache, cache_stride);
    in[3 + i] = tensor(KI_BF16, 2, 3, angles, angles_stride);
  }
  in[2] = tensor(KI_BF16, 2, 4, states, states_stride);
  in[5] = tensor(KI_I64, 8, 1, tokens, one);
  for (int i = 0; i < 5; ++i) {
    for (int64_t j = 0; j < in[i].numel; ++j) ((uint16_t*)in[i].data)[j] = 0x3f80; /* 1.0 */
  }
  for (int64_t s = 0; s < kTokens; ++s) ((int64_t*)in[5].data)[s] = 2 * s;
  ki_exec exec = {sizeof(ki_exec), KI_KERNEL_ABI, 1, 0, NULL, {NULL, NULL, NULL, NULL}};
  const int32_t status = ki_kv_cache_rope_bwd(in, 6, out, 6, &exec);
  printf("ABI %u, status %d\n", ki_kernel_abi, status);
  int64_t zeros = 0;
  for (int64_t j = 0; j < out[4].numel; ++j) zeros += ((uint16_t*)out[4].data)[j] == 0;
  printf("%lld of %lld numbers of grad_key_cache_input are zero\n", (long long)zeros,
         (long long)out[4].numel);
  for (int i = 0; i < 6; ++i) {
    free(in[i].data);
    free(out[i].data);
  }
  return status == KI_DONE && zeros == (int64_t)kBatch * kHeads * kTokens * kDim ? 0 : 1;
}
