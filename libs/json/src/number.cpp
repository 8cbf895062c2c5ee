#include "ki/json/number.h"

#include "ki/base/check.h"
#include "ki/base/text.h"

#include <charconv>
#include <cmath>

namespace ki::json {
namespace {
constexpr double kFirstInexact = 9007199254740992.0;  // 2^53
}  // namespace

void append_integer(std::string& out, std::int64_t x) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, x);
  out.append(buffer, end.ptr);
}

void append_number(std::string& out, double x) {
  KI_CHECK(std::isfinite(x));
  if (std::abs(x) < kFirstInexact && x == std::trunc(x)) {
    append_integer(out, static_cast<std::int64_t>(x));
    return;
  }
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::scientific);
  // buffer is [-]d[.ddd]e±xx; collect its digits and decimal exponent.
  const char* at = buffer;
  if (*at == '-') {
    out += '-';
    ++at;
  }
  char digits[24];
  std::size_t count = 0;
  for (; *at != 'e'; ++at) {
    if (*at != '.') digits[count++] = *at;
  }
  ++at;
  if (*at == '+') ++at;
  int exponent = 0;
  std::from_chars(at, end.ptr, exponent);
  const int point = exponent + 1;  // "n" of ECMA-262 section 6.1.6.1.20
  const int length = static_cast<int>(count);
  if (length <= point && point <= 21) {
    out.append(digits, count);
    out.append(static_cast<std::size_t>(point - length), '0');
  } else if (0 < point && point <= 21) {
    out.append(digits, static_cast<std::size_t>(point));
    out += '.';
    out.append(digits + point, count - static_cast<std::size_t>(point));
  } else if (-6 < point && point <= 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-point), '0');
    out.append(digits, count);
  } else {
    out += digits[0];
    if (count > 1) {
      out += '.';
      out.append(digits + 1, count - 1);
    }
    out += 'e';
    out += exponent < 0 ? '-' : '+';
    append_integer(out, std::abs(exponent));
  }
}

std::string number_text(double x) {
  std::string out;
  append_number(out, x);
  return out;
}

ParsedNumber parse_number(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool is_negative = at != end && *at == '-';
  if (is_negative) ++at;
  const char* const first = at;
  std::uint64_t integer = 0;
  while (at != end && is_ascii_digit(*at)) {
    if (at - first < 18) integer = integer * 10 + static_cast<std::uint64_t>(*at - '0');
    ++at;
  }
  const auto int_digits = at - first;
  if (int_digits == 0 || (int_digits > 1 && *first == '0')) return {0, NumberError::kSyntax};
  if (at == end && int_digits <= 15) {
    const auto magnitude = static_cast<double>(integer);
    return {is_negative ? -magnitude : magnitude, NumberError::kNone};
  }
  if (at != end && *at == '.') {
    const char* const fraction = ++at;
    while (at != end && is_ascii_digit(*at)) ++at;
    if (at == fraction) return {0, NumberError::kSyntax};
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end && (*at == '+' || *at == '-')) ++at;
    const char* const exponent = at;
    while (at != end && is_ascii_digit(*at)) ++at;
    if (at == exponent) return {0, NumberError::kSyntax};
  }
  if (at != end) return {0, NumberError::kSyntax};
  double value = 0;
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec == std::errc::result_out_of_range) {
    // from_chars leaves the value alone: tell the two apart by the first significant digit's place.
    const std::size_t e = text.find_first_of("eE");
    const bool has_negative_exponent = e != text.npos && text[e + 1] == '-';
    return {0, has_negative_exponent || *first == '0' ? NumberError::kUnderflow
                                                      : NumberError::kOverflow};
  }
  if (result.ec != std::errc() || result.ptr != end) return {0, NumberError::kSyntax};
  if (std::abs(value) >= kFirstInexact) return {value, NumberError::kTooLarge};
  return {value, NumberError::kNone};
}

}  // namespace ki::json
