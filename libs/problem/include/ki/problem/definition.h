// Definition: what a problem computes (definition.json, harness 01 section 1).
#pragma once

#include "ki/digest/digest.h"
#include "ki/problem/dtype.h"
#include "ki/problem/expression.h"
#include "ki/problem/finding.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ki::problem {

struct Axis {
  enum class Role : std::uint8_t { kConst, kVar, kExpr };
  std::string name;
  Role role = Role::kVar;
  std::int64_t value = 0;                // kConst
  std::optional<Expression> expression;  // kExpr
  std::string expression_text;           // kExpr, as written
};

using Dimension = std::variant<std::int64_t, std::string>;  // a size, or the name of an axis

struct Argument {
  std::string name;
  std::optional<std::vector<Dimension>> shape;  // absent: a Python scalar; empty: a 0-D tensor
  Dtype dtype = Dtype::kF32;
  std::string description;

  bool is_scalar() const { return !shape.has_value(); }
};

struct Definition {
  std::string name;
  std::string op_type;  // empty: none
  std::vector<Axis> axes;
  std::string custom_inputs_entrypoint;  // empty: none
  std::vector<Argument> inputs, outputs;
  std::string reference;  // Python
  std::string description;
  std::vector<std::string> constraints;
  // SHA-256 of the RFC 8785 text without the top-level member `description`: what names an oracle.
  Digest digest = Digest::of("");

  const Axis* find_axis(std::string_view axis) const;
};

Reading<Definition> read_definition(std::string_view json);

struct AxisValue {
  std::string name;
  std::int64_t value = 0;
  bool operator==(const AxisValue&) const = default;
};

// The values of all axes: constants, then those given, then expressions in the order in which they
// are declared. `given` may override constants and add axes, as the original allows; a strict
// reading of the workload has refused that. Codes at the start of a message: "missing_axis: ",
// "negative_axis: " and those of Expression::evaluate.
Result<std::vector<AxisValue>> resolve_axes(const Definition& definition,
                                            const std::vector<AxisValue>& given);

struct ResolvedArgument {
  std::string name;
  std::vector<std::int64_t> shape;  // as declared, also for the packed fp4 type; empty: 0-D
  bool is_scalar = false;
  Dtype dtype = Dtype::kF32;
  std::int64_t elements = 1;  // of the declared shape
  std::int64_t bytes = 0;     // stored; a scalar has those of scalar_type(dtype)
};
// The shapes of inputs or outputs. Fails on a name without value, a size beyond 2^40 elements, or
// an odd last dimension of the packed type.
Result<std::vector<ResolvedArgument>> resolve_arguments(const std::vector<Argument>& arguments,
                                                        const std::vector<AxisValue>& axes);

// Whether every constraint holds; the text of the first that does not, or nothing.
Result<std::optional<std::string>> violated_constraint(const Definition& definition,
                                                       const std::vector<AxisValue>& axes);

// The OperationSpec manifest of a definition (JSON text), with the identity that `ki import sol`
// gives the same definition.
Result<std::string> operation_manifest(const Definition& definition);

}  // namespace ki::problem
