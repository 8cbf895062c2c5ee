// Problems over the last dimension: rmsnorm, layernorm, softmax, sum_reduce, argmax, scan,
// histogram.
#include "rows.h"

#include "common.h"

#include <algorithm>
#include <cmath>

namespace ki::harness {
namespace {

// Sums as the binary32 reference does: pairwise, so that its error does not grow with the length.
template <class T, class Term>
T pairwise(std::size_t from, std::size_t to, const Term& term) {
  if (to - from <= 32) {
    T sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += term(i);
    return sum;
  }
  const std::size_t middle = from + (to - from) / 2;
  return pairwise<T>(from, middle, term) + pairwise<T>(middle, to, term);
}

std::size_t columns(const OracleCall& call, std::size_t input) {
  return static_cast<std::size_t>(call.inputs[input].shape.back());
}

}  // namespace

// x / sqrt(mean(x^2) + 1e-6) scale. x: (tokens, hidden), scale: (hidden).
Result<std::vector<OracleOutput>> rmsnorm(const OracleCall& call) {
  return both_paths(call, [&]<class T>(T) {
    const auto x = input_as<T>(call, 0), scale = input_as<T>(call, 1);
    const std::size_t n = columns(call, 0);
    std::vector<T> y(x.size());
    for (std::size_t row = 0; row < x.size(); row += n) {
      const T squares = pairwise<T>(0, n, [&](std::size_t i) { return x[row + i] * x[row + i]; });
      const T factor = T{1} / std::sqrt(squares / static_cast<T>(n) + static_cast<T>(1e-6));
      for (std::size_t i = 0; i < n; ++i) y[row + i] = x[row + i] * factor * scale[i];
    }
    return y;
  });
}

// (x - mean) / sqrt(variance + 1e-5) scale + shift; the variance divides by n.
Result<std::vector<OracleOutput>> layernorm(const OracleCall& call) {
  return both_paths(call, [&]<class T>(T) {
    const auto x = input_as<T>(call, 0), scale = input_as<T>(call, 1), shift = input_as<T>(call, 2);
    const std::size_t n = columns(call, 0);
    std::vector<T> y(x.size());
    for (std::size_t row = 0; row < x.size(); row += n) {
      const T mean =
          pairwise<T>(0, n, [&](std::size_t i) { return x[row + i]; }) / static_cast<T>(n);
      const T variance =
          pairwise<T>(0, n,
                      [&](std::size_t i) { return (x[row + i] - mean) * (x[row + i] - mean); }) /
          static_cast<T>(n);
      const T factor = T{1} / std::sqrt(variance + static_cast<T>(1e-5));
      for (std::size_t i = 0; i < n; ++i)
        y[row + i] = (x[row + i] - mean) * factor * scale[i] + shift[i];
    }
    return y;
  });
}

Result<std::vector<OracleOutput>> softmax(const OracleCall& call) {
  return both_paths(call, [&]<class T>(T) {
    const auto x = input_as<T>(call, 0);
    const std::size_t n = columns(call, 0);
    std::vector<T> y(x.size());
    for (std::size_t row = 0; row < x.size(); row += n) {
      const T largest = *std::max_element(x.begin() + static_cast<std::ptrdiff_t>(row),
                                          x.begin() + static_cast<std::ptrdiff_t>(row + n));
      for (std::size_t i = 0; i < n; ++i) y[row + i] = std::exp(x[row + i] - largest);
      const T sum = pairwise<T>(0, n, [&](std::size_t i) { return y[row + i]; });
      for (std::size_t i = 0; i < n; ++i) y[row + i] /= sum;
    }
    return y;
  });
}

Result<std::vector<OracleOutput>> sum_reduce(const OracleCall& call) {
  return both_paths(call, [&]<class T>(T) {
    const auto x = input_as<T>(call, 0);
    const std::size_t n = columns(call, 0);
    std::vector<T> y(n == 0 ? 0 : x.size() / n);
    for (std::size_t row = 0; row < y.size(); ++row)
      y[row] = pairwise<T>(0, n, [&](std::size_t i) { return x[row * n + i]; });
    return y;
  });
}

// The index of the largest number of each row; of equal ones the first.
Result<std::vector<OracleOutput>> argmax(const OracleCall& call) {
  const std::vector<float> x = call.floats(0);
  const std::size_t n = columns(call, 0);
  std::vector<std::int64_t> y(n == 0 ? 0 : x.size() / n);
  for (std::size_t row = 0; row < y.size(); ++row) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row * n);
    y[row] = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(n)) - begin;
  }
  return exactly(call, y);
}

// Inclusive sums along each row. The binary32 path keeps its running sum in binary64, as a careful
// kernel may not: it stands for the best that the output's type can hold.
Result<std::vector<OracleOutput>> scan(const OracleCall& call) {
  return both_paths(call, [&]<class T>(T) {
    const auto x = input_as<T>(call, 0);
    const std::size_t n = columns(call, 0);
    std::vector<T> y(x.size());
    for (std::size_t row = 0; row < x.size(); row += n) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) {
        sum += static_cast<double>(x[row + i]);
        y[row + i] = static_cast<T>(sum);
      }
    }
    return y;
  });
}

// How many numbers lie in each of the equal bins of [-4, 4); those outside count at the ends.
Result<std::vector<OracleOutput>> histogram(const OracleCall& call) {
  return both_paths(call, [&]<class T>(T) {
    const std::vector<float> x = call.floats(0);  // bins are decided in binary32 on both paths
    const auto bins = static_cast<std::size_t>(call.axis("bins"));
    std::vector<T> counts(bins, T{0});
    const float per_unit = static_cast<float>(bins) / 8.0F;
    for (const float value : x) {
      const float place = std::floor((value + 4.0F) * per_unit);
      const float last = static_cast<float>(bins - 1);
      counts[static_cast<std::size_t>(std::clamp(place, 0.0F, last))] += T{1};
    }
    return counts;
  });
}

}  // namespace ki::harness
