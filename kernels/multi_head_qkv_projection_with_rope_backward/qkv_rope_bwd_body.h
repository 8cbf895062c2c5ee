// Packing and tiling, compiled once for each instruction set: the including file defines KI_TARGET
// (the name of a namespace that holds `micro`). No include guard: included several times.

namespace KI_TARGET {

// One token's gradient of one head, rotated back: out[d] = g[d] c[d] +- g[other] s[other].
KI_INLINE void rotate(const float* __restrict g, const float* __restrict cos,
                      const float* __restrict sin, float* __restrict out) {
  constexpr std::int64_t half = kHeadDim / 2;
  for (std::int64_t d = 0; d < half; ++d) {
    out[d] = g[d] * cos[d] + g[d + half] * sin[d + half];
    out[d + half] = g[d + half] * cos[d + half] - g[d] * sin[d];
  }
}

// Rows of G as panels of kRows tokens: out[panel][k][token], k over `heads` heads from `head` on.
void pack_tokens(const Problem& p, std::int64_t first, std::int64_t tokens, std::int64_t head,
                 std::int64_t heads, float* out) {
  alignas(64) float rows[kRows][kHeadDim];
  for (std::int64_t from = 0; from < tokens; from += kRows) {
    const std::int64_t here = tokens - from < kRows ? tokens - from : kRows;
    for (std::int64_t a = head; a < head + heads; ++a) {
      for (std::int64_t i = 0; i < here; ++i) {
        const std::int64_t t = first + from + i;
        const float* g = p.gradient(a, t);
        if (p.is_rotated(a)) {
          rotate(g, p.cos + t * kHeadDim, p.sin + t * kHeadDim, rows[i]);
        } else {
          std::memcpy(rows[i], g, sizeof rows[i]);
        }
      }
      for (std::int64_t i = here; i < kRows; ++i) std::memset(rows[i], 0, sizeof rows[i]);
      transpose(rows, out);
      out += kRows * kHeadDim;
    }
  }
}

// Columns of G as panels of kRows features: out[panel][token][feature], for whole heads.
void pack_features(const Problem& p, std::int64_t head, std::int64_t heads, std::int64_t first,
                   std::int64_t tokens, float* out) {
  alignas(64) float row[kHeadDim];
  constexpr std::int64_t kPanels = kHeadDim / kRows;
  for (std::int64_t a = head; a < head + heads; ++a) {
    float* panels = out + (a - head) * kPanels * tokens * kRows;
    for (std::int64_t i = 0; i < tokens; ++i) {
      const std::int64_t t = first + i;
      const float* g = p.gradient(a, t);
      if (p.is_rotated(a)) {
        rotate(g, p.cos + t * kHeadDim, p.sin + t * kHeadDim, row);
        g = row;
      }
      for (std::int64_t q = 0; q < kPanels; ++q)
        std::memcpy(panels + (q * tokens + i) * kRows, g + q * kRows, kRows * sizeof(float));
    }
  }
}

// kColumns columns of `count` rows of a row-major matrix, side by side in memory.
void pack_columns(const float* from, std::int64_t stride, std::int64_t count,
                  float* __restrict out) {
  for (std::int64_t k = 0; k < count; ++k)
    std::memcpy(out + k * kColumns, from + k * stride, kColumns * sizeof(float));
}
// The same of the three weights, one below the other: features [k, k + count), whole heads.
void pack_weights(const Problem& p, std::int64_t k, std::int64_t count, std::int64_t column,
                  float* out) {
  for (std::int64_t i = 0; i < count; i += kHeadDim)
    pack_columns(p.weight_row(k + i) + column, p.hidden, kHeadDim, out + i * kColumns);
}

// One block of a product: C (rows x columns) = A B over all of K, C being kept near while K passes.
// A is packed here, by `pack`, which also rotates; B was packed before, or is packed panel by panel
// while it is at hand.
template <class PackRows, class RowOfB>
void product_block(std::int64_t rows, std::int64_t columns, std::int64_t depth, std::int64_t step,
                   float* a, float* panel, const float* packed_b, float* c, PackRows pack,
                   RowOfB row_of_b) {
  for (std::int64_t k = 0; k < depth; k += step) {
    const std::int64_t kc = depth - k < step ? depth - k : step;
    pack(k, kc, a);
    for (std::int64_t j = 0; j < columns; j += kColumns) {
      const float* b = packed_b != nullptr ? packed_b + k * columns + j * kc : panel;
      if (packed_b == nullptr) row_of_b(k, kc, j, panel);
      for (std::int64_t i = 0; i < rows; i += kRows) {
        const float* panel_a = a + i * kc;
        if (rows - i >= kRows) {
          micro(kc, panel_a, b, c + i * columns + j, columns, k != 0);
          continue;
        }
        alignas(64) float tile[kRows * kColumns];
        micro(kc, panel_a, b, tile, kColumns, false);
        for (std::int64_t r = 0; r < rows - i; ++r) {
          float* to = c + (i + r) * columns + j;
          for (std::int64_t x = 0; x < kColumns; ++x)
            to[x] = k != 0 ? to[x] + tile[r * kColumns + x] : tile[r * kColumns + x];
        }
      }
    }
  }
}

// Weights and hidden states as the products read them. Task i: one step of one of them.
void pack_task(Problem& p, std::int64_t i, int) {
  const bool is_weight = i < p.weight_packs();
  const std::int64_t step = is_weight ? kWeightStep : kTokenStep;
  const std::int64_t k = (is_weight ? i : i - p.weight_packs()) * step;
  const std::int64_t depth = is_weight ? p.features() : p.tokens;
  const std::int64_t kc = depth - k < step ? depth - k : step;
  float* out = (is_weight ? p.packed_weights : p.packed_hidden) + k * p.hidden;
  for (std::int64_t j = 0; j < p.hidden; j += kColumns) {
    if (is_weight) {
      pack_weights(p, k, kc, j, out + j * kc);
    } else {
      pack_columns(p.hidden_states + k * p.hidden + j, p.hidden, kc, out + j * kc);
    }
  }
}

// Task i: the weight gradients of a block of heads, or the hidden states' of a block of tokens.
void product_task(Problem& p, std::int64_t i, int worker) {
  float* a = p.scratch + worker * kScratchFloats;
  float* panel = a + kBlockRows * kMaxStep;
  if (i < p.block_count) {
    const std::int64_t head = p.blocks[i].head, heads = p.blocks[i].heads;
    product_block(
        heads * kHeadDim, p.hidden, p.tokens, kTokenStep, a, panel, p.packed_hidden,
        p.grad_weight_row(head * kHeadDim),
        [&](std::int64_t k, std::int64_t kc, float* out) {
          pack_features(p, head, heads, k, kc, out);
        },
        [](std::int64_t, std::int64_t, std::int64_t, float*) {});
    return;
  }
  const std::int64_t first = (i - p.block_count) * p.block_tokens;
  const std::int64_t left = p.tokens - first;
  const std::int64_t tokens = left < p.block_tokens ? left : p.block_tokens;
  product_block(
      tokens, p.hidden, p.features(), kWeightStep, a, panel, p.packed_weights,
      p.grad_hidden + first * p.hidden,
      [&](std::int64_t k, std::int64_t kc, float* out) {
        pack_tokens(p, first, tokens, k / kHeadDim, kc / kHeadDim, out);
      },
      [&](std::int64_t k, std::int64_t kc, std::int64_t j, float* out) {
        pack_weights(p, k, kc, j, out);
      });
}

constexpr TaskTable kTasks = {pack_task, product_task};

}  // namespace KI_TARGET
