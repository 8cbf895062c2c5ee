#include "ki/json/canonical.h"

#include "ki/base/text.h"
#include "ki/json/number.h"

#include <algorithm>
#include <array>
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

}  // namespace

void append_string(std::string& out, std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  std::size_t from = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (!needs_escape(c)) [[likely]]
      continue;
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
