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
// Written to be read again.
__device__ __forceinline__ void store_kept(void* p, const Line& v) {
  asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(p), "r"(v.word[0]), "r"(v.word[1]),
               "r"(v.word[2]), "r"(v.word[3])
               : "memory");
}
__device__ __forceinline__ void store_pair(void* p, float x, float y) {
  asm volatile("st.global.cs.v2.f32 [%0], {%1,%2};" ::"l"(p), "f"(x), "f"(y) : "memory");
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
__device__ __forceinline__ float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }

__device__ __forceinline__ std::uint32_t tf32(float x) {
  std::uint32_t out;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(out) : "f"(x));
  return out;
}
// Two numbers as binary16, the first in the low bits.
__device__ __forceinline__ std::uint32_t halves(float low, float high) {
  std::uint32_t out;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(out) : "f"(high), "f"(low));
  return out;
}
// What the roundings in `rounded` left over, times 2^11.
__device__ __forceinline__ std::uint32_t rest_halves(float low, float high, std::uint32_t rounded) {
  float x, y;
  asm("{.reg .f16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b;}"
      : "=f"(x), "=f"(y)
      : "r"(rounded));
  return halves((low - x) * 2048.0f, (high - y) * 2048.0f);
}
// c += a b by one warp: 16 x 8 results, inner extent 16 (binary16) or 8 (tf32).
__device__ __forceinline__ void mma_f16(float* c, const std::uint32_t* a, const std::uint32_t* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void mma_tf32(float* c, const std::uint32_t* a, const std::uint32_t* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace ki_device

#define KI_PRAGMA(text) _Pragma(#text)
#define KI_UNROLL(times) KI_PRAGMA(unroll times)
#define KI_DEVICE __device__ __forceinline__
#define KI_KERNEL(threads, blocks) __global__ void __launch_bounds__(threads, blocks)
#define KI_SHARED(type, name) extern __shared__ type name[]
