// Backward pass of the query, key and value projections with rotary embedding on a GPU, in two
// launches: `rotate` undoes the rotation and writes G, tokens x features, to a scratch tensor; then
// `products` computes G W and G^T X in one persistent launch. The same text runs on a host, in
// emulator/.
//
// A block owns tiles of 64 x 64 results, one after the other; the tiles of both products are one
// list. A step of 16 of the inner extent lies in shared memory in binary32 and is rounded to the
// precision of the mode when it is taken from there. Each of 4 warps has 32 x 32 results as 2 x 4
// fragments. The sum of a result is added by one thread in one order: runs give the same bits.
#pragma once

#include "device.h"

namespace ki_qkv {

constexpr int kThreads = 128, kHeadDim = 96, kHalf = kHeadDim / 2, kTile = 64, kStep = 16;
// Rows of shared memory are padded, so that lanes of a fragment lie in different banks.
constexpr int kAcross = kTile + 8, kAlong = kStep + 4;
constexpr int kFloatsOfA = kTile * kAlong, kFloatsOfB = kStep * kAcross;
constexpr int kSharedFloats = kFloatsOfA + kFloatsOfB;
static_assert(kFloatsOfA >= kStep * kAcross);

enum class Mode {
  kFast11,   // binary16, one pass: numbers beyond 65504 are infinite, below 2^-24 zero
  kTf32,     // 11 bits, the range of binary32
  kFp32ish,  // binary16, three passes: high parts, and twice high by low part; range as kFast11
  kFp32      // binary32, fused multiply-add
};

struct Args {
  std::int64_t batch, sequence, query_heads, key_heads, hidden;
  const float *grad_query, *grad_key, *grad_value, *x, *query_weight, *key_weight, *value_weight,
      *cos, *sin;
  float *grad_x, *grad_query_weight, *grad_key_weight, *grad_value_weight, *scratch;
};

using ki_device::Line;

KI_DEVICE Line line_of(const float* p) { return ki_device::load_once(p); }

KI_KERNEL(kThreads, 4)
rotate(Args a) {
  const std::int64_t heads = a.query_heads + 2 * a.key_heads, tokens = a.batch * a.sequence;
  const std::int64_t items = tokens * heads * (kHalf / 4);
  const std::int64_t all = static_cast<std::int64_t>(ki_device::blocks()) * kThreads;
  for (std::int64_t i =
           static_cast<std::int64_t>(ki_device::block()) * kThreads + ki_device::thread();
       i < items; i += all) {
    const int d = static_cast<int>(i % (kHalf / 4)) * 4;
    const std::int64_t head = i / (kHalf / 4) % heads, token = i / (kHalf / 4) / heads;
    const std::int64_t b = token / a.sequence, s = token % a.sequence;
    const bool is_query = head < a.query_heads, is_value = head >= a.query_heads + a.key_heads;
    const std::int64_t count = is_query ? a.query_heads : a.key_heads;
    const std::int64_t own = is_query   ? head
                             : is_value ? head - a.query_heads - a.key_heads
                                        : head - a.query_heads;
    const float* from = (is_query   ? a.grad_query
                         : is_value ? a.grad_value
                                    : a.grad_key) +
                        ((b * count + own) * a.sequence + s) * kHeadDim + d;
    Line low = line_of(from), high = line_of(from + kHalf);
    if (!is_value) {
      const Line cos_low = line_of(a.cos + token * kHeadDim + d);
      const Line cos_high = line_of(a.cos + token * kHeadDim + d + kHalf);
      const Line sin_low = line_of(a.sin + token * kHeadDim + d);
      const Line sin_high = line_of(a.sin + token * kHeadDim + d + kHalf);
      KI_UNROLL(4)
      for (int j = 0; j < 4; ++j) {
        const float y = ki_device::number(low.word[j]), z = ki_device::number(high.word[j]);
        const float turned_low = ki_device::product(z, ki_device::number(sin_high.word[j]));
        const float turned_high = ki_device::product(y, ki_device::number(sin_low.word[j]));
        low.word[j] = ki_device::bits(
            ki_device::sum(ki_device::product(y, ki_device::number(cos_low.word[j])), turned_low));
        high.word[j] = ki_device::bits(ki_device::sum(
            ki_device::product(z, ki_device::number(cos_high.word[j])), -turned_high));
      }
    }
    float* to = a.scratch + (token * heads + head) * kHeadDim + d;
    ki_device::store_kept(to, low);
    ki_device::store_kept(to + kHalf, high);
  }
}

// Where a row of features lies: in the tensor of its projection.
template <class T>
KI_DEVICE T* feature_row(const Args& a, std::int64_t row, T* query, T* key, T* value) {
  const std::int64_t q = a.query_heads * kHeadDim, k = a.key_heads * kHeadDim;
  if (row < q) return query + row * a.hidden;
  if (row < q + k) return key + (row - q) * a.hidden;
  return value + (row - q - k) * a.hidden;
}

struct Sums {
  float high[2][4][4];   // fragment by row, by column; numbers of a lane
  float cross[2][4][4];  // only of kFp32ish: high by low parts, times 2^11
};

// One step out of shared memory. Element (m, k) of A lies at m * kRow + k * kColumn.
template <Mode kMode, int kRow, int kColumn>
KI_DEVICE void multiply(const float* a, const float* b, int lane, Sums* sums) {
  const int g = lane / 4, q = lane % 4;
  if constexpr (kMode == Mode::kFp32) {
    for (int k = 0; k < kStep; ++k) {
      KI_UNROLL(2)
      for (int i = 0; i < 2; ++i) {
        KI_UNROLL(4)
        for (int j = 0; j < 4; ++j) {
          KI_UNROLL(4)
          for (int e = 0; e < 4; ++e) {
            const float x = a[(i * 16 + g + e / 2 * 8) * kRow + k * kColumn];
            const float y = b[k * kAcross + j * 8 + 2 * q + e % 2];
            sums->high[i][j][e] = ki_device::fused(x, y, sums->high[i][j][e]);
          }
        }
      }
    }
  } else if constexpr (kMode == Mode::kTf32) {
    KI_UNROLL(2)
    for (int k = 0; k < kStep; k += 8) {
      std::uint32_t fa[2][4], fb[4][2];
      KI_UNROLL(2)
      for (int i = 0; i < 2; ++i) {
        KI_UNROLL(4)
        for (int e = 0; e < 4; ++e)
          fa[i][e] =
              ki_device::tf32(a[(i * 16 + g + e % 2 * 8) * kRow + (k + q + e / 2 * 4) * kColumn]);
      }
      KI_UNROLL(4)
      for (int j = 0; j < 4; ++j) {
        KI_UNROLL(2)
        for (int e = 0; e < 2; ++e)
          fb[j][e] = ki_device::tf32(b[(k + q + e * 4) * kAcross + j * 8 + g]);
      }
      KI_UNROLL(2)
      for (int i = 0; i < 2; ++i) {
        KI_UNROLL(4)
        for (int j = 0; j < 4; ++j) ki_device::mma_tf32(sums->high[i][j], fa[i], fb[j]);
      }
    }
  } else {
    std::uint32_t fa[2][2][4], fb[2][4][2];  // high parts, low parts times 2^11
    KI_UNROLL(2)
    for (int i = 0; i < 2; ++i) {
      KI_UNROLL(4)
      for (int e = 0; e < 4; ++e) {
        const float* at = a + (i * 16 + g + e % 2 * 8) * kRow + (2 * q + e / 2 * 8) * kColumn;
        fa[0][i][e] = ki_device::halves(at[0], at[kColumn]);
        if constexpr (kMode == Mode::kFp32ish)
          fa[1][i][e] = ki_device::rest_halves(at[0], at[kColumn], fa[0][i][e]);
      }
    }
    KI_UNROLL(4)
    for (int j = 0; j < 4; ++j) {
      KI_UNROLL(2)
      for (int e = 0; e < 2; ++e) {
        const float* at = b + (2 * q + e * 8) * kAcross + j * 8 + g;
        fb[0][j][e] = ki_device::halves(at[0], at[kAcross]);
        if constexpr (kMode == Mode::kFp32ish)
          fb[1][j][e] = ki_device::rest_halves(at[0], at[kAcross], fb[0][j][e]);
      }
    }
    KI_UNROLL(2)
    for (int i = 0; i < 2; ++i) {
      KI_UNROLL(4)
      for (int j = 0; j < 4; ++j) {
        ki_device::mma_f16(sums->high[i][j], fa[0][i], fb[0][j]);
        if constexpr (kMode == Mode::kFp32ish) {
          ki_device::mma_f16(sums->cross[i][j], fa[0][i], fb[1][j]);
          ki_device::mma_f16(sums->cross[i][j], fa[1][i], fb[0][j]);
        }
      }
    }
  }
}

// One tile. kOfWeights: G^T X, inner extent tokens; otherwise G W, inner extent features.
template <Mode kMode, bool kOfWeights>
KI_DEVICE void tile(const Args& a, std::int64_t row0, std::int64_t column0, float* shared) {
  constexpr int kRow = kOfWeights ? 1 : kAlong, kColumn = kOfWeights ? kAcross : 1;
  float* const shared_a = shared;
  float* const shared_b = shared + kFloatsOfA;
  const std::int64_t tokens = a.batch * a.sequence;
  const std::int64_t features = (a.query_heads + 2 * a.key_heads) * kHeadDim;
  const std::int64_t inner = kOfWeights ? tokens : features;
  const std::int64_t rows = kOfWeights ? features : tokens;
  const int thread = ki_device::thread(), lane = thread % 32, warp = thread / 32;
  const Line zero = {{0, 0, 0, 0}};
  Sums sums = {};
  for (std::int64_t k0 = 0; k0 < inner; k0 += kStep) {
    KI_UNROLL(2)
    for (int i = thread; i < kTile * kStep / 4; i += kThreads) {
      // B: 16 rows of 64; A: the same, or 64 rows of 16.
      const int kb = i / (kTile / 4), n = i % (kTile / 4) * 4;
      const bool has_b = k0 + kb < inner && column0 + n < a.hidden;
      const float* from_b =
          !has_b ? a.x
          : kOfWeights
              ? a.x + (k0 + kb) * a.hidden + column0 + n
              : feature_row(a, k0 + kb, a.query_weight, a.key_weight, a.value_weight) + column0 + n;
      *reinterpret_cast<Line*>(shared_b + kb * kAcross + n) = has_b ? line_of(from_b) : zero;
      const int m = kOfWeights ? n : i / (kStep / 4), k = kOfWeights ? kb : i % (kStep / 4) * 4;
      const bool has_a = row0 + m < rows && k0 + k < inner;
      const std::int64_t at =
          kOfWeights ? (k0 + k) * features + row0 + m : (row0 + m) * features + k0 + k;
      *reinterpret_cast<Line*>(shared_a + m * kRow + k * kColumn) =
          has_a ? line_of(a.scratch + at) : zero;
    }
    ki_device::barrier();
    multiply<kMode, kRow, kColumn>(shared_a + warp / 2 * 32 * kRow, shared_b + warp % 2 * 32, lane,
                                   &sums);
    ki_device::barrier();
  }
  KI_UNROLL(2)
  for (int i = 0; i < 2; ++i) {
    KI_UNROLL(4)
    for (int j = 0; j < 4; ++j) {
      KI_UNROLL(2)
      for (int e = 0; e < 4; e += 2) {
        const std::int64_t row = row0 + warp / 2 * 32 + i * 16 + lane / 4 + e / 2 * 8;
        const std::int64_t column = column0 + warp % 2 * 32 + j * 8 + lane % 4 * 2;
        if (row >= rows || column >= a.hidden) continue;
        float x = sums.high[i][j][e], y = sums.high[i][j][e + 1];
        if constexpr (kMode == Mode::kFp32ish) {
          x = ki_device::fused(sums.cross[i][j][e], 0x1p-11F, x);
          y = ki_device::fused(sums.cross[i][j][e + 1], 0x1p-11F, y);
        }
        float* to = kOfWeights ? feature_row(a, row, a.grad_query_weight, a.grad_key_weight,
                                             a.grad_value_weight)
                               : a.grad_x + row * a.hidden;
        ki_device::store_pair(to + column, x, y);
      }
    }
  }
}

template <Mode kMode>
KI_KERNEL(kThreads, 3)
products(Args a) {
  KI_SHARED(float, shared);
  const std::int64_t columns = (a.hidden + kTile - 1) / kTile;
  const std::int64_t of_tokens = (a.batch * a.sequence + kTile - 1) / kTile * columns;
  const std::int64_t features = (a.query_heads + 2 * a.key_heads) * kHeadDim;
  const std::int64_t all = of_tokens + (features + kTile - 1) / kTile * columns;
  for (std::int64_t i = ki_device::block(); i < all; i += ki_device::blocks()) {
    if (i < of_tokens) {
      tile<kMode, false>(a, i / columns * kTile, i % columns * kTile, shared);
    } else {
      const std::int64_t j = i - of_tokens;
      tile<kMode, true>(a, j / columns * kTile, j % columns * kTile, shared);
    }
  }
}

}  // namespace ki_qkv
