#include "source.h"

#include "ki/base/text.h"
#include "ki/json/number.h"
#include "ki/json/pointer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace ki::problem {
namespace {

constexpr std::array<std::string_view, 3> kLiterals = {"NaN", "Infinity", "-Infinity"};

bool is_token_char(char c) { return is_ascii_alnum(c) || c == '-' || c == '+' || c == '.'; }

// Whether our reader would refuse this token although Python's reads a number.
bool is_special(std::string_view token) {
  if (std::ranges::find(kLiterals, token) != kLiterals.end()) return true;
  if (token.size() < 3) return false;
  const json::NumberError error = json::parse_number(token).error;
  return error == json::NumberError::kTooLarge || error == json::NumberError::kOverflow ||
         error == json::NumberError::kUnderflow;
}

// The text with special numbers as strings of the same length.
std::string put_aside(std::string_view text) {
  std::string out(text);
  bool is_in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (is_in_string) {
      i += c == '\\' ? 2 : 1;
      if (c == '"') is_in_string = false;
      continue;
    }
    if (!is_token_char(c)) {
      is_in_string = c == '"';
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_token_char(text[end])) ++end;
    if (is_special(text.substr(i, end - i))) {
      std::fill(out.begin() + static_cast<std::ptrdiff_t>(i),
                out.begin() + static_cast<std::ptrdiff_t>(end), '#');
      out[i] = '"';
      out[end - 1] = '"';
    }
    i = end;
  }
  return out;
}

std::string_view token_at(std::string_view text, std::size_t offset) {
  std::size_t end = offset;
  while (end < text.size() && is_token_char(text[end])) ++end;
  return text.substr(offset, end - offset);
}

// A decimal number as Python reads text, with white space around it.
std::optional<double> number_of_text(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !(is_ascii_digit(text.front()) || text.front() == '-' || text.front() == '.'))
    return std::nullopt;
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Source> Source::read(std::string_view text, Findings& findings,
                                   std::uint32_t first_line) {
  auto document = json::read_document(
      put_aside(text), json::Limits{.max_bytes = kMaxBytes, .max_depth = 64, .max_issues = 20});
  if (!document) {
    for (Issue issue : document.error().issues()) {
      if (issue.line != 0) issue.line += first_line - 1;
      findings.push_back({std::move(issue), true, true});
    }
    if (findings.empty()) {
      findings.push_back(
          {{"syntax", "", first_line, 1, document.error().message(), ""}, true, true});
    }
    return std::nullopt;
  }
  return Source(std::string(text), *std::move(document), first_line);
}

std::optional<double> Source::special(const json::Value& value) const {
  if (!value.is_string() || value.offset() >= text_.size() || text_[value.offset()] == '"')
    return std::nullopt;
  const std::string_view token = token_at(text_, value.offset());
  if (token == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (token == "Infinity") return std::numeric_limits<double>::infinity();
  if (token == "-Infinity") return -std::numeric_limits<double>::infinity();
  double number = 0;
  const auto [end, code] = std::from_chars(token.data(), token.data() + token.size(), number);
  (void)end;
  if (code == std::errc::result_out_of_range) {  // 1e999 or 1e-999
    const bool is_huge = json::parse_number(token).error == json::NumberError::kOverflow;
    const double magnitude = is_huge ? std::numeric_limits<double>::infinity() : 0.0;
    return token.starts_with('-') ? -magnitude : magnitude;
  }
  return number;
}

double Source::number(const json::Value& value) const {
  if (const auto aside = special(value)) return *aside;
  return value.number();
}

bool Source::is_spelled_as_integer(const json::Value& value) const {
  const std::string_view token = token_at(text_, value.offset());
  return !token.empty() && token.find_first_of(".eE") == token.npos &&
         (is_ascii_digit(token.back()));
}

std::string_view Source::kind(const json::Value& value) const {
  return special(value) ? std::string_view("number") : json::to_string(value.kind());
}

Issue Source::issue(std::size_t offset, std::string pointer, std::string code, std::string message,
                    std::string fix) const {
  const json::Position position = json::position_of(text_, offset);
  return {std::move(code), std::move(pointer), position.line + first_line_ - 1,
          position.column, std::move(message), std::move(fix)};
}
Issue Source::issue(const json::Value& at, std::string pointer, std::string code,
                    std::string message, std::string fix) const {
  return issue(at.offset(), std::move(pointer), std::move(code), std::move(message),
               std::move(fix));
}

bool Object::is_object(const Source& source, Findings& findings, const json::Value& value,
                       const std::string& pointer) {
  if (value.is_object()) return true;
  findings.push_back(
      {source.issue(value, pointer, "wrong_type",
                    fmt::format("a {} stands here; an object is expected", source.kind(value)), ""),
       true, true});
  return false;
}

std::string Object::pointer(std::string_view member) const {
  std::string out = pointer_;
  json::append_pointer(out, member);
  return out;
}

const json::Value* Object::raw(std::string_view name) {
  known_.push_back(name);
  return value_.find(name);
}
const json::Value* Object::optional(std::string_view name) {
  const json::Value* v = raw(name);
  return v == nullptr || v->is_null() ? nullptr : v;
}
const json::Value* Object::required(std::string_view name) {
  const json::Value* v = raw(name);
  if (v == nullptr) {
    refuse(value_, pointer_, "missing", fmt::format("member '{}' is missing", name),
           fmt::format("add '{}'", name));
  }
  return v;
}

void Object::wrong_kind(const json::Value& at, const std::string& pointer,
                        std::string_view expected) {
  refuse(at, pointer, "wrong_type",
         fmt::format("a {} stands here; {} is expected", source_.kind(at), expected));
}

std::optional<std::string> Object::text(const json::Value& value, const std::string& at,
                                        bool may_be_empty) {
  if (!source_.is_text(value)) {
    wrong_kind(value, at, "text");
    return std::nullopt;
  }
  if (value.string().empty() && !may_be_empty) {
    refuse(value, at, "empty_text", "the text is empty; at least one character is expected");
    return std::nullopt;
  }
  return std::string(value.string());
}
std::string Object::text(std::string_view name) {
  const json::Value* v = required(name);
  return v == nullptr ? std::string() : text(*v, pointer(name)).value_or("");
}
std::optional<std::string> Object::optional_text(std::string_view name, bool may_be_empty) {
  const json::Value* v = optional(name);
  return v == nullptr ? std::nullopt : text(*v, pointer(name), may_be_empty);
}

std::optional<double> Object::number(const json::Value& value, const std::string& at) {
  if (source_.is_number(value)) {
    const double number = source_.number(value);
    if (!(number - number == 0)) {
      strict(value, at, "not_finite", "the number is not finite; a finite one is expected");
    }
    return number;
  }
  std::optional<double> coerced;
  if (value.is_bool()) coerced = value.boolean() ? 1 : 0;
  if (source_.is_text(value)) coerced = number_of_text(value.string());
  if (!coerced) {
    wrong_kind(value, at, "a number");
    return std::nullopt;
  }
  strict(value, at, "coerced",
         fmt::format("a {} stands for the number {}", source_.kind(value), *coerced),
         fmt::format("write {}", *coerced));
  return coerced;
}
double Object::number(std::string_view name, double fallback) {
  const json::Value* v = raw(name);
  return v == nullptr ? fallback : number(*v, pointer(name)).value_or(fallback);
}
std::optional<double> Object::optional_number(std::string_view name) {
  const json::Value* v = optional(name);
  return v == nullptr ? std::nullopt : number(*v, pointer(name));
}

std::optional<std::int64_t> Object::integer(const json::Value& value, const std::string& at) {
  std::optional<double> number;
  if (source_.is_number(value)) number = source_.number(value);
  if (value.is_bool()) number = value.boolean() ? 1 : 0;
  if (source_.is_text(value)) number = number_of_text(value.string());
  const bool is_integral = number && *number >= -9007199254740992.0 &&
                           *number <= 9007199254740992.0 &&
                           static_cast<double>(static_cast<std::int64_t>(*number)) == *number;
  if (!is_integral) {
    refuse(value, at, "wrong_type",
           fmt::format(
               "{} stands here; an integer within ±2^53 is expected",
               number ? fmt::format("{}", *number) : fmt::format("a {}", source_.kind(value))));
    return std::nullopt;
  }
  const auto out = static_cast<std::int64_t>(*number);
  if (!value.is_number() || !source_.is_spelled_as_integer(value)) {
    strict(value, at, "coerced",
           value.is_number()
               ? fmt::format("{} is not spelled as an integer", out)
               : fmt::format("a {} stands for the integer {}", source_.kind(value), out),
           fmt::format("write {}", out));
  }
  return out;
}

bool Object::boolean(std::string_view name, bool fallback) {
  const json::Value* v = raw(name);
  if (v == nullptr) return fallback;
  if (v->is_bool()) return v->boolean();
  std::optional<bool> coerced;
  if (v->is_number() && (v->number() == 0 || v->number() == 1)) coerced = v->number() == 1;
  if (source_.is_text(*v)) {
    const std::string word = ascii_lower(v->string());
    for (const std::string_view yes : {"1", "true", "t", "yes", "y", "on"}) {
      if (word == yes) coerced = true;
    }
    for (const std::string_view no : {"0", "false", "f", "no", "n", "off"}) {
      if (word == no) coerced = false;
    }
  }
  if (!coerced) {
    wrong_kind(*v, pointer(name), "true or false");
    return fallback;
  }
  strict(*v, pointer(name), "coerced",
         fmt::format("a {} stands for {}", source_.kind(*v), *coerced),
         fmt::format("write {}", *coerced));
  return *coerced;
}

std::vector<std::string> Object::texts(std::string_view name, bool is_required, bool may_be_empty) {
  std::vector<std::string> out;
  const json::Value* v = is_required ? required(name) : raw(name);
  if (v == nullptr) return out;
  if (!v->is_array()) {
    wrong_kind(*v, pointer(name), "a list of texts");
    return out;
  }
  std::size_t i = 0;
  for (const json::Value& item : v->items()) {
    std::string at = pointer(name);
    json::append_pointer(at, i++);
    if (auto one = text(item, at, may_be_empty)) out.push_back(*std::move(one));
  }
  return out;
}

const json::Value* Object::object(std::string_view name) {
  const json::Value* v = required(name);
  if (v == nullptr || !is_object(source_, findings_, *v, pointer(name))) return nullptr;
  return v;
}
const json::Value* Object::list(std::string_view name) {
  const json::Value* v = required(name);
  if (v == nullptr) return nullptr;
  if (!v->is_array()) {
    wrong_kind(*v, pointer(name), "a list");
    return nullptr;
  }
  return v;
}

void Object::finish() {
  for (const json::Member& member : value_.members()) {
    if (std::ranges::find(known_, member.key) != known_.end()) continue;
    const auto close = did_you_mean(member.key, known_);
    findings_.push_back(
        {source_.issue(member.key_offset, pointer(member.key), "unknown_key",
                       fmt::format("member {} is not known", quote(member.key)),
                       close ? fmt::format("did you mean '{}'?", *close) : "remove it"),
         true, false});
  }
}

void Object::refuse(const json::Value& at, std::string pointer, std::string code,
                    std::string message, std::string fix) {
  findings_.push_back(
      {source_.issue(at, std::move(pointer), std::move(code), std::move(message), std::move(fix)),
       true, true});
}
void Object::strict(const json::Value& at, std::string pointer, std::string code,
                    std::string message, std::string fix) {
  findings_.push_back(
      {source_.issue(at, std::move(pointer), std::move(code), std::move(message), std::move(fix)),
       true, false});
}
void Object::extension(const json::Value& at, std::string pointer, std::string message) {
  findings_.push_back(
      {source_.issue(at, std::move(pointer), "extension", std::move(message), ""), false, true});
}

bool is_identifier(std::string_view text) {
  if (text.empty() || !(is_ascii_alpha(text.front()) || text.front() == '_')) return false;
  return std::ranges::all_of(text, [](char c) { return is_ascii_alnum(c) || c == '_'; });
}

}  // namespace ki::problem
