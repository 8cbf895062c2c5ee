#include "ki/digest/digest.h"

#include "ki/base/check.h"
#include "ki/base/text.h"

#include <algorithm>

namespace ki {
namespace {
constexpr std::string_view kPrefix = "sha256:";
constexpr std::string_view kHexDigits = "0123456789abcdef";
}  // namespace

Result<Digest> Digest::parse(std::string_view text) {
  const auto refuse = [&](std::string_view expected) {
    return fail(Code::kInvalidArgument,
                quote(text) + " is not a digest; expected " + std::string(expected));
  };
  if (!text.starts_with(kPrefix)) return refuse("'sha256:' and 64 lower-case hexadecimal digits");
  const std::string_view hex = text.substr(kPrefix.size());
  if (hex.size() != 2 * kBytes) return refuse("64 hexadecimal digits after 'sha256:'");
  std::array<std::uint8_t, kBytes> bytes{};
  for (std::size_t i = 0; i < kBytes; ++i) {
    const std::size_t high = kHexDigits.find(hex[2 * i]);
    const std::size_t low = kHexDigits.find(hex[2 * i + 1]);
    if (high == kHexDigits.npos || low == kHexDigits.npos)
      return refuse("only the digits 0-9 and a-f");
    bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return Digest(bytes);
}

Digest Digest::from_bytes(std::string_view bytes) {
  KI_CHECK(bytes.size() == kBytes);
  std::array<std::uint8_t, kBytes> copy{};
  std::ranges::transform(bytes, copy.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
  return Digest(copy);
}

std::string Digest::hex() const {
  std::string out;
  out.reserve(2 * kBytes);
  for (const std::uint8_t byte : bytes_) {
    out += kHexDigits[byte >> 4];
    out += kHexDigits[byte & 15];
  }
  return out;
}

std::string Digest::to_string() const { return std::string(kPrefix) + hex(); }

std::string shortened(const Digest& digest, std::size_t count) {
  const std::string text = digest.to_string();
  return count >= text.size() ? text : text.substr(0, count) + "…";
}

}  // namespace ki
