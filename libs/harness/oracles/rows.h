#pragma once

#include "ki/harness/oracle.h"

namespace ki::harness {

Result<std::vector<OracleOutput>> rmsnorm(const OracleCall& call);
Result<std::vector<OracleOutput>> layernorm(const OracleCall& call);
Result<std::vector<OracleOutput>> softmax(const OracleCall& call);
Result<std::vector<OracleOutput>> sum_reduce(const OracleCall& call);
Result<std::vector<OracleOutput>> argmax(const OracleCall& call);
Result<std::vector<OracleOutput>> scan(const OracleCall& call);
Result<std::vector<OracleOutput>> histogram(const OracleCall& call);

}  // namespace ki::harness
