// TextHash: looks texts up in an unordered map by view, without making a std::string.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace ki {

// For std::unordered_map<std::string, T, TextHash, std::equal_to<>>.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

}  // namespace ki
