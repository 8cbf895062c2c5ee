#include "ki/json/value.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ki::json {
namespace {
constexpr double kMaxSafeInteger = 9007199254740991.0;  // 2^53 − 1

std::uint32_t size32(std::size_t size) {
  KI_CHECK(size <= std::numeric_limits<std::uint32_t>::max());
  return static_cast<std::uint32_t>(size);
}
}  // namespace

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return "boolean";
    case Kind::kNumber:
      return "number";
    case Kind::kString:
      return "string";
    case Kind::kArray:
      return "array";
    case Kind::kObject:
      return "object";
  }
  check_failed(__FILE__, __LINE__, "a known kind");
}

Value Value::null(std::uint32_t offset) {
  Value v;
  v.offset_ = offset;
  return v;
}

Value Value::boolean(bool value, std::uint32_t offset) {
  Value v = null(offset);
  v.kind_ = Kind::kBool;
  v.payload_.boolean = value;
  return v;
}

Value Value::number(double value, bool is_canonical, std::uint32_t offset) {
  Value v = null(offset);
  v.kind_ = Kind::kNumber;
  v.payload_.number = value;
  v.is_canonical_ = is_canonical;
  return v;
}

Value Value::string(std::string_view text, std::uint32_t offset) {
  Value v = null(offset);
  v.kind_ = Kind::kString;
  v.payload_.text = text.data();
  v.size_ = size32(text.size());
  return v;
}

Value Value::array(std::span<const Value> items, std::uint32_t offset) {
  Value v = null(offset);
  v.kind_ = Kind::kArray;
  v.payload_.items = items.data();
  v.size_ = size32(items.size());
  return v;
}

Value Value::object(std::span<const Member> members, std::uint32_t offset) {
  Value v = null(offset);
  v.kind_ = Kind::kObject;
  v.payload_.members = members.data();
  v.size_ = size32(members.size());
  return v;
}

Value Value::marked_plain_yaml() const {
  Value v = *this;
  v.is_plain_yaml_ = true;
  return v;
}

std::optional<std::int64_t> Value::integer() const {
  if (!is_number()) return std::nullopt;
  const double x = payload_.number;
  if (!(std::abs(x) <= kMaxSafeInteger) || x != std::trunc(x)) return std::nullopt;
  return static_cast<std::int64_t>(x);
}

const Value* Value::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const Member& member : members()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

bool operator==(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return a.boolean() == b.boolean();
    case Kind::kNumber:
      return a.number() == b.number();
    case Kind::kString:
      return a.string() == b.string();
    case Kind::kArray:
      return std::ranges::equal(a.items(), b.items());
    case Kind::kObject:
      return a.members().size() == b.members().size() &&
             std::ranges::all_of(a.members(), [&](const Member& member) {
               const Value* other = b.find(member.key);
               return other != nullptr && member.value == *other;
             });
  }
  check_failed(__FILE__, __LINE__, "a known kind");
}

}  // namespace ki::json
