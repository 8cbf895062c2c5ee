// Expressions of bounds: integers, axis names, + - * // and parentheses, in checked 64-bit
// arithmetic. `//` must divide exactly: a bound that needs rounding says so by another expression.
#pragma once

#include "ki/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::bounds {

struct AxisValue {
  std::string name;
  std::int64_t value = 0;
};

class Expression {
 public:
  // Fails with the column (from 1) of the first thing that is not understood. At most 4096 bytes
  // and 64 levels of parentheses. `*` and `//` bind tighter than `+` and `-`; all are left
  // associative.
  static Result<Expression> parse(std::string_view text);

  // Fails on a name without value (with the closest one that has), an overflow, a division that is
  // not exact or by zero, and a negative result: nothing that is counted here is negative.
  Result<std::int64_t> evaluate(std::span<const AxisValue> axes) const;

  const std::string& text() const { return text_; }
  // The names used, each once, in the order of the text.
  const std::vector<std::string>& names() const { return names_; }

 private:
  enum class Op : std::uint8_t { kInteger, kName, kAdd, kSubtract, kMultiply, kDivide, kNegate };
  struct Step {
    Op op;
    std::int64_t operand = 0;  // kInteger: the value; kName: index into names_
  };
  friend class BoundParser;
  std::string text_;
  std::vector<Step> steps_;  // postfix
  std::vector<std::string> names_;
};

}  // namespace ki::bounds
