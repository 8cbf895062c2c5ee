#include "ki/judge/compatible.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ki::judge {
namespace {

std::vector<float> as_f32(const TensorView& tensor) {
  std::vector<float> out(static_cast<std::size_t>(count_of(tensor.dtype, tensor.bytes.size())));
  decode_f32(tensor.dtype, tensor.bytes, out);
  return out;
}

std::optional<std::vector<std::int64_t>> broadcast_shape(std::span<const std::int64_t> a,
                                                         std::span<const std::int64_t> b) {
  std::vector<std::int64_t> out(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {  // from the last dimension
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

// Elements repeated along the dimensions that are 1 or missing.
std::vector<float> spread(const std::vector<float>& from, std::span<const std::int64_t> shape,
                          const std::vector<std::int64_t>& to) {
  std::size_t total = 1;
  for (const std::int64_t size : to) total *= static_cast<std::size_t>(size);
  std::vector<float> out(total);
  for (std::size_t i = 0; i < total; ++i) {
    std::size_t rest = i, at = 0, stride = 1;
    for (std::size_t d = 0; d < to.size(); ++d) {
      const auto size = static_cast<std::size_t>(to[to.size() - 1 - d]);
      const std::size_t index = rest % size;
      rest /= size;
      if (d < shape.size()) {
        const auto own = static_cast<std::size_t>(shape[shape.size() - 1 - d]);
        at += own == 1 ? 0 : index * stride;
        stride *= own;
      }
    }
    out[i] = from[at];
  }
  return out;
}

float norm(const std::vector<float>& values) {
  double sum = 0;
  for (const float x : values) sum += static_cast<double>(x * x);  // the square in binary32
  return static_cast<float>(std::sqrt(sum));
}

bool is_negative_infinity(float x) { return std::isinf(x) && x < 0; }

}  // namespace

CompatibleResult compare_compatible(const TensorView& output, const TensorView& reference,
                                    const problem::Tolerance& tolerance) {
  CompatibleResult out;
  std::vector<float> x = as_f32(output);
  std::vector<float> y = as_f32(reference);
  if (!std::ranges::equal(output.shape, reference.shape)) {
    const auto shape = broadcast_shape(output.shape, reference.shape);
    if (!shape) return out;
    x = spread(x, output.shape, *shape);
    y = spread(y, reference.shape, *shape);
  }

  bool is_finite = true, has_nan = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isfinite(x[i]) && std::isfinite(y[i])) continue;
    if (tolerance.allow_negative_inf && is_negative_infinity(x[i]) && is_negative_infinity(y[i]))
      continue;
    is_finite = false;
    has_nan = has_nan || std::isnan(x[i]) || std::isnan(y[i]);
  }
  if (!is_finite) {
    out.has_nan = has_nan;
    out.has_inf = !has_nan;
    out.total = x.size();
    out.bad = x.size();
    out.matched_ratio = 0;
    return out;
  }
  if (const float size = norm(y); size > 0 && norm(x) == 0) {
    out.is_zero_guard = true;
    out.max_absolute_error = out.max_relative_error = static_cast<double>(size);
    out.total = out.bad = x.size();
    out.matched_ratio = 0;
    return out;
  }

  const auto atol = static_cast<float>(tolerance.max_atol);
  const auto rtol = static_cast<float>(tolerance.max_rtol);
  float max_absolute = 0, max_relative = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    // Only pairs of -inf that the tolerance lets pass are left of what is not finite.
    if (is_negative_infinity(y[i])) continue;
    ++out.total;
    const float error = std::abs(x[i] - y[i]);
    const float magnitude = std::abs(y[i]);
    const float scaled = rtol * magnitude;
    if (error > atol + scaled || !std::isfinite(error)) ++out.bad;
    const float relative = error / (atol > magnitude ? atol : magnitude);
    max_absolute = std::max(max_absolute, error);
    // A maximum that keeps NaN, as the original's does.
    if (!(relative <= max_relative) && !std::isnan(max_relative)) max_relative = relative;
  }
  out.max_absolute_error = static_cast<double>(max_absolute);
  out.max_relative_error = static_cast<double>(max_relative);
  if (out.total > 0) {
    out.matched_ratio =
        std::clamp(1.0 - static_cast<double>(out.bad) / static_cast<double>(out.total), 0.0, 1.0);
    out.is_over_cap = tolerance.max_error_cap && out.max_absolute_error > *tolerance.max_error_cap;
    out.is_passed = !(out.matched_ratio < tolerance.required_matched_ratio) && !out.is_over_cap;
  } else {
    out.is_passed = true;
  }
  return out;
}

void CompatibleSummary::add(const CompatibleResult& result) {
  is_passed_ = is_passed_ && result.is_passed;
  const bool replaces =
      is_empty_ || result.has_nan || (result.has_inf && !worst_.has_nan) ||
      (!worst_.has_nan && !worst_.has_inf && result.max_absolute_error > worst_.max_absolute_error);
  if (replaces) worst_ = result;
  is_empty_ = false;
}

}  // namespace ki::judge
