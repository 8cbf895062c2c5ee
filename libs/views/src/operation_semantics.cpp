#include "operation_semantics.h"

#include "stored.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::views {
namespace {

OperationView::Argument read_argument(const json::Value& item) {
  OperationView::Argument argument;
  argument.name = text_of(&item, "name");
  const json::Value* tensor = item.find("tensor");
  argument.is_tensor = tensor != nullptr;
  argument.dtype = text_of(tensor != nullptr ? tensor : item.find("scalar"), "dtype");
  if (tensor == nullptr) return argument;
  argument.layout = text_of(tensor, "layout");
  argument.shape = "[";
  if (const json::Value* shape = tensor->find("shape"); shape != nullptr && shape->is_array()) {
    for (const json::Value& dim : shape->items()) {
      if (argument.shape.size() > 1) argument.shape += ", ";
      argument.shape += scalar_text(dim);
    }
  }
  argument.shape += "]";
  return argument;
}

std::vector<OperationView::Argument> read_arguments(const json::Value* list) {
  std::vector<OperationView::Argument> arguments;
  if (list == nullptr || !list->is_array()) return arguments;
  for (const json::Value& item : list->items()) arguments.push_back(read_argument(item));
  return arguments;
}

OperationView::Axis read_axis(const json::Member& member) {
  OperationView::Axis axis;
  axis.name = member.key;
  axis.role = text_of(&member.value, "role");
  if (const json::Value* value = member.value.find("value"); value != nullptr) {
    axis.value = value->is_number() ? value->integer() : std::nullopt;
  }
  const auto add = [&](std::string_view relation, const json::Value* value) {
    if (value == nullptr) return;
    axis.constraint += fmt::format("{}{} {} {}", axis.constraint.empty() ? "" : ", ", axis.name,
                                   relation, scalar_text(*value));
  };
  add("=", member.value.find("expression"));
  add(">=", member.value.find("minimum"));
  add("<=", member.value.find("maximum"));
  return axis;
}

std::string mutation_text(std::string_view mutation) {
  if (mutation == "none") return "No mutation or aliasing";
  if (mutation == "in_place") return "Changes its inputs in place";
  if (mutation == "destination") return "Writes into a destination that the caller passes";
  return {};
}

}  // namespace

void read_semantics(const json::Value& manifest, OperationView& view) {
  const json::Value* spec = manifest.find("spec");
  if (spec == nullptr) return;
  view.inputs = read_arguments(spec->find("inputs"));
  view.outputs = read_arguments(spec->find("outputs"));
  if (const json::Value* axes = spec->find("axes"); axes != nullptr && axes->is_object()) {
    for (const json::Member& member : axes->members()) view.axes.push_back(read_axis(member));
    std::ranges::sort(view.axes, {}, &OperationView::Axis::name);
  }
  const json::Value* semantics = spec->find("semantics");
  view.expression = text_of(semantics, "expression");
  view.determinism = text_of(semantics, "determinism");
  if (std::string text = mutation_text(text_of(semantics, "mutation")); !text.empty()) {
    view.constraints.push_back(std::move(text));
  }
  view.summary = text_of(manifest.find("metadata"), "description");
  if (view.summary.empty()) view.summary = view.expression;
}

}  // namespace ki::views
