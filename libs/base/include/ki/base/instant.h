// Instant: a UTC time in whole milliseconds since 1970, and its one canonical spelling
// (RFC 3339 restricted to YYYY-MM-DDTHH:MM:SS.mmmZ).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ki {

struct Instant {
  std::int64_t ms = 0;  // since 1970-01-01T00:00:00Z; years 0001 to 9999

  // "2026-08-15T02:02:57.440Z".
  std::string to_string() const;
  // "2026-08-15".
  std::string date() const;
  auto operator<=>(const Instant&) const = default;
};

struct ParsedInstant {
  Instant instant;            // digits beyond milliseconds are truncated
  bool is_canonical = false;  // the text was exactly Instant::to_string()
};

// Parses the INSTANT of spec 01.2: YYYY-MM-DDTHH:MM[:SS[.f+]]Z, upper-case T and Z, a real calendar
// date, hour 00-23, minute and second 00-59 (no leap second). Anything else is nothing.
std::optional<ParsedInstant> parse_instant(std::string_view text);

}  // namespace ki
