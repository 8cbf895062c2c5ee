// The text of include/ki/kernel_abi.h, which every build of a candidate finds.
#pragma once

#include <string_view>

namespace ki::sandbox {

std::string_view embedded_text(std::string_view key);
inline std::string_view kernel_abi_header() { return embedded_text("kernel_abi.h"); }

}  // namespace ki::sandbox
