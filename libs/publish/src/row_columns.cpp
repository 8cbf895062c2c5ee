#include "row_columns.h"

#include "ki/base/text.h"
#include "ki/json/canonical.h"
#include "ki/json/number.h"
#include "ki/json/pointer.h"

#include <fmt/format.h>

namespace ki::publish {
namespace {

std::string shown(const json::Value* value) {
  if (value == nullptr) return "absent";
  std::string text = json::canonical(*value);
  if (text.size() > 100) text = text.substr(0, 97) + "...";
  return text;
}

}  // namespace

const json::Value* RowColumns::take(std::string_view column) {
  const std::size_t count = members_.size();
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t at = next_ + i;
    if (at >= count) at -= count;
    if (members_[at].key != column) continue;
    seen_[at] = true;
    next_ = at + 1 == count ? 0 : at + 1;
    return &members_[at].value;
  }
  return nullptr;
}

void RowColumns::refuse(std::string_view code, std::string_view column, std::string message) {
  Issue issue;
  issue.code = code;
  if (!column.empty()) json::append_pointer(issue.pointer, column);
  issue.message = std::move(message);
  issues_.push_back(std::move(issue));
}

void RowColumns::wrong_type(std::string_view column, std::string_view expected,
                            const json::Value* found) {
  refuse(found == nullptr ? "missing_column" : "wrong_type", column,
         fmt::format("column '{}' is {}; expected {}", column, shown(found), expected));
}

void RowColumns::differs(std::string_view column, const std::string& expected,
                         const json::Value* found) {
  refuse(
      "wrong_column", column,
      fmt::format("column '{}' is {}, but the manifest makes {}", column, shown(found), expected));
}

std::string_view RowColumns::text(std::string_view column) {
  const json::Value* v = take(column);
  if (v == nullptr || !v->is_string()) return wrong_type(column, "text", v), std::string_view();
  return v->string();
}

std::optional<std::string_view> RowColumns::nullable_text(std::string_view column) {
  const json::Value* v = take(column);
  if (v == nullptr || v->is_null()) return std::nullopt;
  if (!v->is_string()) return wrong_type(column, "text or null", v), std::nullopt;
  return v->string();
}

std::optional<Uuid> RowColumns::id(std::string_view column) {
  const json::Value* v = take(column);
  const auto uuid = v != nullptr && v->is_string() ? Uuid::parse(v->string()) : std::nullopt;
  if (!uuid) wrong_type(column, "a UUID in lower case", v);
  return uuid;
}

std::optional<Uuid> RowColumns::nullable_id(std::string_view column) {
  const json::Value* v = take(column);
  if (v == nullptr || v->is_null()) return std::nullopt;
  const auto uuid = v->is_string() ? Uuid::parse(v->string()) : std::nullopt;
  if (!uuid) wrong_type(column, "a UUID in lower case or null", v);
  return uuid;
}

std::optional<Digest> RowColumns::digest(std::string_view column) {
  const json::Value* v = take(column);
  if (v != nullptr && v->is_string()) {
    if (auto parsed = Digest::parse(v->string())) return *parsed;
  }
  wrong_type(column, "a digest (sha256: and 64 lower-case hexadecimal digits)", v);
  return std::nullopt;
}

std::optional<Instant> RowColumns::instant(std::string_view column) {
  const json::Value* v = take(column);
  const auto parsed = v != nullptr && v->is_string() ? parse_instant(v->string()) : std::nullopt;
  if (!parsed || !parsed->is_canonical) {
    return wrong_type(column, "an instant YYYY-MM-DDTHH:MM:SS.mmmZ", v), std::nullopt;
  }
  return parsed->instant;
}

std::optional<Instant> RowColumns::nullable_instant(std::string_view column) {
  const json::Value* v = take(column);
  if (v == nullptr || v->is_null()) return std::nullopt;
  const auto parsed = v->is_string() ? parse_instant(v->string()) : std::nullopt;
  if (!parsed || !parsed->is_canonical) {
    return wrong_type(column, "an instant YYYY-MM-DDTHH:MM:SS.mmmZ or null", v), std::nullopt;
  }
  return parsed->instant;
}

bool RowColumns::boolean(std::string_view column) {
  const json::Value* v = take(column);
  if (v == nullptr || !v->is_bool()) return wrong_type(column, "true or false", v), false;
  return v->boolean();
}

std::optional<double> RowColumns::nullable_number(std::string_view column) {
  const json::Value* v = take(column);
  if (v == nullptr || v->is_null()) return std::nullopt;
  if (!v->is_number()) return wrong_type(column, "a number or null", v), std::nullopt;
  return v->number();
}

std::optional<std::int64_t> RowColumns::integer(std::string_view column) {
  const json::Value* v = take(column);
  const auto integer = v == nullptr ? std::nullopt : v->integer();
  if (!integer) wrong_type(column, "an integer", v);
  return integer;
}

std::optional<std::int64_t> RowColumns::nullable_integer(std::string_view column) {
  const json::Value* v = take(column);
  if (v == nullptr || v->is_null()) return std::nullopt;
  const auto integer = v->integer();
  if (!integer) wrong_type(column, "an integer or null", v);
  return integer;
}

const json::Value* RowColumns::object(std::string_view column) {
  const json::Value* v = take(column);
  if (v == nullptr || !v->is_object()) return wrong_type(column, "an object", v), nullptr;
  return v;
}

const json::Value* RowColumns::nullable_object(std::string_view column) {
  const json::Value* v = take(column);
  if (v == nullptr || v->is_null()) return nullptr;
  if (!v->is_object()) return wrong_type(column, "an object or null", v), nullptr;
  return v;
}

void RowColumns::texts(std::string_view column) {
  const json::Value* v = take(column);
  if (v == nullptr || !v->is_array()) return wrong_type(column, "a list of texts", v);
  for (const json::Value& item : v->items()) {
    if (!item.is_string()) return wrong_type(column, "a list of texts", v);
  }
}

void RowColumns::equals(std::string_view column, std::string_view expected) {
  const json::Value* v = take(column);
  if (v != nullptr && v->is_string() && v->string() == expected) return;
  std::string text;
  json::append_string(text, expected);
  differs(column, text, v);
}

void RowColumns::equals(std::string_view column, const std::optional<std::string_view>& expected) {
  if (expected) return equals(column, *expected);
  const json::Value* v = take(column);
  if (v != nullptr && !v->is_null()) differs(column, "null", v);
}

void RowColumns::equals(std::string_view column, const std::optional<double>& expected) {
  const json::Value* v = take(column);
  if (!expected) {
    if (v != nullptr && !v->is_null()) differs(column, "null", v);
    return;
  }
  if (v != nullptr && v->is_number() && v->number() == *expected) return;
  differs(column, json::number_text(*expected), v);
}

void RowColumns::equals(std::string_view column, const std::optional<std::int64_t>& expected) {
  equals(column, expected ? std::optional<double>(static_cast<double>(*expected)) : std::nullopt);
}

void RowColumns::equals_bool(std::string_view column, bool expected) {
  const json::Value* v = take(column);
  if (v != nullptr && v->is_bool() && v->boolean() == expected) return;
  differs(column, expected ? "true" : "false", v);
}

void RowColumns::equals(std::string_view column, std::span<const std::string_view> expected) {
  const json::Value* v = take(column);
  if (v != nullptr && v->is_array() && v->items().size() == expected.size()) {
    bool is_equal = true;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const json::Value& item = v->items()[i];
      is_equal = is_equal && item.is_string() && item.string() == expected[i];
    }
    if (is_equal) return;
  }
  std::string text = "[";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (i != 0) text += ',';
    json::append_string(text, expected[i]);
  }
  differs(column, text + "]", v);
}

void RowColumns::finish() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (seen_[i]) continue;
    refuse("unknown_column", members_[i].key,
           fmt::format("column {} is not known to this version", quote(members_[i].key)));
  }
}

}  // namespace ki::publish
