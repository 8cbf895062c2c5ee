// Short texts about rows of a snapshot that answers, comparisons and pages share (spec 05.9, 13.3).
#pragma once

#include "ki/catalog/snapshot.h"
#include "ki/query/intent.h"
#include "ki/resolve/answer.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ki::resolve {

// "m = 120 · fp16", "suite of 16 cases · mean latency".
std::string workload_label(const catalog::Snapshot& snapshot, Index workload);
// "fp16 · [120, 4096]", "suite of 16 cases".
std::string workload_summary(const catalog::Snapshot& snapshot, Index workload);
// dtypes of the operation's tensor arguments as a label: what is shown where nothing was measured.
std::string operation_dtype_label(const catalog::Snapshot& snapshot, Index operation);
// "Multi head QKV projection with RoPE backward".
std::string operation_name(const catalog::Snapshot& snapshot, Index operation);
// "torch_matmul_0d13df".
std::string implementation_name(const catalog::Snapshot& snapshot, Index implementation);
// "flashinfer-bench 1.0 · mean of 100 samples · compile excluded".
std::string protocol_text(const catalog::Snapshot& snapshot, Index protocol);

struct CohortFact {
  std::string key;
  std::string value;
};
// GPU, Workload, CUDA, Driver, Framework, Protocol: those that are known (spec 05.9).
std::vector<CohortFact> cohort_facts(const catalog::Snapshot& snapshot, Index cohort);

// "Operation GEMM n4096 k4096 · gpu B200"; "Search the index" when nothing was understood.
std::string interpretation(const catalog::Snapshot& snapshot, const Answer& answer);

}  // namespace ki::resolve
