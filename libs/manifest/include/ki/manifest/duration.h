// DURATION (spec 01.2): "0.008 ms" as whole nanoseconds, by exact decimal arithmetic.
#pragma once

#include <cstdint>
#include <string_view>

namespace ki::manifest {

enum class DurationError : std::uint8_t {
  kNone,
  kSyntax,    // not <digits>[.<digits>][one white space](ns|us|µs|ms|s)
  kNotWhole,  // not a whole number of nanoseconds
  kTooLarge,  // beyond 2^53−1 ns
};

struct ParsedDuration {
  std::int64_t ns = 0;
  DurationError error = DurationError::kNone;
};

ParsedDuration parse_duration(std::string_view text);

}  // namespace ki::manifest
