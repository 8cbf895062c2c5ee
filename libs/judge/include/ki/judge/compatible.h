// The comparator `sol_compat_v1`: the verdict that the original program gives (harness 03
// section 1), with its holes, in binary32 as it computes.
#pragma once

#include "ki/judge/convert.h"
#include "ki/problem/workload.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ki::judge {

// Stored elements of one tensor with their shape; numbers of the packed type count singly.
struct TensorView {
  Dtype dtype = Dtype::kF32;
  std::span<const std::int64_t> shape;
  std::span<const std::byte> bytes;
};

struct CompatibleResult {
  bool is_passed = false;
  double max_absolute_error = 0;  // may be infinite or NaN; traces clamp it
  double max_relative_error = 0;  // the largest relative error of the same tensor
  bool has_nan = false;
  bool has_inf = false;
  bool is_zero_guard = false;  // all zero where the reference is not
  bool is_over_cap = false;
  std::uint64_t bad = 0, total = 0;
  double matched_ratio = 1;
};

// Shapes that broadcast against each other are compared as the original does; shapes that do not
// fail with `total` 0.
CompatibleResult compare_compatible(const TensorView& output, const TensorView& reference,
                                    const problem::Tolerance& tolerance);

// The record that the original reports over outputs and rounds: the one with the largest absolute
// error; one with NaN replaces every other, one with infinity every one without NaN.
class CompatibleSummary {
 public:
  void add(const CompatibleResult& result);
  const CompatibleResult& worst() const { return worst_; }
  bool is_passed() const { return is_passed_; }

 private:
  CompatibleResult worst_{.is_passed = true};
  bool is_passed_ = true;
  bool is_empty_ = true;
};

}  // namespace ki::judge
