#include "ki/manifest/duration.h"

#include "ki/base/text.h"

#include <cstddef>

namespace ki::manifest {
namespace {

constexpr std::int64_t kMaxNs = 9007199254740991;  // 2^53 − 1

struct Unit {
  std::string_view name;
  int decimals;  // a unit is 10^decimals ns
};
// µ is U+00B5 only; U+03BC (Greek mu) is another character and is refused (spec 01.2).
constexpr Unit kUnits[] = {{"ns", 0}, {"us", 3}, {"\xC2\xB5s", 3}, {"ms", 6}, {"s", 9}};

// Takes the one white-space character (ECMAScript \s) at the start of the text, when there is one.
std::string_view without_space(std::string_view text) {
  static constexpr std::string_view kWide[] = {
      "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81", "\xE2\x80\x82",
      "\xE2\x80\x83", "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86", "\xE2\x80\x87",
      "\xE2\x80\x88", "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8", "\xE2\x80\xA9",
      "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80", "\xEF\xBB\xBF"};
  if (!text.empty() && is_ascii_space(text[0])) return text.substr(1);
  for (const std::string_view space : kWide) {
    if (text.starts_with(space)) return text.substr(space.size());
  }
  return text;
}

}  // namespace

ParsedDuration parse_duration(std::string_view text) {
  const auto digits = [&](std::size_t from) {
    std::size_t at = from;
    while (at < text.size() && is_ascii_digit(text[at])) ++at;
    return text.substr(from, at - from);
  };
  const std::string_view whole = digits(0);
  std::string_view fraction;
  std::size_t at = whole.size();
  if (whole.empty()) return {0, DurationError::kSyntax};
  if (at < text.size() && text[at] == '.') {
    fraction = digits(at + 1);
    if (fraction.empty()) return {0, DurationError::kSyntax};
    at += 1 + fraction.size();
  }
  const std::string_view unit_text = without_space(text.substr(at));
  const Unit* unit = nullptr;
  for (const Unit& candidate : kUnits) {
    if (candidate.name == unit_text) unit = &candidate;
  }
  if (unit == nullptr) return {0, DurationError::kSyntax};

  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  const auto decimals = static_cast<std::size_t>(unit->decimals);
  if (fraction.size() > decimals) return {0, DurationError::kNotWhole};

  // The digits of the whole part, of the fraction, and zeros up to a nanosecond: one integer.
  std::int64_t ns = 0;
  bool is_too_large = false;
  const auto append = [&](int digit) {
    if (ns > (kMaxNs - digit) / 10) is_too_large = true;
    if (!is_too_large) ns = ns * 10 + digit;
  };
  for (const char c : whole) append(c - '0');
  for (const char c : fraction) append(c - '0');
  for (std::size_t i = fraction.size(); i < decimals; ++i) append(0);
  if (is_too_large) return {0, DurationError::kTooLarge};
  return {ns, DurationError::kNone};
}

}  // namespace ki::manifest
