// The base64 of RFC 4648 section 4, padded.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ki {

std::string base64(std::string_view bytes);
// Nothing for text that base64() would not have written.
std::optional<std::string> parse_base64(std::string_view text);
// Also the URL-safe alphabet, and without padding (DSSE readers must accept both).
std::optional<std::string> parse_any_base64(std::string_view text);

}  // namespace ki
