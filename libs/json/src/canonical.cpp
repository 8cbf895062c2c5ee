#include "ki/json/canonical.h"

#include "ki/base/text.h"
#include "ki/json/number.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <vector>

namespace ki::json {
namespace {

void append_object(std::string& out, std::span<const Member> members) {
  std::array<const Member*, 32> small;
  std::vector<const Member*> large;
  std::span<const Member*> order;
  if (members.size() <= small.size()) {
    order = std::span(small).first(members.size());
  } else {
    large.resize(members.size());
    order = large;
  }
  for (std::size_t i = 0; i < members.size(); ++i) order[i] = &members[i];
  const auto key_less = [](const Member* a, const Member* b) { return utf16_less(a->key, b->key); };
  if (!std::ranges::is_sorted(order, key_less)) std::ranges::sort(order, key_less);
  out += '{';
  bool is_first = true;
  for (const Member* member : order) {
    if (!is_first) out += ',';
    is_first = false;
    append_string(out, member->key);
    out += ':';
    append_canonical(out, member->value);
  }
  out += '}';
}

constexpr bool needs_escape(unsigned char c) { return c < 0x20 || c == '"' || c == '\\'; }

// Where the first byte that needs an escape is, from `at` on, or the end.
std::size_t skip_plain(std::string_view text, std::size_t at) {
#ifdef __SSE2__
  for (; at + 16 <= text.size(); at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    const __m128i slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    // Unsigned bytes below 0x20 are those that min() with 0x1F leaves alone.
    const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
    const auto stops = static_cast<unsigned>(
        _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quotes, slashes), controls)));
    if (stops != 0) return at + static_cast<std::size_t>(std::countr_zero(stops));
  }
#endif
  while (at < text.size() && !needs_escape(static_cast<unsigned char>(text[at]))) ++at;
  return at;
}

}  // namespace

void append_string(std::string& out, std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  std::size_t from = 0;
  for (std::size_t i = skip_plain(text, 0); i < text.size(); i = skip_plain(text, from)) {
    const auto c = static_cast<unsigned char>(text[i]);
    out.append(text, from, i - from);
    from = i + 1;
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        out += "\\u00";
        out += kHex[c >> 4];
        out += kHex[c & 15];
    }
  }
  out.append(text, from);
  out += '"';
}

void append_canonical(std::string& out, const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      out += "null";
      return;
    case Kind::kBool:
      out += value.boolean() ? "true" : "false";
      return;
    case Kind::kNumber:
      append_number(out, value.number());
      return;
    case Kind::kString:
      append_string(out, value.string());
      return;
    case Kind::kArray: {
      out += '[';
      bool is_first = true;
      for (const Value& item : value.items()) {
        if (!is_first) out += ',';
        is_first = false;
        append_canonical(out, item);
      }
      out += ']';
      return;
    }
    case Kind::kObject:
      append_object(out, value.members());
      return;
  }
}

std::string canonical(const Value& value) {
  std::string out;
  append_canonical(out, value);
  return out;
}

}  // namespace ki::json
