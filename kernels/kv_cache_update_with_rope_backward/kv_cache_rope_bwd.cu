// The kernel for a GPU through C ABI 1: tensors are device pointers, work is enqueued on the
// stream.
#include "ki/kernel_abi.h"
#include "kv_cache_rope_bwd.cuh"

namespace {

std::int32_t run(const ki_tensor* in, std::int32_t n_in, ki_tensor* out, std::int32_t n_out,
                 const ki_exec* exec, bool is_eager) {
  if (n_in != 6 || n_out != 6 || exec == nullptr || in[0].ndim != 4 || in[2].ndim != 4)
    return KI_INVALID_ARGUMENT;
  for (int i = 0; i < 5; ++i) {
    if (in[i].dtype != KI_BF16) return KI_INVALID_ARGUMENT;
  }
  const ki_kv_cache::Args a = {in[0].shape[0],
                               in[0].shape[1],
                               in[0].shape[2],
                               in[2].shape[2],
                               static_cast<const std::uint16_t*>(in[0].data),
                               static_cast<const std::uint16_t*>(in[1].data),
                               static_cast<const std::uint16_t*>(in[2].data),
                               static_cast<const std::uint16_t*>(in[3].data),
                               static_cast<const std::uint16_t*>(in[4].data),
                               static_cast<const std::int64_t*>(in[5].data),
                               static_cast<std::uint16_t*>(out[0].data),
                               static_cast<std::uint16_t*>(out[1].data),
                               static_cast<std::uint16_t*>(out[2].data),
                               static_cast<std::uint16_t*>(out[3].data),
                               static_cast<std::uint16_t*>(out[4].data),
                               static_cast<std::uint16_t*>(out[5].data)};
  if (in[0].shape[3] != ki_kv_cache::kHeadDim || a.rows > ki_kv_cache::kMaxRows || a.heads == 0)
    return KI_UNSUPPORTED_SHAPE;
  for (int i = 0; i < 6; ++i) {
    const bool is_even = reinterpret_cast<std::uintptr_t>(in[i].data) % 16 == 0 &&
                         reinterpret_cast<std::uintptr_t>(out[i].data) % 16 == 0;
    if (!is_even) return KI_UNSUPPORTED_SHAPE;
  }
  int device = 0, processors = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
    return 3;
  const std::size_t shared = static_cast<std::size_t>((a.rows + 31) / 32) * 4;
  auto* stream = static_cast<cudaStream_t>(exec->stream);
  const auto entry = is_eager ? ki_kv_cache::kernel<true> : ki_kv_cache::kernel<false>;
  entry<<<2 * processors, ki_kv_cache::kThreads, shared, stream>>>(a);
  return cudaGetLastError() == cudaSuccess ? KI_DONE : 3;
}

}  // namespace

extern "C" std::int32_t ki_kv_cache_rope_bwd_cuda(const ki_tensor* in, std::int32_t n_in,
                                                  ki_tensor* out, std::int32_t n_out,
                                                  const ki_exec* exec) {
  return run(in, n_in, out, n_out, exec, false);
}
extern "C" std::int32_t ki_kv_cache_rope_bwd_eager_cuda(const ki_tensor* in, std::int32_t n_in,
                                                        ki_tensor* out, std::int32_t n_out,
                                                        const ki_exec* exec) {
  return run(in, n_in, out, n_out, exec, true);
}
