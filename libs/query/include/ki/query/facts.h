// Views of what is recorded, filled by whoever holds the records (no copies, nothing owned). All
// text must outlive the call. Missing text is empty.
#pragma once

#include "ki/query/hardware.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ki::query {

struct AxisFacts {
  std::string_view name = {};
  std::int64_t value = 0;
};

struct TensorFacts {
  std::string_view name = {};
  std::span<const std::int64_t> shape = {};
  std::string_view dtype = {};
  std::string_view layout = {};  // contiguous, row_major or strided (spec 03: layoutKeys)
};

// A workload: one case, or a suite of cases.
struct CaseFacts {
  bool is_suite = false;
  // Of a suite: the distinct pairs over all its cases.
  std::span<const AxisFacts> axes = {};
  // In the operation's order of arguments, inputs first; the first one is shown where none fits.
  std::span<const TensorFacts> tensors = {};
  // Of a suite: those of the operation's tensor arguments.
  std::span<const std::string_view> dtypes = {};
  std::span<const std::string_view> layouts = {};
};

struct RunFacts {
  const CaseFacts* workload = nullptr;  // never null
  const Gpu* gpu = nullptr;             // never null; parse_gpu of the recorded product, kept by it
  std::string_view architecture = {};
  std::optional<int> cuda_major = {};
  std::string_view framework = {};  // the implementation's
  std::string_view language = {};
  std::string_view environment_framework = {};
  std::string_view environment_framework_version = {};
};

// An operation's arguments with their symbolic shapes, for binding shapes and checking names.
enum class AxisRole : std::uint8_t { kVariable, kConstant, kDerived };
struct OperationAxis {
  std::string_view name = {};
  AxisRole role = AxisRole::kVariable;
  std::int64_t value = 0;  // of a constant
};
struct OperationTensor {
  std::string_view name = {};
  std::span<const std::string_view> dims = {};  // each an axis name or an integer
};
struct OperationFacts {
  std::span<const OperationAxis> axes = {};
  std::span<const OperationTensor> tensors = {};  // inputs, then outputs
};

}  // namespace ki::query
