// Typed views of the manifests that matching reads most: operations, cases and suites. Each takes
// the spec of a valid manifest and points into it.
#pragma once

#include "ki/json/value.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace ki::manifest {

enum class AxisRole : std::uint8_t { kVariable, kConstant, kDerived };

struct AxisView {
  std::string_view name;
  AxisRole role = AxisRole::kVariable;
  std::optional<std::int64_t> value;
  std::optional<std::int64_t> minimum;
  std::optional<std::int64_t> maximum;
  std::optional<std::string_view> expression;
};

// One dimension of an operation's tensor: a size, or the name of an axis.
using Dimension = std::variant<std::int64_t, std::string_view>;

struct ArgumentView {
  std::string_view name;
  bool is_tensor = false;  // else a scalar
  std::string_view dtype;
  std::vector<Dimension> shape;  // tensors
  std::optional<std::string_view> layout;
};

class OperationView {
 public:
  explicit OperationView(const json::Value& spec) : spec_(spec) {}
  std::string_view family() const;
  std::vector<AxisView> axes() const;         // sorted by name
  std::vector<ArgumentView> inputs() const;   // in order
  std::vector<ArgumentView> outputs() const;  // in order

 private:
  json::Value spec_;
};

struct BoundAxis {
  std::string_view name;
  std::int64_t value = 0;
};

struct CaseTensorView {
  std::string_view name;
  std::vector<std::int64_t> shape;
  std::string_view dtype;
  std::string_view layout_key;  // contiguous, row_major or strided (spec 03.4)
};

class CaseView {
 public:
  explicit CaseView(const json::Value& spec) : spec_(spec) {}
  std::string_view operation_digest() const;
  std::vector<BoundAxis> axes() const;          // sorted by name
  std::vector<CaseTensorView> tensors() const;  // sorted by name

 private:
  json::Value spec_;
};

struct SuiteCaseView {
  std::string_view external_id;
  std::vector<BoundAxis> axes;  // sorted by name
};

class SuiteView {
 public:
  explicit SuiteView(const json::Value& spec) : spec_(spec) {}
  std::string_view operation_digest() const;
  std::vector<SuiteCaseView> cases() const;  // in order

 private:
  json::Value spec_;
};

}  // namespace ki::manifest
