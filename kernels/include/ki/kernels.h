/* Kernels of the project, through C ABI 1 (ki/kernel_abi.h): each is a ki_entry. Shapes, types and
 * the meaning of the arguments are those of the problem of the same name (problems/<name>). They
 * keep no state between calls, start at most exec->threads - 1 threads of their own in a call, and
 * may be called from several threads at once.
 *
 * They return KI_DONE, KI_UNSUPPORTED_SHAPE or KI_INVALID_ARGUMENT. */
#ifndef KI_KERNELS_H
#define KI_KERNELS_H

#include "ki/kernel_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const uint32_t ki_kernel_abi;

/* kv_cache_update_with_rope_backward. head_dim: a multiple of 64 up to 256. */
int32_t ki_kv_cache_rope_bwd(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
                             int32_t output_count, const ki_exec* exec);
/* The same with every product rounded to bf16 before it is added, as eager frameworks do. */
int32_t ki_kv_cache_rope_bwd_eager(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
                                   int32_t output_count, const ki_exec* exec);
/* The same answer by plain loops: the baseline. */
int32_t ki_kv_cache_rope_bwd_scalar(const ki_tensor* inputs, int32_t input_count,
                                    ki_tensor* outputs, int32_t output_count, const ki_exec* exec);

/* multi_head_qkv_projection_with_rope_backward. head_dim: even. */
int32_t ki_qkv_rope_bwd(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
                        int32_t output_count, const ki_exec* exec);
/* The same answer by plain loops: the baseline. */
int32_t ki_qkv_rope_bwd_scalar(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
                               int32_t output_count, const ki_exec* exec);

#ifdef __cplusplus
}
#endif
#endif
