// What kernels say to the device, on the device. emulator/device.h says the same on a host.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace ki_device {

struct Line {  // 16 bytes
  std::uint32_t word[4];
};

// Read once: past the first cache, not kept.
__device__ __forceinline__ Line load_once(const void* p) {
  Line v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
               : "l"(p));
  return v;
}
// Written once, not read again.
__device__ __forceinline__ void store_once(void* p, const Line& v) {
  asm volatile("st.global.cs.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(p), "r"(v.word[0]), "r"(v.word[1]),
               "r"(v.word[2]), "r"(v.word[3])
               : "memory");
}
__device__ __forceinline__ std::int64_t load_position(const std::int64_t* p) { return __ldg(p); }

__device__ __forceinline__ std::uint32_t exchange(std::uint32_t value, int lane_mask) {
  return __shfl_xor_sync(0xffffffffu, value, lane_mask);
}
__device__ __forceinline__ void barrier() { __syncthreads(); }
__device__ __forceinline__ void set_bits(std::uint32_t* word, std::uint32_t bits) {
  atomicOr(word, bits);
}
__device__ __forceinline__ int thread() { return static_cast<int>(threadIdx.x); }
__device__ __forceinline__ int block() { return static_cast<int>(blockIdx.x); }
__device__ __forceinline__ int blocks() { return static_cast<int>(gridDim.x); }
__device__ __forceinline__ float number(std::uint32_t bits) { return __uint_as_float(bits); }
__device__ __forceinline__ std::uint32_t bits(float x) { return __float_as_uint(x); }
// Never fused: the eager mode rounds between.
__device__ __forceinline__ float product(float a, float b) { return __fmul_rn(a, b); }
__device__ __forceinline__ float sum(float a, float b) { return __fadd_rn(a, b); }

}  // namespace ki_device

#define KI_PRAGMA(text) _Pragma(#text)
#define KI_UNROLL(times) KI_PRAGMA(unroll times)
#define KI_DEVICE __device__ __forceinline__
#define KI_KERNEL(threads, blocks) __global__ void __launch_bounds__(threads, blocks)
#define KI_SHARED(type, name) extern __shared__ type name[]
