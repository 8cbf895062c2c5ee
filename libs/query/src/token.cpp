#include "token.h"

#include "ki/base/text.h"

#include <algorithm>
#include <array>

namespace ki::query {
namespace {

// White space outside ASCII in UTF-8: U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F,
// U+205F, U+3000, U+FEFF.
constexpr std::array<std::string_view, 19> kWideSpaces = {
    "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81", "\xE2\x80\x82",
    "\xE2\x80\x83", "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86", "\xE2\x80\x87",
    "\xE2\x80\x88", "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8", "\xE2\x80\xA9",
    "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80", "\xEF\xBB\xBF"};

bool is_key_start(char c) { return is_ascii_alpha(c) || c == '_'; }
bool is_key_byte(char c) { return is_ascii_alnum(c) || c == '_'; }

// Length of `key:` or `key=` at the start of the text, 0 when there is none.
std::size_t key_length(std::string_view text) {
  if (text.empty() || !is_key_start(text.front())) return 0;
  std::size_t i = 1;
  while (i < text.size() && is_key_byte(text[i])) ++i;
  return i < text.size() && (text[i] == ':' || text[i] == '=') ? i + 1 : 0;
}

std::size_t end_of_run(std::string_view text, std::size_t at) {
  while (at < text.size() && space_length(text, at) == 0) ++at;
  return at;
}

// The end of `\S*[ … ]` starting at `at`, or npos. The last '[' of the run that is closed counts.
std::size_t end_of_bracket(std::string_view text, std::size_t at, std::size_t run_end) {
  for (std::size_t open = run_end; open-- > at;) {
    if (text[open] != '[') continue;
    const std::size_t close = text.find(']', open + 1);
    if (close != std::string_view::npos) return close + 1;
  }
  return std::string_view::npos;
}

Token read_token(std::string_view text, std::size_t at) {
  const auto make = [&](std::size_t end) {
    Token token;
    token.text = text.substr(at, end - at);
    token.span = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)};
    return token;
  };
  if (text[at] == '"') {
    if (const std::size_t close = text.find('"', at + 1); close != std::string_view::npos) {
      Token token = make(close + 1);
      token.kind = TokenKind::kQuoted;
      token.value = token.text.substr(1, token.text.size() - 2);
      return token;
    }
  }
  const std::size_t key = key_length(text.substr(at));
  if (key > 0 && at + key < text.size() && text[at + key] == '"') {
    if (const std::size_t close = text.find('"', at + key + 1); close != std::string_view::npos) {
      Token token = make(close + 1);
      token.kind = TokenKind::kKeyed;
      token.key = token.text.substr(0, key - 1);
      token.value = token.text.substr(key + 1, token.text.size() - key - 2);
      token.has_quoted_value = true;
      return token;
    }
  }
  const std::size_t run_end = end_of_run(text, at);
  const std::size_t bracket_end = end_of_bracket(text, at, run_end);
  Token token = make(bracket_end != std::string_view::npos ? bracket_end : run_end);
  if (key > 0 && key < token.text.size()) {
    token.kind = TokenKind::kKeyed;
    token.key = token.text.substr(0, key - 1);
    token.value = token.text.substr(key);
  }
  return token;
}

}  // namespace

std::size_t space_length(std::string_view text, std::size_t at) {
  if (is_ascii_space(text[at])) return 1;
  if (static_cast<unsigned char>(text[at]) < 0x80) return 0;
  for (const std::string_view space : kWideSpaces) {
    if (text.substr(at).starts_with(space)) return space.size();
  }
  return 0;
}

bool has_space(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (space_length(text, i) > 0) return true;
  }
  return false;
}

std::string_view trim_spaces(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = space_length(text, 0);
    if (length == 0) break;
    text.remove_prefix(length);
  }
  while (!text.empty()) {
    std::size_t start = text.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U) --start;
    if (space_length(text, start) == 0) break;
    text.remove_suffix(text.size() - start);
  }
  return text;
}

std::vector<Token> tokenize(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t space = space_length(text, at); space > 0) {
      at += space;
      continue;
    }
    tokens.push_back(read_token(text, at));
    at = tokens.back().span.end;
  }
  return tokens;
}

}  // namespace ki::query
