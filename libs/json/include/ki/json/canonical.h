// The JSON Canonicalization Scheme (RFC 8785): one text for one meaning.
#pragma once

#include "ki/json/value.h"

#include <string>
#include <string_view>

namespace ki::json {

// Appends the canonical text of `value`: members sorted by UTF-16 code units, ECMAScript number
// text, minimal escapes, no white space.
void append_canonical(std::string& out, const Value& value);
std::string canonical(const Value& value);

// Appends a JSON string with the escapes of RFC 8785 section 3.2.2.2. `text` must be valid UTF-8.
void append_string(std::string& out, std::string_view text);

}  // namespace ki::json
