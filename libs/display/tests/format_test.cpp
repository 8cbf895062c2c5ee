#include "ki/display/format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

namespace ki::display {
namespace {

// toFixed by whole-number arithmetic on the bits of the double, as ECMA-262
// Number.prototype.toFixed words it: the n for which n / 10^d - x is as close to zero as possible,
// the larger of two.
std::string exact_to_fixed(double value, int decimals) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int field = static_cast<int>(bits >> 52 & 0x7FF);
  const std::uint64_t mantissa = (bits & ((1ULL << 52) - 1)) | (field == 0 ? 0 : 1ULL << 52);
  const int exponent = (field == 0 ? 1 : field) - 1075;
  std::vector<std::uint32_t> n{static_cast<std::uint32_t>(mantissa),
                               static_cast<std::uint32_t>(mantissa >> 32)};
  const auto multiply = [&](std::uint32_t factor) {
    std::uint64_t carry = 0;
    for (auto& limb : n) {
      carry += std::uint64_t{limb} * factor;
      limb = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) n.push_back(static_cast<std::uint32_t>(carry));
  };
  const auto halve = [&] {  // returns the bit that falls out
    std::uint32_t fallen = 0;
    for (std::size_t i = n.size(); i-- > 0;) {
      const std::uint32_t low = n[i] & 1;
      n[i] = n[i] >> 1 | fallen << 31;
      fallen = low;
    }
    return fallen;
  };
  for (int i = 0; i < decimals; ++i) multiply(10);
  for (int i = 0; i < exponent; ++i) multiply(2);
  std::uint32_t last = 0;
  for (int i = 0; i < -exponent; ++i) last = halve();
  if (last == 1) {  // half or more: up
    for (auto& limb : n) {
      if (++limb != 0) break;
    }
  }
  std::string digits;
  while (std::ranges::any_of(n, [](auto limb) { return limb != 0; })) {
    std::uint64_t rest = 0;
    for (std::size_t i = n.size(); i-- > 0;) {
      rest = rest << 32 | n[i];
      n[i] = static_cast<std::uint32_t>(rest / 10);
      rest %= 10;
    }
    digits.insert(digits.begin(), static_cast<char>('0' + rest));
  }
  const auto places = static_cast<std::size_t>(decimals);
  if (digits.size() < places + 1) digits.insert(0, places + 1 - digits.size(), '0');
  if (places > 0) digits.insert(digits.size() - places, ".");
  return (std::signbit(value) && value != 0 ? "-" : "") + digits;
}

TEST(ToFixed, RoundsTheExactValueTiesUp) {
  struct Case {
    const char* why;
    double value;
    int decimals;
    const char* text;
  };
  for (const auto& [why, value, decimals, text] : {
           Case{"a tie goes up where banker's rounding goes down", 0.5, 0, "1"},
           Case{"another one", 2.5, 0, "3"},
           Case{"not a tie: the double is below 1.005", 1.005, 2, "1.00"},
           Case{"not a tie: above", 1.45, 1, "1.4"},
           Case{"a true tie in two decimals", 0.125, 2, "0.13"},
           Case{"and one that is even already", 0.375, 2, "0.38"},
           Case{"a carry through all digits", 9.995, 2, "9.99"},
           Case{"a tie with a carry", 9.5, 0, "10"},
           Case{"a tie with a carry through the point", 999.5, 0, "1000"},
           Case{"negative ties go away from zero", -2.5, 0, "-3"},
           Case{"negative zero has no sign", -0.0, 2, "0.00"},
           Case{"a small negative keeps its sign", -0.001, 2, "-0.00"},
           Case{"2^-101 is a tie in 100 decimals", 0x1p-101, 100,
                "0."
                "0000000000000000000000000000003944304526105059027058642826413931148366032175545115"
                "02"
                "3851394653320313"},
           Case{"large", 123456789012345680000.0, 2, "123456789012345683968.00"},
           Case{"from 1e21 on the shortest text", 1e21, 2, "1e+21"},
           Case{"no number", std::numeric_limits<double>::quiet_NaN(), 2, "—"},
       }) {
    EXPECT_EQ(to_fixed(value, decimals), text) << why;
  }
}

TEST(ToFixed, AgreesWithWholeNumberArithmeticOnRandomDoublesAndOnTies) {
  std::mt19937_64 random(20260815);
  std::uniform_real_distribution<double> exponent(-12, 20);
  for (int i = 0; i < 20000; ++i) {
    const double magnitude = std::pow(10.0, exponent(random));
    const double any = magnitude * (static_cast<double>(random() % 20001) - 10000) / 10000;
    // k / 2^e: a tie whenever e = decimals + 1.
    const double binary =
        std::ldexp(static_cast<double>(random() % 1000000), -static_cast<int>(random() % 12));
    const int decimals = static_cast<int>(random() % 9);
    for (const double value : {any, binary, -binary}) {
      if (std::fabs(value) >= 1e21) continue;
      ASSERT_EQ(to_fixed(value, decimals), exact_to_fixed(value, decimals))
          << value << " " << decimals;
    }
  }
}

TEST(Latency, RescalesAfterRounding) {
  struct Case {
    double ns;
    const char* text;
  };
  for (const auto& [ns, text] : {
           Case{0, "0 ns"},
           Case{999.4, "999 ns"},
           Case{999.5, "1.00 µs"},
           Case{9994, "9.99 µs"},
           Case{9999, "10.0 µs"},
           Case{33864, "33.9 µs"},
           Case{999949, "999.9 µs"},
           Case{999950, "1.00 ms"},
           Case{1163104, "1.16 ms"},
           Case{9999999, "10.0 ms"},
           Case{999999999, "1.00 s"},
           Case{66e9, "66.0 s"},
           Case{1e12, "1000.0 s"},
           Case{-9999, "-10.0 µs"},
       }) {
    EXPECT_EQ(latency_text(ns), text);
  }
  EXPECT_EQ(latency_text(std::numeric_limits<double>::infinity()), kMissing);
}

TEST(Latency, NeverReadsBeyondItsUnitAndNeverFallsWhenTimeRises) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(0, 11);
  std::vector<double> times;
  for (int i = 0; i < 50000; ++i) times.push_back(std::pow(10.0, exponent(random)));
  for (const double edge : {1e3, 1e4, 1e6, 1e7, 1e9, 1e10}) {
    for (int i = -200; i <= 200; ++i) times.push_back(edge * (1 + i * 1e-5));
  }
  std::ranges::sort(times);
  double last = 0;
  for (const double ns : times) {
    const Readout readout = latency(ns);
    const double shown = std::strtod(readout.value.c_str(), nullptr);
    const double scale = readout.unit == "ns"   ? 1
                         : readout.unit == "µs" ? 1e3
                         : readout.unit == "ms" ? 1e6
                                                : 1e9;
    ASSERT_TRUE(shown < 1000 || readout.unit == "s") << readout.text();
    ASSERT_NE(readout.value, "10.00");
    ASSERT_GE(shown * scale, last * (1 - 1e-12)) << ns;
    ASSERT_NEAR(shown * scale, ns, 0.0051 * ns + 0.5) << readout.text();
    last = shown * scale;
  }
}

TEST(Spread, IsShownInTheUnitOfItsValue) {
  EXPECT_EQ(spread({.value = 7810, .low = 7788, .high = 7841}, "ns"), "±0.03");
  EXPECT_EQ(spread({.value = 999999, .low = 990000, .high = 1010000}, "ns"), "±0.01")
      << "the value reads 1.00 ms, so the spread is one of ms";
  EXPECT_EQ(spread({.value = 15000, .low = 14000, .high = 16000}, "tokens_s"), "±1000.00");
}

TEST(Ratio, SaysItsDirection) {
  EXPECT_EQ(ratio_prose(1163104, 144470, "baseline"), "8.05× slower than baseline");
  EXPECT_EQ(ratio_prose(33864, 462942, "baseline"), "13.67× faster than baseline");
  EXPECT_EQ(ratio_prose(200, 100, "baseline", Better::kHigher), "2.00× faster than baseline");
  EXPECT_EQ(ratio_prose(100.1, 100, "#1"), "as fast as #1") << "never 1.00× slower";
  EXPECT_EQ(ratio_prose(0, 100, "baseline"), kMissing);
}

TEST(Relative, HasNoValueWithoutABest) {
  EXPECT_EQ(relative(7940, 7810), "1.02×");
  EXPECT_EQ(relative(5, 0), kMissing);
  EXPECT_EQ(relative(std::nullopt, 5), kMissing);
  EXPECT_EQ(relative(5, std::nullopt), kMissing);
}

TEST(Counts, HaveSeparatorsAndPlurals) {
  EXPECT_EQ(count(0), "0");
  EXPECT_EQ(count(999), "999");
  EXPECT_EQ(count(1000), "1,000");
  EXPECT_EQ(count(-1234567), "-1,234,567");
  EXPECT_EQ(count(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
  EXPECT_EQ(count_noun(1, "run"), "1 run");
  EXPECT_EQ(count_noun(2, "run"), "2 runs");
  EXPECT_EQ(count_noun(0, "entry"), "0 entries") << "the original wrote \"0 entrys\"";
  EXPECT_EQ(count_noun(2, "key"), "2 keys");
  EXPECT_EQ(count_noun(7771, "match"), "7,771 matches");
  EXPECT_EQ(count_noun(2, "index", "indices"), "2 indices");
}

TEST(Parameters, DropAZeroAndRescale) {
  EXPECT_EQ(parameters(70e9), "70B");
  EXPECT_EQ(parameters(1.5e12), "1.5T");
  EXPECT_EQ(parameters(350e6), "350M");
  EXPECT_EQ(parameters(999.97e6), "1B");
}

TEST(Dates, AreUtcDays) {
  EXPECT_EQ(date(Instant{1786759377440}), "2026-08-15");
  EXPECT_EQ(date(std::nullopt), kMissing);
  EXPECT_EQ(date_time(Instant{1786759377440}), "2026-08-15 02:02 UTC");
}

TEST(Improvement, HasOneDecimal) {
  EXPECT_EQ(improvement(12.345), "12.3%");
  EXPECT_EQ(improvement(0.25), "0.3%");
}

}  // namespace
}  // namespace ki::display
