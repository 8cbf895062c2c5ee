// Value: one immutable JSON value inside a document. Every value knows the byte offset in the text
// that it was read from, so that each later rule can name line and column.
// A Value is a view: it is valid as long as the Arena (and the text) that it was made in.
#pragma once

#include "ki/base/check.h"
#include "ki/json/arena.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace ki::json {

enum class Kind : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

// "null", "boolean", "number", "string", "array", "object".
std::string_view to_string(Kind kind);

struct Member;

class Value {
 public:
  Value() = default;  // null at offset 0

  static Value null(std::uint32_t offset = 0) { return {Kind::kNull, {.number = 0}, 0, offset}; }
  static Value boolean(bool value, std::uint32_t offset = 0) {
    Payload payload{.number = 0};
    payload.boolean = value;
    return {Kind::kBool, payload, 0, offset};
  }
  // `is_canonical`: the text was exactly the RFC 8785 spelling of the number.
  static Value number(double value, bool is_canonical = true, std::uint32_t offset = 0) {
    return {Kind::kNumber, {.number = value}, 0, offset, is_canonical};
  }
  static Value string(std::string_view text, std::uint32_t offset = 0) {  // NOLINTNEXTLINE
    return {Kind::kString, {.text = text.data()}, size32(text.size()), offset};
  }
  static Value array(std::span<const Value> items, std::uint32_t offset = 0) {
    return {Kind::kArray, {.items = items.data()}, size32(items.size()), offset};
  }
  static Value object(std::span<const Member> members, std::uint32_t offset = 0);

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_bool() const { return kind_ == Kind::kBool; }
  bool is_number() const { return kind_ == Kind::kNumber; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_object() const { return kind_ == Kind::kObject; }

  // Each accessor needs the kind that it names (checked).
  bool boolean() const {
    KI_CHECK(is_bool());
    return payload_.boolean;
  }
  double number() const {
    KI_CHECK(is_number());
    return payload_.number;
  }
  bool has_canonical_spelling() const { return is_canonical_; }
  // A YAML scalar in plain style keeps its spelling, for rules about unquoted text.
  bool is_plain_yaml() const { return is_plain_yaml_; }
  Value marked_plain_yaml() const;
  std::string_view string() const {
    KI_CHECK(is_string());
    return {payload_.text, size_};
  }
  std::span<const Value> items() const;
  std::span<const Member> members() const;  // in the order of the text

  // The integer, when the number is one within ±(2^53−1).
  std::optional<std::int64_t> integer() const;
  // The member of that name, or nothing (also for a value that is no object). Linear: objects are
  // small.
  const Value* find(std::string_view key) const;

  std::uint32_t offset() const { return offset_; }

 private:
  union Payload {
    double number;
    bool boolean;
    const char* text;
    const Value* items;
    const Member* members;
  };
  Value(Kind kind, Payload payload, std::uint32_t size, std::uint32_t offset,
        bool is_canonical = true)
      : payload_(payload), size_(size), offset_(offset), kind_(kind), is_canonical_(is_canonical) {}

  static std::uint32_t size32(std::size_t size) {
    KI_CHECK(size <= std::numeric_limits<std::uint32_t>::max());
    return static_cast<std::uint32_t>(size);
  }

  Payload payload_{.number = 0};
  std::uint32_t size_ = 0;
  std::uint32_t offset_ = 0;
  Kind kind_ = Kind::kNull;
  bool is_canonical_ = true;
  bool is_plain_yaml_ = false;
  // Named padding: a copy is then three whole words, not words and bytes that overlap.
  [[maybe_unused]] std::array<std::uint8_t, 5> padding_{};
};
static_assert(sizeof(Value) == 24);

struct Member {
  std::string_view key;
  std::uint32_t key_offset = 0;
  Value value;
};

inline Value Value::object(std::span<const Member> members, std::uint32_t offset) {
  return {Kind::kObject, {.members = members.data()}, size32(members.size()), offset};
}
inline std::span<const Value> Value::items() const {
  KI_CHECK(is_array());
  return {payload_.items, size_};
}
inline std::span<const Member> Value::members() const {
  KI_CHECK(is_object());
  return {payload_.members, size_};
}

// Deep equality of meaning: member order and spelling do not matter, -0 equals 0.
bool operator==(const Value& a, const Value& b);

// A value with all the memory that it lives in. Move-only.
struct Document {
  Arena text;
  Arena nodes;
  Value root;
};

}  // namespace ki::json
