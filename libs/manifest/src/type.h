// The description language of the manifest formats: a Type says what a value may be. The same
// tables validate (checker.cpp) and publish JSON Schemas (schema.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ki::manifest {

enum class Rule : std::uint8_t {
  kObject,        // exactly the fields of the table
  kMap,           // any names of key_format, values of `item`
  kList,          // items in the order of the text
  kSet,           // items sorted by UTF-16 code units, without duplicates
  kText,          // of `format`
  kChoice,        // one of `choices`
  kInteger,       // within ±(2^53−1) and `bound`
  kNumber,        // a finite double below 2^53 in magnitude, within `bound`
  kBool,          //
  kDuration,      // whole nanoseconds, or a text that becomes them
  kDimension,     // an integer ≥ 0, or the name of an axis
  kTextOrNumber,  //
  kAny,           // not looked at: stands in where the kind is unknown
};

enum class Format : std::uint8_t {
  kFree,
  kToken,
  kSlug,
  kName,
  kUrl,
  kCommit,
  kDigest,
  kInstant,
  kExpression,  // characters of an axis expression
};

enum class Bound : std::uint8_t { kNone, kAtLeastZero, kAboveZero, kUnitInterval };

// Rules over several members of one object (rules.cpp).
enum class CrossRule : std::uint8_t {
  kNone,
  kAxis,
  kArgument,
  kOperation,
  kLatency,
  kRun,
  kServingRun,
};

struct Type;

struct Field {
  std::string_view name;
  const Type* type = nullptr;
  bool is_required = false;
  std::string_view meaning = {};  // one line for the schema
};

struct Type {
  Rule rule = Rule::kAny;
  Format format = Format::kFree;      // kText
  Format key_format = Format::kFree;  // kMap
  Bound bound = Bound::kNone;         // kInteger, kNumber
  CrossRule cross = CrossRule::kNone;
  std::uint32_t max_length = 0;  // UTF-16 code units of a text, or of a map's key; 0: no limit
  std::uint32_t min_items = 0;   // kList
  std::uint32_t max_items = 0;   // kList; 0: no limit
  const Type* item = nullptr;    // kMap, kList, kSet
  std::span<const std::string_view> choices = {};  // kChoice

  std::span<const Field> fields = {};   // kObject, sorted by name (UTF-16 order)
  const std::uint8_t* slots = nullptr;  // kObject: field_slot(name) -> index, kNoField if none
  std::uint32_t multiplier = 0;         // of field_slot
};

inline constexpr std::uint8_t kNoField = 0xFF;
inline constexpr std::size_t kSlotCount = 64;
inline constexpr std::size_t kMaxFields = 16;

// A hash that is perfect over the names of one object: its multiplier is searched at compile time.
constexpr std::size_t field_slot(std::string_view name, std::uint32_t multiplier) {
  if (name.empty()) return 0;
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(name[i]));
  };
  const std::size_t last = name.size() - 1;
  const std::uint32_t mix = static_cast<std::uint32_t>(name.size()) + (byte(0) << 8) +
                            (byte((last + 1) / 2) << 16) + (byte(last) << 24) +
                            byte(last < 1 ? last : 1) * 0x9DC5U;
  return (mix * multiplier) >> 26;
}

template <std::size_t N>
struct FieldTable {
  std::array<Field, N> fields;
  std::array<std::uint8_t, kSlotCount> slots{};
  std::uint32_t multiplier = 0;

  consteval explicit FieldTable(const Field (&list)[N]) {
    static_assert(N <= kMaxFields);
    for (std::size_t i = 0; i < N; ++i) fields[i] = list[i];
    // All names are ASCII, where byte order is UTF-16 order.
    for (std::size_t i = 1; i < N; ++i) {
      for (std::size_t j = i; j > 0 && fields[j].name < fields[j - 1].name; --j) {
        const Field moved = fields[j];
        fields[j] = fields[j - 1];
        fields[j - 1] = moved;
      }
    }
    for (multiplier = 0x9E3779B1U;; multiplier += 0x3C6EF372U) {
      slots.fill(kNoField);
      bool is_perfect = true;
      for (std::size_t i = 0; i < N && is_perfect; ++i) {
        std::uint8_t& slot = slots[field_slot(fields[i].name, multiplier)];
        is_perfect = slot == kNoField;
        slot = static_cast<std::uint8_t>(i);
      }
      if (is_perfect) break;
    }
  }

  // The place of a field; fails to compile when there is none.
  consteval std::size_t index(std::string_view name) const {
    for (std::size_t i = 0; i < N; ++i) {
      if (fields[i].name == name) return i;
    }
    throw "no such field";
  }
};

template <std::size_t N>
consteval Type object(const FieldTable<N>& table, CrossRule cross = CrossRule::kNone) {
  return {.rule = Rule::kObject,
          .cross = cross,
          .fields = table.fields,
          .slots = table.slots.data(),
          .multiplier = table.multiplier};
}
consteval Type map(const Type& item, Format key_format, std::uint32_t max_key_length = 0) {
  return {
      .rule = Rule::kMap, .key_format = key_format, .max_length = max_key_length, .item = &item};
}
consteval Type list(const Type& item, std::uint32_t min_items = 0, std::uint32_t max_items = 0) {
  return {.rule = Rule::kList, .min_items = min_items, .max_items = max_items, .item = &item};
}
consteval Type set(const Type& item) { return {.rule = Rule::kSet, .item = &item}; }
consteval Type text(std::uint32_t max_length) {
  return {.rule = Rule::kText, .max_length = max_length};
}
consteval Type formatted(Format format, std::uint32_t max_length = 0) {
  return {.rule = Rule::kText, .format = format, .max_length = max_length};
}
consteval Type choice(std::span<const std::string_view> choices) {
  return {.rule = Rule::kChoice, .choices = choices};
}
consteval Type integer(Bound bound) { return {.rule = Rule::kInteger, .bound = bound}; }
consteval Type number(Bound bound) { return {.rule = Rule::kNumber, .bound = bound}; }

}  // namespace ki::manifest
