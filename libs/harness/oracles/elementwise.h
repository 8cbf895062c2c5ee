#pragma once

#include "ki/harness/oracle.h"

namespace ki::harness {

Result<std::vector<OracleOutput>> vec_add(const OracleCall& call);
Result<std::vector<OracleOutput>> swiglu(const OracleCall& call);
Result<std::vector<OracleOutput>> rope(const OracleCall& call);
Result<std::vector<OracleOutput>> transpose(const OracleCall& call);
Result<std::vector<OracleOutput>> masked_scores(const OracleCall& call);

}  // namespace ki::harness
