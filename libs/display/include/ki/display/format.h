// Numbers, counts and dates as people read them (spec 13.1). Nothing here looks at the process
// locale. The decimals are those of ECMAScript Number.prototype.toFixed: the exact value of the
// double, ties up.
#pragma once

#include "ki/base/instant.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ki::display {

inline constexpr std::string_view kMissing = "—";

// `value` with exactly `decimals` digits after the point (0 to 100). From 1e21 on the number text
// of RFC 8785, as ECMAScript has it; kMissing for NaN and infinities.
std::string to_fixed(double value, int decimals);

// A value and its unit as two elements; either may be empty.
struct Readout {
  std::string value{};
  std::string unit{};

  // "7.81 µs"; without a unit only the value.
  std::string text() const;
  bool operator==(const Readout&) const = default;
};

// 7810 -> {"7.81", "µs"}. Re-scaled after rounding: 9999 is 10.0 µs and 999950 is 1.00 ms.
Readout latency(double ns);
std::string latency_text(double ns);

// A primary metric: ns and s as latency, any other unit verbatim behind the number text.
Readout primary(double value, std::string_view unit);
std::string primary_text(std::optional<double> value, std::string_view unit);

// Half the width of an interval, in the unit in which primary(value, unit) is shown: "±0.03".
struct Spread {
  double value = 0;
  double low = 0;
  double high = 0;
};
std::string spread(const Spread& interval, std::string_view unit);

// "1.02×" = value / best; kMissing when either is missing or best is 0.
std::string relative(std::optional<double> value, std::optional<double> best);

// What a smaller or a larger value means; policy::find_metric says which it is.
enum class Better : std::uint8_t { kLower, kHigher };

// "8.05× faster than baseline", "1.30× slower than …"; "as fast as …" when the ratio reads 1.00.
// kMissing unless both are positive and finite.
std::string ratio_prose(double value, double reference, std::string_view reference_name,
                        Better better = Better::kLower);

// "12.3%": the value that is given, in per cent, with one decimal.
std::string improvement(double percent);

// 1234567 -> "1,234,567".
std::string count(std::int64_t n);
// "1 run", "2 runs", "0 entries", "1,234 matches": regular English plurals, or the one given.
std::string count_noun(std::int64_t n, std::string_view singular, std::string_view plural = {});

// Model sizes: 70e9 -> "70B", 1.5e12 -> "1.5T", 350e6 -> "350M"; re-scaled after rounding.
std::string parameters(double n);

// Share of the speed-of-light bound: 0.0914 -> "9% of SOL" and "9% SOL".
std::string sol_text(double score);
std::string sol_cell(double score);

// "2026-08-15" in UTC, kMissing for nothing.
std::string date(std::optional<Instant> instant);
// "2026-08-15 02:02 UTC".
std::string date_time(std::optional<Instant> instant);

}  // namespace ki::display
