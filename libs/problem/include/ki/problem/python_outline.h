// The outline of a Python source, found from its tokens: which functions stand at the top level and
// with which parameters. No part of it is executed. What only a full parser sees (an expression
// that is not well formed, say) stays unseen; what is found here is always right.
#pragma once

#include "ki/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ki::problem {

struct PythonFunction {
  std::string name;
  std::vector<std::string> positional;  // positional-only and ordinary parameters, in order
  bool is_async = false;
  std::uint32_t line = 0;  // 1-based
};

// The top-level functions, in order. Fails (code, line in the message) on an unclosed string or
// bracket, a bracket that closes another, a function header that is not one, or an indentation that
// returns to no level.
Result<std::vector<PythonFunction>> outline_python(std::string_view source);

}  // namespace ki::problem
