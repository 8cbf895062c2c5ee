// JSON pointers (RFC 6901) and text positions, for messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ki::json {

// Appends "/" and the reference token, with "~" as "~0" and "/" as "~1".
void append_pointer(std::string& pointer, std::string_view key);
void append_pointer(std::string& pointer, std::size_t index);

struct Position {
  std::uint32_t line = 1;    // 1-based
  std::uint32_t column = 1;  // 1-based, in bytes
};
// The position of a byte offset in the text; an offset past the end is the position of the end.
Position position_of(std::string_view text, std::size_t offset);

}  // namespace ki::json
