#pragma once

#include "ki/harness/oracle.h"

namespace ki::harness {

Result<std::vector<OracleOutput>> gemm(const OracleCall& call);
Result<std::vector<OracleOutput>> gemv(const OracleCall& call);
Result<std::vector<OracleOutput>> int8_dot(const OracleCall& call);
Result<std::vector<OracleOutput>> gather(const OracleCall& call);
void draw_gather(std::span<const problem::AxisValue> axes,
                 std::span<const problem::ResolvedArgument> inputs, std::uint64_t key,
                 std::span<const std::span<std::byte>> out);

}  // namespace ki::harness
