#include "ki/base/base64.h"

#include "ki/base/base64url.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ki {
namespace {

constexpr std::string_view kStandard =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlSafe =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t kNone = 0xFF;

using Values = std::array<std::uint8_t, 256>;
constexpr Values values_of(std::string_view alphabet) {
  Values values{};
  values.fill(kNone);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    values[static_cast<std::uint8_t>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}
constexpr Values kStandardValues = values_of(kStandard);
constexpr Values kUrlSafeValues = values_of(kUrlSafe);

std::string encode(std::string_view bytes, std::string_view alphabet) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = (bits << 8) | static_cast<std::uint8_t>(c);
    count += 8;
    while (count >= 6) {
      count -= 6;
      text += alphabet[(bits >> count) & 63U];
    }
  }
  if (count > 0) text += alphabet[(bits << (6 - count)) & 63U];
  return text;
}

// Without padding.
std::optional<std::string> decode(std::string_view text, const Values& values) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::uint8_t value = values[static_cast<std::uint8_t>(c)];
    if (value == kNone) return std::nullopt;
    bits = (bits << 6) | value;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> count) & 0xFFU);
  }
  if ((bits & ((1U << count) - 1)) != 0) return std::nullopt;
  return bytes;
}

// The text without exactly the padding that it needs; nothing when it has another.
std::optional<std::string_view> without_padding(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string base64url(std::string_view bytes) { return encode(bytes, kUrlSafe); }

std::optional<std::string> parse_base64url(std::string_view text) {
  return decode(text, kUrlSafeValues);
}

std::string base64(std::string_view bytes) {
  std::string text = encode(bytes, kStandard);
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

std::optional<std::string> parse_base64(std::string_view text) {
  const auto bare = without_padding(text);
  return bare ? decode(*bare, kStandardValues) : std::nullopt;
}

std::optional<std::string> parse_any_base64(std::string_view text) {
  const auto bare = text.ends_with('=') ? without_padding(text) : text;
  if (!bare) return std::nullopt;
  const bool is_url_safe = std::ranges::any_of(*bare, [](char c) { return c == '-' || c == '_'; });
  return decode(*bare, is_url_safe ? kUrlSafeValues : kStandardValues);
}

}  // namespace ki
