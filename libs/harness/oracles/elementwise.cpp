// vec_add, swiglu, rope, transpose, masked_scores.
#include "elementwise.h"

#include "common.h"

#include <cmath>
#include <limits>

namespace ki::harness {

Result<std::vector<OracleOutput>> vec_add(const OracleCall& call) {
  return both_paths(call, [&]<class T>(T) {
    const auto x = input_as<T>(call, 0), y = input_as<T>(call, 1);
    std::vector<T> z(x.size());
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = x[i] + y[i];
    return z;
  });
}

// silu(gate) up, with silu(g) = g / (1 + exp(-g)).
Result<std::vector<OracleOutput>> swiglu(const OracleCall& call) {
  return both_paths(call, [&]<class T>(T) {
    const auto gate = input_as<T>(call, 0), up = input_as<T>(call, 1);
    std::vector<T> y(gate.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = gate[i] / (T{1} + std::exp(-gate[i])) * up[i];
    }
    return y;
  });
}

// x: (tokens, heads, dim), cos and sin: (tokens, dim). y = x cos + rotate_half(x) sin.
Result<std::vector<OracleOutput>> rope(const OracleCall& call) {
  return both_paths(call, [&]<class T>(T) {
    const auto x = input_as<T>(call, 0), cosine = input_as<T>(call, 1), sine = input_as<T>(call, 2);
    const auto tokens = static_cast<std::size_t>(call.axis("tokens"));
    const auto heads = static_cast<std::size_t>(call.axis("heads"));
    const auto dim = static_cast<std::size_t>(call.axis("dim"));
    std::vector<T> y(x.size());
    for (std::size_t t = 0; t < tokens; ++t) {
      for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t row = (t * heads + h) * dim;
        for (std::size_t d = 0; d < dim; ++d) {
          const T rotated = d < dim / 2 ? -x[row + d + dim / 2] : x[row + d - dim / 2];
          y[row + d] = x[row + d] * cosine[t * dim + d] + rotated * sine[t * dim + d];
        }
      }
    }
    return y;
  });
}

Result<std::vector<OracleOutput>> transpose(const OracleCall& call) {
  return both_paths(call, [&]<class T>(T) {
    const auto x = input_as<T>(call, 0);
    const auto m = static_cast<std::size_t>(call.axis("m"));
    const auto n = static_cast<std::size_t>(call.axis("n"));
    std::vector<T> y(x.size());
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) y[j * m + i] = x[i * n + j];
    }
    return y;
  });
}

// scores scale where allowed, else minus infinity.
Result<std::vector<OracleOutput>> masked_scores(const OracleCall& call) {
  return both_paths(call, [&]<class T>(T) {
    const auto scores = input_as<T>(call, 0);
    const auto allowed = call.integers(1);
    const T scale = input_as<T>(call, 2).front();
    std::vector<T> y(scores.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = allowed[i] != 0 ? scores[i] * scale : -std::numeric_limits<T>::infinity();
    }
    return y;
  });
}

}  // namespace ki::harness
