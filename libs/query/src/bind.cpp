#include "ki/query/bind.h"

#include "ki/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ki::query {
namespace {

const OperationAxis* find_axis(const OperationFacts& operation, std::string_view name) {
  for (const OperationAxis& axis : operation.axes) {
    if (equals_ignoring_case(axis.name, name)) return &axis;
  }
  return nullptr;
}

std::optional<std::int64_t> literal(std::string_view dim) {
  std::int64_t value = 0;
  const char* end = dim.data() + dim.size();
  const auto [stop, error] = std::from_chars(dim.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// The axis values under which the tensor has the shape, or nothing when it cannot have it.
std::optional<ShapeReading> unify(std::span<const std::int64_t> dims,
                                  std::span<const AxisBinding> bound,
                                  const OperationFacts& operation, const OperationTensor& tensor) {
  if (tensor.dims.size() != dims.size()) return std::nullopt;
  ShapeReading reading{.tensor = std::string(tensor.name), .axes = {}};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (const auto fixed = literal(tensor.dims[i])) {
      if (*fixed != dims[i]) return std::nullopt;
      continue;
    }
    const OperationAxis* axis = find_axis(operation, tensor.dims[i]);
    if (axis != nullptr && axis->role == AxisRole::kConstant) {
      if (axis->value != dims[i]) return std::nullopt;
      continue;
    }
    const std::string name = ascii_lower(tensor.dims[i]);
    const auto asked = std::ranges::find(bound, name, &AxisBinding::name);
    if (asked != bound.end() && asked->value != dims[i]) return std::nullopt;
    const auto seen = std::ranges::find(reading.axes, name, &AxisBinding::name);
    if (seen == reading.axes.end()) {
      reading.axes.push_back({name, dims[i]});
    } else if (seen->value != dims[i]) {
      return std::nullopt;
    }
  }
  return reading;
}

bool is_same_meaning(const ShapeReading& a, const ShapeReading& b) {
  return std::ranges::is_permutation(a.axes, b.axes);
}

std::string reading_text(const ShapeReading& reading) {
  std::string text = "'" + reading.tensor + "' (";
  if (reading.axes.empty()) text += "always";
  for (std::size_t i = 0; i < reading.axes.size(); ++i) {
    text += fmt::format("{}{}={}", i > 0 ? ", " : "", reading.axes[i].name, reading.axes[i].value);
  }
  return text + ")";
}

// Where the intent's facet of that field and name was typed.
Issue issue_at(const Intent& intent, std::string_view field, std::string_view name) {
  Issue issue;
  for (const Facet& facet : intent.facets) {
    if (facet.field != field || facet.name != name) continue;
    issue.token = facet.token;
    issue.path = facet.path;
    issue.span = facet.span;
  }
  return issue;
}

template <class Items>
std::optional<std::string> closest(std::string_view name, const Items& items) {
  std::vector<std::string_view> names;
  for (const auto& item : items) names.push_back(item.name);
  const auto hint = did_you_mean(name, names);
  return hint ? std::optional<std::string>(std::string(*hint)) : std::nullopt;
}

template <class Items>
std::string name_list(const Items& items) {
  constexpr std::size_t kMaxNames = 12;
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < kMaxNames; ++i) {
    text += (i > 0 ? ", " : "") + std::string(items[i].name);
  }
  if (items.size() > kMaxNames) text += ", …";
  return text.empty() ? "none" : text;
}

Issue shape_issue(const Intent& intent, const OperationFacts& operation) {
  Issue issue = issue_at(intent, "shape", "");
  issue.severity = Severity::kNotice;
  const ShapeRequest& shape = *intent.shape;
  if (shape.readings.empty()) {
    issue.code = "SHAPE_FITS_NO_TENSOR";
    issue.message = fmt::format("no tensor of the operation can have the shape {}; its tensors: {}",
                                shape_text(shape.dims), name_list(operation.tensors));
    return issue;
  }
  issue.code = "AMBIGUOUS_SHAPE";
  std::string candidates;
  for (const ShapeReading& reading : shape.readings) {
    candidates += (candidates.empty() ? "" : ", ") + reading_text(reading);
  }
  issue.message =
      fmt::format("{} can be the shape of {}; name the tensor, as in {}={}", shape_text(shape.dims),
                  candidates, shape.readings.front().tensor, shape_text(shape.dims));
  return issue;
}

}  // namespace

std::vector<ShapeReading> read_shape(std::span<const std::int64_t> dims,
                                     std::span<const AxisBinding> bound,
                                     const OperationFacts& operation) {
  std::vector<ShapeReading> readings;
  for (const OperationTensor& tensor : operation.tensors) {
    if (auto reading = unify(dims, bound, operation, tensor)) {
      readings.push_back(std::move(*reading));
    }
  }
  return readings;
}

std::vector<Issue> bind(Intent& intent, const OperationFacts& operation) {
  std::vector<Issue> issues;
  if (intent.shape) {
    ShapeRequest& shape = *intent.shape;
    shape.readings = read_shape(shape.dims, intent.axes, operation);
    shape.is_bound = true;
    const bool is_clear =
        !shape.readings.empty() && std::ranges::all_of(shape.readings, [&](const ShapeReading& r) {
          return is_same_meaning(r, shape.readings.front());
        });
    if (!is_clear) issues.push_back(shape_issue(intent, operation));
  }
  for (const TensorRequest& tensor : intent.tensors) {
    const bool is_known = std::ranges::any_of(operation.tensors, [&](const OperationTensor& t) {
      return equals_ignoring_case(t.name, tensor.name);
    });
    if (is_known) continue;
    Issue issue = issue_at(intent, "tensor", tensor.name);
    issue.code = "UNKNOWN_TENSOR";
    issue.hint = closest(tensor.name, operation.tensors);
    issue.message = fmt::format("the operation has no tensor '{}'; its tensors: {}", tensor.name,
                                name_list(operation.tensors));
    issues.push_back(std::move(issue));
  }
  for (const AxisBinding& axis : intent.axes) {
    if (find_axis(operation, axis.name) != nullptr) continue;
    Issue issue = issue_at(intent, "axis", axis.name);
    issue.code = "UNKNOWN_AXIS";
    issue.hint = closest(axis.name, operation.axes);
    issue.message = fmt::format("the operation has no axis '{}'; its axes: {}", axis.name,
                                name_list(operation.axes));
    issues.push_back(std::move(issue));
  }
  return issues;
}

}  // namespace ki::query
