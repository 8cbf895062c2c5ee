// Oracle: the right answer of a problem, computed by us in this process, where no candidate runs.
// Each has two paths: binary64 throughout, and the types of the definition as its reference would
// compute them. Keyed by the digest of the definition without its description, so that an oracle
// answers for exactly the definition that it was written for.
#pragma once

#include "ki/base/result.h"
#include "ki/problem/definition.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ki::harness {

using problem::Dtype;

// One call: resolved shapes and the stored elements of the inputs, in the definition's order.
struct OracleCall {
  std::span<const problem::AxisValue> axes;
  std::span<const problem::ResolvedArgument> inputs, outputs;
  std::span<const std::span<const std::byte>> data;  // of the inputs

  std::int64_t axis(std::string_view name) const;        // must exist (checked)
  std::vector<double> numbers(std::size_t input) const;  // decoded
  std::vector<float> floats(std::size_t input) const;    // the same in binary32
  std::vector<std::int64_t> integers(std::size_t input) const;
};

struct OracleOutput {
  std::vector<double> exact;      // binary64; for integer types their values
  std::vector<std::byte> native;  // stored elements of the definition's type
};

struct Oracle {
  std::string_view problem;  // its definition's name
  std::string_view digest;   // "sha256:...", of the definition
  // One OracleOutput an output. Fails when the inputs are outside the problem's domain.
  Result<std::vector<OracleOutput>> (*compute)(const OracleCall& call);
  // Draws the inputs of a problem whose inputs are `custom`, from a key; null: it has none.
  // `out` has room for the stored elements of each.
  void (*draw)(std::span<const problem::AxisValue> axes,
               std::span<const problem::ResolvedArgument> inputs, std::uint64_t key,
               std::span<const std::span<std::byte>> out) = nullptr;
};

// All oracles, in the order of their problems' names.
std::span<const Oracle> oracles();
// The oracle of a definition, or null.
const Oracle* find_oracle(const Digest& definition);

}  // namespace ki::harness
