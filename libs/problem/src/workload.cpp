// Reading and writing workloads.
#include "ki/problem/workload.h"

#include "ki/base/text.h"
#include "ki/json/pointer.h"
#include "ki/json/writer.h"
#include "workload_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ki::problem {
namespace {

const InputSource kRandom = RandomInput{};

bool is_hopeless(const Findings& findings, std::size_t from) {
  return std::any_of(
      findings.begin() + static_cast<std::ptrdiff_t>(from), findings.end(),
      [](const Finding& f) { return f.is_refused_strictly && f.is_refused_compatibly; });
}

std::optional<ScalarInput> read_scalar(Object& input) {
  const json::Value* value = input.required("value");
  if (value == nullptr) return std::nullopt;
  const Source& source = input.source();
  const std::string at = input.pointer("value");
  if (value->is_bool()) return ScalarInput{value->boolean()};
  if (source.is_number(*value)) {
    const auto number = input.number(*value, at);
    const bool is_integer = value->is_number() && source.is_spelled_as_integer(*value);
    if (is_integer) return ScalarInput{static_cast<std::int64_t>(*number)};
    return ScalarInput{*number};
  }
  if (source.is_text(*value)) {
    // The original turns a numeric text into the number.
    const auto number = input.number(*value, at);
    if (!number) return std::nullopt;
    const bool is_integer = value->string().find_first_of(".eE") == std::string_view::npos;
    if (is_integer && std::abs(*number) < 9.2e18)
      return ScalarInput{static_cast<std::int64_t>(*number)};
    return ScalarInput{*number};
  }
  input.refuse(
      *value, at, "wrong_type",
      fmt::format("a {} stands here; a number, true or false is expected", source.kind(*value)));
  return std::nullopt;
}

std::optional<InputSource> read_input(Object& input) {
  const json::Value& value = input.value();
  const auto type = input.optional_text("type");
  std::string kind = type.value_or("");
  if (!type) {
    kind = input.has("path") && input.has("tensor_key") ? "safetensors"
           : input.has("value")                         ? "scalar"
                                                        : "random";
    input.strict(value, input.pointer("type"), "missing_type",
                 fmt::format("the input has no 'type'; the original reads it as '{}'", kind),
                 fmt::format(R"(add "type": "{}")", kind));
  }
  if (kind == "random") return RandomInput{};
  if (kind == "custom") return CustomInput{};
  if (kind == "scalar") {
    if (auto scalar = read_scalar(input)) return *std::move(scalar);
    return std::nullopt;
  }
  if (kind == "safetensors") {
    SafetensorsInput out{input.text("path"), input.text("tensor_key")};
    return out;
  }
  input.refuse(value, input.pointer("type"), "input_type",
               fmt::format("the input type {} is not known", quote(kind)),
               "use random, scalar, safetensors or custom");
  return std::nullopt;
}

Tolerance read_tolerance(Object& owner) {
  Tolerance out;
  const json::Value* value = owner.raw("tolerance");
  if (value == nullptr) return out;
  const std::string at = owner.pointer("tolerance");
  if (!Object::is_object(owner.source(), owner.findings(), *value, at)) return out;
  Object tolerance(owner.source(), owner.findings(), *value, at);
  out.max_atol = tolerance.number("max_atol", out.max_atol);
  out.max_rtol = tolerance.number("max_rtol", out.max_rtol);
  out.required_matched_ratio =
      tolerance.number("required_matched_ratio", out.required_matched_ratio);
  out.max_error_cap = tolerance.optional_number("max_error_cap");
  out.allow_negative_inf = tolerance.boolean("allow_negative_inf", false);
  const auto at_least_0 = [&](std::string_view name, double number) {
    if (!(number < 0)) return;
    tolerance.strict(*value->find(name), tolerance.pointer(name), "tolerance_range",
                     fmt::format("{} is {}; at least 0 is expected", name, number));
  };
  at_least_0("max_atol", out.max_atol);
  at_least_0("max_rtol", out.max_rtol);
  if (out.max_error_cap) at_least_0("max_error_cap", *out.max_error_cap);
  if (const double ratio = out.required_matched_ratio; ratio <= 0 || ratio > 1) {
    tolerance.strict(*value->find("required_matched_ratio"),
                     tolerance.pointer("required_matched_ratio"), "tolerance_range",
                     fmt::format("the ratio is {}; above 0 and at most 1 is expected", ratio));
  }
  tolerance.finish();
  return out;
}

}  // namespace

std::optional<Workload> read_workload_value(const Source& source, Findings& findings,
                                            const json::Value& value, const std::string& pointer) {
  const std::size_t before = findings.size();
  if (!Object::is_object(source, findings, value, pointer)) return std::nullopt;
  Object object(source, findings, value, pointer);
  Workload out;
  out.uuid = object.text("uuid");
  if (const json::Value* axes = object.object("axes")) {
    for (const json::Member& axis : axes->members()) {
      std::string at = object.pointer("axes");
      json::append_pointer(at, axis.key);
      const auto size = object.integer(axis.value, at);
      if (!size) continue;
      if (*size < 0) {
        object.refuse(axis.value, at, "negative_axis",
                      fmt::format("axis {} is {}; at least 0 is expected", quote(axis.key), *size));
      }
      out.axes.push_back({std::string(axis.key), *size});
    }
  }
  if (const json::Value* inputs = object.object("inputs")) {
    for (const json::Member& member : inputs->members()) {
      std::string at = object.pointer("inputs");
      json::append_pointer(at, member.key);
      if (!Object::is_object(source, findings, member.value, at)) continue;
      Object input(source, findings, member.value, at);
      auto one = read_input(input);
      input.finish();
      if (one) out.inputs.emplace_back(member.key, *std::move(one));
    }
    const auto customs = std::ranges::count_if(out.inputs, [](const auto& input) {
      return std::holds_alternative<CustomInput>(input.second);
    });
    if (customs > 0 && static_cast<std::size_t>(customs) < out.inputs.size()) {
      object.refuse(*inputs, object.pointer("inputs"), "mixed_custom",
                    "some inputs are custom and some are not; all must be, scalars too");
    }
  }
  out.tolerance = read_tolerance(object);
  object.finish();
  if (is_hopeless(findings, before)) return std::nullopt;
  return out;
}

const InputSource& Workload::input(std::string_view name) const {
  for (const auto& [key, source] : inputs) {
    if (key == name) return source;
  }
  return kRandom;
}

Reading<Workload> read_workload(std::string_view json, std::uint32_t first_line) {
  Reading<Workload> out;
  const auto source = Source::read(json, out.findings, first_line);
  if (source) out.value = read_workload_value(*source, out.findings, source->root(), "");
  return out;
}

Reading<std::vector<Workload>> read_workloads(std::string_view jsonl) {
  Reading<std::vector<Workload>> out;
  std::vector<Workload> workloads;
  bool are_all_read = true;
  std::uint32_t line = 0;
  std::size_t index = 0;
  for (const std::string_view text : split(jsonl, '\n')) {
    ++line;
    if (trim(text).empty()) continue;
    const std::string pointer = fmt::format("/{}", index++);
    const std::size_t before = out.findings.size();
    const auto source = Source::read(text, out.findings, line);
    std::optional<Workload> one;
    if (source) {
      one = read_workload_value(*source, out.findings, source->root(), pointer);
    } else {
      for (std::size_t i = before; i < out.findings.size(); ++i)
        out.findings[i].issue.pointer.insert(0, pointer);
    }
    if (!one) {
      are_all_read = false;
      continue;
    }
    if (std::ranges::find(workloads, one->uuid, &Workload::uuid) != workloads.end()) {
      const json::Value* uuid = source->root().find("uuid");
      out.findings.push_back(
          {source->issue(*uuid, pointer + "/uuid", "duplicate_uuid",
                         fmt::format("the uuid {} was used before", quote(one->uuid)),
                         "give every workload its own"),
           true, false});
    }
    workloads.push_back(*std::move(one));
  }
  if (index == 0) {
    out.findings.push_back(
        {{"empty", "", 0, 0, "there is no workload", "add at least one line"}, true, true});
    return out;
  }
  if (are_all_read) out.value = std::move(workloads);
  return out;
}

Findings check_workload(const Definition& definition, const Workload& workload,
                        std::string_view pointer) {
  Findings out;
  const auto add = [&](std::string at, std::string code, std::string message, bool is_compatible) {
    out.push_back({{std::move(code), std::string(pointer) + at, 0, 0, std::move(message), ""},
                   true,
                   !is_compatible});
  };
  const auto below = [](std::string_view list, std::string_view name) {
    std::string at = fmt::format("/{}", list);
    json::append_pointer(at, name);
    return at;
  };
  for (const AxisValue& axis : workload.axes) {
    const Axis* declared = definition.find_axis(axis.name);
    if (declared == nullptr) {
      add(below("axes", axis.name), "extra_axis",
          fmt::format("the definition has no axis {}", quote(axis.name)), true);
    } else if (declared->role != Axis::Role::kVar) {
      add(below("axes", axis.name), "axis_override",
          fmt::format("axis {} is {} in the definition and must not be given", quote(axis.name),
                      declared->role == Axis::Role::kConst ? "a constant" : "an expression"),
          true);
    }
  }
  bool has_custom = false;
  for (const auto& [name, source] : workload.inputs) {
    const auto input = std::ranges::find(definition.inputs, name, &Argument::name);
    has_custom = has_custom || std::holds_alternative<CustomInput>(source);
    if (input == definition.inputs.end()) {
      add(below("inputs", name), "extra_input",
          fmt::format("the definition has no input {}", quote(name)), true);
      continue;
    }
    const auto* scalar = std::get_if<ScalarInput>(&source);
    if (scalar != nullptr && !input->is_scalar()) {
      add(below("inputs", name), "scalar_for_tensor",
          fmt::format("{} is a tensor, and a scalar stands for it", quote(name)), true);
    }
    if (scalar != nullptr && input->is_scalar() && std::holds_alternative<double>(scalar->value) &&
        !is_float(input->dtype)) {
      add(below("inputs", name), "scalar_kind",
          fmt::format("{} is {}, and a number with a fraction stands for it", quote(name),
                      to_string(input->dtype)),
          true);
    }
  }
  if (has_custom && definition.custom_inputs_entrypoint.empty()) {
    add("/inputs", "no_entrypoint",
        "inputs are custom, and the definition has no custom_inputs_entrypoint", true);
  }
  const auto axes = resolve_axes(definition, workload.axes);
  if (!axes) {
    add("/axes", "axes", axes.error().to_string(), false);
    return out;
  }
  for (const auto* list : {&definition.inputs, &definition.outputs}) {
    if (const auto shapes = resolve_arguments(*list, *axes); !shapes)
      add("/axes", "shapes", shapes.error().to_string(), false);
  }
  const auto violated = violated_constraint(definition, *axes);
  if (!violated) {
    add("/axes", "constraint", violated.error().to_string(), true);
  } else if (*violated) {
    add("/axes", "constraint", fmt::format("the constraint {} does not hold", quote(**violated)),
        true);
  }
  return out;
}

void write_workload(json::Writer& w, const Workload& workload) {
  w.begin_object().member("uuid", workload.uuid).key("axes").begin_object();
  for (const AxisValue& axis : workload.axes) w.member(axis.name, axis.value);
  w.end_object().key("inputs").begin_object();
  for (const auto& [name, source] : workload.inputs) {
    w.key(name).begin_object();
    if (const auto* scalar = std::get_if<ScalarInput>(&source)) {
      w.member("type", "scalar").key("value");
      if (const auto* number = std::get_if<double>(&scalar->value)) {
        // 3.0 stays a float to a reader that tells 3 from 3.0.
        if (std::floor(*number) == *number && std::abs(*number) < 1e15) {
          w.raw(fmt::format("{:.1f}", *number));
        } else {
          w.value(*number);
        }
      } else {
        std::visit([&](auto value) { w.value(value); }, scalar->value);
      }
    } else if (const auto* file = std::get_if<SafetensorsInput>(&source)) {
      w.member("type", "safetensors").member("path", file->path);
      w.member("tensor_key", file->tensor_key);
    } else {
      w.member("type", std::holds_alternative<CustomInput>(source) ? "custom" : "random");
    }
    w.end_object();
  }
  const Tolerance& tolerance = workload.tolerance;
  w.end_object().key("tolerance").begin_object();
  w.member("max_atol", tolerance.max_atol).member("max_rtol", tolerance.max_rtol);
  w.member("required_matched_ratio", tolerance.required_matched_ratio);
  w.nullable("max_error_cap", tolerance.max_error_cap);
  w.member("allow_negative_inf", tolerance.allow_negative_inf).end_object().end_object();
}

std::string write_workload(const Workload& workload) {
  std::string out;
  json::Writer w(out);
  write_workload(w, workload);
  return out;
}

}  // namespace ki::problem
