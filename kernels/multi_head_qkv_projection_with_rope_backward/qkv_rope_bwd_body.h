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

// `count` rows of a row-major matrix, cut into panels of kColumns columns: row after row, so that
// memory is read as it lies, two rows ahead. Panel j begins at out + j * depth of the panel, which
// is `depth` rows.
void pack_rows(const float* from, std::int64_t columns, std::int64_t count, std::int64_t depth,
               float* __restrict out) {
  for (std::int64_t k = 0; k < count; ++k) {
    const float* row = from + k * columns;
    for (std::int64_t j = 0; j < columns; j += kColumns) {
      __builtin_prefetch(row + 2 * columns + j, 0, 0);
      __builtin_prefetch(row + 2 * columns + j + 16, 0, 0);
      std::memcpy(out + j * depth + k * kColumns, row + j, kColumns * sizeof(float));
    }
  }
}
// The same of the three weights, one below the other: features [k, k + count), whole heads.
void pack_weights(const Problem& p, std::int64_t k, std::int64_t count, float* out) {
  for (std::int64_t i = 0; i < count; i += kHeadDim)
    pack_rows(p.weight_row(k + i), p.hidden, kHeadDim, count, out + i * kColumns);
}

// One block of a product: C (rows x columns) = A B over all of K, C being kept near while K passes.
// pack_a(k, depth, to) packs a step of A, and rotates; step_of_b(k, depth) gives a step of B,
// packed.
template <class PackA, class StepOfB>
void product_block(std::int64_t rows, std::int64_t columns, std::int64_t depth, std::int64_t step,
                   float* a, float* c, PackA pack_a, StepOfB step_of_b) {
  for (std::int64_t k = 0; k < depth; k += step) {
    const std::int64_t kc = depth - k < step ? depth - k : step;
    pack_a(k, kc, a);
    const float* packed = step_of_b(k, kc);
    for (std::int64_t j = 0; j < columns; j += kColumns) {
      const float* b = packed + j * kc;
      for (std::int64_t i = 0; i < rows; i += kRows) {
        // The tile of the result is on its way meanwhile.
        for (std::int64_t r = 0; r < kRows && i + r < rows; ++r) {
          __builtin_prefetch(c + (i + r) * columns + j, 1);
          __builtin_prefetch(c + (i + r) * columns + j + 16, 1);
        }
        const float* panel = a + i * kc;
        if (rows - i >= kRows) {
          micro(kc, panel, b, c + i * columns + j, columns, k != 0);
          continue;
        }
        alignas(64) float tile[kRows * kColumns];
        micro(kc, panel, b, tile, kColumns, false);
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
  const std::int64_t k = (is_weight ? i : i - p.weight_packs()) * kStep;
  const std::int64_t depth = is_weight ? p.features() : p.tokens;
  const std::int64_t kc = depth - k < kStep ? depth - k : kStep;
  if (is_weight) {
    pack_weights(p, k, kc, p.packed_weights + k * p.hidden);
  } else {
    pack_rows(p.hidden_states + k * p.hidden, p.hidden, kc, kc, p.packed_hidden + k * p.hidden);
  }
}

// Task i: the hidden states' gradient of a block of tokens, or the weight gradients of a block of
// heads.
void product_task(Problem& p, std::int64_t i, int worker) {
  float* a = p.scratch + worker * p.scratch_floats();
  float* own_b = a + p.block_rows * kStep;
  if (i >= p.token_blocks) {
    const Block block = p.blocks[i - p.token_blocks];
    product_block(
        block.heads * kHeadDim, p.hidden, p.tokens, kStep, a,
        p.grad_weight_row(block.head * kHeadDim),
        [&](std::int64_t k, std::int64_t kc, float* to) {
          pack_features(p, block.head, block.heads, k, kc, to);
        },
        [&](std::int64_t k, std::int64_t) { return p.packed_hidden + k * p.hidden; });
    return;
  }
  const std::int64_t first = i * p.block_tokens;
  const std::int64_t left = p.tokens - first;
  const std::int64_t tokens = left < p.block_tokens ? left : p.block_tokens;
  product_block(
      tokens, p.hidden, p.features(), kStep, a, p.grad_hidden + first * p.hidden,
      [&](std::int64_t k, std::int64_t kc, float* to) {
        pack_tokens(p, first, tokens, k / kHeadDim, kc / kHeadDim, to);
      },
      [&](std::int64_t k, std::int64_t kc) -> const float* {
        if (p.packed_weights != nullptr) return p.packed_weights + k * p.hidden;
        pack_weights(p, k, kc, own_b);
        return own_b;
      });
}

constexpr TaskTable kTasks = {pack_task, product_task};

}  // namespace KI_TARGET
