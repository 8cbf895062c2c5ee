// If-None-Match (RFC 9110 section 13.1.2).
#pragma once

#include <string_view>

namespace ki::http {

// Whether the field names the entity tag `etag` (with quotes), by weak comparison, or is "*". A
// field that is not a list of entity tags matches nothing.
bool none_match_names(std::string_view field, std::string_view etag);

}  // namespace ki::http
