// Words of names and queries: maximal runs of letters and digits, lower case. Bytes of other
// alphabets count as letters.
#pragma once

#include "ki/base/text.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace ki::resolve {

constexpr bool is_word_byte(char c) {
  return is_ascii_alnum(c) || static_cast<unsigned char>(c) >= 0x80;
}

// Calls visit(word) for each word of `text`, which must be in lower case.
template <class Visit>
void for_each_word(std::string_view text, Visit&& visit) {
  std::size_t at = 0;
  while (at < text.size()) {
    while (at < text.size() && !is_word_byte(text[at])) ++at;
    const std::size_t first = at;
    while (at < text.size() && is_word_byte(text[at])) ++at;
    if (at > first) visit(text.substr(first, at - first));
  }
}

inline bool is_number(std::string_view word) {
  for (const char c : word) {
    if (!is_ascii_digit(c)) return false;
  }
  return !word.empty();
}

inline std::uint64_t hash_bytes(std::string_view text) {
  const auto mix = [](std::uint64_t x) {
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93ULL;
    return x ^ (x >> 32);
  };
  std::uint64_t hash = 0x9E3779B97F4A7C15ULL ^ text.size();
  while (text.size() >= 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), 8);
    hash = mix(hash ^ word);
    text.remove_prefix(8);
  }
  std::uint64_t tail = 0;
  std::memcpy(&tail, text.data(), text.size());
  return mix(hash ^ tail);
}

}  // namespace ki::resolve
