#include "ki/json/pointer.h"

#include <algorithm>

namespace ki::json {

void append_pointer(std::string& pointer, std::string_view key) {
  pointer += '/';
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

void append_pointer(std::string& pointer, std::size_t index) {
  pointer += '/';
  pointer += std::to_string(index);
}

Position position_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t last_newline = before.rfind('\n');
  const std::size_t line_start = last_newline == before.npos ? 0 : last_newline + 1;
  return {static_cast<std::uint32_t>(1 + std::ranges::count(before, '\n')),
          static_cast<std::uint32_t>(1 + before.size() - line_start)};
}

}  // namespace ki::json
