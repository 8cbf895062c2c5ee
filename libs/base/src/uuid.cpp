#include "ki/base/uuid.h"

#include <algorithm>

namespace ki {
namespace {
constexpr std::string_view kHex = "0123456789abcdef";

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}
}  // namespace

std::optional<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  Uuid id;
  std::size_t at = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      if (text[at++] != '-') return std::nullopt;
    }
    const int high = hex_value(text[at]);
    const int low = hex_value(text[at + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    id.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
    at += 2;
  }
  return id;
}

std::string Uuid::to_string() const {
  std::string out;
  out.reserve(36);
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += kHex[bytes[i] >> 4];
    out += kHex[bytes[i] & 15];
  }
  return out;
}

// SplitMix64 (Steele, Lea, Flood 2014): enough for ids, which need to be distinct, not secret.
std::uint64_t UuidSource::random() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

Uuid UuidSource::next(Instant now) {
  if (now.ms > last_ms_) {
    last_ms_ = now.ms;
    counter_ = 0;
  } else if (++counter_ > 0x0FFF) {
    ++last_ms_;
    counter_ = 0;
  }
  Uuid id;
  for (std::size_t i = 0; i < 6; ++i) {
    id.bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(last_ms_) >> (40 - 8 * i));
  }
  id.bytes[6] = static_cast<std::uint8_t>(0x70 | (counter_ >> 8));
  id.bytes[7] = static_cast<std::uint8_t>(counter_);
  const std::uint64_t tail = random();
  for (std::size_t i = 0; i < 8; ++i)
    id.bytes[8 + i] = static_cast<std::uint8_t>(tail >> (56 - 8 * i));
  id.bytes[8] = static_cast<std::uint8_t>(0x80 | (id.bytes[8] & 0x3F));
  return id;
}

}  // namespace ki
