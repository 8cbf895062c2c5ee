#include "scalar.h"

#include "ki/base/text.h"
#include "ki/json/number.h"

#include <algorithm>
#include <string>

namespace ki::yaml {
namespace {

using json::Value;

constexpr double kFirstInexact = 9007199254740992.0;  // 2^53

std::size_t digits_from(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_ascii_digit(text[end])) ++end;
  return end - at;
}

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool is_decimal(std::string_view text) {
  std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const std::size_t whole = digits_from(text, at);
  at += whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = digits_from(text, at + 1);
    if (whole == 0 && fraction == 0) return false;
    at += 1 + fraction;
  } else if (whole == 0) {
    return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    const std::size_t exponent = digits_from(text, at);
    if (exponent == 0) return false;
    at += exponent;
  }
  return at == text.size();
}

// The same number in the JSON grammar: no plus sign, no leading zeros, digits around the point.
std::string json_spelling(std::string_view text) {
  std::string out;
  if (text[0] == '-') out += '-';
  if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
  while (text.size() > 1 && text[0] == '0' && is_ascii_digit(text[1])) text.remove_prefix(1);
  if (text[0] == '.') out += '0';
  const std::size_t point = text.find('.');
  if (point != text.npos && digits_from(text, point + 1) == 0) {
    out += text.substr(0, point);
    out += text.substr(point + 1);
  } else {
    out += text;
  }
  return out;
}

Scalar decimal(std::string_view text) {
  const json::ParsedNumber parsed = json::parse_number(json_spelling(text));
  const auto error = [&] {
    switch (parsed.error) {
      case json::NumberError::kOverflow:
        return ScalarError::kOverflow;
      case json::NumberError::kUnderflow:
        return ScalarError::kUnderflow;
      case json::NumberError::kTooLarge:
        return ScalarError::kTooLarge;
      case json::NumberError::kNone:
      case json::NumberError::kSyntax:
        break;
    }
    KI_CHECK(parsed.error == json::NumberError::kNone);
    return ScalarError::kNone;
  }();
  if (error != ScalarError::kNone) return {Value::number(0), error};
  return {Value::number(parsed.value, json::number_text(parsed.value) == text), error};
}

// 0o[0-7]+ or 0x[0-9a-fA-F]+
bool is_radix(std::string_view text) {
  if (text.size() < 3 || text[0] != '0' || (text[1] != 'o' && text[1] != 'x')) return false;
  return std::ranges::all_of(text.substr(2), [&](char c) {
    const char lower = ascii_lower(c);
    return text[1] == 'o' ? c >= '0' && c <= '7'
                          : is_ascii_digit(c) || (lower >= 'a' && lower <= 'f');
  });
}

Scalar radix(std::string_view text) {
  const double base = text[1] == 'o' ? 8 : 16;
  double value = 0;
  for (const char c : text.substr(2)) {
    value = value * base + (is_ascii_digit(c) ? c - '0' : ascii_lower(c) - 'a' + 10);
    if (value >= kFirstInexact) return {Value::number(0), ScalarError::kTooLarge};
  }
  return {Value::number(value, false), ScalarError::kNone};
}

bool is_not_finite(std::string_view text) {
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return true;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text == ".inf" || text == ".Inf" || text == ".INF";
}

}  // namespace

Scalar resolve_plain(std::string_view text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return {Value::null(), ScalarError::kNone};
  if (text == "true" || text == "True" || text == "TRUE")
    return {Value::boolean(true), ScalarError::kNone};
  if (text == "false" || text == "False" || text == "FALSE")
    return {Value::boolean(false), ScalarError::kNone};
  if (is_decimal(text)) return decimal(text);
  if (is_radix(text)) return radix(text);
  if (is_not_finite(text)) return {Value::number(0), ScalarError::kNotFinite};
  return {Value::string(text).marked_plain_yaml(), ScalarError::kNone};
}

}  // namespace ki::yaml
