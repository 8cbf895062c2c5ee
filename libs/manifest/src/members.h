// Members of valid manifests: present and of the right type, or a bug in the caller.
#pragma once

#include "ki/base/check.h"
#include "ki/json/value.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace ki::manifest {

// The value at the end of a chain of member names, or nothing.
inline const json::Value* find_at(const json::Value& value,
                                  std::initializer_list<std::string_view> names) {
  const json::Value* at = &value;
  for (const std::string_view name : names) {
    at = at->find(name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

inline const json::Value& need(const json::Value& object, std::string_view name) {
  const json::Value* value = object.find(name);
  KI_CHECK(value != nullptr);
  return *value;
}

inline std::string_view need_text(const json::Value& object, std::string_view name) {
  return need(object, name).string();
}

inline std::int64_t need_integer(const json::Value& object, std::string_view name) {
  const auto integer = need(object, name).integer();
  KI_CHECK(integer.has_value());
  return *integer;
}

inline std::optional<std::string_view> text_at(const json::Value& value,
                                               std::initializer_list<std::string_view> names) {
  const json::Value* at = find_at(value, names);
  if (at == nullptr || !at->is_string()) return std::nullopt;
  return at->string();
}

inline std::optional<std::int64_t> integer_at(const json::Value& value,
                                              std::initializer_list<std::string_view> names) {
  const json::Value* at = find_at(value, names);
  return at == nullptr ? std::nullopt : at->integer();
}

inline std::optional<double> number_at(const json::Value& value,
                                       std::initializer_list<std::string_view> names) {
  const json::Value* at = find_at(value, names);
  if (at == nullptr || !at->is_number()) return std::nullopt;
  return at->number();
}

inline std::span<const json::Value> items_at(const json::Value& object, std::string_view name) {
  const json::Value* value = object.find(name);
  if (value == nullptr) return {};
  return value->items();
}

}  // namespace ki::manifest
