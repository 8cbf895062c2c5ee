#include "ki/manifest/view.h"

#include "ki/base/text.h"
#include "layout_key.h"
#include "members.h"

#include <algorithm>

namespace ki::manifest {
namespace {

using json::Value;

std::vector<ArgumentView> arguments_of(const Value& spec, std::string_view list) {
  std::vector<ArgumentView> arguments;
  for (const Value& item : need(spec, list).items()) {
    ArgumentView argument;
    argument.name = need_text(item, "name");
    const Value* tensor = item.find("tensor");
    argument.is_tensor = tensor != nullptr;
    if (tensor == nullptr) {
      argument.dtype = need_text(need(item, "scalar"), "dtype");
    } else {
      argument.dtype = need_text(*tensor, "dtype");
      argument.layout = text_at(*tensor, {"layout"});
      for (const Value& dimension : need(*tensor, "shape").items()) {
        if (dimension.is_string())
          argument.shape.emplace_back(dimension.string());
        else
          argument.shape.emplace_back(dimension.integer().value_or(0));
      }
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

std::vector<BoundAxis> axes_of(const Value& object) {
  std::vector<BoundAxis> axes;
  for (const json::Member& member : need(object, "axes").members())
    axes.push_back({member.key, member.value.integer().value_or(0)});
  std::ranges::sort(axes, utf16_less, &BoundAxis::name);
  return axes;
}

}  // namespace

std::string_view OperationView::family() const { return need_text(spec_, "family"); }

std::vector<AxisView> OperationView::axes() const {
  std::vector<AxisView> axes;
  for (const json::Member& member : need(spec_, "axes").members()) {
    const std::string_view role = need_text(member.value, "role");
    axes.push_back({.name = member.key,
                    .role = role == "constant"  ? AxisRole::kConstant
                            : role == "derived" ? AxisRole::kDerived
                                                : AxisRole::kVariable,
                    .value = integer_at(member.value, {"value"}),
                    .minimum = integer_at(member.value, {"minimum"}),
                    .maximum = integer_at(member.value, {"maximum"}),
                    .expression = text_at(member.value, {"expression"})});
  }
  std::ranges::sort(axes, utf16_less, &AxisView::name);
  return axes;
}

std::vector<ArgumentView> OperationView::inputs() const { return arguments_of(spec_, "inputs"); }
std::vector<ArgumentView> OperationView::outputs() const { return arguments_of(spec_, "outputs"); }

std::string_view CaseView::operation_digest() const {
  return need_text(spec_, "operationSpecDigest");
}

std::vector<BoundAxis> CaseView::axes() const { return axes_of(spec_); }

std::vector<CaseTensorView> CaseView::tensors() const {
  std::vector<CaseTensorView> tensors;
  for (const json::Member& member : need(spec_, "tensors").members()) {
    CaseTensorView tensor{.name = member.key,
                          .shape = {},
                          .dtype = need_text(member.value, "dtype"),
                          .layout_key = layout_key(member.value)};
    for (const Value& size : need(member.value, "shape").items())
      tensor.shape.push_back(size.integer().value_or(0));
    tensors.push_back(std::move(tensor));
  }
  std::ranges::sort(tensors, utf16_less, &CaseTensorView::name);
  return tensors;
}

std::string_view SuiteView::operation_digest() const {
  return need_text(spec_, "operationSpecDigest");
}

std::vector<SuiteCaseView> SuiteView::cases() const {
  std::vector<SuiteCaseView> cases;
  for (const Value& one : need(spec_, "cases").items())
    cases.push_back({need_text(one, "externalId"), axes_of(one)});
  return cases;
}

}  // namespace ki::manifest
