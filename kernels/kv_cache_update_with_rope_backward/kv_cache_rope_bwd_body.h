// The loops of the kernel, compiled once for each instruction set: the including file defines
// KI_TARGET (the name of the namespace) and Lanes (a pair of vectors of numbers). No include guard:
// this file is meant to be included several times.
//
// Lanes holds kLanes consecutive bf16 numbers as fp32:
//   load(p), zero(), a + b, a - b, a * b, negated(a), rounded(a) to bf16 and back, and
//   store<kStream>(p, a), which rounds to nearest even; p is aligned for it when kStream.

namespace KI_TARGET {

// fp32 sums of the two gradients over heads, for one block of tokens.
struct Sums {
  alignas(64) float cos[kBlockTokens * kMaxHeadDim];
  alignas(64) float sin[kBlockTokens * kMaxHeadDim];
};

// One product of two bf16 numbers is exact in fp32 unless it leaves its range; the eager mode
// rounds each to bf16, as an implementation does that stores it.
template <bool kEager>
KI_INLINE Lanes product(Lanes a, Lanes b) {
  const Lanes p = a * b;
  return kEager ? rounded(p) : p;
}

template <bool kEager, bool kStream>
KI_INLINE void rotate_row(const std::uint16_t* g, const std::uint16_t* k, const std::uint16_t* cos,
                          const std::uint16_t* sin, std::int64_t half, std::uint16_t* out,
                          float* gcos, float* gsin, bool is_first) {
  for (std::int64_t d = 0; d < half; d += Lanes::kLanes) {
    const Lanes g1 = Lanes::load(g + d), g2 = Lanes::load(g + half + d);
    const Lanes k1 = Lanes::load(k + d), k2 = Lanes::load(k + half + d);
    const Lanes c1 = Lanes::load(cos + d), c2 = Lanes::load(cos + half + d);
    const Lanes s1 = Lanes::load(sin + d), s2 = Lanes::load(sin + half + d);
    store<kStream>(out + d, product<kEager>(g1, c1) + product<kEager>(g2, s2));
    store<kStream>(out + half + d, product<kEager>(g2, c2) - product<kEager>(g1, s1));
    Lanes a = product<kEager>(g1, k1), b = product<kEager>(g2, k2);
    Lanes c = negated(product<kEager>(g1, k2)), e = product<kEager>(g2, k1);
    if (!is_first) {
      a = Lanes::load_f32(gcos + d) + a;
      b = Lanes::load_f32(gcos + half + d) + b;
      c = Lanes::load_f32(gsin + d) + c;
      e = Lanes::load_f32(gsin + half + d) + e;
    }
    store_f32(gcos + d, a);
    store_f32(gcos + half + d, b);
    store_f32(gsin + d, c);
    store_f32(gsin + half + d, e);
  }
}

// Heads outside, tokens inside: the rows of a block are neighbours when the positions are.
template <bool kEager, bool kStream>
void rotate_block(const Problem& p, std::int64_t b, std::int64_t first, std::int64_t tokens) {
  Sums sums;
  const std::int64_t half = p.head_dim / 2;
  for (std::int64_t h = 0; h < p.heads; ++h) {
    const std::int64_t plane = b * p.heads + h;
    for (std::int64_t t = 0; t < tokens; ++t) {
      const std::int64_t s = first + t;
      const std::int64_t cached = (plane * p.cache_rows + p.positions[s]) * p.head_dim;
      const std::int64_t row = (plane * p.tokens + s) * p.head_dim;
      const std::int64_t angle = (b * p.tokens + s) * p.head_dim;
      // The rows of the next head are far away in memory: they are asked for now.
      if (h + 1 < p.heads) {
        const std::int64_t next = cached + p.cache_rows * p.head_dim;
        for (std::int64_t d = 0; d < p.head_dim; d += 32) {
          __builtin_prefetch(p.grad_key_cache + next + d);
          __builtin_prefetch(p.grad_value_cache + next + d);
          __builtin_prefetch(p.key_states + row + p.tokens * p.head_dim + d);
        }
      }
      rotate_row<kEager, kStream>(p.grad_key_cache + cached, p.key_states + row, p.cos + angle,
                                  p.sin + angle, half, p.grad_key_states + row,
                                  sums.cos + t * p.head_dim, sums.sin + t * p.head_dim, h == 0);
      copy_bytes<kStream>(p.grad_value_states + row, p.grad_value_cache + cached, p.head_dim * 2);
    }
  }
  for (std::int64_t t = 0; t < tokens; ++t) {
    const std::int64_t angle = (b * p.tokens + first + t) * p.head_dim;
    for (std::int64_t d = 0; d < p.head_dim; d += Lanes::kLanes) {
      store<kStream>(p.grad_cos + angle + d, Lanes::load_f32(sums.cos + t * p.head_dim + d));
      store<kStream>(p.grad_sin + angle + d, Lanes::load_f32(sums.sin + t * p.head_dim + d));
    }
  }
}

// Rows that some token reads are zero, the others are copied: runs of one kind at a time.
template <bool kStream>
void copy_rows(const Problem& p, std::int64_t plane, bool is_value, std::int64_t first,
               std::int64_t rows) {
  const std::uint16_t* from = is_value ? p.grad_value_cache : p.grad_key_cache;
  std::uint16_t* to = is_value ? p.grad_value_cache_input : p.grad_key_cache_input;
  const std::int64_t end = first + rows;
  while (first < end) {
    std::int64_t last = first + 1;
    while (last < end && p.is_written[last] == p.is_written[first]) ++last;
    const std::int64_t at = (plane * p.cache_rows + first) * p.head_dim;
    const std::int64_t bytes = (last - first) * p.head_dim * 2;
    if (p.is_written[first] != 0) {
      zero_bytes<kStream>(to + at, bytes);
    } else {
      copy_bytes<kStream>(to + at, from + at, bytes);
    }
    first = last;
  }
}

template <bool kEager, bool kStream>
void task(Problem& p, std::int64_t i, int) {
  const std::int64_t blocks = (p.tokens + kBlockTokens - 1) / kBlockTokens;
  if (i < p.batch * blocks) {
    const std::int64_t first = i % blocks * kBlockTokens;
    const std::int64_t left = p.tokens - first;
    rotate_block<kEager, kStream>(p, i / blocks, first, left < kBlockTokens ? left : kBlockTokens);
    return;
  }
  i -= p.batch * blocks;
  const std::int64_t chunks = (p.cache_rows + kChunkRows - 1) / kChunkRows;
  const std::int64_t plane = i / chunks % (p.batch * p.heads);
  const std::int64_t first = i % chunks * kChunkRows;
  const std::int64_t left = p.cache_rows - first;
  copy_rows<kStream>(p, plane, i / chunks / (p.batch * p.heads) != 0, first,
                     left < kChunkRows ? left : kChunkRows);
}

constexpr TaskTable kTasks = {
    {{task<false, false>, task<false, true>}, {task<true, false>, task<true, true>}},
    finish_stores};

}  // namespace KI_TARGET
