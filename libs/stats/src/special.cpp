#include "ki/stats/special.h"

#include "ki/base/check.h"
#include "ki/stats/elementary.h"

#include <array>
#include <cmath>
#include <limits>

namespace ki::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kTwoOverSqrtPi = 0x1.20dd750429b6dp+0;
constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;
constexpr double kHalfLogTwoPi = 0x1.d67f1c864beb5p-1;

// exp(-x^2) with the rounding error of the square put back.
double exp_minus_square(double x) {
  // Veltkamp's split: high * high is exact.
  const double scaled = x * 134217729.0;
  const double high = scaled - (scaled - x);
  const double low = x - high;
  const double square = high * high;
  return portable_exp(-square) * portable_exp(-(low * (high + x)));
}

// erf(x) = 2/sqrt(pi) exp(-x^2) sum 2^k x^(2k+1) / (1*3*...*(2k+1)): all terms positive
// (DLMF 7.6.2).
double erf_series(double x) {
  double term = x;
  double sum = x;
  for (int k = 1; k < 200; ++k) {
    term *= 2 * x * x / (2 * k + 1);
    sum += term;
    if (term < sum * kEpsilon / 4) break;
  }
  return kTwoOverSqrtPi * exp_minus_square(x) * sum;
}

// Continued fraction DLMF 7.9.2, from the inside out; 120 levels are enough for x >= 1.5.
double erfc_fraction(double x) {
  double inner = x;
  for (int k = 120; k >= 1; --k) inner = x + (k * 0.5) / inner;
  return exp_minus_square(x) / inner * (kTwoOverSqrtPi / 2);
}

template <std::size_t n>
double horner(const std::array<double, n>& coefficients, double x) {
  double sum = 0;
  for (std::size_t i = n; i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

// Stirling: log Gamma(z) = (z - 1/2) log z - z + log(2 pi)/2 + correction(z), z >= 10
// (DLMF 5.11.1).
double stirling_correction(double z) {
  constexpr std::array<double, 8> kTerms = {1.0 / 12,    -1.0 / 360,      1.0 / 1260,
                                            -1.0 / 1680, 1.0 / 1188,      -691.0 / 360360,
                                            1.0 / 156,   -3617.0 / 122400};
  return horner(kTerms, 1 / (z * z)) / z;
}

double log_gamma_from_ten(double z) {
  return (z - 0.5) * portable_log(z) - z + kHalfLogTwoPi + stirling_correction(z);
}

// log of Gamma(a) / Gamma(a + b) for a >= 10.
double log_gamma_fall(double a, double b) {
  return -((a - 0.5) * portable_log1p(b / a) + b * portable_log(a + b) - b +
           stirling_correction(a + b) - stirling_correction(a));
}

// I_x(a, b) = x^a y^b / (B(a, b) f) with f = b0 + a1 / (b1 + a2 / (b2 + ...)): the even part of the
// continued fraction DLMF 8.17.22 (Didonato and Morris 1992, BFRAC). Written with y = 1 - x, it
// loses nothing for x near 1; converges fast for x < (a + 1) / (a + b + 2). Modified Lentz.
double beta_fraction(double a, double b, double x, double y) {
  constexpr double kTiny = 1e-300;
  const auto guard = [](double v) { return std::fabs(v) < kTiny ? kTiny : v; };
  const double lead = a * y - b * x + 1;
  double value = guard(a * lead / (a + 1));
  double c = value;
  double d = 0;
  for (int step = 1; step < 100000; ++step) {
    const double m = step;
    const double below = a + 2 * m - 1;
    const double top = (a + m - 1) * (a + b + m - 1) / (below * below) * m * (b - m) * x * x;
    const double add =
        m + m * (b - m) * x / below + (a + m) * (lead + m * (1 + y)) / (a + 2 * m + 1);
    d = 1 / guard(add + top * d);
    c = guard(add + top / c);
    const double factor = c * d;
    value *= factor;
    if (std::fabs(factor - 1) <= kEpsilon) break;
  }
  return value;
}

// I_x(a, b) and its complement, given x and y = 1 - x, both without loss.
struct BetaTails {
  double lower;
  double upper;
};
BetaTails beta_tails(double a, double b, double x, double y) {
  if (x <= 0) return {0, 1};
  if (y <= 0) return {1, 0};
  const double log_x = x < 0.5 ? portable_log(x) : portable_log1p(-y);
  const double log_y = y < 0.5 ? portable_log(y) : portable_log1p(-x);
  const double front = portable_exp(a * log_x + b * log_y - log_beta(a, b));
  if (x < (a + 1) / (a + b + 2)) {
    const double lower = front / beta_fraction(a, b, x, y);
    return {lower, 1 - lower};
  }
  const double upper = front / beta_fraction(b, a, y, x);
  return {1 - upper, upper};
}

// Upper tail of t >= 0.
double t_tail(double t, double degrees) {
  if (t == kInfinity) return 0;
  const double square = t * t;
  if (square == kInfinity) return 0;
  const double sum = degrees + square;
  return 0.5 * beta_tails(degrees / 2, 0.5, degrees / sum, square / sum).lower;
}

double t_density(double t, double degrees) {
  const double log_density = -0.5 * (degrees + 1) * portable_log1p(t * t / degrees) -
                             0.5 * portable_log(degrees) - log_beta(degrees / 2, 0.5);
  return portable_exp(log_density);
}

// t >= 0 whose upper tail is q, 0 < q < 1/2: Newton steps kept inside a bracket that only shrinks.
double t_from_tail(double q, double degrees) {
  double low = 0;
  double high = 1;
  while (t_tail(high, degrees) > q) {
    low = high;
    high *= 2;
    if (high > 1e300) return high;
  }
  double t = 0.5 * (low + high);
  for (int step = 0; step < 200; ++step) {
    const double tail = t_tail(t, degrees);
    if (tail > q) {
      low = t;
    } else {
      high = t;
    }
    double next = t + (tail - q) / t_density(t, degrees);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::fabs(next - t) <= 2 * kEpsilon * t) return next;
    t = next;
  }
  return t;
}

}  // namespace

double erfc(double x) {
  if (std::isnan(x)) return x;
  if (x > 27.3) return 0;
  if (x < -6) return 2;
  if (x < 0) return 2 - erfc(-x);
  return x < 1.75 ? 1 - erf_series(x) : erfc_fraction(x);
}

double normal_cdf(double z) { return 0.5 * erfc(-z * kSqrtHalf); }
double normal_upper_tail(double z) { return 0.5 * erfc(z * kSqrtHalf); }

double normal_quantile(double p) {
  KI_CHECK(p >= 0 && p <= 1);
  if (p == 0) return -kInfinity;
  if (p == 1) return kInfinity;
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    constexpr std::array<double, 8> kTop = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                            1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                            4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                            3.3430575583588128105e+4, 2.5090809287301226727e+3};
    constexpr std::array<double, 8> kBottom = {1.0,
                                               4.2313330701600911252e+1,
                                               6.8718700749205790830e+2,
                                               5.3941960214247511077e+3,
                                               2.1213794301586595867e+4,
                                               3.9307895800092710610e+4,
                                               2.8729085735721942674e+4,
                                               5.2264952788528545610e+3};
    const double r = 0.180625 - q * q;
    return q * horner(kTop, r) / horner(kBottom, r);
  }
  const double tail = q < 0 ? p : 1 - p;
  double r = std::sqrt(-portable_log(tail));
  double value = 0;
  if (r <= 5) {
    constexpr std::array<double, 8> kTop = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                            5.76949722146069140550e0,  3.64784832476320460504e0,
                                            1.27045825245236838258e0,  2.41780725177450611770e-1,
                                            2.27238449892691845833e-2, 7.74545014278341407640e-4};
    constexpr std::array<double, 8> kBottom = {1.0,
                                               2.05319162663775882187e0,
                                               1.67638483018380384940e0,
                                               6.89767334985100004550e-1,
                                               1.48103976427480074590e-1,
                                               1.51986665636164571966e-2,
                                               5.47593808499534494600e-4,
                                               1.05075007164441684324e-9};
    r -= 1.6;
    value = horner(kTop, r) / horner(kBottom, r);
  } else {
    constexpr std::array<double, 8> kTop = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                            1.78482653991729133580e0,  2.96560571828504891230e-1,
                                            2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                            2.71155556874348757815e-5, 2.01033439929228813265e-7};
    constexpr std::array<double, 8> kBottom = {1.0,
                                               5.99832206555887937690e-1,
                                               1.36929880922735805310e-1,
                                               1.48753612908506148525e-2,
                                               7.86869131145613259100e-4,
                                               1.84631831751005468180e-5,
                                               1.42151175831644588870e-7,
                                               2.04426310338993978564e-15};
    r -= 5;
    value = horner(kTop, r) / horner(kBottom, r);
  }
  return q < 0 ? -value : value;
}

double log_beta(double a, double b) {
  KI_CHECK(a > 0 && b > 0);
  if (a < b) return log_beta(b, a);
  // Raise the larger argument to 10: B(a, b) = B(a + 1, b) (a + b) / a.
  double factor = 1;
  while (a < 10) {
    factor *= (a + b) / a;
    a += 1;
  }
  double gamma_b = 0;
  if (b >= 10) {
    gamma_b = log_gamma_from_ten(b);
  } else {  // log Gamma(b) for small b: Gamma(b) = Gamma(b + k) / (b (b + 1) ... (b + k - 1))
    double product = 1;
    double raised = b;
    while (raised < 10) {
      product *= raised;
      raised += 1;
    }
    gamma_b = log_gamma_from_ten(raised) - portable_log(product);
  }
  return portable_log(factor) + gamma_b + log_gamma_fall(a, b);
}

double incomplete_beta(double a, double b, double x) {
  KI_CHECK(a > 0 && b > 0 && x >= 0 && x <= 1);
  return beta_tails(a, b, x, 1 - x).lower;
}

double student_t_upper_tail(double t, double degrees) {
  KI_CHECK(degrees > 0);
  if (std::isnan(t)) return t;
  return t >= 0 ? t_tail(t, degrees) : 1 - t_tail(-t, degrees);
}

double student_t_cdf(double t, double degrees) { return student_t_upper_tail(-t, degrees); }

double student_t_quantile(double p, double degrees) {
  KI_CHECK(p >= 0 && p <= 1 && degrees > 0);
  if (p == 0) return -kInfinity;
  if (p == 1) return kInfinity;
  if (p == 0.5) return 0;
  return p < 0.5 ? -t_from_tail(p, degrees) : t_from_tail(1 - p, degrees);
}

}  // namespace ki::stats
