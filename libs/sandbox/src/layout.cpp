#include "layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::sandbox {
namespace {

std::uint64_t round_to_pages(std::uint64_t bytes) {
  return (bytes + wire::kPageBytes - 1) / wire::kPageBytes * wire::kPageBytes;
}

// Returns the bytes that one set takes in the arena.
Result<std::uint64_t> lay_out_side(const std::vector<TensorPlan>& plans, wire::Tensor* tensors) {
  std::uint64_t offset = 0;
  for (const TensorPlan& plan : plans) {
    wire::Tensor& tensor = *tensors++;
    if (plan.shape.size() > static_cast<std::size_t>(wire::kMaxDimensions)) {
      return fail(Code::kInvalidArgument,
                  fmt::format("a tensor has {} dimensions; at most {} can be passed",
                              plan.shape.size(), wire::kMaxDimensions));
    }
    tensor.dtype = plan.dtype;
    tensor.ndim = static_cast<std::int32_t>(plan.shape.size());
    tensor.numel = 1;
    for (std::size_t d = 0; d < plan.shape.size(); ++d) {
      if (plan.shape[d] < 0 || __builtin_mul_overflow(tensor.numel, plan.shape[d], &tensor.numel)) {
        return fail(Code::kInvalidArgument,
                    fmt::format("extent {} of a tensor is {}; expected a size that can be counted",
                                d, plan.shape[d]));
      }
      tensor.shape[d] = plan.shape[d];
    }
    tensor.slot_bytes = round_to_pages(plan.bytes) + wire::kPageBytes;
    tensor.slot_offset = offset;
    offset += tensor.slot_bytes;
  }
  return std::max(offset, wire::kPageBytes);
}

}  // namespace

Result<void> lay_out(const CellPlan& plan, wire::Launch& launch) {
  const std::size_t count = plan.inputs.size() + plan.outputs.size();
  if (count > static_cast<std::size_t>(wire::kMaxTensors)) {
    return fail(Code::kInvalidArgument,
                fmt::format("{} tensors; at most {} can be passed", count, wire::kMaxTensors));
  }
  if (plan.sets < 1 || plan.sets > wire::kMaxSets || plan.threads < 1) {
    return fail(
        Code::kInvalidArgument,
        fmt::format(
            "{} argument sets and {} threads; expected 1 to {} sets and at least one thread",
            plan.sets, plan.threads, wire::kMaxSets));
  }
  if (plan.entry.empty() || plan.entry.size() >= sizeof launch.entry) {
    return fail(Code::kInvalidArgument, "the name of the entry point is empty or over 255 bytes");
  }
  launch.input_count = static_cast<std::int32_t>(plan.inputs.size());
  launch.output_count = static_cast<std::int32_t>(plan.outputs.size());
  launch.set_count = plan.sets;
  launch.threads = plan.threads;
  KI_TRY(launch.input_set_stride, lay_out_side(plan.inputs, launch.tensors));
  KI_TRY(launch.output_set_stride, lay_out_side(plan.outputs, launch.tensors + launch.input_count));
  launch.input_arena_bytes = launch.input_set_stride * static_cast<std::uint64_t>(plan.sets);
  launch.output_arena_bytes = launch.output_set_stride * static_cast<std::uint64_t>(plan.sets);
  return {};
}

}  // namespace ki::sandbox
