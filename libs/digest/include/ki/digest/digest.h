// Digest: a SHA-256 value and its one spelling.
#pragma once

#include "ki/base/result.h"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

namespace ki {

// SHA-256 (FIPS 180-4) of some bytes. Printed and parsed as "sha256:" and 64 lower-case hex digits.
class Digest {
 public:
  static constexpr std::size_t kBytes = 32;
  static constexpr std::size_t kTextLength = 71;

  explicit Digest(std::array<std::uint8_t, kBytes> bytes) : bytes_(bytes) {}
  // Fails on a missing prefix, a wrong length or an upper-case digit: one spelling per value.
  static Result<Digest> parse(std::string_view text);
  // `bytes` must be 32 long (checked).
  static Digest from_bytes(std::string_view bytes);
  // The digest of the bytes.
  static Digest of(std::string_view bytes);

  std::string to_string() const;  // inverse of parse
  std::string hex() const;        // 64 digits without the prefix
  const std::array<std::uint8_t, kBytes>& bytes() const { return bytes_; }
  std::string_view view() const { return {reinterpret_cast<const char*>(bytes_.data()), kBytes}; }
  auto operator<=>(const Digest&) const = default;

 private:
  std::array<std::uint8_t, kBytes> bytes_;
};

// The digest "<algorithm>:<hex>" cut to its first `count` characters and '…', for people.
std::string shortened(const Digest& digest, std::size_t count);

}  // namespace ki

template <>
struct std::hash<ki::Digest> {
  std::size_t operator()(const ki::Digest& digest) const noexcept {
    std::size_t word;
    std::memcpy(&word, digest.bytes().data(), sizeof word);
    return word;
  }
};
