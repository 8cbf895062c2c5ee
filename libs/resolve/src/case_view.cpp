#include "case_view.h"

#include <algorithm>

namespace ki::resolve {
namespace {

// Few texts are distinct.
void add_distinct(std::vector<std::string_view>& texts, std::string_view text) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

}  // namespace

std::string_view layout_name(std::uint8_t layout) {
  switch (layout) {
    case 0:
      return "contiguous";
    case 1:
      return "row_major";
    default:
      return "strided";
  }
}

void operation_dtypes(const catalog::Snapshot& snapshot, catalog::Index operation,
                      std::vector<std::string_view>& dtypes) {
  dtypes.clear();
  for (const catalog::OperationArgument& argument :
       snapshot.arguments(snapshot.operations()[operation])) {
    if (argument.is_tensor != 0) add_distinct(dtypes, snapshot.name(argument.dtype));
  }
  std::ranges::sort(dtypes);
}

const query::CaseFacts& CaseView::nothing() {
  static const query::CaseFacts kEmpty{
      .is_suite = true, .axes = {}, .tensors = {}, .dtypes = {}, .layouts = {}};
  return kEmpty;
}

const query::CaseFacts& CaseView::load(const catalog::Snapshot& snapshot, catalog::Index workload) {
  const catalog::WorkloadRow& row = snapshot.workloads()[workload];
  snapshot.read_case(row, decoded_);
  axes_.clear();
  tensors_.clear();
  dtypes_.clear();
  layouts_.clear();
  if (row.kind == catalog::WorkloadKind::kSuite) {
    load_suite(snapshot, row.operation);
  } else {
    load_case(snapshot);
  }
  return facts_;
}

void CaseView::load_case(const catalog::Snapshot& snapshot) {
  for (const auto& axis : decoded_.axes) axes_.push_back({snapshot.name(axis.name), axis.value});
  // In the operation's order of inputs, then what is no input.
  for (unsigned position = 0; tensors_.size() < decoded_.tensors.size();) {
    unsigned next = 256;
    for (const auto& tensor : decoded_.tensors) {
      if (tensor.input_position < position) continue;
      if (tensor.input_position == position) {
        tensors_.push_back({snapshot.name(tensor.name), tensor.dims, snapshot.name(tensor.dtype),
                            layout_name(tensor.layout)});
      } else {
        next = std::min<unsigned>(next, tensor.input_position);
      }
    }
    position = next;
  }
  for (const query::TensorFacts& tensor : tensors_) {
    add_distinct(dtypes_, tensor.dtype);
    add_distinct(layouts_, tensor.layout);
  }
  std::ranges::sort(dtypes_);
  std::ranges::sort(layouts_);
  facts_ = {.is_suite = false,
            .axes = axes_,
            .tensors = tensors_,
            .dtypes = dtypes_,
            .layouts = layouts_};
}

void CaseView::load_suite(const catalog::Snapshot& snapshot, catalog::Index operation) {
  operation_dtypes(snapshot, operation, dtypes_);
  facts_ = {.is_suite = true, .axes = {}, .tensors = {}, .dtypes = dtypes_, .layouts = {}};
}

const query::OperationFacts& OperationView::load(const catalog::Snapshot& snapshot,
                                                 catalog::Index operation) {
  const catalog::OperationRow& row = snapshot.operations()[operation];
  axes_.clear();
  tensors_.clear();
  dims_.clear();
  sizes_.clear();
  for (const catalog::OperationAxis& axis : snapshot.axes(row)) {
    const auto role = axis.role == catalog::AxisRole::kVariable   ? query::AxisRole::kVariable
                      : axis.role == catalog::AxisRole::kConstant ? query::AxisRole::kConstant
                                                                  : query::AxisRole::kDerived;
    axes_.push_back({snapshot.name(axis.name), role, axis.value});
  }
  // Texts and views are filled before anything points at them.
  std::size_t dims = 0, sizes = 0;
  for (const auto& argument : snapshot.arguments(row)) {
    for (const auto& dim : snapshot.dims(argument)) {
      ++dims;
      if (dim.axis == 0) ++sizes;
    }
  }
  dims_.reserve(dims);
  sizes_.reserve(sizes);
  for (const auto& argument : snapshot.arguments(row)) {
    if (argument.is_tensor == 0) continue;
    const std::size_t first = dims_.size();
    for (const auto& dim : snapshot.dims(argument)) {
      if (dim.axis == 0) sizes_.push_back(std::to_string(dim.size));
      dims_.push_back(dim.axis == 0 ? std::string_view(sizes_.back()) : snapshot.name(dim.axis));
    }
    tensors_.push_back({snapshot.name(argument.name), std::span(dims_).subspan(first)});
  }
  facts_ = {.axes = axes_, .tensors = tensors_};
  return facts_;
}

}  // namespace ki::resolve
