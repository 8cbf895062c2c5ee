#include "ki/judge/convert.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace ki::judge {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

std::uint64_t code_of(Dtype dtype, double number) {
  std::array<std::byte, 8> bytes{};
  const auto size = static_cast<std::size_t>(problem::byte_size(dtype));
  if (dtype == Dtype::kF4E2m1x2) {
    const std::array<double, 2> pair = {number, 0};
    encode(dtype, pair, std::span(bytes).first(1));
  } else {
    encode(dtype, std::span(&number, 1), std::span(bytes).first(size));
  }
  std::uint64_t out = 0;
  std::memcpy(&out, bytes.data(), 8);
  return out;
}

TEST(Convert, RoundsToNearestEvenInEveryFloatingType) {
  struct Case {
    Dtype dtype;
    double number;
    std::uint64_t code;
    const char* why;
  };
  for (const auto& [dtype, number, code, why] : std::initializer_list<Case>{
           {Dtype::kF16, 1, 0x3c00, "one"},
           {Dtype::kF16, 65504, 0x7bff, "the largest"},
           {Dtype::kF16, 65519.99, 0x7bff, "rounds down to the largest"},
           {Dtype::kF16, 65520, 0x7c00, "the tie above it is infinity"},
           {Dtype::kF16, 0x1p-24, 1, "the smallest"},
           {Dtype::kF16, 0x1p-25, 0, "a tie to even"},
           {Dtype::kF16, 0x1.000001p-25, 1, "just above the tie"},
           {Dtype::kF16, 0x1.ffcp-15, 0x400, "a subnormal that rounds up to the first normal"},
           {Dtype::kF16, 1 + 0x1p-11, 0x3c00, "a tie to even below"},
           {Dtype::kF16, 1 + 0x3p-11, 0x3c02, "a tie to even above"},
           {Dtype::kF16, -kInf, 0xfc00, "minus infinity"},
           {Dtype::kF16, -0.0, 0x8000, "minus zero"},
           {Dtype::kBf16, 1.0078125, 0x3f81, "one and a unit"},
           {Dtype::kBf16, 1.00390625, 0x3f80, "a tie to even"},
           {Dtype::kBf16, 3.4e38, 0x7f80, "above the largest"},
           {Dtype::kBf16, 0x1p-133, 1, "the smallest"},
           {Dtype::kF8E4m3fn, 448, 0x7e, "the largest"},
           {Dtype::kF8E4m3fn, 460, 0x7e, "rounds to the largest"},
           {Dtype::kF8E4m3fn, 465, 0x7f, "beyond it there is only NaN"},
           {Dtype::kF8E4m3fn, -2, 0xc0, "minus two"},
           {Dtype::kF8E4m3fn, 0x1p-9, 1, "the smallest"},
           {Dtype::kF8E5m2, 57344, 0x7b, "the largest"},
           {Dtype::kF8E5m2, 61440, 0x7c, "the tie above it is infinity"},
           {Dtype::kF8E5m2, 1.125, 0x3c, "a tie to even"},
       }) {
    SCOPED_TRACE(why);
    EXPECT_EQ(code_of(dtype, number), code) << std::hex << code_of(dtype, number);
  }
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBf16, Dtype::kF8E4m3fn, Dtype::kF8E5m2}) {
    std::array<std::byte, 8> bytes{};
    encode(dtype, std::span(&kNan, 1), bytes);
    double back = 0;
    decode(dtype, std::span(bytes).first(static_cast<std::size_t>(problem::byte_size(dtype))),
           std::span(&back, 1));
    EXPECT_TRUE(std::isnan(back));
  }
}

TEST(Convert, KeepsEveryCodeOfTheSmallTypes) {
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBf16, Dtype::kF8E4m3fn, Dtype::kF8E5m2}) {
    const auto size = static_cast<std::size_t>(problem::byte_size(dtype));
    for (std::uint32_t code = 0; code < (1U << (8 * size)); ++code) {
      double number = 0;
      std::array<std::byte, 4> bytes{};
      std::memcpy(bytes.data(), &code, 4);
      decode(dtype, std::span(bytes).first(size), std::span(&number, 1));
      if (std::isnan(number)) continue;
      ASSERT_EQ(code_of(dtype, number), code) << static_cast<int>(dtype) << " " << number;
    }
  }
}

// Between every two neighbours of bf16: below the middle, in it, above it; and around the ends.
TEST(Convert, RoundsToBf16OnceAndToEven) {
  const auto value = [](std::uint32_t code) {
    return static_cast<double>(std::bit_cast<float>(code << 16));
  };
  for (std::uint32_t code = 0; code < 0x7f7fU; ++code) {
    const double low = value(code), high = value(code + 1), middle = low + (high - low) / 2;
    ASSERT_EQ(code_of(Dtype::kBf16, middle), code + (code & 1U)) << code;
    ASSERT_EQ(code_of(Dtype::kBf16, std::nextafter(middle, 0.0)), code) << code;
    ASSERT_EQ(code_of(Dtype::kBf16, std::nextafter(middle, high)), code + 1) << code;
    ASSERT_EQ(code_of(Dtype::kBf16, -std::nextafter(middle, high)), 0x8000U + code + 1) << code;
  }
  const double largest = value(0x7f7f), over = largest + (largest - value(0x7f7e)) / 2;
  EXPECT_EQ(code_of(Dtype::kBf16, std::nextafter(over, 0.0)), 0x7f7fU);
  EXPECT_EQ(code_of(Dtype::kBf16, over), 0x7f80U);
  EXPECT_EQ(code_of(Dtype::kBf16, 1e300), 0x7f80U);
  EXPECT_EQ(code_of(Dtype::kBf16, -1e300), 0xff80U);
  EXPECT_EQ(code_of(Dtype::kBf16, 1e-300), 0U);
  EXPECT_EQ(code_of(Dtype::kBf16, -0.0), 0x8000U);
}

TEST(Convert, AgreesWithTheCompilersHalfPrecision) {
  for (std::uint32_t i = 0; i < 200000; ++i) {
    const float x = std::bit_cast<float>(i * 21474U + 7U);
    if (std::isnan(x)) continue;
    const auto expected = std::bit_cast<std::uint16_t>(static_cast<_Float16>(x));
    ASSERT_EQ(code_of(Dtype::kF16, static_cast<double>(x)), expected) << x;
  }
}

TEST(Convert, QuantisesToE2m1ByTheTableWithItsTies) {
  struct Case {
    double number;
    std::uint64_t code;
  };
  // 0 .5 1 1.5 2 3 4 6 are codes 0 to 7; 8 is the sign.
  for (const auto& [number, code] : std::initializer_list<Case>{
           {0, 0},      {0.25, 0}, {0.2501, 1}, {0.7499, 1}, {0.75, 2},   {1.25, 2},
           {1.2501, 3}, {1.75, 4}, {1.7499, 3}, {2.5, 4},    {2.5001, 5}, {3.5, 6},
           {3.4999, 5}, {5, 6},    {5.0001, 7}, {1e9, 7},    {-1e9, 15},  {-0.0, 0},
           {-1e-9, 8},  {-0.3, 9}, {kNan, 0}}) {
    SCOPED_TRACE(number);
    EXPECT_EQ(code_of(Dtype::kF4E2m1x2, number) & 15U, code);
  }
  const std::array<double, 2> pair = {1.5, -6};
  std::byte packed{};
  encode(Dtype::kF4E2m1x2, pair, std::span(&packed, 1));
  EXPECT_EQ(static_cast<int>(packed), 0xf3);  // the even index in the low half
  std::array<double, 2> back{};
  decode(Dtype::kF4E2m1x2, std::span(&packed, 1), back);
  EXPECT_EQ(back, pair);
}

TEST(Convert, SaturatesIntegersAndKeepsThemExactly) {
  EXPECT_EQ(static_cast<std::int8_t>(code_of(Dtype::kI8, 1e9)), 127);
  EXPECT_EQ(static_cast<std::int8_t>(code_of(Dtype::kI8, -129)), -128);
  EXPECT_EQ(static_cast<std::int64_t>(code_of(Dtype::kI64, 1e300)), INT64_MAX);
  EXPECT_EQ(code_of(Dtype::kI32, kNan), 0U);
  EXPECT_EQ(code_of(Dtype::kBool, 0.5), 1U);
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  std::int64_t back = 0;
  decode_integers(Dtype::kI64, std::as_bytes(std::span(&big, 1)), std::span(&back, 1));
  EXPECT_EQ(back, big);
  const std::uint8_t two = 2;
  decode_integers(Dtype::kBool, std::as_bytes(std::span(&two, 1)), std::span(&back, 1));
  EXPECT_EQ(back, 2);
}

TEST(Convert, MakesBinary32InOneRounding) {
  // Above a tie of binary32 by less than binary64 keeps.
  const std::int64_t n = (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1;
  float out = 0;
  decode_f32(Dtype::kI64, std::as_bytes(std::span(&n, 1)), std::span(&out, 1));
  EXPECT_EQ(out, 0x1.000002p60F);
  std::vector<std::uint16_t> halves(3000, 0x3c00);
  std::vector<float> ones(3000);
  decode_f32(Dtype::kF16, std::as_bytes(std::span(halves)), ones);
  for (const float one : ones) ASSERT_EQ(one, 1.0F);
}

}  // namespace
}  // namespace ki::judge
