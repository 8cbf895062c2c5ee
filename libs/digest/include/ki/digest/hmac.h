// HMAC-SHA-256 (RFC 2104): proof that bytes were written by a holder of the key.
#pragma once

#include "ki/digest/digest.h"

#include <string_view>

namespace ki {

Digest hmac_sha256(std::string_view key, std::string_view bytes);

// Compares in a time that depends on the lengths alone.
bool equals_in_constant_time(std::string_view a, std::string_view b);

}  // namespace ki
