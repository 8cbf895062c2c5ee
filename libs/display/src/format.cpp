#include "ki/display/format.h"

#include "ki/base/check.h"
#include "ki/base/text.h"
#include "ki/json/number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace ki::display {
namespace {

// The decimals of |x| < 1e21, at most 100 digits behind the point.
using FixedBuffer = std::array<char, 128>;

std::string_view fixed_half_even(double x, int decimals, FixedBuffer& buffer) {
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x,
                                 std::chars_format::fixed, decimals);
  KI_CHECK(end.ec == std::errc{});
  return {buffer.data(), end.ptr};
}

// x lies exactly half way between two texts of `decimals` digits. x·10^d + 1/2 is whole only when
// x·2^(d+1) is an odd integer: 2^(d+1) is all that the odd factor 5^d leaves to clear.
bool is_decimal_tie(double x, int decimals) {
  const double scaled = std::ldexp(x, decimals + 1);
  return scaled < 9007199254740992.0 && std::floor(scaled) == scaled &&
         std::fmod(scaled, 2.0) == 1.0;
}

// Adds one to the last digit of a decimal text.
std::string incremented(std::string text) {
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == '.') continue;
    if (text[i] != '9') {
      ++text[i];
      return text;
    }
    text[i] = '0';
  }
  return "1" + text;
}

struct TimeUnit {
  std::string_view name;
  double ns;
};
constexpr std::array<TimeUnit, 4> kTimeUnits{{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

struct ScaledTime {
  std::string value;
  std::size_t unit;
};

ScaledTime scale_time(double ns) {
  std::size_t unit = ns < 1e3 ? 0 : ns < 1e6 ? 1 : ns < 1e9 ? 2 : 3;
  if (unit == 0) {
    std::string text = to_fixed(ns, 0);
    if (text != "1000") return {std::move(text), unit};
    unit = 1;  // rounded up into the next unit
  }
  while (true) {
    const double scaled = ns / kTimeUnits[unit].ns;
    if (scaled < 10) {
      std::string text = to_fixed(scaled, 2);
      if (text != "10.00") return {std::move(text), unit};
    }
    std::string text = to_fixed(scaled, 1);
    if (text != "1000.0" || unit + 1 == kTimeUnits.size()) return {std::move(text), unit};
    ++unit;
  }
}

std::optional<double> as_ns(double value, std::string_view unit) {
  if (unit == "ns") return value;
  if (unit == "s") return value * 1e9;
  return std::nullopt;
}

}  // namespace

std::string to_fixed(double value, int decimals) {
  KI_CHECK(decimals >= 0 && decimals <= 100);
  if (!std::isfinite(value)) return std::string(kMissing);
  if (std::fabs(value) >= 1e21) return json::number_text(value);
  const double x = std::fabs(value);
  FixedBuffer buffer;
  std::string text;
  if (is_decimal_tie(x, decimals)) {
    // One digit more is exact and ends in 5.
    std::string_view exact = fixed_half_even(x, decimals + 1, buffer);
    exact.remove_suffix(1);
    if (exact.ends_with('.')) exact.remove_suffix(1);
    text = incremented(std::string(exact));
  } else {
    text = fixed_half_even(x, decimals, buffer);
  }
  return value < 0 ? "-" + text : text;
}

std::string Readout::text() const {
  if (unit.empty()) return value;
  return value + " " + unit;
}

Readout latency(double ns) {
  if (!std::isfinite(ns)) return {std::string(kMissing), ""};
  ScaledTime scaled = scale_time(std::fabs(ns));
  return {(ns < 0 ? "-" : "") + scaled.value, std::string(kTimeUnits[scaled.unit].name)};
}

std::string latency_text(double ns) { return latency(ns).text(); }

Readout primary(double value, std::string_view unit) {
  if (!std::isfinite(value)) return {std::string(kMissing), ""};
  if (const auto ns = as_ns(value, unit)) return latency(*ns);
  return {json::number_text(value), std::string(unit)};
}

std::string primary_text(std::optional<double> value, std::string_view unit) {
  return value ? primary(*value, unit).text() : std::string(kMissing);
}

std::string spread(const Spread& interval, std::string_view unit) {
  double half = (interval.high - interval.low) / 2;
  if (!std::isfinite(half) || !std::isfinite(interval.value)) return std::string(kMissing);
  if (const auto ns = as_ns(interval.value, unit)) {
    half = *as_ns(half, unit) / kTimeUnits[scale_time(std::fabs(*ns)).unit].ns;
  }
  return "±" + to_fixed(half, 2);
}

std::string relative(std::optional<double> value, std::optional<double> best) {
  if (!value || !best || *best == 0 || !std::isfinite(*value / *best)) return std::string(kMissing);
  return to_fixed(*value / *best, 2) + "×";
}

std::string ratio_prose(double value, double reference, std::string_view reference_name,
                        Better better) {
  if (!(value > 0 && reference > 0 && std::isfinite(value) && std::isfinite(reference))) {
    return std::string(kMissing);
  }
  const double larger = std::fmax(value, reference);
  const double smaller = std::fmin(value, reference);
  const std::string ratio = to_fixed(larger / smaller, 2);
  if (ratio == "1.00") return "as fast as " + std::string(reference_name);
  const bool is_faster = (value < reference) == (better == Better::kLower);
  return ratio + "× " + (is_faster ? "faster" : "slower") + " than " + std::string(reference_name);
}

std::string improvement(double percent) {
  const std::string text = to_fixed(percent, 1);
  return text == kMissing ? text : text + "%";
}

std::string count(std::int64_t n) {
  const auto magnitude = n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  const std::string digits = std::to_string(magnitude);
  std::string text = n < 0 ? "-" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

namespace {

std::string plural_of(std::string_view singular) {
  std::string text(singular);
  const auto is_vowel = [](char c) { return std::string_view("aeiou").contains(ascii_lower(c)); };
  if (text.size() > 1 && text.back() == 'y' && !is_vowel(text[text.size() - 2])) {
    text.pop_back();
    return text + "ies";
  }
  for (const std::string_view hissing : {"s", "x", "z", "ch", "sh"}) {
    if (text.ends_with(hissing)) return text + "es";
  }
  return text + "s";
}

}  // namespace

std::string count_noun(std::int64_t n, std::string_view singular, std::string_view plural) {
  if (n == 1 || n == -1) return count(n) + " " + std::string(singular);
  return count(n) + " " + (plural.empty() ? plural_of(singular) : std::string(plural));
}

std::string parameters(double n) {
  if (!std::isfinite(n)) return std::string(kMissing);
  constexpr std::array<std::pair<double, char>, 3> kScales{{{1e6, 'M'}, {1e9, 'B'}, {1e12, 'T'}}};
  std::size_t scale = n >= 1e12 ? 2 : n >= 1e9 ? 1 : 0;
  std::string text = to_fixed(n / kScales[scale].first, 1);
  if (text == "1000.0" && scale + 1 < kScales.size())
    text = to_fixed(n / kScales[++scale].first, 1);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text + kScales[scale].second;
}

namespace {

std::string sol_percent(double score, std::string_view suffix) {
  const std::string text = to_fixed(100 * score, 0);
  return text == kMissing ? text : text + std::string(suffix);
}

}  // namespace

std::string sol_text(double score) { return sol_percent(score, "% of SOL"); }
std::string sol_cell(double score) { return sol_percent(score, "% SOL"); }

std::string date(std::optional<Instant> instant) {
  return instant ? instant->date() : std::string(kMissing);
}

std::string date_time(std::optional<Instant> instant) {
  if (!instant) return std::string(kMissing);
  const std::string text = instant->to_string();
  return text.substr(0, 10) + " " + text.substr(11, 5) + " UTC";
}

}  // namespace ki::display
