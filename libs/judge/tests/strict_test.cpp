#include "ki/judge/strict.h"

#include "ki/judge/poison.h"
#include "ki/judge/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ki::judge {
namespace {

constexpr std::uint64_t kPoison = 42;

std::vector<double> normals(std::size_t count, std::uint64_t key = 7) {
  std::vector<double> out(count);
  Stream(key).normal(0, out);
  return out;
}
std::vector<std::byte> stored(Dtype dtype, const std::vector<double>& numbers) {
  std::vector<std::byte> out(numbers.size() * static_cast<std::size_t>(problem::byte_size(dtype)));
  encode(dtype, numbers, out);
  return out;
}

struct Judged {
  std::vector<double> exact = normals(10000);
  std::vector<std::int64_t> shape = {100, 100};
  Dtype dtype = Dtype::kF32;
  problem::Tolerance tolerance;

  StrictResult judge(const std::vector<std::byte>& output,
                     std::optional<std::uint64_t> poison = kPoison) const {
    const auto native = stored(dtype, exact);
    return compare_strict({dtype, shape, output, native, exact, poison, tolerance});
  }
  std::vector<std::byte> right() const { return stored(dtype, exact); }
};

// Replaces elements [from, from + count) by their poison.
void leave_unwritten(std::vector<std::byte>& output, Dtype dtype, std::size_t from,
                     std::size_t count) {
  const auto size = static_cast<std::size_t>(problem::byte_size(dtype));
  poison_of(dtype, kPoison, from, std::span(output).subspan(from * size, count * size));
}

TEST(StrictComparator, PassesTheRoundedReferenceInEveryType) {
  for (const Dtype dtype : problem::kDtypes) {
    SCOPED_TRACE(problem::to_string(dtype));
    Judged s;
    s.dtype = dtype;
    s.tolerance.max_atol = s.tolerance.max_rtol = 0;
    s.tolerance.required_matched_ratio = 1;
    if (dtype == Dtype::kF4E2m1x2) {
      std::vector<std::byte> output(5000);
      for (double& x : s.exact)
        x = std::round(std::clamp(x, -2.0, 2.0)) == 0 ? 1 : std::round(std::clamp(x, -2.0, 2.0));
      encode(dtype, s.exact, output);
      EXPECT_TRUE(compare_strict({dtype, s.shape, output, output, s.exact, kPoison, s.tolerance})
                      .is_passed());
      continue;
    }
    if (!problem::is_float(dtype)) {
      for (double& x : s.exact) x = dtype == Dtype::kBool ? (x > 0 ? 1 : 0) : std::round(x * 30);
    }
    const auto result = s.judge(s.right());
    EXPECT_TRUE(result.is_passed()) << to_string(result.reason) << " bad " << result.bad;
    EXPECT_EQ(result.total, 10000U);
  }
}

TEST(StrictComparator, FindsASingleElementThatWasNeverWritten) {
  for (const Dtype dtype : {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBf16, Dtype::kI64,
                            Dtype::kI32, Dtype::kI16, Dtype::kBool}) {
    SCOPED_TRACE(problem::to_string(dtype));
    Judged s;
    s.dtype = dtype;
    if (!problem::is_float(dtype)) {
      for (double& x : s.exact) x = x > 0 ? 1 : 0;
    }
    auto output = s.right();
    leave_unwritten(output, dtype, 9999, 1);
    const auto result = s.judge(output);
    EXPECT_EQ(result.reason, Reason::kPartialWrite);
    EXPECT_EQ(result.unwritten, 1U);
  }
}

TEST(StrictComparator, FindsATileThatWasNotComputed) {
  Judged s;
  auto numbers = s.exact;
  for (std::size_t i = 4000; i < 4090; ++i) numbers[i] = 0.01;  // 0.9 %: the ratio allows it
  const auto result = s.judge(stored(s.dtype, numbers));
  EXPECT_EQ(result.reason, Reason::kPartialTile);
  EXPECT_GE(result.matched_ratio, 0.99);
  EXPECT_EQ(result.box_low, (std::vector<std::int64_t>{40, 0}));
  EXPECT_EQ(result.box_high.front(), 40);
  // Scattered over the tensor they are as wrong.
  numbers = s.exact;
  for (std::size_t i = 0; i < 9000; i += 100) numbers[i] = 0.01;
  EXPECT_EQ(s.judge(stored(s.dtype, numbers)).reason, Reason::kPartialTile);
}

TEST(StrictComparator, LetsRoundingLeaveAFewElementsOutOfTolerance) {
  Judged s;
  auto numbers = s.exact;
  const auto noise = normals(numbers.size(), 8);
  // An error whose two and a half sigma is the bound near 0.
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] += 0.004 * noise[i];
  const auto result = s.judge(stored(s.dtype, numbers));
  EXPECT_TRUE(result.is_passed()) << to_string(result.reason);
  EXPECT_GT(result.bad, 0U);
  EXPECT_TRUE(result.is_precision_downgrade);
}

TEST(StrictComparator, ComparesIntegersWithoutTolerance) {
  Judged s;
  s.dtype = Dtype::kI64;
  for (std::size_t i = 0; i < s.exact.size(); ++i) s.exact[i] = 16777216.0 + static_cast<double>(i);
  auto numbers = s.exact;
  numbers[17] += 1;
  const auto result = s.judge(stored(s.dtype, numbers));
  EXPECT_EQ(result.reason, Reason::kTolerance);
  EXPECT_EQ(result.bad, 1U);
  EXPECT_EQ(result.first_bad, 17U);
  EXPECT_EQ(result.max_absolute_error, 1);
}

TEST(StrictComparator, TakesABooleanByItsByte) {
  Judged s;
  s.dtype = Dtype::kBool;
  s.exact.assign(4, 1);
  s.shape = {4};
  auto output = s.right();
  output[2] = std::byte{3};
  EXPECT_EQ(s.judge(output).bad, 1U);
}

TEST(StrictComparator, DoesNotLetASmallSignalHideBehindTheTolerance) {
  Judged s;
  for (double& x : s.exact) x = std::abs(x) * 3e-5;
  const auto tiny = s.judge(stored(s.dtype, std::vector<double>(10000, 1e-9)));
  EXPECT_EQ(tiny.reason, Reason::kWeakTolerance);
  EXPECT_TRUE(tiny.is_weak_tolerance);
  EXPECT_LT(tiny.atol, 1e-5);
  EXPECT_TRUE(s.judge(s.right()).is_passed());
  EXPECT_TRUE(s.judge(s.right()).is_weak_tolerance) << "a fact of the workload, whoever answers it";
}

TEST(StrictComparator, TellsMinusInfinityThatIsAllowedFromEveryOther) {
  Judged s;
  constexpr double kInf = std::numeric_limits<double>::infinity();
  s.exact[3] = -kInf;
  EXPECT_EQ(s.judge(s.right()).reason, Reason::kInvalidReference);
  s.tolerance.allow_negative_inf = true;
  EXPECT_TRUE(s.judge(s.right()).is_passed());
  auto numbers = s.exact;
  numbers[3] = -1e30;
  EXPECT_EQ(s.judge(stored(s.dtype, numbers)).reason, Reason::kInf);
  numbers = s.exact;
  numbers[4] = -kInf;
  EXPECT_EQ(s.judge(stored(s.dtype, numbers)).reason, Reason::kInf);
  numbers[4] = std::nan("");
  EXPECT_EQ(s.judge(stored(s.dtype, numbers)).reason, Reason::kNan);
}

TEST(StrictComparator, FlagsADowngradeOnlyAgainstTheReferencesOwnError) {
  Judged s;
  EXPECT_FALSE(s.judge(s.right()).is_precision_downgrade);
  auto halves = s.exact;
  for (double& x : halves) x = static_cast<double>(static_cast<_Float16>(x));
  const auto result = s.judge(stored(s.dtype, halves));
  EXPECT_TRUE(result.is_passed());
  EXPECT_TRUE(result.is_precision_downgrade);
  EXPECT_GT(result.ulp_histogram[6] + result.ulp_histogram[5], 5000U);
}

TEST(StrictComparator, AcceptsOneByteOutputsThatMeetThePoisonByChance) {
  Judged s;
  s.dtype = Dtype::kI8;
  // The output happens to be the poison itself in the usual number of places.
  const auto random = normals(10000, 9);
  for (std::size_t i = 0; i < s.exact.size(); ++i) s.exact[i] = std::round(random[i] * 40);
  EXPECT_TRUE(s.judge(s.right()).is_passed());
  auto output = s.right();
  leave_unwritten(output, s.dtype, 0, 2000);
  EXPECT_EQ(s.judge(output).reason, Reason::kPartialWrite);
}

TEST(Repeats, TellDependenceOnGarbageFromNondeterminism) {
  const auto a = stored(Dtype::kF32, normals(64)), b = stored(Dtype::kF32, normals(64, 8));
  EXPECT_FALSE(compare_repeats({a, a, a, true}).depends_on_output_init);
  EXPECT_TRUE(compare_repeats({a, a, b, true}).depends_on_output_init);
  EXPECT_TRUE(compare_repeats({a, a, b, false}).depends_on_output_init);
  const auto differs = compare_repeats({a, b, b, true});
  EXPECT_FALSE(differs.is_deterministic);
  EXPECT_FALSE(differs.depends_on_output_init);
  EXPECT_TRUE(compare_repeats({a, b, b, false}).depends_on_output_init);
}

TEST(Poison, IsTheSameAtEveryPositionHoweverItIsCut) {
  for (const Dtype dtype : problem::kDtypes) {
    SCOPED_TRACE(problem::to_string(dtype));
    const auto size = static_cast<std::size_t>(problem::byte_size(dtype));
    std::vector<std::byte> whole(size * 100), part(size * 13);
    fill_poison(dtype, 5, whole);
    poison_of(dtype, 5, 31, part);
    EXPECT_TRUE(std::equal(part.begin(), part.end(),
                           whole.begin() + static_cast<std::ptrdiff_t>(31 * size)));
    std::vector<std::byte> other(size * 100);
    fill_poison(dtype, 6, other);
    EXPECT_NE(other, whole);
  }
}

TEST(Poison, IsASignallingNaNWhereTheTypeHasOne) {
  for (const Dtype dtype : {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBf16, Dtype::kF8E5m2}) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(problem::byte_size(dtype)) * 1000);
    fill_poison(dtype, 5, bytes);
    std::vector<double> numbers(1000);
    decode(dtype, bytes, numbers);
    for (const double x : numbers) ASSERT_TRUE(std::isnan(x)) << problem::to_string(dtype);
  }
}

}  // namespace
}  // namespace ki::judge
