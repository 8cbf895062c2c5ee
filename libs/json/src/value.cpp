#include "ki/json/value.h"

#include "ki/base/same_text.h"

#include <algorithm>
#include <cmath>

namespace ki::json {
namespace {
constexpr double kMaxSafeInteger = 9007199254740991.0;  // 2^53 − 1

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
    if (same_text(member.key, key)) return &member.value;
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
