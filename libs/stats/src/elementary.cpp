#include "ki/stats/elementary.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ki::stats {
namespace {

// ln 2 in two parts; the high one has 21 trailing zero bits, so that k * kLn2High is exact for |k|
// < 2^20.
constexpr double kLn2High = 0x1.62e42fee00000p-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kInverseLn2 = 0x1.71547652b82fep+0;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// 2 atanh(s) - 2s, |s| <= 0.1716: the odd series up to s^21; the next term is below 2^-60 of the
// first.
double atanh_tail(double s) {
  const double z = s * s;
  double sum = 1.0 / 21;
  sum = sum * z + 1.0 / 19;
  sum = sum * z + 1.0 / 17;
  sum = sum * z + 1.0 / 15;
  sum = sum * z + 1.0 / 13;
  sum = sum * z + 1.0 / 11;
  sum = sum * z + 1.0 / 9;
  sum = sum * z + 1.0 / 7;
  sum = sum * z + 1.0 / 5;
  sum = sum * z + 1.0 / 3;
  return 2 * s * z * sum;
}

// log(1 + f) for |f| <= sqrt(2) - 1. 2s = f - s f, so f itself, which is exact, carries the result.
double log1p_reduced(double f) {
  const double s = f / (2 + f);
  return f - (s * f - atanh_tail(s));
}

}  // namespace

double portable_log(double x) {
  if (std::isnan(x) || x < 0) return kNaN;
  if (x == 0) return -kInfinity;
  if (x == kInfinity) return x;
  int exponent = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 0x1p54;
    exponent = -54;
  }
  auto bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  bits = (bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL;
  double mantissa = std::bit_cast<double>(bits);
  if (mantissa > 0x1.6a09e667f3bcdp+0) {  // sqrt(2)
    mantissa *= 0.5;
    ++exponent;
  }
  const double tail = log1p_reduced(mantissa - 1);
  if (exponent == 0) return tail;
  const auto k = static_cast<double>(exponent);
  return k * kLn2High + (tail + k * kLn2Low);
}

double portable_log1p(double x) {
  if (x > -0.29 && x < 0.41) return log1p_reduced(x);
  if (std::isnan(x) || x < -1) return kNaN;
  const double sum = 1 + x;
  if (sum == 0) return -kInfinity;
  if (sum == kInfinity) return sum;
  // The rounding error of the sum, carried to first order.
  const double lost = x >= 1 ? 1 - (sum - x) : x - (sum - 1);
  return portable_log(sum) + lost / sum;
}

double portable_exp(double x) {
  if (std::isnan(x)) return x;
  if (x > 709.782712893384) return kInfinity;
  if (x < -745.1332191019412) return 0;
  const double k = std::floor(x * kInverseLn2 + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  // Taylor to r^14, |r| <= 0.3466: the next term is below 2^-62.
  double sum = 1.0 / 87178291200;
  sum = sum * r + 1.0 / 6227020800;
  sum = sum * r + 1.0 / 479001600;
  sum = sum * r + 1.0 / 39916800;
  sum = sum * r + 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 1.0 / 2;
  const double value = 1 + (r + r * r * sum);
  return std::ldexp(value, static_cast<int>(k));
}

}  // namespace ki::stats
