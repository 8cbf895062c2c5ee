// Backward pass of the query, key and value projections with rotary embedding, on a CPU, in fp32.
//
// inputs   grad_query (B,Hq,S,96), grad_key, grad_value (B,Hk,S,96), hidden_states (B,S,E),
//          q_weight (96 Hq,E), k_weight, v_weight (96 Hk,E), cos, sin (B,S,96), all f32
// outputs  grad_hidden_states (B,S,E), grad_q_weight, grad_k_weight, grad_v_weight, like the inputs
//
// With G (tokens x features) the gradients of all heads side by side, rotated back:
//   grad_hidden_states = G W,   [grad weights] = G^T X.
// G is never stored: both products rotate while they pack their left operand. A block of rows of a
// result stays near while the whole depth passes. Results do not depend on the number of threads.
#include "ki/kernel_abi.h"
#include "parallel.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define KI_INLINE inline __attribute__((always_inline))

namespace {

constexpr std::int64_t kHeadDim = 96;
constexpr std::int64_t kRows = 12, kColumns = 32;  // of the tile that lives in registers
constexpr std::int64_t kBlockHeads = 4;            // of a block of weight gradients
constexpr std::int64_t kBlockRows = kBlockHeads * kHeadDim;
// Depth of a packed step, whole heads.
constexpr std::int64_t kStep = 4 * kHeadDim;
// So few tokens are a few smaller blocks, each of which packs the weights for itself, step by step;
// of more, the weights are packed once before.
constexpr std::int64_t kFewTokens = 1536, kFewBlockRows = 300;
constexpr std::int64_t kMaxBlocks = 512;

struct Block {
  std::int64_t head, heads;
};

struct Problem {
  std::int64_t batch, sequence, tokens, hidden, query_heads, kv_heads;
  const float *grad_query, *grad_key, *grad_value, *hidden_states, *q_weight, *k_weight, *v_weight,
      *cos, *sin;
  float *grad_hidden, *grad_q_weight, *grad_k_weight, *grad_v_weight;
  std::int64_t block_tokens = 0, token_blocks = 0, block_count = 0;
  std::int64_t block_rows = 0;    // of the largest block
  Block blocks[kMaxBlocks] = {};  // of weight gradients; none crosses from one tensor to another
  float *packed_weights = nullptr, *packed_hidden = nullptr, *scratch = nullptr;

  std::int64_t heads() const { return query_heads + 2 * kv_heads; }
  std::int64_t features() const { return heads() * kHeadDim; }
  bool is_rotated(std::int64_t head) const { return head < query_heads + kv_heads; }
  std::int64_t weight_packs() const {
    return packed_weights == nullptr ? 0 : (features() + kStep - 1) / kStep;
  }
  bool has_few_tokens() const { return tokens <= kFewTokens; }
  // A step of A and, where weights are packed step by step, one of B.
  std::int64_t scratch_floats() const {
    return block_rows * kStep + (has_few_tokens() ? hidden * kStep : 0);
  }
  // The 96 numbers of a head, counted over queries, keys and values, and a token.
  const float* gradient(std::int64_t head, std::int64_t token) const {
    const std::int64_t b = token / sequence, s = token % sequence;
    if (head < query_heads)
      return grad_query + ((b * query_heads + head) * sequence + s) * kHeadDim;
    const bool is_key = head < query_heads + kv_heads;
    head -= is_key ? query_heads : query_heads + kv_heads;
    return (is_key ? grad_key : grad_value) + ((b * kv_heads + head) * sequence + s) * kHeadDim;
  }
  const float* weight_row(std::int64_t feature) const {
    const std::int64_t queries = query_heads * kHeadDim, keys = kv_heads * kHeadDim;
    if (feature < queries) return q_weight + feature * hidden;
    feature -= queries;
    return feature < keys ? k_weight + feature * hidden : v_weight + (feature - keys) * hidden;
  }
  float* grad_weight_row(std::int64_t feature) const {
    const std::int64_t queries = query_heads * kHeadDim, keys = kv_heads * kHeadDim;
    if (feature < queries) return grad_q_weight + feature * hidden;
    feature -= queries;
    return feature < keys ? grad_k_weight + feature * hidden
                          : grad_v_weight + (feature - keys) * hidden;
  }
};

using Task = void (*)(Problem&, std::int64_t, int);
struct TaskTable {
  Task pack, product;
};

// Plain C++: what runs everywhere.
namespace portable {

void micro(std::int64_t kc, const float* a, const float* b, float* c, std::int64_t ldc, bool adds) {
  float sums[kRows][kColumns] = {};
  for (std::int64_t k = 0; k < kc; ++k) {
    for (std::int64_t i = 0; i < kRows; ++i) {
      for (std::int64_t j = 0; j < kColumns; ++j)
        sums[i][j] += a[k * kRows + i] * b[k * kColumns + j];
    }
  }
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kColumns; ++j)
      c[i * ldc + j] = adds ? c[i * ldc + j] + sums[i][j] : sums[i][j];
  }
}
KI_INLINE void transpose(const float (*rows)[kHeadDim], float* out) {
  for (std::int64_t k = 0; k < kHeadDim; ++k) {
    for (std::int64_t i = 0; i < kRows; ++i) out[k * kRows + i] = rows[i][k];
  }
}

}  // namespace portable
#define KI_TARGET portable
#include "qkv_rope_bwd_body.h"
#undef KI_TARGET

#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
namespace avx2 {

// The tile in four parts of 6 x 16: 12 sums in registers.
void micro(std::int64_t kc, const float* a, const float* b, float* c, std::int64_t ldc, bool adds) {
  for (std::int64_t part = 0; part < 4; ++part) {
    const float* pa = a + part / 2 * 6;
    const float* pb = b + part % 2 * 16;
    float* pc = c + part / 2 * 6 * ldc + part % 2 * 16;
#define KI_ROWS(X) X(0) X(1) X(2) X(3) X(4) X(5)
#define KI_ZERO(i) __m256 c##i##l = _mm256_setzero_ps(), c##i##h = _mm256_setzero_ps();
#define KI_STEP(i)                                  \
  {                                                 \
    const __m256 x = _mm256_broadcast_ss(pa + (i)); \
    c##i##l = _mm256_fmadd_ps(x, low, c##i##l);     \
    c##i##h = _mm256_fmadd_ps(x, high, c##i##h);    \
  }
#define KI_ADD(i)                                                    \
  c##i##l = _mm256_add_ps(_mm256_loadu_ps(pc + (i) * ldc), c##i##l); \
  c##i##h = _mm256_add_ps(_mm256_loadu_ps(pc + (i) * ldc + 8), c##i##h);
#define KI_STORE(i)                          \
  _mm256_storeu_ps(pc + (i) * ldc, c##i##l); \
  _mm256_storeu_ps(pc + (i) * ldc + 8, c##i##h);
    KI_ROWS(KI_ZERO)
    for (std::int64_t k = 0; k < kc; ++k) {
      const __m256 low = _mm256_loadu_ps(pb), high = _mm256_loadu_ps(pb + 8);
      KI_ROWS(KI_STEP)
      pa += kRows;
      pb += kColumns;
    }
    if (adds) {
      KI_ROWS(KI_ADD)
    }
    KI_ROWS(KI_STORE)
#undef KI_ROWS
#undef KI_ZERO
#undef KI_STEP
#undef KI_ADD
#undef KI_STORE
  }
}
KI_INLINE void transpose(const float (*rows)[kHeadDim], float* out) {
  for (std::int64_t k = 0; k < kHeadDim; ++k) {
    for (std::int64_t i = 0; i < kRows; ++i) out[k * kRows + i] = rows[i][k];
  }
}

}  // namespace avx2
#define KI_TARGET avx2
#include "qkv_rope_bwd_body.h"
#undef KI_TARGET
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,fma"))), \
                             apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,fma")
#endif
namespace avx512 {

// A kRows x kColumns tile: 24 sums in registers, named so that no compiler spills them.
void micro(std::int64_t kc, const float* a, const float* b, float* c, std::int64_t ldc, bool adds) {
#define KI_ROWS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define KI_ZERO(i) __m512 c##i##l = _mm512_setzero_ps(), c##i##h = _mm512_setzero_ps();
#define KI_STEP(i)                               \
  {                                              \
    const __m512 x = _mm512_set1_ps(a[i]);       \
    c##i##l = _mm512_fmadd_ps(x, low, c##i##l);  \
    c##i##h = _mm512_fmadd_ps(x, high, c##i##h); \
  }
#define KI_ADD(i)                                                   \
  c##i##l = _mm512_add_ps(_mm512_loadu_ps(c + (i) * ldc), c##i##l); \
  c##i##h = _mm512_add_ps(_mm512_loadu_ps(c + (i) * ldc + 16), c##i##h);
#define KI_STORE(i)                         \
  _mm512_storeu_ps(c + (i) * ldc, c##i##l); \
  _mm512_storeu_ps(c + (i) * ldc + 16, c##i##h);
  KI_ROWS(KI_ZERO)
  for (std::int64_t k = 0; k < kc; ++k) {
    const __m512 low = _mm512_loadu_ps(b), high = _mm512_loadu_ps(b + 16);
    KI_ROWS(KI_STEP)
    a += kRows;
    b += kColumns;
  }
  if (adds) {
    KI_ROWS(KI_ADD)
  }
  KI_ROWS(KI_STORE)
#undef KI_ROWS
#undef KI_ZERO
#undef KI_STEP
#undef KI_ADD
#undef KI_STORE
}

// 16 x 16 numbers in registers; the four rows beyond the panel are zero. Stores go upwards and
// overlap: each leaves four numbers that the next one overwrites, the last is masked.
KI_INLINE void transpose(const float (*rows)[kHeadDim], float* out) {
  for (std::int64_t k = 0; k < kHeadDim; k += 16) {
    __m512 r[16], t[16];
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i) r[i] = _mm512_load_ps(&rows[i][k]);
    for (int i = 12; i < 16; ++i) r[i] = _mm512_setzero_ps();
#pragma GCC unroll 8
    for (int i = 0; i < 16; i += 2) {
      t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
      t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4) {
      r[i] =
          _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(t[i]), _mm512_castps_pd(t[i + 2])));
      r[i + 1] =
          _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(t[i]), _mm512_castps_pd(t[i + 2])));
      r[i + 2] = _mm512_castpd_ps(
          _mm512_unpacklo_pd(_mm512_castps_pd(t[i + 1]), _mm512_castps_pd(t[i + 3])));
      r[i + 3] = _mm512_castpd_ps(
          _mm512_unpackhi_pd(_mm512_castps_pd(t[i + 1]), _mm512_castps_pd(t[i + 3])));
    }
    // r[4 g + j] holds, in each quarter q, column 4 q + j of rows 4 g .. 4 g + 3.
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const __m512 a = _mm512_shuffle_f32x4(r[j], r[4 + j], 0x88),
                   b = _mm512_shuffle_f32x4(r[8 + j], r[12 + j], 0x88);
      const __m512 c = _mm512_shuffle_f32x4(r[j], r[4 + j], 0xdd),
                   d = _mm512_shuffle_f32x4(r[8 + j], r[12 + j], 0xdd);
      t[j] = _mm512_shuffle_f32x4(a, b, 0x88);
      t[8 + j] = _mm512_shuffle_f32x4(a, b, 0xdd);
      t[4 + j] = _mm512_shuffle_f32x4(c, d, 0x88);
      t[12 + j] = _mm512_shuffle_f32x4(c, d, 0xdd);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) _mm512_mask_storeu_ps(out + (k + i) * kRows, 0x0fff, t[i]);
  }
}

}  // namespace avx512
#define KI_TARGET avx512
#include "qkv_rope_bwd_body.h"
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
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx512 && (target == 0 || target == 3)) return avx512::kTasks;
  if (has_avx2 && (target == 0 || target == 2)) return avx2::kTasks;
#endif
  (void)target;
  return portable::kTasks;
}

bool is_tensor(const ki_tensor& t, std::int32_t ndim, const std::int64_t* shape) {
  if (t.dtype != KI_F32 || t.ndim != ndim) return false;
  std::int64_t numel = 1;
  for (std::int32_t i = 0; i < ndim; ++i) {
    if (t.shape[i] != shape[i]) return false;
    numel *= shape[i];
  }
  return t.numel == numel && (numel == 0 || t.data != nullptr);
}

std::int64_t blocks_of(std::int64_t count, std::int64_t size) { return (count + size - 1) / size; }

// Weight blocks and the size of a block of tokens: even parts, whole tiles.
bool plan(Problem& p) {
  const std::int64_t ends[3] = {p.query_heads, p.query_heads + p.kv_heads, p.heads()};
  std::int64_t head = 0;
  for (const std::int64_t end : ends) {
    while (head < end) {
      if (p.block_count == kMaxBlocks) return false;
      const std::int64_t heads = end - head < kBlockHeads ? end - head : kBlockHeads;
      p.blocks[p.block_count++] = {head, heads};
      head += heads;
    }
  }
  const std::int64_t most = p.has_few_tokens() ? kFewBlockRows : kBlockRows;
  const std::int64_t parts = blocks_of(p.tokens, most);
  p.block_tokens = parts == 0 ? kRows : blocks_of(blocks_of(p.tokens, parts), kRows) * kRows;
  p.token_blocks = blocks_of(p.tokens, p.block_tokens);
  p.block_rows = p.block_tokens > kBlockRows ? p.block_tokens : kBlockRows;
  return true;
}

std::int32_t run(const ki_tensor* in, std::int32_t n_in, ki_tensor* out, std::int32_t n_out,
                 const ki_exec* exec, int target) {
  if (n_in != 9 || n_out != 4 || in[0].ndim != 4 || in[1].ndim != 4 || in[3].ndim != 3)
    return KI_INVALID_ARGUMENT;
  const std::int64_t b = in[0].shape[0], hq = in[0].shape[1], s = in[0].shape[2],
                     d = in[0].shape[3];
  const std::int64_t hk = in[1].shape[1], e = in[3].shape[2];
  const std::int64_t query[4] = {b, hq, s, d}, key[4] = {b, hk, s, d}, hidden[3] = {b, s, e};
  const std::int64_t angles[3] = {b, s, d}, wide[2] = {hq * d, e}, narrow[2] = {hk * d, e};
  const bool fits =
      is_tensor(in[0], 4, query) && is_tensor(in[1], 4, key) && is_tensor(in[2], 4, key) &&
      is_tensor(in[3], 3, hidden) && is_tensor(in[4], 2, wide) && is_tensor(in[5], 2, narrow) &&
      is_tensor(in[6], 2, narrow) && is_tensor(in[7], 3, angles) && is_tensor(in[8], 3, angles) &&
      is_tensor(out[0], 3, hidden) && is_tensor(out[1], 2, wide) && is_tensor(out[2], 2, narrow) &&
      is_tensor(out[3], 2, narrow);
  if (!fits) return KI_INVALID_ARGUMENT;
  if (d != kHeadDim || e == 0 || e % kColumns != 0) return KI_UNSUPPORTED_SHAPE;
  const auto source = [&](int i) { return static_cast<const float*>(in[i].data); };
  const auto result = [&](int i) { return static_cast<float*>(out[i].data); };
  Problem p = {b,         s,         b * s,     e,         hq,        hk,        source(0),
               source(1), source(2), source(3), source(4), source(5), source(6), source(7),
               source(8), result(0), result(1), result(2), result(3)};
  if (!plan(p)) return KI_UNSUPPORTED_SHAPE;
  if (p.tokens == 0) {
    for (int i = 1; i < 4; ++i)
      std::memset(out[i].data, 0, static_cast<std::size_t>(out[i].numel) * sizeof(float));
    return KI_DONE;
  }
  const std::int64_t tasks = p.token_blocks + p.block_count;
  const int threads = ki_kernels::thread_count(exec != nullptr ? exec->threads : 1, tasks);
  const std::int64_t weight_floats = p.has_few_tokens() ? 0 : p.features() * e;
  const std::int64_t scratch = threads * p.scratch_floats();
  const auto bytes =
      static_cast<std::size_t>(weight_floats + p.tokens * e + scratch) * sizeof(float);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return KI_UNSUPPORTED_SHAPE;
  madvise(memory, bytes, MADV_HUGEPAGE);
  p.scratch = static_cast<float*>(memory);
  p.packed_hidden = p.scratch + scratch;
  p.packed_weights = weight_floats == 0 ? nullptr : p.packed_hidden + p.tokens * e;
  const TaskTable& table = table_of(target);
  const auto nothing = [](Problem&) {};
  ki_kernels::run_tasks(p.weight_packs() + blocks_of(p.tokens, kStep), threads, table.pack,
                        +nothing, p);
  ki_kernels::run_tasks(tasks, threads, table.product, +nothing, p);
  munmap(memory, bytes);
  return KI_DONE;
}

}  // namespace

extern "C" {

std::int32_t ki_qkv_rope_bwd(const ki_tensor* in, std::int32_t n_in, ki_tensor* out,
                             std::int32_t n_out, const ki_exec* exec) {
  return run(in, n_in, out, n_out, exec, 0);
}
// For tests and benchmarks: 1 portable, 2 AVX2, 3 AVX-512, 0 the best of this machine. A target
// that the machine lacks runs the portable loops.
std::int32_t ki_qkv_rope_bwd_on(int target, const ki_tensor* in, std::int32_t n_in, ki_tensor* out,
                                std::int32_t n_out, const ki_exec* exec) {
  return run(in, n_in, out, n_out, exec, target);
}
}
