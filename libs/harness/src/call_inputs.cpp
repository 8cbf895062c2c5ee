#include "ki/harness/call_inputs.h"

#include "ki/base/text.h"
#include "ki/io/file.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

namespace ki::harness {
namespace {

namespace fs = std::filesystem;
using judge::Dtype;
using judge::Family;

std::string scalar_bytes(const problem::ScalarInput& scalar, Dtype dtype) {
  double number = 0;
  std::int64_t integer = 0;
  std::visit(
      [&](auto value) {
        number = static_cast<double>(value);
        integer = static_cast<std::int64_t>(value);
      },
      scalar.value);
  const Dtype passed = problem::scalar_type(dtype);
  if (passed == Dtype::kBool) return std::string(1, integer != 0 || number != 0 ? '\1' : '\0');
  std::string out(8, '\0');
  if (passed == Dtype::kF64) {
    std::memcpy(out.data(), &number, 8);
  } else {
    std::memcpy(out.data(), &integer, 8);
  }
  return out;
}

// A tensor of a file in the problem's folder.
Result<std::string> fixed_tensor(const fs::path& folder, const problem::SafetensorsInput& source,
                                 const problem::ResolvedArgument& argument) {
  const fs::path path(source.path);
  if (path.is_absolute() || source.path.find("..") != std::string::npos) {
    return fail(Code::kInvalidArgument,
                fmt::format("{} is not a path below the problem's folder", quote(source.path)));
  }
  KI_TRY(const std::string bytes, io::read_file(folder / path, std::size_t{1} << 32));
  KI_TRY(problem::StoredTensor tensor, problem::read_safetensors(bytes, source.tensor_key));
  if (tensor.dtype != argument.dtype || tensor.shape != argument.shape) {
    return fail(Code::kInvalidArgument,
                fmt::format("the tensor {} of {} has not the dtype and shape of the input {}",
                            quote(source.tensor_key), quote(source.path), quote(argument.name)));
  }
  return std::move(tensor.bytes);
}

}  // namespace

Result<CallInputs> CallInputs::open(const problem::Problem& problem, const CasePlan& plan,
                                    const problem::Workload& workload, const Oracle& oracle,
                                    const judge::RunKey& key) {
  CallInputs out(plan, workload, oracle, key);
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const problem::ResolvedArgument& argument = plan.inputs[i];
    const problem::InputSource& source = workload.input(argument.name);
    out.fixed_.emplace_back();
    out.is_fixed_.push_back(false);
    out.pools_.emplace_back();
    out.distributions_.push_back(
        judge::distribution_of(problem.definition.inputs[i], argument, problem.definition.op_type));
    if (const auto* scalar = std::get_if<problem::ScalarInput>(&source);
        scalar != nullptr && argument.is_scalar) {
      out.fixed_.back() = scalar_bytes(*scalar, argument.dtype);
      out.is_fixed_.back() = true;
    } else if (const auto* file = std::get_if<problem::SafetensorsInput>(&source)) {
      KI_TRY(out.fixed_.back(), fixed_tensor(problem.folder, *file, argument));
      out.is_fixed_.back() = true;
    } else if (std::holds_alternative<problem::CustomInput>(source)) {
      if (oracle.draw == nullptr) {
        return fail(Code::kNotFound, fmt::format("{} has custom inputs and no generator of ours",
                                                 problem.definition.name));
      }
      out.are_custom_ = true;
      out.are_constant_ = false;
    } else {
      out.are_constant_ = false;
      if (argument.bytes > judge::kPooledBytes &&
          judge::Pool::can_hold(out.distributions_.back())) {
        out.pools_.back() = std::make_shared<const judge::Pool>(
            argument, out.distributions_.back(),
            judge::stream_key(key, workload.uuid, judge::Phase::kPublic, ~std::uint64_t{0},
                              "pool/" + argument.name));
      }
    }
  }
  return out;
}

InputBytes CallInputs::draw(judge::Phase phase, std::uint64_t round, judge::Family family) const {
  InputBytes out;
  std::vector<std::span<std::byte>> rooms;
  for (const problem::ResolvedArgument& argument : plan_->inputs) {
    out.emplace_back(static_cast<std::size_t>(argument.bytes));
  }
  for (auto& room : out) rooms.emplace_back(room);
  if (are_custom_) {
    oracle_->draw(plan_->axes, plan_->inputs,
                  judge::stream_key(key_, workload_->uuid, phase, round, "custom"), rooms);
    return out;
  }
  for (std::size_t i = 0; i < plan_->inputs.size(); ++i) {
    const problem::ResolvedArgument& argument = plan_->inputs[i];
    if (is_fixed_[i]) {
      std::memcpy(rooms[i].data(), fixed_[i].data(), fixed_[i].size());
      continue;
    }
    const std::uint64_t stream =
        judge::stream_key(key_, workload_->uuid, phase, round, argument.name);
    if (argument.is_scalar) {
      judge::fill_scalar(argument.dtype, stream, rooms[i]);
      continue;
    }
    const std::uint64_t base = judge::stream_key(key_, workload_->uuid, phase, 0, argument.name);
    const Family in_force = judge::is_symmetric(distributions_[i]) ? family : Family::kBase;
    const bool is_plain = in_force == Family::kBase || in_force == Family::kLastTile;
    // Families other than the plain one are few rounds: drawn, but for tensors that take seconds.
    if (pools_[i] == nullptr || (!is_plain && argument.bytes <= kLargeCallBytes)) {
      judge::fill_input(argument, distributions_[i], family, stream, base, rooms[i]);
      continue;
    }
    pools_[i]->gather(in_force == Family::kLastTile ? base : stream, rooms[i]);
    if (in_force == Family::kLastTile) {  // the last 64 elements are others
      const auto tile = std::min<std::size_t>(
          rooms[i].size(), 64 * static_cast<std::size_t>(problem::byte_size(argument.dtype)));
      std::vector<std::byte> other(rooms[i].size());
      pools_[i]->gather(stream, other);
      std::ranges::copy(std::span(other).last(tile), rooms[i].last(tile).begin());
    }
  }
  return out;
}

std::uint64_t CallInputs::poison_key(judge::Phase phase, std::uint64_t round,
                                     std::size_t output) const {
  return judge::stream_key(key_, workload_->uuid, phase, round, fmt::format("poison/{}", output));
}

}  // namespace ki::harness
