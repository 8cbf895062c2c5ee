// Forms as browsers send them (URL Standard, application/x-www-form-urlencoded), read strictly.
#include "ki/base/text.h"
#include "ki/json/writer.h"
#include "ki/notes/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

namespace ki::notes {
namespace {

constexpr std::size_t kMaxFields = 16;

std::unexpected<Error> wrong(std::string message) {
  return fail(Code::kInvalidArgument, std::move(message));
}

int hex_digit(char c) {
  if (is_ascii_digit(c)) return c - '0';
  const char lower = ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

Result<std::string> decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return wrong("the form has a '%' without two hexadecimal digits");
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (find_invalid_utf8(out)) return wrong("the form holds bytes that are not UTF-8");
  return out;
}

// Nanoseconds of "1.25" with a unit.
Result<double> nanoseconds(std::string_view number, std::string_view unit) {
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value,
                                            std::chars_format::fixed);
  if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(value)) {
    return wrong(fmt::format("observed {}: expected a number such as 33.9", quote(number)));
  }
  if (unit == "ns" || unit.empty()) return value;
  if (unit == "us") return value * 1e3;
  if (unit == "ms") return value * 1e6;
  return wrong(fmt::format("observedUnit {}: expected ns, us or ms", quote(unit)));
}

}  // namespace

Result<std::string> json_of_form(std::string_view form) {
  std::vector<std::pair<std::string, std::string>> fields;
  if (form.size() > kMaxRequestBytes) return wrong("the form is too large");
  for (const std::string_view part : split(form, '&')) {
    if (part.empty()) continue;
    if (fields.size() == kMaxFields) return wrong("the form has too many fields");
    const std::size_t equals = std::min(part.find('='), part.size());
    KI_TRY(std::string name, decoded(part.substr(0, equals)));
    KI_TRY(std::string value, decoded(part.substr(std::min(equals + 1, part.size()))));
    if (std::ranges::find(fields, name, &std::pair<std::string, std::string>::first) !=
        fields.end()) {
      return wrong(fmt::format("the form has the field {} twice", quote(name)));
    }
    fields.emplace_back(std::move(name), std::move(value));
  }
  const auto value_of = [&](std::string_view name) -> std::string_view {
    const auto found = std::ranges::find(fields, name, &std::pair<std::string, std::string>::first);
    return found == fields.end() ? std::string_view() : trim(found->second);
  };
  std::string out;
  json::Writer w(out);
  w.begin_object();
  for (const auto& [name, value] : fields) {
    if (name == "observed" || name == "observedUnit" || trim(value).empty()) continue;
    w.member(name, value);
  }
  if (const std::string_view observed = value_of("observed"); !observed.empty()) {
    KI_TRY(const double ns, nanoseconds(observed, value_of("observedUnit")));
    w.member("observedNs", ns);
  }
  w.end_object();
  return out;
}

}  // namespace ki::notes
