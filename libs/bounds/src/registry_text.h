// The files of registry/bounds, compiled in.
#pragma once

#include <string_view>

namespace ki::bounds {

// "hardware" or "operations"; empty for another key.
std::string_view registry_text(std::string_view key);

}  // namespace ki::bounds
