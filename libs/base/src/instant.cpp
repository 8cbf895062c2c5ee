#include "ki/base/instant.h"

#include <fmt/format.h>

#include <chrono>

namespace ki {
namespace {

std::chrono::sys_days day_of(std::int64_t ms) {
  return std::chrono::floor<std::chrono::days>(
      std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(ms)));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number of `count` digits at `at`, or -1.
int digits(std::string_view text, std::size_t at, std::size_t count) {
  if (text.size() < at + count) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (!is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

}  // namespace

std::string Instant::date() const {
  const std::chrono::year_month_day ymd(day_of(ms));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(ymd.year()),
                     static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()));
}

std::string Instant::to_string() const {
  const std::int64_t day_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(day_of(ms).time_since_epoch()).count();
  const std::int64_t in_day = ms - day_ms;
  return fmt::format("{}T{:02}:{:02}:{:02}.{:03}Z", date(), in_day / 3'600'000,
                     in_day / 60'000 % 60, in_day / 1000 % 60, in_day % 1000);
}

std::optional<ParsedInstant> parse_instant(std::string_view text) {
  const int year = digits(text, 0, 4);
  const int month = digits(text, 5, 2);
  const int day = digits(text, 8, 2);
  const int hour = digits(text, 11, 2);
  const int minute = digits(text, 14, 2);
  if (year < 0 || month < 0 || day < 0 || hour < 0 || minute < 0) return std::nullopt;
  if (text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':') return std::nullopt;
  std::size_t at = 16;
  int second = 0;
  int millisecond = 0;
  if (at < text.size() && text[at] == ':') {
    second = digits(text, at + 1, 2);
    if (second < 0) return std::nullopt;
    at += 3;
    if (at < text.size() && text[at] == '.') {
      const std::size_t first = ++at;
      int scale = 100;
      for (; at < text.size() && is_digit(text[at]); ++at, scale /= 10) {
        millisecond += scale * (text[at] - '0');
      }
      if (at == first) return std::nullopt;
    }
  }
  if (text.size() != at + 1 || text[at] != 'Z') return std::nullopt;
  const std::chrono::year_month_day ymd{std::chrono::year(year),
                                        std::chrono::month(static_cast<unsigned>(month)),
                                        std::chrono::day(static_cast<unsigned>(day))};
  if (!ymd.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(ymd).time_since_epoch().count();
  const Instant instant{((days * 24 + hour) * 60 + minute) * 60'000 + second * 1000 + millisecond};
  return ParsedInstant{instant, text.size() == 24 && text[19] == '.'};
}

}  // namespace ki
