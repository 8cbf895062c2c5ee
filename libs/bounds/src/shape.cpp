#include "ki/bounds/shape.h"

#include "ki/manifest/axis_expression.h"
#include "ki/manifest/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace ki::bounds {
namespace {

struct DtypeBits {
  std::string_view dtype;
  std::int64_t bits;
};
// Tokens of manifests. The packed type of the sources counts bytes: its last dimension is halved.
constexpr std::array<DtypeBits, 19> kManifestBits = {{{"fp64", 64},
                                                      {"int64", 64},
                                                      {"uint64", 64},
                                                      {"fp32", 32},
                                                      {"tf32", 32},
                                                      {"int32", 32},
                                                      {"fp16", 16},
                                                      {"bf16", 16},
                                                      {"int16", 16},
                                                      {"fp8_e4m3", 8},
                                                      {"fp8_e5m2", 8},
                                                      {"fp8_e8m0", 8},
                                                      {"fp8", 8},
                                                      {"int8", 8},
                                                      {"uint8", 8},
                                                      {"bool", 8},
                                                      {"float4_e2m1fn_x2", 8},
                                                      {"nvfp4", 4},
                                                      {"mxfp4", 4}}};

Result<std::int64_t> manifest_bits(std::string_view tensor, std::string_view dtype) {
  for (const DtypeBits& known : kManifestBits) {
    if (known.dtype == dtype) return known.bits;
  }
  return fail(Code::kUnsupported,
              fmt::format("the size of dtype '{}' of tensor '{}' is not known", dtype, tensor));
}

Result<void> add_arguments(const std::vector<manifest::ArgumentView>& arguments, bool is_output,
                           OperationShape& out) {
  for (const manifest::ArgumentView& argument : arguments) {
    if (!argument.is_tensor) continue;
    TensorShape tensor{.name = std::string(argument.name),
                       .is_output = is_output,
                       .dtype = std::string(argument.dtype)};
    KI_TRY(tensor.bits, manifest_bits(argument.name, argument.dtype));
    for (const manifest::Dimension& dimension : argument.shape) {
      if (const auto* axis = std::get_if<std::string_view>(&dimension)) {
        tensor.shape.emplace_back(std::string(*axis));
      } else {
        tensor.shape.emplace_back(std::get<std::int64_t>(dimension));
      }
    }
    out.tensors.push_back(std::move(tensor));
  }
  return {};
}

Result<Case> bound_case(std::string_view name, std::span<const manifest::BoundAxis> given,
                        const json::Value& axes) {
  std::vector<manifest::AxisBinding> bindings;
  for (const manifest::BoundAxis& axis : given)
    bindings.push_back({std::string(axis.name), axis.value});
  KI_TRY(const auto all, manifest::bind_axes(axes, bindings));
  Case out{.name = std::string(name)};
  for (const manifest::AxisBinding& axis : all) out.axes.push_back({axis.name, axis.value});
  return out;
}

}  // namespace

const TensorShape* OperationShape::find(std::string_view wanted) const {
  const auto found = std::ranges::find(tensors, wanted, &TensorShape::name);
  return found == tensors.end() ? nullptr : &*found;
}

Result<OperationShape> shape_of_manifest(std::string_view name, const json::Value& spec) {
  const manifest::OperationView view(spec);
  OperationShape out{.name = std::string(name)};
  KI_TRY_VOID(add_arguments(view.inputs(), false, out));
  KI_TRY_VOID(add_arguments(view.outputs(), true, out));
  return out;
}

Result<OperationShape> shape_of_definition(const problem::Definition& definition) {
  OperationShape out{.name = definition.name};
  const auto add = [&](const std::vector<problem::Argument>& arguments, bool is_output) {
    for (const problem::Argument& argument : arguments) {
      if (argument.is_scalar()) continue;
      TensorShape tensor{.name = argument.name,
                         .is_output = is_output,
                         .dtype = std::string(problem::manifest_token(argument.dtype)),
                         .bits = argument.dtype == problem::Dtype::kF4E2m1x2
                                     ? 4
                                     : problem::byte_size(argument.dtype) * 8};
      for (const problem::Dimension& dimension : *argument.shape) {
        if (const auto* axis = std::get_if<std::string>(&dimension)) {
          tensor.shape.emplace_back(*axis);
        } else {
          tensor.shape.emplace_back(std::get<std::int64_t>(dimension));
        }
      }
      out.tensors.push_back(std::move(tensor));
    }
  };
  add(definition.inputs, false);
  add(definition.outputs, true);
  return out;
}

Result<std::vector<Case>> cases_of_manifest(std::string_view kind, const json::Value& workload_spec,
                                            std::string_view name, const json::Value& axes) {
  std::vector<Case> out;
  if (kind == "WorkloadSuite") {
    for (const manifest::SuiteCaseView& one : manifest::SuiteView(workload_spec).cases()) {
      KI_TRY(Case bound, bound_case(one.external_id, one.axes, axes));
      out.push_back(std::move(bound));
    }
    return out;
  }
  KI_TRY(Case bound, bound_case(name, manifest::CaseView(workload_spec).axes(), axes));
  out.push_back(std::move(bound));
  return out;
}

Result<std::int64_t> elements(const TensorShape& tensor, std::span<const AxisValue> axes) {
  std::int64_t count = 1;
  for (const Extent& extent : tensor.shape) {
    std::int64_t size = 0;
    if (const auto* name = std::get_if<std::string>(&extent)) {
      const auto found = std::ranges::find(axes, *name, &AxisValue::name);
      if (found == axes.end()) {
        return fail(Code::kInvalidArgument,
                    fmt::format("tensor '{}': unknown axis '{}'", tensor.name, *name));
      }
      size = found->value;
    } else {
      size = std::get<std::int64_t>(extent);
    }
    if (size < 0) {
      return fail(Code::kInvalidArgument,
                  fmt::format("tensor '{}': a dimension is {}", tensor.name, size));
    }
    if (__builtin_mul_overflow(count, size, &count)) {
      return fail(Code::kInvalidArgument,
                  fmt::format("tensor '{}': its size overflows 64 bits", tensor.name));
    }
  }
  return count;
}

}  // namespace ki::bounds
