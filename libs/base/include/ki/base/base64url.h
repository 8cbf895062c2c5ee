// The URL-safe base64 of RFC 4648 section 5, without padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ki {

std::string base64url(std::string_view bytes);
// Nothing for text that base64url() would not have written: other characters, padding, an
// impossible length or stray bits at the end.
std::optional<std::string> parse_base64url(std::string_view text);

}  // namespace ki
