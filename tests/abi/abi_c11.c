/* The header as C11 sees it: it compiles alone, and every size, offset and code is what ABI 1
 * fixed. */
#include "ki/kernel_abi.h"

#include <stddef.h>

_Static_assert(KI_KERNEL_ABI == 1u, "the version of this header");
_Static_assert(KI_F64 == 1 && KI_F32 == 2 && KI_F16 == 3 && KI_BF16 == 4, "dtype codes");
_Static_assert(KI_F8_E4M3FN == 5 && KI_F8_E5M2 == 6 && KI_F4_E2M1X2 == 7, "dtype codes");
_Static_assert(KI_I64 == 8 && KI_I32 == 9 && KI_I16 == 10 && KI_I8 == 11, "dtype codes");
_Static_assert(KI_BOOL == 12, "dtype codes");
_Static_assert(KI_DONE == 0 && KI_UNSUPPORTED_SHAPE == 1 && KI_INVALID_ARGUMENT == 2, "results");

_Static_assert(sizeof(void*) == 8, "the layout below is that of a 64-bit system");
_Static_assert(sizeof(ki_tensor) == 40, "ki_tensor");
_Static_assert(offsetof(ki_tensor, data) == 0, "ki_tensor.data");
_Static_assert(offsetof(ki_tensor, shape) == 8, "ki_tensor.shape");
_Static_assert(offsetof(ki_tensor, stride) == 16, "ki_tensor.stride");
_Static_assert(offsetof(ki_tensor, numel) == 24, "ki_tensor.numel");
_Static_assert(offsetof(ki_tensor, ndim) == 32, "ki_tensor.ndim");
_Static_assert(offsetof(ki_tensor, dtype) == 36, "ki_tensor.dtype");

_Static_assert(sizeof(ki_exec) == 56, "ki_exec");
_Static_assert(offsetof(ki_exec, size) == 0, "ki_exec.size");
_Static_assert(offsetof(ki_exec, abi) == 4, "ki_exec.abi");
_Static_assert(offsetof(ki_exec, threads) == 8, "ki_exec.threads");
_Static_assert(offsetof(ki_exec, flags) == 12, "ki_exec.flags");
_Static_assert(offsetof(ki_exec, stream) == 16, "ki_exec.stream");
_Static_assert(offsetof(ki_exec, reserved) == 24, "ki_exec.reserved");

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

/* out = in; a kernel as a C source writes it. */
int32_t abi_test_copy(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
                      int32_t output_count, const ki_exec* exec) {
  if (input_count != 1 || output_count != 1 || exec->abi != KI_KERNEL_ABI) {
    return KI_INVALID_ARGUMENT;
  }
  if (inputs[0].dtype != KI_F32) return KI_UNSUPPORTED_SHAPE;
  const float* x = (const float*)inputs[0].data;
  float* y = (float*)outputs[0].data;
  for (int64_t i = 0; i < inputs[0].numel; ++i) y[i] = x[i];
  return KI_DONE;
}
