// Expressions of derived axes (importers 00 section 3): integers, axis names, + - * // % and
// parentheses. `*`, `//` and `%` bind tighter than `+` and `-`; all are left associative; `//`
// rounds down and `a % b` is a − (a // b) · b.
#pragma once

#include "ki/base/result.h"
#include "ki/json/value.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::manifest {

class AxisExpression {
 public:
  // Fails with the place of the first character that is not understood.
  static Result<AxisExpression> parse(std::string_view text);

  using Lookup = std::function<std::optional<std::int64_t>(std::string_view)>;
  // Fails on an unbound name, a division by zero, or a result beyond ±(2^53−1).
  Result<std::int64_t> evaluate(const Lookup& lookup) const;

  // The axis names used, each once, in the order of the text.
  const std::vector<std::string>& names() const { return names_; }

 private:
  enum class Op : std::uint8_t { kPush, kName, kAdd, kSubtract, kMultiply, kDivide, kModulo };
  struct Step {
    Op op;
    std::int64_t operand;  // kPush: the integer; kName: index into names_
  };
  friend class AxisParser;
  std::vector<Step> steps_;  // postfix
  std::vector<std::string> names_;
};

struct AxisBinding {
  std::string name;
  std::int64_t value = 0;
  bool operator==(const AxisBinding&) const = default;
};

// The values of all axes of an operation: those given, the constants, and the derived ones that
// follow, evaluated until nothing changes (so declaration order does not matter). A derived axis
// that was given is not computed again. Sorted by name. `axes` is an OperationSpec's `axes`.
// An axis that cannot be computed (unbound names, a cycle) is an error that names it.
Result<std::vector<AxisBinding>> bind_axes(const json::Value& axes,
                                           std::span<const AxisBinding> given);

}  // namespace ki::manifest
