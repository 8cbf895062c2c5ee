// Text helpers that several modules need: UTF-8 checks, ASCII case, kebab form, distances, quoting.
// None of them looks at the process locale.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki {

constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_ascii_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_ascii_alpha(char c) { return is_ascii_lower(c) || is_ascii_upper(c); }
constexpr bool is_ascii_alnum(char c) { return is_ascii_alpha(c) || is_ascii_digit(c); }
constexpr bool is_ascii_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
constexpr char ascii_lower(char c) { return is_ascii_upper(c) ? static_cast<char>(c + 32) : c; }

std::string ascii_lower(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);  // ASCII only
std::string_view trim(std::string_view text);                       // ASCII white space
std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);

// Offset of the first byte that is not valid UTF-8 (RFC 3629: no surrogates, no overlong forms,
// nothing above U+10FFFF), or nothing.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

// Length in UTF-16 code units of valid UTF-8 text; spec 01.1 counts string limits in them.
std::size_t utf16_length(std::string_view text);

// Orders valid UTF-8 texts by UTF-16 code units (RFC 8785 section 3.2.3).
bool utf16_less(std::string_view a, std::string_view b);

// Lower case; each maximal run outside [a-z0-9] becomes one '-'; leading and trailing '-' stripped;
// then cut to 100 bytes, which may leave a trailing '-' (importers 00 section 3, quirk 7).
std::string kebab(std::string_view text);

// Optimal string alignment distance, at most `limit`; limit + 1 when larger.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

// The candidate closest to `word` within distance 2 (1 for words under five letters), or nothing.
std::optional<std::string_view> did_you_mean(std::string_view word,
                                             std::span<const std::string_view> candidates);

// Input text for a message: control characters escaped, cut at 80 characters with '…', in quotes.
std::string quote(std::string_view text);

// One word of a POSIX shell's command line, in single quotes.
std::string shell_quoted(std::string_view text);

}  // namespace ki
