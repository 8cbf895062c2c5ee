#include "ki/manifest/scalar.h"

#include "ki/base/text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ki::manifest {
namespace {

enum : std::uint8_t { kLower = 1, kDigit = 2, kUnderscore = 4, kHyphen = 8, kDot = 16, kHex = 32 };

constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<std::size_t>(c)] |= kLower;
  for (int c = 'a'; c <= 'f'; ++c) classes[static_cast<std::size_t>(c)] |= kHex;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<std::size_t>(c)] |= kDigit | kHex;
  classes['_'] |= kUnderscore;
  classes['-'] |= kHyphen;
  classes['.'] |= kDot;
  return classes;
}();

bool is_of(std::string_view text, int classes) {
  return std::ranges::all_of(
      text, [classes](char c) { return (kClasses[static_cast<unsigned char>(c)] & classes) != 0; });
}

// Of 64 bytes.
bool are_64_hex_digits(std::string_view text) {
#ifdef __SSE2__
  // Signed: bytes from 0x80 on are below every digit.
  const auto within = [](__m128i bytes, char first, char last) {
    return _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(static_cast<char>(first - 1))),
                         _mm_cmplt_epi8(bytes, _mm_set1_epi8(static_cast<char>(last + 1))));
  };
  __m128i all = _mm_set1_epi8(-1);
  for (std::size_t i = 0; i < 64; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i));
    all = _mm_and_si128(all, _mm_or_si128(within(bytes, '0', '9'), within(bytes, 'a', 'f')));
  }
  return _mm_movemask_epi8(all) == 0xFFFF;
#else
  return is_of(text, kHex);
#endif
}

bool starts_with_class(std::string_view text, int classes) {
  return !text.empty() && (kClasses[static_cast<unsigned char>(text[0])] & classes) != 0;
}

// Host characters that no URL parser accepts (WHATWG URL, "forbidden domain code point").
bool is_forbidden_in_host(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte == 0x7F ||
         std::string_view("#/:<>?@[\\]^|%").find(c) != std::string_view::npos;
}

bool is_ipv6_text(std::string_view text) {
  int groups = 0;
  int digits = 0;
  bool has_gap = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = ascii_lower(text[i]);
    if (is_ascii_digit(c) || (c >= 'a' && c <= 'f')) {
      if (digits == 0) ++groups;
      if (++digits > 4) return false;
    } else if (c == ':') {
      if (i + 1 < text.size() && text[i + 1] == ':') {
        if (has_gap) return false;
        has_gap = true;
        ++i;
      } else if (digits == 0 || i + 1 == text.size()) {
        return false;
      }
      digits = 0;
    } else {
      return false;
    }
  }
  return has_gap ? groups < 8 : groups == 8;
}

// A host whose last label is a number is an IPv4 address and must be one in dotted form.
bool is_valid_domain(std::string_view host) {
  if (host.empty() || std::ranges::any_of(host, is_forbidden_in_host)) return false;
  std::string_view trimmed = host;
  if (trimmed.ends_with('.')) trimmed.remove_suffix(1);
  const std::size_t dot = trimmed.rfind('.');
  const std::string_view last = dot == trimmed.npos ? trimmed : trimmed.substr(dot + 1);
  if (last.empty()) return false;
  if (!is_of(last, kDigit)) return true;
  int parts = 0;
  for (const std::string_view part : split(trimmed, '.')) {
    int value = 0;
    if (part.empty() || part.size() > 3 || !is_of(part, kDigit)) return false;
    for (const char c : part) value = value * 10 + (c - '0');
    if (value > 255) return false;
    ++parts;
  }
  return parts == 4;
}

struct UrlParts {
  bool has_user = false;
  std::string_view host;  // with brackets for IPv6
  std::string_view port;
  bool has_port = false;
};

// `rest` is the URL after "https://".
UrlParts split_authority(std::string_view rest) {
  UrlParts parts;
  std::string_view authority = rest.substr(0, rest.find_first_of("/?#\\"));
  if (const std::size_t at = authority.rfind('@'); at != authority.npos) {
    parts.has_user = true;
    authority.remove_prefix(at + 1);
  }
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.find(':', bracket == authority.npos ? 0 : bracket);
  parts.host = authority.substr(0, colon);
  if (colon != authority.npos) {
    parts.has_port = true;
    parts.port = authority.substr(colon + 1);
  }
  return parts;
}

bool is_valid_authority(const UrlParts& parts) {
  if (parts.port.size() > 5 || !is_of(parts.port, kDigit)) return false;
  int port = 0;
  for (const char c : parts.port) port = port * 10 + (c - '0');
  if (port > 65535) return false;
  if (parts.host.starts_with('['))
    return parts.host.ends_with(']') && is_ipv6_text(parts.host.substr(1, parts.host.size() - 2));
  return is_valid_domain(parts.host);
}

constexpr std::size_t kMaxUrlLength = 2000;
constexpr std::string_view kHttps = "https://";

bool is_within_url_length(std::string_view text) {
  return text.size() <= kMaxUrlLength || utf16_length(text) <= kMaxUrlLength;
}

}  // namespace

bool is_token(std::string_view text) {
  return starts_with_class(text, kLower) && is_of(text, kLower | kDigit | kUnderscore);
}

bool is_slug(std::string_view text) {
  return text.size() <= 100 && starts_with_class(text, kLower | kDigit) &&
         is_of(text, kLower | kDigit | kHyphen);
}

bool is_name(std::string_view text) {
  return text.size() <= 200 && starts_with_class(text, kLower | kDigit) &&
         is_of(text, kLower | kDigit | kHyphen | kUnderscore | kDot);
}

bool is_commit(std::string_view text) { return text.size() == 40 && is_of(text, kHex); }

bool is_digest(std::string_view text) {
  constexpr std::string_view kPrefix = "sha256:";
  return text.size() == kPrefix.size() + 64 && text.starts_with(kPrefix) &&
         are_64_hex_digits(text.substr(kPrefix.size()));
}

bool is_https_url(std::string_view text) {
  return is_within_url_length(text) && text.size() > kHttps.size() &&
         equals_ignoring_case(text.substr(0, kHttps.size()), kHttps) &&
         is_valid_authority(split_authority(text.substr(kHttps.size())));
}

bool is_plain_https_url(std::string_view text) {
  if (!text.starts_with(kHttps) || !is_https_url(text)) return false;
  const bool is_rfc3986 = std::ranges::all_of(text, [](char c) {
    return c > 0x20 && c < 0x7F &&
           std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
  });
  const UrlParts parts = split_authority(text.substr(kHttps.size()));
  return is_rfc3986 && !parts.has_user && (!parts.has_port || !parts.port.empty());
}

}  // namespace ki::manifest
