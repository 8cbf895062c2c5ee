// The order in which people look for names: case ignored, numbers by value.
#pragma once

#include <string_view>

namespace ki::views {

// "gemm-n512" before "gemm-n4096". ASCII case only; equal texts in this order may differ in bytes.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace ki::views
