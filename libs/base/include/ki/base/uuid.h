// UUIDv7 object ids (RFC 9562 section 5.7): sortable by time, 36 lower-case characters as text.
#pragma once

#include "ki/base/instant.h"

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ki {

struct Uuid {
  std::array<std::uint8_t, 16> bytes{};

  // Accepts exactly 8-4-4-4-12 lower-case hexadecimal digits (any version: sources have their own).
  static std::optional<Uuid> parse(std::string_view text);
  std::string to_string() const;
  auto operator<=>(const Uuid&) const = default;
};

// Makes increasing ids: never twice the same, never going back, even when the clock does.
// Not safe for concurrent use; each writer owns one.
class UuidSource {
 public:
  explicit UuidSource(std::uint64_t seed) : state_(seed) {}
  Uuid next(Instant now);

 private:
  std::uint64_t random();
  std::uint64_t state_;
  std::int64_t last_ms_ = 0;
  std::uint16_t counter_ = 0;  // 12 bits: order within one millisecond
};

}  // namespace ki
