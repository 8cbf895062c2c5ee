// Expressions of axes and constraints: the arithmetic subset of Python that problem definitions use
// (harness 01 section 1). Integers are checked 64-bit, the rest is double; `/` is true division,
// `//` and `%` round down, `**` binds tightest and to the right.
#pragma once

#include "ki/base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::problem {

class Expression {
 public:
  // Fails with the column (from 1) of the first thing that is not understood. At most 4096 bytes
  // and 64 levels of parentheses.
  static Result<Expression> parse(std::string_view text);
  // The same with comparisons (`<`, `<=`, `>`, `>=`, `==`, `!=`, chained as in Python) on top.
  static Result<Expression> parse_constraint(std::string_view text);

  using Lookup = std::function<std::optional<std::int64_t>(std::string_view)>;

  // The value, which must be an integer or a number with an integral value. The message of a
  // failure begins with its code: "unknown_name: ", "axis_overflow: ", "division_by_zero: " or
  // "not_an_integer: ".
  Result<std::int64_t> evaluate(const Lookup& lookup) const;
  // Whether every comparison holds. Without any: whether the value is not 0.
  Result<bool> holds(const Lookup& lookup) const;

  const std::vector<std::string>& names() const { return names_; }  // each once, in text order
  // True and False were used as 1 and 0.
  bool uses_booleans() const { return uses_booleans_; }

 private:
  enum class Op : std::uint8_t {
    kInteger,
    kFloat,
    kName,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kFloor,
    kModulo,
    kPower,
    kNegate,
    kPlus,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kEqual,
    kNotEqual,
  };
  struct Step {
    Op op;
    std::int64_t integer = 0;  // kInteger: the value; kName: index into names_
    double number = 0;         // kFloat
  };
  struct Number;
  friend class ExpressionParser;
  Result<Number> run(const Lookup& lookup) const;
  static Result<Number> apply(Op op, const Number& a, const Number& b);

  std::vector<Step> steps_;  // postfix; comparisons of a chain are evaluated pair by pair
  std::vector<std::string> names_;
  bool uses_booleans_ = false;
  std::vector<std::pair<Op, std::vector<Step>>> chain_;  // what is compared to the operand before
};

}  // namespace ki::problem
