// Axes, shapes and constraints of one workload, and the operation's manifest.
#include "ki/base/text.h"
#include "ki/json/writer.h"
#include "ki/problem/definition.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::problem {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;

std::optional<std::int64_t> find(const std::vector<AxisValue>& axes, std::string_view name) {
  const auto found = std::ranges::find(axes, name, &AxisValue::name);
  return found == axes.end() ? std::nullopt : std::optional(found->value);
}

void put(std::vector<AxisValue>& axes, const std::string& name, std::int64_t value) {
  const auto found = std::ranges::find(axes, name, &AxisValue::name);
  if (found == axes.end()) {
    axes.push_back({name, value});
  } else {
    found->value = value;
  }
}

// The token of an argument's name, as the importer of SOL-ExecBench makes it.
std::string argument_token(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const char lower = ascii_lower(c);
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;  // one '_' a character
    out += is_ascii_lower(lower) || is_ascii_digit(lower) || lower == '_' ? lower : '_';
  }
  if (out.empty() || !is_ascii_lower(out.front())) out.insert(0, "x_");
  return out;
}

void write_arguments(json::Writer& w, std::string_view list,
                     const std::vector<Argument>& arguments) {
  w.key(list).begin_array();
  for (const Argument& argument : arguments) {
    w.begin_object().member("name", argument_token(argument.name));
    if (argument.shape && !argument.shape->empty()) {
      w.key("tensor").begin_object().key("shape").begin_array();
      for (const Dimension& dimension : *argument.shape) {
        if (const auto* size = std::get_if<std::int64_t>(&dimension)) {
          w.value(*size);
        } else {
          w.value(ascii_lower(std::get<std::string>(dimension)));
        }
      }
      w.end_array().member("dtype", manifest_token(argument.dtype)).end_object();
    } else {
      w.key("scalar").begin_object().member("dtype", manifest_token(argument.dtype)).end_object();
    }
    w.end_object();
  }
  w.end_array();
}

}  // namespace

Result<std::vector<AxisValue>> resolve_axes(const Definition& definition,
                                            const std::vector<AxisValue>& given) {
  std::vector<AxisValue> out;
  for (const Axis& axis : definition.axes) {
    if (axis.role == Axis::Role::kConst) put(out, axis.name, axis.value);
  }
  for (const AxisValue& axis : given) put(out, axis.name, axis.value);
  for (const Axis& axis : definition.axes) {
    if (axis.role == Axis::Role::kVar && !find(out, axis.name)) {
      return fail(Code::kInvalidArgument,
                  fmt::format("missing_axis: axis {} has no value", quote(axis.name)));
    }
  }
  for (const Axis& axis : definition.axes) {
    if (axis.role != Axis::Role::kExpr || find(given, axis.name)) continue;
    auto value = axis.expression->evaluate([&](std::string_view name) { return find(out, name); });
    if (!value) return fail(std::move(value).error().within("axis " + quote(axis.name)));
    put(out, axis.name, *value);
  }
  for (const AxisValue& axis : out) {
    if (axis.value < 0) {
      return fail(Code::kInvalidArgument,
                  fmt::format("negative_axis: axis {} is {}; at least 0 is expected",
                              quote(axis.name), axis.value));
    }
  }
  return out;
}

Result<std::vector<ResolvedArgument>> resolve_arguments(const std::vector<Argument>& arguments,
                                                        const std::vector<AxisValue>& axes) {
  std::vector<ResolvedArgument> out;
  for (const Argument& argument : arguments) {
    ResolvedArgument one;
    one.name = argument.name;
    one.dtype = argument.dtype;
    one.is_scalar = argument.is_scalar();
    if (one.is_scalar) {
      one.bytes = byte_size(scalar_type(argument.dtype));
      out.push_back(std::move(one));
      continue;
    }
    for (const Dimension& dimension : *argument.shape) {
      std::int64_t size = 0;
      if (const auto* number = std::get_if<std::int64_t>(&dimension)) {
        size = *number;
      } else {
        const auto value = find(axes, std::get<std::string>(dimension));
        if (!value) {
          return fail(Code::kInvalidArgument,
                      fmt::format("missing_axis: axis {} of {} has no value",
                                  quote(std::get<std::string>(dimension)), quote(argument.name)));
        }
        size = *value;
      }
      one.shape.push_back(size);
      if (__builtin_mul_overflow(one.elements, size, &one.elements) ||
          one.elements > kMaxElements) {
        return fail(Code::kInvalidArgument,
                    fmt::format("too_large: {} has more than 2^40 elements", quote(argument.name)));
      }
    }
    std::int64_t stored = one.elements;
    if (argument.dtype == Dtype::kF4E2m1x2) {
      if (one.shape.empty() || one.shape.back() % 2 != 0) {
        return fail(
            Code::kInvalidArgument,
            fmt::format("odd_packed_dimension: the last dimension of {} holds two numbers a "
                        "byte and is not even",
                        quote(argument.name)));
      }
      stored /= 2;
    }
    one.bytes = stored * byte_size(argument.dtype);
    out.push_back(std::move(one));
  }
  return out;
}

Result<std::optional<std::string>> violated_constraint(const Definition& definition,
                                                       const std::vector<AxisValue>& axes) {
  for (const std::string& constraint : definition.constraints) {
    KI_TRY(const Expression expression, Expression::parse_constraint(constraint));
    KI_TRY(const bool holds,
           expression.holds([&](std::string_view name) { return find(axes, name); }));
    if (!holds) return constraint;
  }
  return std::nullopt;
}

Result<std::string> operation_manifest(const Definition& d) {
  std::string out;
  json::Writer w(out);
  w.begin_object().member("apiVersion", "kernelindex.dev/v1alpha1").member("kind", "OperationSpec");
  w.key("metadata").begin_object().member("name", kebab(d.name)).member("title", d.name);
  if (!d.description.empty()) w.member("description", d.description);
  w.end_object().key("spec").begin_object();
  w.member("family", d.op_type.empty() ? std::string("uncategorized") : kebab(d.op_type));
  w.key("axes").begin_object();
  for (const Axis& axis : d.axes) {
    w.key(ascii_lower(axis.name)).begin_object();
    switch (axis.role) {
      case Axis::Role::kConst:
        w.member("role", "constant").member("type", "integer").member("value", axis.value);
        break;
      case Axis::Role::kVar:
        w.member("role", "variable").member("type", "integer");
        break;
      case Axis::Role::kExpr:
        w.member("role", "derived").member("type", "integer");
        w.member("expression", ascii_lower(axis.expression_text));
        break;
    }
    w.end_object();
  }
  w.end_object();
  write_arguments(w, "inputs", d.inputs);
  write_arguments(w, "outputs", d.outputs);
  w.key("semantics").begin_object();
  w.member("mutation", "none").member("determinism", "unspecified").end_object();
  w.key("reference").begin_object().member("language", "python").end_object();
  w.end_object().end_object();
  return out;
}

}  // namespace ki::problem
