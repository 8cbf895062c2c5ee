// Lower case of any Unicode text, independent of the process locale.
#pragma once

#include <string>
#include <string_view>

namespace ki::manifest {

// Simple case mapping of valid UTF-8, and U+0130 to "i" with a dot above, as ECMAScript's
// toLowerCase has it (but no final sigma).
std::string lower_case(std::string_view text);

}  // namespace ki::manifest
