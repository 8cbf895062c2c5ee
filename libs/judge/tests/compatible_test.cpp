// The 30 vectors of harness 03 section 2, which were executed against the original's comparator:
// what `sol_compat_v1` says of them, and what `ki_strict_v1` says beside it.
#include "ki/judge/compatible.h"

#include "ki/judge/strict.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ki::judge {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

struct Tensor {
  std::vector<double> numbers;
  Dtype dtype = Dtype::kF32;
  std::vector<std::int64_t> shape = {};

  std::vector<std::int64_t> shape_or_flat() const {
    return shape.empty() ? std::vector<std::int64_t>{static_cast<std::int64_t>(numbers.size())}
                         : shape;
  }
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> out(numbers.size() *
                               static_cast<std::size_t>(problem::byte_size(dtype)));
    encode(dtype, numbers, out);
    return out;
  }
};

problem::Tolerance with(std::optional<double> atol, std::optional<double> rtol = {},
                        std::optional<double> ratio = {}, std::optional<double> cap = {},
                        bool allow = false) {
  problem::Tolerance t;
  if (atol) t.max_atol = *atol;
  if (rtol) t.max_rtol = *rtol;
  if (ratio) t.required_matched_ratio = *ratio;
  t.max_error_cap = cap;
  t.allow_negative_inf = allow;
  return t;
}

Tensor ones_with(std::size_t count, std::size_t wrong) {
  Tensor out{std::vector<double>(count, 1)};
  std::fill_n(out.numbers.begin(), wrong, 5.0);
  return out;
}
Tensor repeated(std::size_t count, double value) { return {std::vector<double>(count, value)}; }

struct Vector {
  const char* id;
  Tensor output, reference;
  problem::Tolerance tolerance;
  bool is_passed;
  double max_absolute, max_relative;
  bool has_nan, has_inf;
  const char* strict;  // the reason; "" passed; "shape": refused before numbers are looked at
};

std::vector<Vector> vectors() {
  const problem::Tolerance d;
  const problem::Tolerance allow = with({}, {}, {}, {}, true);
  return {
      {"C01", {{1, 2}}, {{1, 2}}, d, true, 0, 0, false, false, ""},
      {"C02", {{1.02}}, {{1}}, d, true, 0.01999998, 0.01999998, false, false, ""},
      {"C03", {{1.0201}}, {{1}}, d, false, 0.0201, 0.0201, false, false, "tolerance"},
      {"C04", ones_with(100, 1), repeated(100, 1), d, true, 4, 4, false, false, "partial_tile"},
      {"C05", ones_with(100, 2), repeated(100, 1), d, false, 4, 4, false, false, "tolerance"},
      {"C06a", ones_with(1000, 10), repeated(1000, 1), d, true, 4, 4, false, false, "partial_tile"},
      {"C06b", ones_with(1000, 11), repeated(1000, 1), d, false, 4, 4, false, false, "tolerance"},
      {"C07a", ones_with(100, 1), repeated(100, 1), with({}, {}, {}, 3.9), false, 4, 4, false,
       false, "partial_tile"},
      {"C07b", ones_with(100, 1), repeated(100, 1), with({}, {}, {}, 4.0), true, 4, 4, false, false,
       "partial_tile"},
      {"C08", {{kNan}}, {{kNan}}, d, false, 0, 0, true, false, "reference_nonfinite"},
      {"C09a", {{kInf}}, {{kInf}}, d, false, 0, 0, false, true, "reference_nonfinite"},
      {"C09b", {{kInf}}, {{kInf}}, allow, false, 0, 0, false, true, "reference_nonfinite"},
      {"C10a", {{-kInf, 1}}, {{-kInf, 1}}, allow, true, 0, 0, false, false, ""},
      {"C10b", {{-kInf, 1}}, {{-kInf, 1}}, d, false, 0, 0, false, true, "reference_nonfinite"},
      {"C11", {{-kInf, 1}}, {{0, 1}}, allow, false, 0, 0, false, true, "inf"},
      {"C12", {{-kInf, -kInf}}, {{-kInf, -kInf}}, allow, true, 0, 0, false, false, ""},
      {"C13", repeated(4, 0), repeated(4, 1e-6), d, false, 2e-6, 2e-6, false, false,
       "weak_tolerance"},
      {"C14", repeated(4, 1e-9), repeated(4, 5e-3), d, true, 0.005, 0.5, false, false,
       "weak_tolerance"},
      {"C15", repeated(4, 0), repeated(4, 0), d, true, 0, 0, false, false, ""},
      {"C16", {}, {}, d, true, 0, 0, false, false, ""},
      {"C17",
       {{16777217}, Dtype::kI64},
       {{16777216}, Dtype::kI64},
       with(0, 0, 1),
       true,
       0,
       0,
       false,
       false,
       "tolerance"},
      {"C18",
       {{1, 0}, Dtype::kBool},
       {{1, 1}, Dtype::kBool},
       with({}, {}, 1),
       false,
       1,
       1,
       false,
       false,
       "tolerance"},
      {"C19", {{1e300}, Dtype::kF64}, {{1e300}, Dtype::kF64}, d, false, 0, 0, false, true, ""},
      {"C20", {{0, 1}}, {{0, 1}}, with(0), true, 0, kNan, false, false, ""},
      {"C21",
       {repeated(4, 1).numbers, Dtype::kF32, {4, 1}},
       repeated(4, 1),
       d,
       true,
       0,
       0,
       false,
       false,
       "shape"},
      {"C22", {{5}}, {{1}}, with({}, {}, 0), true, 4, 4, false, false, "invalid_workload"},
      {"C23", {{3e38}}, {{-3e38}}, d, false, kInf, kInf, false, false, "tolerance"},
      {"C24", {{kNan, kInf}}, {{1, 1}}, d, false, 0, 0, true, false, "nan"},
      {"C25", {{1}}, {{kInf}}, d, false, 0, 0, false, true, "reference_nonfinite"},
      {"C26", {{0.005}}, {{0.0001}}, d, true, 0.0049, 0.49, false, false, "weak_tolerance"},
      {"C27", {{1000, 1e-3}}, {{1005, 0.012}}, d, false, 5, 0.9167, false, false, "tolerance"},
      {"C28",
       {{1.0078125}, Dtype::kBf16},
       {{1}, Dtype::kBf16},
       d,
       true,
       0.0078125,
       0.0078125,
       false,
       false,
       ""},
      {"C29", {{5}}, {{1}}, with(kNan), true, 4, 4, false, false, "invalid_workload"},
      {"C30", {{1}}, {{1}}, with(-1), false, 0, 0, false, false, "invalid_workload"},
  };
}

void expect_number(double got, double expected) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << got;
  } else if (std::isinf(expected)) {
    EXPECT_EQ(got, expected);
  } else {
    EXPECT_NEAR(got, expected, 2e-4 * std::abs(expected));
  }
}

TEST(Comparators, GiveTheVerdictsOfTheVectors) {
  int count = 0;
  for (const Vector& v : vectors()) {
    SCOPED_TRACE(v.id);
    ++count;
    const auto output = v.output.bytes();
    const auto reference = v.reference.bytes();
    const auto output_shape = v.output.shape_or_flat();
    const auto reference_shape = v.reference.shape_or_flat();
    const CompatibleResult got =
        compare_compatible({v.output.dtype, output_shape, output},
                           {v.reference.dtype, reference_shape, reference}, v.tolerance);
    EXPECT_EQ(got.is_passed, v.is_passed);
    expect_number(got.max_absolute_error, v.max_absolute);
    expect_number(got.max_relative_error, v.max_relative);
    EXPECT_EQ(got.has_nan, v.has_nan);
    EXPECT_EQ(got.has_inf, v.has_inf);

    if (std::string_view(v.strict) == "shape") {
      EXPECT_NE(output_shape, reference_shape);
      continue;
    }
    const StrictResult strict = compare_strict({.dtype = v.reference.dtype,
                                                .shape = reference_shape,
                                                .output = output,
                                                .native = reference,
                                                .exact = v.reference.numbers,
                                                .poison = {},
                                                .tolerance = v.tolerance});
    EXPECT_EQ(to_string(strict.reason), v.strict);
    EXPECT_TRUE(std::isfinite(strict.max_absolute_error) &&
                std::isfinite(strict.max_relative_error));
  }
  EXPECT_EQ(count, 34);  // thirty, four of them with two tolerances or outputs
}

TEST(CompatibleComparator, RefusesShapesThatDoNotBroadcast) {
  const Tensor a = repeated(4, 1), b = repeated(3, 1);
  const auto ab = a.bytes(), bb = b.bytes();
  const std::vector<std::int64_t> as = {4}, bs = {3};
  const auto got = compare_compatible({Dtype::kF32, as, ab}, {Dtype::kF32, bs, bb}, {});
  EXPECT_FALSE(got.is_passed);
  EXPECT_EQ(got.total, 0U);
}

TEST(CompatibleComparator, SkipsTheZeroGuardWhereSquaresUnderflow) {
  const Tensor zeros = repeated(4, 0), tiny = repeated(4, 1e-24);
  const auto z = zeros.bytes(), t = tiny.bytes();
  const std::vector<std::int64_t> shape = {4};
  EXPECT_TRUE(compare_compatible({Dtype::kF32, shape, z}, {Dtype::kF32, shape, t}, {}).is_passed);
}

TEST(CompatibleSummary, ReportsTheWorstRecordAndPrefersNaN) {
  const CompatibleResult small{.is_passed = true, .max_absolute_error = 1, .max_relative_error = 9};
  const CompatibleResult large{.is_passed = true, .max_absolute_error = 2, .max_relative_error = 3};
  const CompatibleResult inf{.has_inf = true};
  const CompatibleResult nan{.has_nan = true};
  CompatibleSummary summary;
  summary.add(small);
  summary.add(large);
  EXPECT_EQ(summary.worst().max_absolute_error, 2);
  EXPECT_EQ(summary.worst().max_relative_error, 3);  // of that record, no maximum of its own
  EXPECT_TRUE(summary.is_passed());
  summary.add(inf);
  EXPECT_TRUE(summary.worst().has_inf);
  summary.add(nan);
  summary.add(inf);
  EXPECT_TRUE(summary.worst().has_nan);
  summary.add(large);
  EXPECT_TRUE(summary.worst().has_nan);
  EXPECT_FALSE(summary.is_passed());
}

}  // namespace
}  // namespace ki::judge
