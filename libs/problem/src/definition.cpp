// Reading definitions.
#include "ki/problem/definition.h"

#include "ki/base/text.h"
#include "ki/json/canonical.h"
#include "ki/json/pointer.h"
#include "ki/problem/python_outline.h"
#include "source.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::problem {
namespace {

class DefinitionReader {
 public:
  DefinitionReader(const Source& source, Findings& findings)
      : source_(source), findings_(findings), object_(source, findings, source.root(), "") {}

  Definition read() {
    out_.name = object_.text("name");
    out_.op_type = object_.optional_text("op_type").value_or("");
    out_.description = object_.optional_text("description", true).value_or("");
    object_.optional_text("hf_id");
    read_axes();
    read_arguments("inputs", out_.inputs);
    read_arguments("outputs", out_.outputs);
    check_names();
    out_.reference = object_.text("reference");
    if (const auto entry = object_.optional_text("custom_inputs_entrypoint"))
      out_.custom_inputs_entrypoint = *entry;
    check_reference();
    read_constraints();
    object_.finish();
    out_.digest = identity();
    return std::move(out_);
  }

 private:
  void read_axes() {
    const json::Value* axes = object_.object("axes");
    if (axes == nullptr) return;
    for (const json::Member& member : axes->members()) {
      std::string at = object_.pointer("axes");
      json::append_pointer(at, member.key);
      if (!Object::is_object(source_, findings_, member.value, at)) continue;
      Object axis(source_, findings_, member.value, at);
      if (!is_identifier(member.key)) {
        axis.strict(member.value, at, "axis_name",
                    fmt::format("the axis name {} is not an identifier", quote(member.key)));
      }
      read_axis(axis, member, at);
      axis.finish();
    }
  }

  void read_axis(Object& axis, const json::Member& member, const std::string& at) {
    Axis out;
    out.name = member.key;
    axis.optional_text("description", true);
    const auto type = axis.optional_text("type");
    std::string role = type.value_or("");
    if (!type) {
      // The original resolves a missing type by the keys that are there.
      const json::Value* value = axis.has("value") ? member.value.find("value") : nullptr;
      const bool is_size = value != nullptr && value->integer() && *value->integer() >= 0;
      role = axis.has("expression") ? "expr" : is_size ? "const" : "var";
      axis.strict(member.value, at, "missing_type",
                  fmt::format("the axis has no 'type'; the original reads it as '{}'", role),
                  fmt::format(R"(add "type": "{}")", role));
      if (role == "var") axis.raw("value");
    }
    if (role == "const") {
      out.role = Axis::Role::kConst;
      if (const json::Value* value = axis.required("value")) {
        const auto size = axis.integer(*value, axis.pointer("value"));
        if (size && *size < 0) {
          axis.refuse(*value, axis.pointer("value"), "negative_axis",
                      fmt::format("the size is {}; at least 0 is expected", *size));
        }
        out.value = size.value_or(0);
      }
    } else if (role == "expr") {
      out.role = Axis::Role::kExpr;
      out.expression_text = axis.text("expression");
      const json::Value* text = member.value.find("expression");
      if (!out.expression_text.empty()) {
        auto parsed = Expression::parse(out.expression_text);
        if (!parsed) {
          axis.refuse(*text, axis.pointer("expression"), "expression", parsed.error().message());
        } else {
          if (parsed->uses_booleans()) {
            axis.strict(*text, axis.pointer("expression"), "expression_boolean",
                        "True and False stand for 1 and 0", "write the numbers");
          }
          check_expression_names(axis, *parsed, *text);
          out.expression = *std::move(parsed);
        }
      }
    } else if (role != "var") {
      axis.refuse(member.value, axis.pointer("type"), "axis_type",
                  fmt::format("the axis type {} is not known", quote(role)),
                  "use const, var or expr");
      return;
    }
    out_.axes.push_back(std::move(out));
  }

  // Names must be constants, variables (also later ones) or expressions declared before.
  void check_expression_names(Object& axis, const Expression& expression, const json::Value& text) {
    const json::Value& axes = *source_.root().find("axes");
    for (const std::string& name : expression.names()) {
      if (out_.find_axis(name) != nullptr) continue;
      const json::Value* later = axes.find(name);
      const json::Value* type = later == nullptr ? nullptr : later->find("type");
      const bool is_expression =
          later != nullptr &&
          (later->find("expression") != nullptr ||
           (type != nullptr && source_.is_text(*type) && type->string() == "expr"));
      if (later != nullptr && !is_expression) continue;
      axis.refuse(
          text, axis.pointer("expression"), "unknown_axis",
          later == nullptr
              ? fmt::format("the axis {} is not declared", quote(name))
              : fmt::format("the axis {} is an expression that is declared later", quote(name)));
    }
  }

  void read_arguments(std::string_view list, std::vector<Argument>& out) {
    const json::Value* arguments = object_.object(list);
    if (arguments == nullptr) return;
    if (arguments->members().empty() && list == "outputs") {
      object_.strict(*arguments, object_.pointer(list), "no_outputs", "there is no output");
    }
    for (const json::Member& member : arguments->members()) {
      std::string at = object_.pointer(list);
      json::append_pointer(at, member.key);
      if (!Object::is_object(source_, findings_, member.value, at)) continue;
      Object argument(source_, findings_, member.value, at);
      if (!is_identifier(member.key)) {
        argument.strict(member.value, at, "argument_name",
                        fmt::format("the name {} is not an identifier", quote(member.key)));
      }
      Argument one;
      one.name = member.key;
      read_shape(argument, one);
      const std::string dtype = argument.text("dtype");
      if (const auto known = parse_dtype(dtype)) {
        one.dtype = *known;
      } else if (!dtype.empty()) {
        argument.refuse(*member.value.find("dtype"), argument.pointer("dtype"), "dtype",
                        fmt::format("the dtype {} is not known", quote(dtype)),
                        "use float64, float32, float16, bfloat16, float8_e4m3fn, float8_e5m2, "
                        "float4_e2m1fn_x2, int64, int32, int16, int8 or bool");
      }
      one.description = argument.optional_text("description", true).value_or("");
      argument.finish();
      out.push_back(std::move(one));
    }
  }

  void read_shape(Object& argument, Argument& out) {
    const json::Value* shape = argument.required("shape");
    if (shape == nullptr || shape->is_null()) return;
    if (!shape->is_array()) {
      argument.refuse(
          *shape, argument.pointer("shape"), "wrong_type",
          fmt::format("a {} stands here; a list or null is expected", source_.kind(*shape)));
      return;
    }
    out.shape.emplace();
    std::size_t i = 0;
    for (const json::Value& item : shape->items()) {
      std::string at = argument.pointer("shape");
      json::append_pointer(at, i++);
      if (!source_.is_text(item) || item.string().empty()) {
        argument.refuse(
            item, at, "dimension",
            fmt::format("a {} stands here; a dimension is a text: digits, or the name of "
                        "an axis",
                        source_.kind(item)),
            source_.is_number(item) ? "put the number in quotes" : "");
        continue;
      }
      const std::string_view text = item.string();
      if (std::ranges::all_of(text, is_ascii_digit)) {
        if (text.size() > 15) {
          argument.refuse(item, at, "dimension", "the dimension is beyond 10^15");
          continue;
        }
        out.shape->emplace_back(static_cast<std::int64_t>(std::stoll(std::string(text))));
        continue;
      }
      const json::Value* axes = source_.root().find("axes");
      if (axes == nullptr || axes->find(text) == nullptr) {
        argument.refuse(item, at, "unknown_axis",
                        fmt::format("{} is neither digits nor the name of an axis", quote(text)));
        continue;
      }
      out.shape->emplace_back(std::string(text));
    }
  }

  void check_names() {
    const auto at = [&](std::string_view list, const std::string& name) {
      std::string pointer = object_.pointer(list);
      json::append_pointer(pointer, name);
      return pointer;
    };
    const auto value = [&](std::string_view list, const std::string& name) -> const json::Value& {
      return *source_.root().find(list)->find(name);
    };
    for (const Argument& input : out_.inputs) {
      if (out_.find_axis(input.name) != nullptr) {
        object_.refuse(value("inputs", input.name), at("inputs", input.name), "name_taken",
                       fmt::format("{} names an axis too", quote(input.name)));
      }
    }
    for (const Argument& output : out_.outputs) {
      if (out_.find_axis(output.name) != nullptr) {
        object_.strict(value("outputs", output.name), at("outputs", output.name), "name_taken",
                       fmt::format("{} names an axis too", quote(output.name)));
      }
      if (std::ranges::find(out_.inputs, output.name, &Argument::name) != out_.inputs.end()) {
        object_.refuse(value("outputs", output.name), at("outputs", output.name), "name_taken",
                       fmt::format("{} names an input too", quote(output.name)));
      }
    }
  }

  void check_reference() {
    const json::Value* text = source_.root().find("reference");
    if (text == nullptr || out_.reference.empty()) return;
    const std::string at = object_.pointer("reference");
    const auto functions = outline_python(out_.reference);
    if (!functions) {
      object_.refuse(
          *text, at, "reference_syntax",
          "the reference is not Python (token-level check): " + functions.error().message());
      return;
    }
    const PythonFunction* run = nullptr;
    int runs = 0;
    for (const PythonFunction& function : *functions) {
      if (function.name != "run" || function.is_async) continue;
      if (run == nullptr) run = &function;
      ++runs;
    }
    if (run == nullptr) {
      object_.refuse(*text, at, "reference_run",
                     "the reference has no 'def run' at its top level (token-level check)");
    } else {
      std::vector<std::string> names;
      for (const Argument& input : out_.inputs) names.push_back(input.name);
      if (run->positional != names) {
        object_.refuse(*text, at, "reference_parameters",
                       fmt::format("run({}) on line {} of the reference does not take the inputs "
                                   "({}) in their order",
                                   join(run->positional, ", "), run->line, join(names, ", ")));
      }
    }
    if (runs > 1) {
      object_.strict(
          *text, at, "reference_run",
          fmt::format("the reference defines run {} times; the last one would run", runs));
    }
    if (out_.custom_inputs_entrypoint.empty()) return;
    const json::Value& entry = *source_.root().find("custom_inputs_entrypoint");
    const std::string entry_at = object_.pointer("custom_inputs_entrypoint");
    if (!is_identifier(out_.custom_inputs_entrypoint)) {
      object_.refuse(entry, entry_at, "entrypoint", "the entry point is not an identifier");
    } else if (std::ranges::none_of(*functions, [&](const PythonFunction& f) {
                 return f.name == out_.custom_inputs_entrypoint && !f.is_async;
               })) {
      object_.refuse(entry, entry_at, "entrypoint",
                     fmt::format("the reference has no top-level function {}",
                                 quote(out_.custom_inputs_entrypoint)));
    }
  }

  void read_constraints() {
    if (!object_.has("constraints") || source_.root().find("constraints")->is_null()) {
      object_.raw("constraints");
      return;
    }
    out_.constraints = object_.texts("constraints", false, false);
    std::size_t i = 0;
    for (const std::string& constraint : out_.constraints) {
      std::string at = object_.pointer("constraints");
      json::append_pointer(at, i++);
      const auto parsed = Expression::parse_constraint(constraint);
      if (!parsed) {
        object_.strict(*source_.root().find("constraints"), at, "expression",
                       parsed.error().message());
      }
    }
  }

  Digest identity() const {
    std::vector<json::Member> members;
    for (const json::Member& member : source_.root().members()) {
      if (member.key != "description") members.push_back(member);
    }
    return Digest::of(json::canonical(json::Value::object(members)));
  }

  const Source& source_;
  Findings& findings_;
  Object object_;
  Definition out_;
};

}  // namespace

const Axis* Definition::find_axis(std::string_view axis) const {
  const auto found = std::ranges::find(axes, axis, &Axis::name);
  return found == axes.end() ? nullptr : &*found;
}

Reading<Definition> read_definition(std::string_view json) {
  Reading<Definition> out;
  const auto source = Source::read(json, out.findings);
  if (!source || !Object::is_object(*source, out.findings, source->root(), "")) return out;
  Definition definition = DefinitionReader(*source, out.findings).read();
  const bool is_hopeless = std::ranges::any_of(out.findings, [](const Finding& f) {
    return f.is_refused_strictly && f.is_refused_compatibly;
  });
  if (!is_hopeless) out.value = std::move(definition);
  return out;
}

}  // namespace ki::problem
