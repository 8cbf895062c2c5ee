#include "ki/manifest/duration.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

namespace ki::manifest {
namespace {

TEST(Duration, ReadsExactDecimals) {
  struct Case {
    const char* text;
    std::int64_t ns;
  };
  for (const auto& [text, ns] : std::initializer_list<Case>{
           {"0ns", 0},
           {"8us", 8000},
           {"8 us", 8000},
           {"8 µs", 8000},
           {"8\tus", 8000},
           {"8\xC2\xA0us", 8000},
           {"0.008 ms", 8000},
           {"0.0080 ms", 8000},
           {"1.005 us", 1005},
           {"1.001 us", 1001},
           {"1.000 ns", 1},
           {"0.000000001 s", 1},
           {"00012 ns", 12},
           {"9007199254740991 ns", 9007199254740991},
           {"9007199.254740991 s", 9007199254740991},
           {"0.0000000000000000000000 s", 0},
       }) {
    SCOPED_TRACE(text);
    const ParsedDuration parsed = parse_duration(text);
    EXPECT_EQ(parsed.error, DurationError::kNone);
    EXPECT_EQ(parsed.ns, ns);
  }
}

TEST(Duration, RefusesEverythingElse) {
  struct Case {
    const char* why;
    const char* text;
    DurationError error;
  };
  for (const auto& [why, text, error] : std::initializer_list<Case>{
           {"half a nanosecond", "0.5 ns", DurationError::kNotWhole},
           {"beyond nanoseconds", "0.0000005 ms", DurationError::kNotWhole},
           {"no unit", "8", DurationError::kSyntax},
           {"two spaces", "8  us", DurationError::kSyntax},
           {"space after", "8us ", DurationError::kSyntax},
           {"space before", " 8us", DurationError::kSyntax},
           {"Greek mu", "8 \xCE\xBCs", DurationError::kSyntax},
           {"upper case", "8 MS", DurationError::kSyntax},
           {"sign", "-8us", DurationError::kSyntax},
           {"plus", "+8us", DurationError::kSyntax},
           {"exponent", "8e3 ns", DurationError::kSyntax},
           {"no digits after the point", "8. us", DurationError::kSyntax},
           {"no digits before the point", ".5 us", DurationError::kSyntax},
           {"sexagesimal", "1:30", DurationError::kSyntax},
           {"minutes", "1 min", DurationError::kSyntax},
           {"empty", "", DurationError::kSyntax},
           {"2^53", "9007199254740992 ns", DurationError::kTooLarge},
           {"2^53 as seconds", "9007199.254740992 s", DurationError::kTooLarge},
           {"many digits", "99999999999999999999999999 s", DurationError::kTooLarge},
       }) {
    SCOPED_TRACE(why);
    EXPECT_EQ(parse_duration(text).error, error);
  }
}

// The value is drawn as an integer count of a power of ten of nanoseconds, so that what must come
// out is known without any floating point.
TEST(Duration, AgreesWithIntegerArithmetic) {
  struct Unit {
    const char* name;
    int decimals;
  };
  constexpr Unit kUnits[] = {{"ns", 0}, {"us", 3}, {"µs", 3}, {"ms", 6}, {"s", 9}};
  const std::int64_t count = std::getenv("KI_LONG") != nullptr ? 10'000'000 : 1'000'000;
  std::mt19937_64 random(20260801);
  std::int64_t false_rejects = 0;
  std::int64_t false_accepts = 0;
  std::int64_t wrong = 0;
  std::int64_t whole = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const Unit& unit = kUnits[random() % 5];
    const int places = static_cast<int>(random() % 13);  // digits after the point
    std::uint64_t scale = 1;
    for (int k = 0; k < places; ++k) scale *= 10;
    std::uint64_t digits = random() >> (random() % 60);  // digits of the number without its point
    digits %= 1'000'000'000'000ULL;
    std::string text = places == 0
                           ? fmt::format("{}", digits)
                           : fmt::format("{}.{:0{}}", digits / scale, digits % scale, places);
    if (random() % 2 == 0) text += ' ';
    text += unit.name;
    // digits * 10^(decimals - places) nanoseconds.
    unsigned __int128 value = digits;
    bool is_whole = true;
    for (int k = unit.decimals; k < places; ++k) {
      is_whole = is_whole && value % 10 == 0;
      value /= 10;
    }
    for (int k = places; k < unit.decimals; ++k) value *= 10;
    const bool fits = value <= 9007199254740991ULL;
    const ParsedDuration parsed = parse_duration(text);
    const bool is_accepted = parsed.error == DurationError::kNone;
    whole += is_whole && fits ? 1 : 0;
    if (is_whole && fits && !is_accepted) ++false_rejects;
    if ((!is_whole || !fits) && is_accepted) ++false_accepts;
    if (is_whole && fits && is_accepted && static_cast<std::uint64_t>(parsed.ns) != value) ++wrong;
  }
  EXPECT_EQ(false_rejects, 0);
  EXPECT_EQ(false_accepts, 0);
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(whole, count / 10);
  EXPECT_LT(whole, count * 9 / 10);
}

}  // namespace
}  // namespace ki::manifest
