// The kernel for a GPU through C ABI 1, one entry point a precision: tensors are device pointers,
// work is enqueued on the stream. G is allocated on the stream, in the call.
#include "ki/kernel_abi.h"
#include "qkv_rope_bwd.cuh"

namespace {

bool has_shape(const ki_tensor& t, std::int32_t ndim) {
  return t.ndim == ndim && t.dtype == KI_F32 && reinterpret_cast<std::uintptr_t>(t.data) % 16 == 0;
}

template <ki_qkv::Mode kMode>
std::int32_t run(const ki_tensor* in, std::int32_t n_in, ki_tensor* out, std::int32_t n_out,
                 const ki_exec* exec) {
  if (n_in != 9 || n_out != 4 || exec == nullptr) return KI_INVALID_ARGUMENT;
  constexpr std::int32_t kRanks[9] = {4, 4, 4, 3, 2, 2, 2, 3, 3}, kOutRanks[4] = {3, 2, 2, 2};
  for (int i = 0; i < 9; ++i) {
    if (in[i].ndim != kRanks[i] || in[i].dtype != KI_F32) return KI_INVALID_ARGUMENT;
    if (!has_shape(in[i], kRanks[i])) return KI_UNSUPPORTED_SHAPE;
  }
  for (int i = 0; i < 4; ++i) {
    if (out[i].ndim != kOutRanks[i] || out[i].dtype != KI_F32) return KI_INVALID_ARGUMENT;
    if (!has_shape(out[i], kOutRanks[i])) return KI_UNSUPPORTED_SHAPE;
  }
  ki_qkv::Args a = {};
  a.batch = in[0].shape[0];
  a.query_heads = in[0].shape[1];
  a.sequence = in[0].shape[2];
  a.key_heads = in[1].shape[1];
  a.hidden = in[3].shape[2];
  if (in[0].shape[3] != ki_qkv::kHeadDim || a.hidden % 4 != 0 || a.batch * a.sequence == 0)
    return KI_UNSUPPORTED_SHAPE;
  const float** const from[9] = {&a.grad_query,   &a.grad_key,   &a.grad_value,   &a.x,
                                 &a.query_weight, &a.key_weight, &a.value_weight, &a.cos,
                                 &a.sin};
  for (int i = 0; i < 9; ++i) *from[i] = static_cast<const float*>(in[i].data);
  float** const to[4] = {&a.grad_x, &a.grad_query_weight, &a.grad_key_weight, &a.grad_value_weight};
  for (int i = 0; i < 4; ++i) *to[i] = static_cast<float*>(out[i].data);
  auto* stream = static_cast<cudaStream_t>(exec->stream);
  const auto bytes =
      static_cast<std::size_t>(a.batch * a.sequence * (a.query_heads + 2 * a.key_heads)) *
      ki_qkv::kHeadDim * sizeof(float);
  int device = 0, processors = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess ||
      cudaMallocAsync(reinterpret_cast<void**>(&a.scratch), bytes, stream) != cudaSuccess)
    return 3;
  ki_qkv::rotate<<<4 * processors, ki_qkv::kThreads, 0, stream>>>(a);
  ki_qkv::products<kMode>
      <<<3 * processors, ki_qkv::kThreads, ki_qkv::kSharedFloats * sizeof(float), stream>>>(a);
  const bool is_launched = cudaGetLastError() == cudaSuccess;
  return cudaFreeAsync(a.scratch, stream) == cudaSuccess && is_launched ? KI_DONE : 3;
}

}  // namespace

#define KI_ENTRY(name, mode)                                                           \
  extern "C" std::int32_t name(const ki_tensor* in, std::int32_t n_in, ki_tensor* out, \
                               std::int32_t n_out, const ki_exec* exec) {              \
    return run<ki_qkv::Mode::mode>(in, n_in, out, n_out, exec);                        \
  }
KI_ENTRY(ki_qkv_rope_bwd_fast11_cuda, kFast11)
KI_ENTRY(ki_qkv_rope_bwd_tf32_cuda, kTf32)
KI_ENTRY(ki_qkv_rope_bwd_fp32ish_cuda, kFp32ish)
KI_ENTRY(ki_qkv_rope_bwd_fp32_cuda, kFp32)
