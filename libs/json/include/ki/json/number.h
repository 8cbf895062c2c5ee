// Numbers as text: the one place where a double becomes JSON digits and back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ki::json {

// Appends RFC 8785 section 3.2.2.3 text (ECMAScript Number::toString, radix 10): shortest digits
// that round-trip, plain notation for 1e-6 <= |x| < 1e21, "0" for -0. `x` must be finite (checked).
void append_number(std::string& out, double x);
void append_integer(std::string& out, std::int64_t x);
std::string number_text(double x);

enum class NumberError : std::uint8_t {
  kNone,
  kSyntax,     // not the JSON number grammar (RFC 8259 section 6)
  kOverflow,   // beyond the largest double
  kUnderflow,  // not zero, but rounds to zero
  kTooLarge,   // |x| >= 2^53: integers there are not exact (spec 17)
};

struct ParsedNumber {
  double value = 0;
  NumberError error = NumberError::kNone;
};

// Parses exactly one JSON number; correctly rounded, independent of the locale.
ParsedNumber parse_number(std::string_view text);

}  // namespace ki::json
