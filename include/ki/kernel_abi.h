/* KernelIndex C ABI 1: how a kernel is called on one set of tensors. C11 and C++, only <stdint.h>.
 *
 * A solution exports two symbols:
 *   const uint32_t ki_kernel_abi = KI_KERNEL_ABI;      the ABI it was written for
 *   an entry point of type ki_entry under the name that its solution.json gives
 * in C++ both as extern "C". It is loaded with dlopen(RTLD_NOW | RTLD_LOCAL). There is no set-up
 * hook: whatever a kernel prepares (packing, tables) counts in the call that does it.
 *
 * Promised to the callee: tensors do not overlap; inputs are read-only; outputs hold garbage; data
 * is aligned to 64 bytes in timed calls and in a random half of the untimed ones, to the element in
 * the other half; one thread calls.
 * Asked of the callee: no exception leaves it; it keeps nothing that depends on the contents; it
 * uses at most ki_exec.threads threads, its caller included.
 *
 * Nothing here is ever changed or renumbered; a change is ABI 2. */
#ifndef KI_KERNEL_ABI_H
#define KI_KERNEL_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KI_KERNEL_ABI 1u

/* Element types, as stored in ki_tensor.dtype. */
enum {
  KI_F64 = 1,
  KI_F32 = 2,
  KI_F16 = 3,       /* IEEE binary16 */
  KI_BF16 = 4,      /* upper half of binary32 */
  KI_F8_E4M3FN = 5, /* OCP E4M3, finite: 0x7f and 0xff are NaN, no infinity */
  KI_F8_E5M2 = 6,   /* OCP E5M2 */
  KI_F4_E2M1X2 = 7, /* two E2M1 numbers a byte, the even index in the low four bits */
  KI_I64 = 8,
  KI_I32 = 9,
  KI_I16 = 10,
  KI_I8 = 11,
  KI_BOOL = 12 /* one byte, 0 or 1 */
};

/* What an entry point returns. Any other value is a run-time error. */
enum {
  KI_DONE = 0,
  KI_UNSUPPORTED_SHAPE = 1, /* this kernel does not do these shapes */
  KI_INVALID_ARGUMENT = 2   /* an argument is out of its domain; the outputs are undefined */
};

/* A tensor; a scalar of a definition is one with ndim 0 (f64 for float*, i64 for int*, bool).
 * ndim 0: numel is 1, shape and stride may be NULL. numel 0: data may be NULL. */
typedef struct ki_tensor {
  void* data;
  const int64_t* shape;  /* ndim extents */
  const int64_t* stride; /* ndim distances in elements; always row-major and contiguous in ABI 1 */
  int64_t numel; /* product of the shape; an element of KI_F4_E2M1X2 is a byte with two numbers */
  int32_t ndim;
  int32_t dtype;
} ki_tensor;

/* How to execute. `size` lets the structure grow: a callee reads no member beyond it. */
typedef struct ki_exec {
  uint32_t size;   /* sizeof(ki_exec) of the caller */
  uint32_t abi;    /* KI_KERNEL_ABI of the caller */
  int32_t threads; /* how many the callee may use, itself included; at least 1 */
  int32_t flags;   /* 0 in ABI 1 */
  void* stream;    /* NULL on a CPU. CUDA: the stream on which work is enqueued; tensor data are
                      device pointers and the callee may return early */
  void* reserved[4];
} ki_exec;

/* Inputs and outputs are in the order of the definition. */
typedef int32_t (*ki_entry)(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
                            int32_t output_count, const ki_exec* exec);

#ifdef __cplusplus
}
#endif
#endif
