// Integers of any sign in few bytes: zigzag, then seven bits a byte, lowest first (LEB128).
#pragma once

#include <cstdint>
#include <vector>

namespace ki::catalog {

inline void append_varint(std::vector<std::uint8_t>& out, std::int64_t value) {
  auto bits = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  while (bits >= 0x80) {
    out.push_back(static_cast<std::uint8_t>(bits | 0x80));
    bits >>= 7;
  }
  out.push_back(static_cast<std::uint8_t>(bits));
}

inline std::int64_t read_varint(const std::uint8_t*& at) {
  std::uint64_t bits = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = *at++;
    bits |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) break;
  }
  return static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
}

}  // namespace ki::catalog
