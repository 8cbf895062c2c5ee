#pragma once

#include "ki/harness/oracle.h"

namespace ki::harness {

Result<std::vector<OracleOutput>> kv_cache_rope_backward(const OracleCall& call);
void draw_kv_cache(std::span<const problem::AxisValue> axes,
                   std::span<const problem::ResolvedArgument> inputs, std::uint64_t key,
                   std::span<const std::span<std::byte>> out);
Result<std::vector<OracleOutput>> qkv_rope_backward(const OracleCall& call);

}  // namespace ki::harness
