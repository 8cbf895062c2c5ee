#include "ki/harness/oracle.h"

#include "ki/base/check.h"
#include "ki/judge/convert.h"

#include <algorithm>

namespace ki::harness {

std::int64_t OracleCall::axis(std::string_view name) const {
  const auto found = std::ranges::find(axes, name, &problem::AxisValue::name);
  KI_CHECK(found != axes.end());
  return found->value;
}

std::vector<double> OracleCall::numbers(std::size_t input) const {
  const Dtype stored =
      inputs[input].is_scalar ? problem::scalar_type(inputs[input].dtype) : inputs[input].dtype;
  std::vector<double> out(static_cast<std::size_t>(judge::count_of(stored, data[input].size())));
  judge::decode(stored, data[input], out);
  return out;
}

std::vector<float> OracleCall::floats(std::size_t input) const {
  const Dtype stored =
      inputs[input].is_scalar ? problem::scalar_type(inputs[input].dtype) : inputs[input].dtype;
  std::vector<float> out(static_cast<std::size_t>(judge::count_of(stored, data[input].size())));
  judge::decode_f32(stored, data[input], out);
  return out;
}

std::vector<std::int64_t> OracleCall::integers(std::size_t input) const {
  const auto size = static_cast<std::size_t>(problem::byte_size(inputs[input].dtype));
  std::vector<std::int64_t> out(data[input].size() / size);
  judge::decode_integers(inputs[input].dtype, data[input], out);
  return out;
}

const Oracle* find_oracle(const Digest& definition) {
  const std::string digest = definition.to_string();
  for (const Oracle& oracle : oracles()) {
    if (oracle.digest == digest) return &oracle;
  }
  return nullptr;
}

}  // namespace ki::harness
