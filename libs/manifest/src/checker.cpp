#include "checker.h"

#include "ki/base/instant.h"
#include "ki/base/same_text.h"
#include "ki/base/text.h"
#include "ki/json/canonical.h"
#include "ki/json/number.h"
#include "ki/json/pointer.h"
#include "ki/manifest/duration.h"
#include "ki/manifest/scalar.h"
#include "normal_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ki::manifest {
namespace {

using json::Kind;
using json::Value;

constexpr double kFirstInexact = 9007199254740992.0;  // 2^53
constexpr std::size_t kStrictTokenLength = 100;

std::string plural(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

std::string Path::pointer() const {
  std::string text = parent != nullptr ? parent->pointer() : std::string();
  if (is_index)
    json::append_pointer(text, index);
  else if (parent != nullptr)
    json::append_pointer(text, key);
  return text;
}

bool matches(Format format, std::string_view text, bool is_strict) {
  switch (format) {
    case Format::kFree:
      return true;
    case Format::kToken:
      return is_token(text) && (!is_strict || text.size() <= kStrictTokenLength);
    case Format::kSlug:
      return is_slug(text);
    case Format::kName:
      return is_name(text);
    case Format::kUrl:
      return is_strict ? is_plain_https_url(text) : is_https_url(text);
    case Format::kCommit:
      return is_commit(text);
    case Format::kDigest:
      return is_digest(text);
    case Format::kInstant:
      return parse_instant(text).has_value();
    case Format::kExpression:
      return !text.empty() && std::ranges::all_of(text, [](char c) {
        return is_ascii_lower(c) || is_ascii_digit(c) ||
               std::string_view("_+-*%/() ").find(c) != std::string_view::npos;
      });
  }
  return false;
}

std::string_view expectation(Format format) {
  switch (format) {
    case Format::kFree:
      return "text";
    case Format::kToken:
      return "a lower-case letter, then at most 99 of a-z, 0-9 and '_'";
    case Format::kSlug:
      return "1 to 100 of a-z, 0-9 and '-', not starting with '-'";
    case Format::kName:
      return "1 to 200 of a-z, 0-9, '.', '_' and '-', starting with a letter or digit";
    case Format::kUrl:
      return "an absolute https:// URL of at most 2000 characters without user information";
    case Format::kCommit:
      return "40 lower-case hexadecimal digits";
    case Format::kDigest:
      return "'sha256:' and 64 lower-case hexadecimal digits";
    case Format::kInstant:
      return "a UTC time like 2026-08-01T12:00:00.000Z";
    case Format::kExpression:
      return "integers, axis names in lower case, + - * // % and parentheses";
  }
  return "";
}

void Checker::start(std::string_view text) {
  text_ = text;
  arena_.reset();
  out_.clear();
  spec_begin_ = 0;
  issues_.clear();
  warnings_.clear();
}

Value Checker::check(const Value& value, const Type& type) {
  const Path root;
  Value changed;
  return run(value, type, &root, changed) ? changed : value;
}

Issue Checker::make(std::uint32_t offset, const Path* path, std::string_view code,
                    std::string message, std::string fix) const {
  Issue issue;
  issue.code = code;
  issue.pointer = path->pointer();
  if (!text_.empty()) {
    const json::Position position = json::position_of(text_, offset);
    issue.line = position.line;
    issue.column = position.column;
  }
  issue.message = std::move(message);
  issue.fix = std::move(fix);
  return issue;
}

void Checker::issue(const Value& at, const Path* path, std::string_view code, std::string message,
                    std::string fix) {
  issues_.push_back(
      {at.offset(), make(at.offset(), path, code, std::move(message), std::move(fix))});
}

void Checker::semantic(const Value& at, const Path* path, std::string_view code,
                       std::string message, std::string fix) {
  Found found{at.offset(), make(at.offset(), path, code, std::move(message), std::move(fix))};
  if (is_strict_)
    issues_.push_back(std::move(found));
  else if (is_collecting_)
    warnings_.push_back(std::move(found));
}

namespace {
std::vector<Issue> in_order(std::vector<Found>& found) {
  std::ranges::stable_sort(found, {}, &Found::offset);
  std::vector<Issue> issues;
  issues.reserve(found.size());
  for (Found& one : found) issues.push_back(std::move(one.issue));
  found.clear();
  return issues;
}
}  // namespace

std::vector<Issue> Checker::take_issues() { return in_order(issues_); }
std::vector<Issue> Checker::take_warnings() { return in_order(warnings_); }

// --- Values ---

bool Checker::run(const Value& value, const Type& type, const Path* path, Value& changed) {
  switch (type.rule) {
    case Rule::kObject:
      return check_object(value, type, path, changed);
    case Rule::kMap:
      return check_map(value, type, path, changed);
    case Rule::kList:
      return check_list(value, type, path, changed);
    case Rule::kSet:
      return check_set(value, type, path, changed);
    case Rule::kDuration:
      return check_duration(value, path, changed);
    case Rule::kText:
      check_text(value, type, path);
      return false;
    case Rule::kChoice:
      check_choice(value, type, path);
      return false;
    case Rule::kInteger:
      check_integer(value, type.bound, path);
      return false;
    case Rule::kNumber:
      check_number(value, type.bound, path);
      return false;
    case Rule::kDimension:
      check_dimension(value, path);
      return false;
    case Rule::kTextOrNumber:
      if (value.is_number())
        check_number(value, Bound::kNone, path);
      else
        check_text(value, type, path);
      return false;
    case Rule::kBool:
      if (value.is_bool())
        out_.put(value.boolean() ? std::string_view("true") : std::string_view("false"));
      else
        wrong_type(value, "true or false", path);
      return false;
    case Rule::kAny:
      return false;
  }
  return false;
}

bool Checker::check_object(const Value& value, const Type& type, const Path* path, Value& changed) {
  if (!value.is_object()) {
    wrong_type(value, "an object", path);
    return false;
  }
  const std::span<const json::Member> members = value.members();
  // By field; only those whose bit is set. Clearing all of them costs more than finding them.
  std::array<const json::Member*, kMaxFields> given;
  std::uint32_t given_bits = 0;
  static_assert(kMaxFields <= 32);
  for (const json::Member& member : members) {
    const std::uint8_t index = type.slots[field_slot(member.key, type.multiplier)];
    if (index == kNoField || !same_text(type.fields[index].name, member.key)) {
      unknown_member(member, type, path);
    } else if ((given_bits >> index & 1U) != 0) {
      const Path here{path, member.key};
      issue(member.value, &here, "duplicate_key",
            fmt::format("the name {} appears twice", quote(member.key)), "keep one of the two");
    } else {
      given[index] = &member;
      given_bits |= 1U << index;
    }
  }

  std::span<json::Member> copy;  // of the members, once one of them has to change
  bool is_first = true;
  out_.put('{');
  for (std::size_t i = 0; i < type.fields.size(); ++i) {
    const Field& field = type.fields[i];
    if ((given_bits >> i & 1U) == 0) {
      if (field.is_required) {
        const Path here{path, field.name};
        issue(value, &here, "missing_member",
              fmt::format("the member {} is missing", quote(field.name)), "");
      }
      continue;
    }
    const json::Member* const member = given[i];
    if (path->parent == nullptr && field.name == "spec") spec_begin_ = out_.size();
    if (!is_first) out_.put(',');
    is_first = false;
    out_.put_key(field.name);
    const Path here{path, field.name};
    Value replaced;
    if (run(member->value, *field.type, &here, replaced)) {
      if (copy.empty()) {
        json::Member* memory = arena_.allocate<json::Member>(members.size());
        std::ranges::uninitialized_copy(members, std::span(memory, members.size()));
        copy = {memory, members.size()};
      }
      copy[static_cast<std::size_t>(member - members.data())].value = replaced;
    }
  }
  out_.put('}');
  if (type.cross != CrossRule::kNone) check_cross_rule(*this, value, type.cross, path);
  if (copy.empty()) return false;
  changed = Value::object(copy, value.offset());
  return true;
}

bool Checker::check_map(const Value& value, const Type& type, const Path* path, Value& changed) {
  if (!value.is_object()) {
    wrong_type(value, "an object", path);
    return false;
  }
  const std::span<const json::Member> members = value.members();
  std::array<const json::Member*, 32> small;
  std::vector<const json::Member*> large;
  std::span<const json::Member*> order;
  if (members.size() <= small.size()) {
    order = std::span(small).first(members.size());
  } else {
    large.resize(members.size());
    order = large;
  }
  const auto key_less = [](const json::Member* a, const json::Member* b) {
    return utf16_less(a->key, b->key);
  };
  for (std::size_t i = 0; i < members.size(); ++i) {
    // Insertion: most maps are small or in order.
    std::size_t at = i;
    if (members.size() <= small.size()) {
      for (; at > 0 && key_less(&members[i], order[at - 1]); --at) order[at] = order[at - 1];
    }
    order[at] = &members[i];
  }
  if (members.size() > small.size()) std::ranges::sort(order, key_less);

  std::span<json::Member> copy;
  out_.put('{');
  for (std::size_t i = 0; i < order.size(); ++i) {
    const json::Member& member = *order[i];
    const Path here{path, member.key};
    const Value at_key = Value::string(member.key, member.key_offset);
    if (i != 0) {
      out_.put(',');
      if (order[i - 1]->key == member.key) {
        issue(at_key, &here, "duplicate_key",
              fmt::format("the name {} appears twice", quote(member.key)), "keep one of the two");
      }
    }
    out_.put_string(member.key);
    out_.put(':');
    if (!matches(type.key_format, member.key, is_strict_)) {
      issue(at_key, &here, "bad_format",
            fmt::format("the name {} is not allowed here; expected {}", quote(member.key),
                        expectation(type.key_format)));
    }
    if (type.max_length != 0) check_length(at_key, type.max_length, &here);
    Value replaced;
    if (run(member.value, *type.item, &here, replaced)) {
      if (copy.empty()) {
        json::Member* memory = arena_.allocate<json::Member>(members.size());
        std::ranges::uninitialized_copy(members, std::span(memory, members.size()));
        copy = {memory, members.size()};
      }
      copy[static_cast<std::size_t>(&member - members.data())].value = replaced;
    }
  }
  out_.put('}');
  if (copy.empty()) return false;
  changed = Value::object(copy, value.offset());
  return true;
}

bool Checker::check_list(const Value& value, const Type& type, const Path* path, Value& changed) {
  if (!value.is_array()) {
    wrong_type(value, "an array", path);
    return false;
  }
  const std::span<const Value> items = value.items();
  if (items.size() < type.min_items) {
    issue(value, path, "too_few",
          fmt::format("the array has {}; expected at least {}",
                      plural(items.size(), "item", "items"), type.min_items));
  }
  if (type.max_items != 0 && items.size() > type.max_items) {
    issue(value, path, "too_many",
          fmt::format("the array has {}; expected at most {}",
                      plural(items.size(), "item", "items"), type.max_items));
  }
  std::span<Value> copy;
  out_.put('[');
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i != 0) out_.put(',');
    const Path here{.parent = path, .index = i, .is_index = true};
    Value replaced;
    if (run(items[i], *type.item, &here, replaced)) {
      if (copy.empty()) {
        Value* memory = arena_.allocate<Value>(items.size());
        std::ranges::uninitialized_copy(items, std::span(memory, items.size()));
        copy = {memory, items.size()};
      }
      copy[i] = replaced;
    }
  }
  out_.put(']');
  if (copy.empty()) return false;
  changed = Value::array(copy, value.offset());
  return true;
}

bool Checker::check_set(const Value& value, const Type& type, const Path* path, Value& changed) {
  if (!value.is_array()) {
    wrong_type(value, "an array", path);
    return false;
  }
  const std::span<const Value> items = value.items();
  const auto is_increasing = [](const Value& a, const Value& b) {
    return a.is_string() && b.is_string() && utf16_less(a.string(), b.string());
  };
  bool is_normal = true;
  for (std::size_t i = 1; i < items.size() && is_normal; ++i)
    is_normal = is_increasing(items[i - 1], items[i]);
  const auto write = [&](std::span<const Value> list) {
    // Issues name the item's place as it was written, so they are found before sorting.
    out_.put('[');
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i != 0) out_.put(',');
      const Path here{.parent = path, .index = i, .is_index = true};
      Value unchanged;
      run(list[i], *type.item, &here, unchanged);
    }
    out_.put(']');
  };
  if (is_normal) {
    write(items);
    return false;
  }
  const std::size_t begin = out_.size();
  const std::size_t issue_count = issues_.size();
  write(items);
  if (issues_.size() != issue_count) return false;
  std::vector<std::string_view> texts;
  texts.reserve(items.size());
  for (const Value& item : items) texts.push_back(item.string());
  std::ranges::sort(texts, utf16_less);
  const auto repeated = std::ranges::unique(texts);
  texts.erase(repeated.begin(), repeated.end());
  Value* memory = arena_.allocate<Value>(texts.size());
  out_.cut(begin);
  out_.put('[');
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i != 0) out_.put(',');
    out_.put_string(texts[i]);
    std::construct_at(memory + i, Value::string(texts[i], value.offset()));
  }
  out_.put(']');
  changed = Value::array({memory, texts.size()}, value.offset());
  return true;
}

bool Checker::check_duration(const Value& value, const Path* path, Value& changed) {
  if (!value.is_string()) {
    if (value.is_number())
      check_integer(value, Bound::kAtLeastZero, path);
    else
      wrong_type(value, "whole nanoseconds, or a text like \"8.25 us\"", path);
    return false;
  }
  const ParsedDuration parsed = parse_duration(value.string());
  switch (parsed.error) {
    case DurationError::kNone:
      break;
    case DurationError::kSyntax:
      issue(value, path, "bad_duration",
            fmt::format("{} is not a duration; expected digits and one of ns, us, µs, ms, s",
                        quote(value.string())),
            "write it like \"8.25 us\", or as whole nanoseconds");
      return false;
    case DurationError::kNotWhole:
      issue(value, path, "bad_duration",
            fmt::format("{} is not a whole number of nanoseconds", quote(value.string())),
            "round it to nanoseconds");
      return false;
    case DurationError::kTooLarge:
      issue(value, path, "bad_duration",
            fmt::format("{} is more than 2^53−1 nanoseconds", quote(value.string())));
      return false;
  }
  out_.put_integer(parsed.ns);
  changed = Value::number(static_cast<double>(parsed.ns), true, value.offset());
  return true;
}

void Checker::check_length(const Value& value, std::uint32_t limit, const Path* path) {
  const std::string_view text = value.string();
  if (text.size() <= limit) return;
  const std::size_t units = utf16_length(text);
  if (units <= limit) return;
  issue(value, path, "too_long",
        fmt::format("the text has {} UTF-16 code units; expected at most {}", units, limit),
        "shorten it");
}

void Checker::check_text(const Value& value, const Type& type, const Path* path) {
  if (!value.is_string()) {
    wrong_type(value, "text", path);
    return;
  }
  const std::string_view text = value.string();
  out_.put_string(text);
  if (type.max_length != 0) check_length(value, type.max_length, path);
  if (value.is_plain_yaml() && is_strict_) check_ambiguous(value, path);
  if (is_collecting_ && may_not_be_nfc(text)) {
    warnings_.push_back(
        {value.offset(),
         make(value.offset(), path, "not_nfc",
              fmt::format("{} may not be in Unicode normal form C; the same text in another "
                          "spelling has another digest",
                          quote(text)),
              "write composed characters")});
  }
  if (type.format == Format::kFree) return;
  if (!matches(type.format, text, is_strict_)) {
    if (type.max_length != 0 && text.size() > type.max_length) return;  // said already
    const bool is_instant = type.format == Format::kInstant;
    issue(value, path, is_instant ? "bad_instant" : "bad_format",
          fmt::format("{} is not {}", quote(text), expectation(type.format)));
    return;
  }
  if (type.format == Format::kInstant && wants_semantics()) {
    const auto parsed = parse_instant(text);
    if (parsed && !parsed->is_canonical) {
      semantic(value, path, "noncanonical_instant",
               fmt::format("{} is not the canonical spelling of its instant", quote(text)),
               fmt::format("write \"{}\"", parsed->instant.to_string()));
    }
  }
}

void Checker::check_choice(const Value& value, const Type& type, const Path* path) {
  if (!value.is_string()) {
    wrong_type(value, "text", path);
    return;
  }
  const std::string_view text = value.string();
  if (std::ranges::any_of(type.choices,
                          [&](std::string_view choice) { return same_text(choice, text); })) {
    out_.put_string(text);
    return;
  }
  std::string expected;
  for (const std::string_view one : type.choices) {
    if (!expected.empty()) expected += ", ";
    expected += one;
  }
  const auto close = did_you_mean(text, type.choices);
  issue(value, path, "unknown_choice",
        fmt::format("{} is not known here; expected {}{}", quote(text),
                    type.choices.size() > 1 ? "one of " : "", expected),
        close ? fmt::format("did you mean \"{}\"?", *close) : "");
}

void Checker::check_integer(const Value& value, Bound bound, const Path* path) {
  if (!value.is_number()) {
    wrong_type(value, "an integer", path);
    return;
  }
  const auto whole = value.integer();
  if (!whole) {
    const bool is_large = std::abs(value.number()) >= kFirstInexact;
    issue(value, path, is_large ? "number_too_large" : "not_an_integer",
          is_large ? fmt::format("{} is outside ±(2^53−1)", describe(value))
                   : fmt::format("expected an integer and found {}", describe(value)));
    return;
  }
  out_.put_integer(*whole);
  check_spelling(value, path);
  if ((bound == Bound::kAtLeastZero && *whole < 0) || (bound == Bound::kAboveZero && *whole <= 0)) {
    issue(value, path, "out_of_range",
          fmt::format("{} is too small; expected an integer {} 0", *whole,
                      bound == Bound::kAboveZero ? "above" : "of at least"));
  }
}

void Checker::check_number(const Value& value, Bound bound, const Path* path) {
  if (!value.is_number()) {
    wrong_type(value, "a number", path);
    return;
  }
  const double x = value.number();
  if (!(std::abs(x) < kFirstInexact)) {
    issue(value, path, "number_too_large",
          fmt::format("{} is outside ±(2^53−1), where numbers are not exact", describe(value)));
    return;
  }
  if (x == std::trunc(x))
    out_.put_integer(static_cast<std::int64_t>(x));
  else
    out_.put_number(x);
  check_spelling(value, path);
  std::string_view expected;
  switch (bound) {
    case Bound::kNone:
      return;
    case Bound::kAtLeastZero:
      if (x < 0) expected = "at least 0";
      break;
    case Bound::kAboveZero:
      if (x <= 0) expected = "above 0";
      break;
    case Bound::kUnitInterval:
      if (x < 0 || x > 1) expected = "from 0 to 1";
      break;
  }
  if (!expected.empty()) {
    issue(value, path, "out_of_range",
          fmt::format("{} is out of range; expected a number {}", describe(value), expected));
  }
}

void Checker::check_dimension(const Value& value, const Path* path) {
  if (value.is_number()) {
    check_integer(value, Bound::kAtLeastZero, path);
    return;
  }
  static constexpr Type kAxisName = formatted(Format::kToken);
  if (value.is_string())
    check_text(value, kAxisName, path);
  else
    wrong_type(value, "an integer or the name of an axis", path);
}

void Checker::check_spelling(const Value& number, const Path* path) {
  if (number.has_canonical_spelling() || !is_strict_) [[likely]]
    return;
  issue(number, path, "noncanonical_number",
        fmt::format("{} is not the canonical spelling of its number", describe(number)),
        fmt::format("write {}", json::number_text(number.number())));
}

// Spellings that are numbers in other YAML versions but text in this one.
void Checker::check_ambiguous(const Value& value, const Path* path) {
  std::string_view text = value.string();
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !is_ascii_digit(text[0])) return;
  const std::string_view original = value.string();
  bool is_number_elsewhere = false;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'o' || text[1] == 'b')) {
    is_number_elsewhere = std::ranges::all_of(text.substr(2), [](char c) {
      return is_ascii_digit(c) || c == '_' || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'f');
    });
  } else {
    is_number_elsewhere = text.contains('_') && std::ranges::all_of(text, [](char c) {
                            return is_ascii_digit(c) || c == '_' || c == '.';
                          });
  }
  if (!is_number_elsewhere) return;
  issue(value, path, "ambiguous_scalar",
        fmt::format("{} without quotes is a number to some YAML readers and text to others",
                    quote(original)),
        fmt::format("write it in quotes: \"{}\"", original));
}

// --- Messages ---

std::string Checker::spelling_at(std::uint32_t offset) const {
  std::size_t end = offset;
  const auto is_part = [](char c) {
    return is_ascii_alnum(c) || c == '.' || c == '+' || c == '-' || c == '_';
  };
  while (end < text_.size() && is_part(text_[end])) ++end;
  return std::string(text_.substr(std::min<std::size_t>(offset, text_.size()), end - offset));
}

std::string Checker::describe(const Value& value) const {
  switch (value.kind()) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return value.boolean() ? "true" : "false";
    case Kind::kNumber: {
      std::string spelling = text_.empty() ? "" : spelling_at(value.offset());
      if (spelling.empty() && std::isfinite(value.number()))
        spelling = json::number_text(value.number());
      return "the number " + spelling;
    }
    case Kind::kString:
      return "the text " + quote(value.string());
    case Kind::kArray:
      return "an array";
    case Kind::kObject:
      return "an object";
  }
  return "";
}

void Checker::wrong_type(const Value& value, std::string_view expected, const Path* path) {
  std::string fix;
  if (value.is_null()) {
    fix = "leave the member out instead of writing null";
  } else if (expected == "text" && value.is_number()) {
    const std::string spelling = text_.empty() ? "" : spelling_at(value.offset());
    fix = fmt::format("write it in quotes: \"{}\"",
                      spelling.empty() ? json::number_text(value.number()) : spelling);
  } else if (expected == "text" && value.is_bool()) {
    fix = fmt::format("write it in quotes: \"{}\"", value.boolean());
  } else if (expected == "true or false" && value.is_string()) {
    const std::string word = ascii_lower(value.string());
    if (word == "yes" || word == "on" || word == "y" || word == "true") fix = "write true";
    if (word == "no" || word == "off" || word == "n" || word == "false") fix = "write false";
  } else if (value.is_string() &&
             json::parse_number(value.string()).error == json::NumberError::kNone) {
    fix = fmt::format("write it without quotes: {}", value.string());
  }
  issue(value, path, "wrong_type",
        fmt::format("expected {} and found {}", expected, describe(value)), std::move(fix));
}

void Checker::unknown_member(const json::Member& member, const Type& type, const Path* path) {
  std::array<std::string_view, kMaxFields> names;
  for (std::size_t i = 0; i < type.fields.size(); ++i) names[i] = type.fields[i].name;
  const std::span<const std::string_view> known = std::span(names).first(type.fields.size());
  std::string fix;
  if (const auto close = did_you_mean(member.key, known)) {
    fix = fmt::format("did you mean \"{}\"?", *close);
  } else {
    fix = "known here: ";
    for (const std::string_view name : known) {
      if (name != known.front()) fix += ", ";
      fix += name;
    }
  }
  const Path here{path, member.key};
  issue(Value::null(member.key_offset), &here, "unknown_member",
        fmt::format("the member {} is not known here", quote(member.key)), std::move(fix));
}

}  // namespace ki::manifest
