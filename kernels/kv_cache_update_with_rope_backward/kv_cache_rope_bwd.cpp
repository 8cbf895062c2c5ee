// Backward pass of a KV-cache update with rotary embedding, on a CPU, in one pass: every byte that
// the operation has to move moves once. bf16 in and out, fp32 in between.
//
// inputs   grad_key_cache, grad_value_cache (B,H,M,D), key_states (B,H,N,D), cos, sin (B,N,D), all
//          bf16; cache_position (N) int64, each in [0, M), in any order, duplicates allowed
// outputs  grad_key_states, grad_value_states (B,H,N,D), grad_cos, grad_sin (B,N,D),
//          grad_key_cache_input, grad_value_cache_input (B,H,M,D), all bf16
//
// Tasks: blocks of 16 tokens with all heads (rotation, sums over heads in a fixed order), and
// chunks of 256 rows of a cache (copy or zero). Results do not depend on the number of threads or
// on the instruction set.
#include "ki/kernel_abi.h"
#include "parallel.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define KI_INLINE inline __attribute__((always_inline))

namespace {

constexpr std::int64_t kBlockTokens = 16;
constexpr std::int64_t kChunkRows = 256;
constexpr std::int64_t kMaxHeadDim = 256;
// Head dimensions are a multiple of this: two halves of whole 32-number vectors.
constexpr std::int64_t kHeadDimStep = 64;
// Calls that move more than this go past the caches; smaller ones leave their output in them.
constexpr std::int64_t kStreamBytes = std::int64_t{8} << 20;

struct Problem {
  std::int64_t batch, heads, cache_rows, tokens, head_dim;
  const std::uint16_t *grad_key_cache, *grad_value_cache, *key_states, *cos, *sin;
  const std::int64_t* positions;
  std::uint16_t *grad_key_states, *grad_value_states, *grad_cos, *grad_sin, *grad_key_cache_input,
      *grad_value_cache_input;
  std::uint8_t* is_written;  // of each cache row
};

using Task = void (*)(Problem&, std::int64_t, int);
struct TaskTable {
  Task tasks[2][2];  // [eager][streaming]
  void (*finish)(Problem&);
};

KI_INLINE float number(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
  float out;
  std::memcpy(&out, &wide, sizeof out);
  return out;
}
// Round to nearest even; subnormals are kept, a NaN stays one with its sign.
KI_INLINE std::uint32_t bits_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  if (x != x) return (bits >> 16) | 0x40u;
  return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}

// Plain C++: what other instruction sets are compared with, and what runs everywhere.
namespace portable {

struct Lanes {
  static constexpr std::int64_t kLanes = 1;
  float x;
  static KI_INLINE Lanes load(const std::uint16_t* p) { return {number(*p)}; }
  static KI_INLINE Lanes load_f32(const float* p) { return {*p}; }
};
KI_INLINE Lanes operator+(Lanes a, Lanes b) { return {a.x + b.x}; }
KI_INLINE Lanes operator-(Lanes a, Lanes b) { return {a.x - b.x}; }
KI_INLINE Lanes operator*(Lanes a, Lanes b) { return {a.x * b.x}; }
KI_INLINE Lanes negated(Lanes a) { return {-a.x}; }
KI_INLINE Lanes rounded(Lanes a) { return {number(static_cast<std::uint16_t>(bits_of(a.x)))}; }
template <bool>
KI_INLINE void store(std::uint16_t* p, Lanes a) {
  *p = static_cast<std::uint16_t>(bits_of(a.x));
}
KI_INLINE void store_f32(float* p, Lanes a) { *p = a.x; }
template <bool>
KI_INLINE void copy_bytes(void* to, const void* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}
template <bool>
KI_INLINE void zero_bytes(void* to, std::int64_t bytes) {
  std::memset(to, 0, static_cast<std::size_t>(bytes));
}
void finish_stores(Problem&) {}

}  // namespace portable

#define KI_TARGET portable
#include "kv_cache_rope_bwd_body.h"
#undef KI_TARGET

#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
namespace avx2 {

// 16 numbers in two registers.
struct Lanes {
  static constexpr std::int64_t kLanes = 16;
  __m256 lo, hi;
  static KI_INLINE Lanes load(const std::uint16_t* p) {
    const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 8));
    return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(a), 16)),
            _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(b), 16))};
  }
  static KI_INLINE Lanes load_f32(const float* p) {
    return {_mm256_load_ps(p), _mm256_load_ps(p + 8)};
  }
};
KI_INLINE Lanes operator+(Lanes a, Lanes b) {
  return {_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)};
}
KI_INLINE Lanes operator-(Lanes a, Lanes b) {
  return {_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)};
}
KI_INLINE Lanes operator*(Lanes a, Lanes b) {
  return {_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi)};
}
KI_INLINE Lanes negated(Lanes a) {
  const __m256 sign = _mm256_set1_ps(-0.0F);
  return {_mm256_xor_ps(a.lo, sign), _mm256_xor_ps(a.hi, sign)};
}
// The upper half of each lane holds the rounded number, the lower half is 0.
KI_INLINE __m256i rounded_bits(__m256 x) {
  const __m256i bits = _mm256_castps_si256(x);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i near = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
  const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
  const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
  return _mm256_and_si256(_mm256_blendv_epi8(near, quiet, is_nan),
                          _mm256_set1_epi32(static_cast<int>(0xffff0000u)));
}
KI_INLINE Lanes rounded(Lanes a) {
  return {_mm256_castsi256_ps(rounded_bits(a.lo)), _mm256_castsi256_ps(rounded_bits(a.hi))};
}
template <bool kStream>
KI_INLINE void store(std::uint16_t* p, Lanes a) {
  const __m256i lo = _mm256_srli_epi32(rounded_bits(a.lo), 16);
  const __m256i hi = _mm256_srli_epi32(rounded_bits(a.hi), 16);
  const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(lo, hi), 0xd8);
  if (kStream) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(p), packed);
  } else {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), packed);
  }
}
KI_INLINE void store_f32(float* p, Lanes a) {
  _mm256_store_ps(p, a.lo);
  _mm256_store_ps(p + 8, a.hi);
}
// `bytes` is a multiple of 128.
template <bool kStream>
KI_INLINE void copy_bytes(void* to, const void* from, std::int64_t bytes) {
  if (!kStream) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return;
  }
  auto* t = static_cast<__m256i*>(to);
  const auto* f = static_cast<const __m256i*>(from);
  for (std::int64_t i = 0; i < bytes / 32; i += 4) {
    const __m256i a = _mm256_loadu_si256(f + i), b = _mm256_loadu_si256(f + i + 1);
    const __m256i c = _mm256_loadu_si256(f + i + 2), d = _mm256_loadu_si256(f + i + 3);
    _mm256_stream_si256(t + i, a);
    _mm256_stream_si256(t + i + 1, b);
    _mm256_stream_si256(t + i + 2, c);
    _mm256_stream_si256(t + i + 3, d);
  }
}
template <bool kStream>
KI_INLINE void zero_bytes(void* to, std::int64_t bytes) {
  if (!kStream) {
    std::memset(to, 0, static_cast<std::size_t>(bytes));
    return;
  }
  for (std::int64_t i = 0; i < bytes / 32; ++i)
    _mm256_stream_si256(static_cast<__m256i*>(to) + i, _mm256_setzero_si256());
}
void finish_stores(Problem&) { _mm_sfence(); }

}  // namespace avx2
#define KI_TARGET avx2
#include "kv_cache_rope_bwd_body.h"
#undef KI_TARGET
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl"))), \
                             apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl")
#endif
namespace avx512 {

// 32 numbers in two registers: one cache line of bf16.
struct Lanes {
  static constexpr std::int64_t kLanes = 32;
  __m512 lo, hi;
  static KI_INLINE Lanes load(const std::uint16_t* p) {
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 16));
    return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(a), 16)),
            _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(b), 16))};
  }
  static KI_INLINE Lanes load_f32(const float* p) {
    return {_mm512_load_ps(p), _mm512_load_ps(p + 16)};
  }
};
KI_INLINE Lanes operator+(Lanes a, Lanes b) {
  return {_mm512_add_ps(a.lo, b.lo), _mm512_add_ps(a.hi, b.hi)};
}
KI_INLINE Lanes operator-(Lanes a, Lanes b) {
  return {_mm512_sub_ps(a.lo, b.lo), _mm512_sub_ps(a.hi, b.hi)};
}
KI_INLINE Lanes operator*(Lanes a, Lanes b) {
  return {_mm512_mul_ps(a.lo, b.lo), _mm512_mul_ps(a.hi, b.hi)};
}
KI_INLINE Lanes negated(Lanes a) {
  const __m512i sign = _mm512_set1_epi32(static_cast<int>(0x80000000u));
  return {_mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(a.lo), sign)),
          _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(a.hi), sign))};
}
KI_INLINE __m512i rounded_bits(__m512 x) {
  const __m512i bits = _mm512_castps_si512(x);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i near = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
  return _mm512_mask_or_epi32(near, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), bits,
                              _mm512_set1_epi32(0x400000));
}
KI_INLINE Lanes rounded(Lanes a) {
  const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000u));
  return {_mm512_castsi512_ps(_mm512_and_si512(rounded_bits(a.lo), upper)),
          _mm512_castsi512_ps(_mm512_and_si512(rounded_bits(a.hi), upper))};
}
template <bool kStream>
KI_INLINE void store(std::uint16_t* p, Lanes a) {
  const __m256i lo = _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded_bits(a.lo), 16));
  const __m256i hi = _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded_bits(a.hi), 16));
  const __m512i packed = _mm512_inserti64x4(_mm512_castsi256_si512(lo), hi, 1);
  if (kStream) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(p), packed);
  } else {
    _mm512_storeu_si512(p, packed);
  }
}
KI_INLINE void store_f32(float* p, Lanes a) {
  _mm512_store_ps(p, a.lo);
  _mm512_store_ps(p + 16, a.hi);
}
template <bool kStream>
KI_INLINE void put(char* to, __m512i line) {
  if (kStream) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), line);
  } else {
    _mm512_storeu_si512(to, line);
  }
}
// `bytes` is a multiple of 128.
template <bool kStream>
KI_INLINE void copy_bytes(void* to, const void* from, std::int64_t bytes) {
  auto* t = static_cast<char*>(to);
  const auto* f = static_cast<const char*>(from);
  for (std::int64_t i = 0; i < bytes; i += 128) {
    const __m512i a = _mm512_loadu_si512(f + i), b = _mm512_loadu_si512(f + i + 64);
    put<kStream>(t + i, a);
    put<kStream>(t + i + 64, b);
  }
}
template <bool kStream>
KI_INLINE void zero_bytes(void* to, std::int64_t bytes) {
  auto* t = static_cast<char*>(to);
  for (std::int64_t i = 0; i < bytes; i += 64) put<kStream>(t + i, _mm512_setzero_si512());
}
void finish_stores(Problem&) { _mm_sfence(); }

}  // namespace avx512
#define KI_TARGET avx512
#include "kv_cache_rope_bwd_body.h"
#undef KI_TARGET
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // __x86_64__

const TaskTable& table_of(int target) {
#if defined(__x86_64__)
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512vl");
  const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx512 && (target == 0 || target == 3)) return avx512::kTasks;
  if (has_avx2 && (target == 0 || target == 2)) return avx2::kTasks;
#endif
  (void)target;
  return portable::kTasks;
}

bool is_tensor(const ki_tensor& t, std::int32_t dtype, std::int32_t ndim,
               const std::int64_t* shape) {
  if (t.dtype != dtype || t.ndim != ndim) return false;
  std::int64_t numel = 1;
  for (std::int32_t i = 0; i < ndim; ++i) {
    if (t.shape[i] != shape[i]) return false;
    numel *= shape[i];
  }
  return t.numel == numel && (numel == 0 || t.data != nullptr);
}

bool is_aligned(const void* p) { return (reinterpret_cast<std::uintptr_t>(p) & 63) == 0; }

std::int32_t run(const ki_tensor* in, std::int32_t n_in, ki_tensor* out, std::int32_t n_out,
                 const ki_exec* exec, unsigned flags, int target) {
  if (n_in != 6 || n_out != 6 || in[0].ndim != 4 || in[2].ndim != 4) return KI_INVALID_ARGUMENT;
  const std::int64_t b = in[0].shape[0], h = in[0].shape[1], m = in[0].shape[2], d = in[0].shape[3];
  const std::int64_t n = in[2].shape[2];
  const std::int64_t cache[4] = {b, h, m, d}, states[4] = {b, h, n, d}, angles[3] = {b, n, d};
  bool fits = is_tensor(in[5], KI_I64, 1, &n);
  for (const int i : {0, 1}) fits = fits && is_tensor(in[i], KI_BF16, 4, cache);
  fits = fits && is_tensor(in[2], KI_BF16, 4, states);
  for (const int i : {3, 4}) fits = fits && is_tensor(in[i], KI_BF16, 3, angles);
  for (const int i : {0, 1}) fits = fits && is_tensor(out[i], KI_BF16, 4, states);
  for (const int i : {2, 3}) fits = fits && is_tensor(out[i], KI_BF16, 3, angles);
  for (const int i : {4, 5}) fits = fits && is_tensor(out[i], KI_BF16, 4, cache);
  if (!fits) return KI_INVALID_ARGUMENT;
  if (d % kHeadDimStep != 0 || d > kMaxHeadDim || d == 0 || h == 0) return KI_UNSUPPORTED_SHAPE;
  const auto* positions = static_cast<const std::int64_t*>(in[5].data);
  for (std::int64_t s = 0; s < n; ++s) {
    if (positions[s] < 0 || positions[s] >= m) return KI_INVALID_ARGUMENT;
  }
  auto* is_written = static_cast<std::uint8_t*>(std::calloc(static_cast<std::size_t>(m) + 1, 1));
  if (is_written == nullptr) return KI_UNSUPPORTED_SHAPE;
  for (std::int64_t s = 0; s < n; ++s) is_written[positions[s]] = 1;
  const auto source = [&](int i) { return static_cast<const std::uint16_t*>(in[i].data); };
  const auto target_of = [&](int i) { return static_cast<std::uint16_t*>(out[i].data); };
  Problem p = {b,
               h,
               m,
               n,
               d,
               source(0),
               source(1),
               source(2),
               source(3),
               source(4),
               positions,
               target_of(0),
               target_of(1),
               target_of(2),
               target_of(3),
               target_of(4),
               target_of(5),
               is_written};
  const std::int64_t moved = 2 * (4 * b * h * m * d + 3 * b * h * n * d + 4 * b * n * d);
  bool can_stream = (moved > kStreamBytes && (flags & 4u) == 0) || (flags & 2u) != 0;
  for (int i = 0; i < 6; ++i) can_stream = can_stream && is_aligned(out[i].data);
  const TaskTable& table = table_of(target);
  const std::int64_t blocks = (n + kBlockTokens - 1) / kBlockTokens;
  const std::int64_t chunks = (m + kChunkRows - 1) / kChunkRows;
  ki_kernels::run_tasks(b * blocks + 2 * b * h * chunks, exec != nullptr ? exec->threads : 1,
                        table.tasks[flags & 1u][can_stream ? 1 : 0], table.finish, p);
  std::free(is_written);
  return KI_DONE;
}

}  // namespace

extern "C" {

// Sums and products round once, to bf16 at the end.
std::int32_t ki_kv_cache_rope_bwd(const ki_tensor* in, std::int32_t n_in, ki_tensor* out,
                                  std::int32_t n_out, const ki_exec* exec) {
  return run(in, n_in, out, n_out, exec, 0, 0);
}
// Every product rounds to bf16 first, as an implementation of one operation at a time does.
std::int32_t ki_kv_cache_rope_bwd_eager(const ki_tensor* in, std::int32_t n_in, ki_tensor* out,
                                        std::int32_t n_out, const ki_exec* exec) {
  return run(in, n_in, out, n_out, exec, 1, 0);
}
// For tests and benchmarks. target: 1 portable, 2 AVX2, 3 AVX-512, 0 the best of this machine; one
// that the machine lacks runs the portable loops. flags: 1 eager, 2 streaming stores at
// any size, 4 never.
std::int32_t ki_kv_cache_rope_bwd_on(int target, unsigned flags, const ki_tensor* in,
                                     std::int32_t n_in, ki_tensor* out, std::int32_t n_out,
                                     const ki_exec* exec) {
  return run(in, n_in, out, n_out, exec, flags, target);
}
}
