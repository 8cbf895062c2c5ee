// Reading members of stored documents by path.
#pragma once

#include "ki/json/value.h"

#include <initializer_list>
#include <string_view>

namespace ki::rerun {

// The member at a path, or null where a part is missing.
inline const json::Value* at(const json::Value* value,
                             std::initializer_list<std::string_view> path) {
  for (const std::string_view name : path) {
    value = value == nullptr || !value->is_object() ? nullptr : value->find(name);
  }
  return value;
}
// The text there; empty for anything else.
inline std::string_view text_at(const json::Value* value,
                                std::initializer_list<std::string_view> path) {
  const json::Value* found = at(value, path);
  return found != nullptr && found->is_string() ? found->string() : std::string_view();
}

}  // namespace ki::rerun
