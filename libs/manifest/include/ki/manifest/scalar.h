// The scalar types of spec 01.2 that are text.
#pragma once

#include <string_view>

namespace ki::manifest {

bool is_token(std::string_view text);   // [a-z][a-z0-9_]*, any length
bool is_slug(std::string_view text);    // [a-z0-9][a-z0-9-]*, at most 100
bool is_name(std::string_view text);    // [a-z0-9][a-z0-9._-]*, at most 200
bool is_commit(std::string_view text);  // 40 lower-case hexadecimal digits
bool is_digest(std::string_view text);  // sha256: and 64 lower-case hexadecimal digits

// An absolute https URL of at most 2000 UTF-16 code units with a valid host and port; the scheme in
// any case and user information pass, as browsers' parsers allow (compat profile).
bool is_https_url(std::string_view text);
// Also: starts with exactly "https://", only characters of RFC 3986, no user information (strict
// profile).
bool is_plain_https_url(std::string_view text);

}  // namespace ki::manifest
