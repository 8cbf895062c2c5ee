// OperationShape: the tensors of an operation as a bound needs them, from a manifest or from a
// problem's definition.
#pragma once

#include "ki/bounds/expression.h"
#include "ki/json/value.h"
#include "ki/problem/definition.h"

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace ki::bounds {

// One dimension: a size, or the name of an axis.
using Extent = std::variant<std::int64_t, std::string>;

struct TensorShape {
  std::string name{};
  bool is_output = false;
  std::string dtype{};          // as the source spells it
  std::int64_t bits = 0;        // of one element of `shape`
  std::vector<Extent> shape{};  // empty: one element
};

struct OperationShape {
  std::string name{};
  std::vector<TensorShape> tensors{};  // inputs, then outputs; scalars are left out

  // An input and an output may share a name; `is_output` tells them apart.
  const TensorShape* find(std::string_view name) const;
};

// The spec of an OperationSpec manifest. Fails on a dtype whose size is not known.
Result<OperationShape> shape_of_manifest(std::string_view name, const json::Value& spec);
Result<OperationShape> shape_of_definition(const problem::Definition& definition);

struct Case {
  std::string name{};
  std::vector<AxisValue> axes{};  // all of them, derived ones too
};

// The cases of a WorkloadSuite or the one of a WorkloadCase, with the operation's constants and
// derived axes filled in. `kind` is the manifest's.
Result<std::vector<Case>> cases_of_manifest(std::string_view kind, const json::Value& workload_spec,
                                            std::string_view name, const json::Value& axes);

// Elements of a shape. Fails on an unknown axis, a negative size or an overflow.
Result<std::int64_t> elements(const TensorShape& tensor, std::span<const AxisValue> axes);

}  // namespace ki::bounds
