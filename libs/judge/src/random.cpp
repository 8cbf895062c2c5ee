#include "ki/judge/random.h"

#include "ki/base/check.h"
#include "ki/stats/philox.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ki::judge {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;

constexpr std::size_t kBlocks = 256;
constexpr std::size_t kWords = kBlocks * 4;

// Philox4x32-10 as ki::stats has it, many blocks at once, word by word, so that the compiler can
// use vectors. The high half of the counter is 0.
void blocks(std::uint64_t key, std::uint64_t first, std::size_t count, std::uint32_t* a,
            std::uint32_t* b, std::uint32_t* c, std::uint32_t* d) {
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = static_cast<std::uint32_t>(first + i);
    b[i] = static_cast<std::uint32_t>((first + i) >> 32);
    c[i] = 0;
    d[i] = 0;
  }
  auto k0 = static_cast<std::uint32_t>(key);
  auto k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t p0 = static_cast<std::uint64_t>(kMultiplier0) * a[i];
      const std::uint64_t p1 = static_cast<std::uint64_t>(kMultiplier1) * c[i];
      const std::uint32_t was_b = b[i];
      const std::uint32_t was_d = d[i];
      a[i] = static_cast<std::uint32_t>(p1 >> 32) ^ was_b ^ k0;
      b[i] = static_cast<std::uint32_t>(p1);
      c[i] = static_cast<std::uint32_t>(p0 >> 32) ^ was_d ^ k1;
      d[i] = static_cast<std::uint32_t>(p0);
    }
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
}

double unit(std::uint32_t word) { return (static_cast<double>(word) + 0.5) * 0x1p-32; }

// Natural logarithm of a normal double in (0, 1): 2 atanh((m-1)/(m+1)) with m in [sqrt(1/2),
// sqrt(2)), and the exponent. Within 2 ulp there; what matters is that it is the same everywhere.
double logarithm(double x) {
  auto bits = std::bit_cast<std::uint64_t>(x);
  // The exponent that leaves the mantissa in [sqrt(1/2), sqrt(2)).
  const std::uint64_t shifted = bits + (0x3ff0000000000000ULL - 0x3fe6a09e667f3bcdULL);
  const auto exponent = static_cast<double>(static_cast<std::int64_t>(shifted >> 52) - 1023);
  bits -= (shifted & 0xfff0000000000000ULL) - 0x3ff0000000000000ULL;
  const double m = std::bit_cast<double>(bits);
  const double s = (m - 1) / (m + 1);
  const double t = s * s;
  double sum = 1.0 / 19;
  sum = sum * t + 1.0 / 17;
  sum = sum * t + 1.0 / 15;
  sum = sum * t + 1.0 / 13;
  sum = sum * t + 1.0 / 11;
  sum = sum * t + 1.0 / 9;
  sum = sum * t + 1.0 / 7;
  sum = sum * t + 1.0 / 5;
  sum = sum * t + 1.0 / 3;
  sum = sum * t + 1.0;
  return exponent * 0.69314718055994530942 + 2 * s * sum;
}

// sin and cos of 2 pi v for v in (0, 1): the nearest quarter turn, then Taylor series on +-pi/4.
void turn(double v, double& sine, double& cosine) {
  const double quarter = std::floor(4 * v + 0.5);
  const double x = (v - quarter * 0.25) * 6.28318530717958647693;
  const double t = x * x;
  double s = -1.0 / 1307674368000.0;
  s = s * t + 1.0 / 6227020800.0;
  s = s * t - 1.0 / 39916800.0;
  s = s * t + 1.0 / 362880.0;
  s = s * t - 1.0 / 5040.0;
  s = s * t + 1.0 / 120.0;
  s = s * t - 1.0 / 6.0;
  s = s * t * x + x;
  double c = 1.0 / 20922789888000.0;
  c = c * t - 1.0 / 87178291200.0;
  c = c * t + 1.0 / 479001600.0;
  c = c * t - 1.0 / 3628800.0;
  c = c * t + 1.0 / 40320.0;
  c = c * t - 1.0 / 720.0;
  c = c * t + 1.0 / 24.0;
  c = c * t - 0.5;
  c = c * t + 1.0;
  // Quarter turns 0..4: which function, and with which sign.
  const bool is_odd = quarter == 1 || quarter == 3;
  const double a = is_odd ? c : s;
  const double b = is_odd ? s : c;
  sine = quarter == 2 || quarter == 3 ? -a : a;
  cosine = quarter == 1 || quarter == 2 ? -b : b;
}

}  // namespace

void Stream::words(std::uint64_t first, std::span<std::uint32_t> out) const {
  KI_CHECK(first % 4 == 0);
  std::array<std::uint32_t, kBlocks> a, b, c, d;
  for (std::size_t done = 0; done < out.size();) {
    const std::size_t count = std::min(kBlocks, (out.size() - done + 3) / 4);
    blocks(key_, (first + done) / 4, count, a.data(), b.data(), c.data(), d.data());
    for (std::size_t i = 0; i < count; ++i) {
      const std::array<std::uint32_t, 4> block = {a[i], b[i], c[i], d[i]};
      for (std::size_t lane = 0; lane < 4 && done < out.size(); ++lane) out[done++] = block[lane];
    }
  }
}

void Stream::uniform(std::uint64_t first, std::span<double> out) const {
  std::array<std::uint32_t, kWords> random;
  for (std::size_t done = 0; done < out.size(); done += kWords) {
    const std::size_t count = std::min(kWords, out.size() - done);
    words(first + done, std::span(random).first(count));
    for (std::size_t i = 0; i < count; ++i) out[done + i] = unit(random[i]);
  }
}

void Stream::normal(std::uint64_t first, std::span<double> out) const {
  KI_CHECK(first % 4 == 0);
  std::array<std::uint32_t, kBlocks> a, b, c, d;
  std::array<double, kBlocks> radius, sine, cosine;
  for (std::size_t done = 0; done < out.size();) {
    const std::size_t count = std::min(kBlocks, (out.size() - done + 3) / 4);
    blocks(key_, (first + done) / 4, count, a.data(), b.data(), c.data(), d.data());
    for (std::size_t half = 0; half < 2; ++half) {
      const std::uint32_t* u = half == 0 ? a.data() : c.data();
      const std::uint32_t* v = half == 0 ? b.data() : d.data();
      for (std::size_t i = 0; i < count; ++i) radius[i] = -2 * logarithm(unit(u[i]));
      for (std::size_t i = 0; i < count; ++i) radius[i] = std::sqrt(radius[i]);
      for (std::size_t i = 0; i < count; ++i) turn(unit(v[i]), sine[i], cosine[i]);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = done + 4 * i + 2 * half;
        if (at < out.size()) out[at] = radius[i] * cosine[i];
        if (at + 1 < out.size()) out[at + 1] = radius[i] * sine[i];
      }
    }
    done += 4 * count;
  }
}

std::uint32_t permute(std::uint64_t key, int bits, std::uint32_t index) {
  KI_CHECK(bits >= 2 && bits <= 30 && bits % 2 == 0);
  const int half = bits / 2;
  const std::uint32_t mask = (1U << half) - 1;
  std::uint32_t left = (index >> half) & mask;
  std::uint32_t right = index & mask;
  // A balanced Feistel network is a permutation whatever its round function is.
  for (std::uint32_t round = 0; round < 4; ++round) {
    const auto random = stats::philox4x32_10(
        {right, round, 0, 1},
        {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)});
    const std::uint32_t next = left ^ (random[0] & mask);
    left = right;
    right = next;
  }
  return (left << half) | right;
}

}  // namespace ki::judge
