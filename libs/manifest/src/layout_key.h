// The layout key of a case's tensor (spec 03.4).
#pragma once

#include "ki/json/value.h"

#include <string_view>

namespace ki::manifest {

// "contiguous" without strides, "row_major" when they are those of packed rows, else "strided".
std::string_view layout_key(const json::Value& case_tensor);

}  // namespace ki::manifest
