// The names of the kinds, in the order of ManifestKind.
#pragma once

#include "ki/manifest/kind.h"

#include <array>
#include <string_view>

namespace ki::manifest {

struct KindName {
  std::string_view name;
  std::string_view slug;
};

inline constexpr std::array<KindName, kManifestKindCount> kKindNames = {{
    {"OperationSpec", "operation-spec"},
    {"WorkloadCase", "workload-case"},
    {"WorkloadSuite", "workload-suite"},
    {"SoftwareProject", "software-project"},
    {"ImplementationRevision", "implementation-revision"},
    {"BenchmarkProtocol", "benchmark-protocol"},
    {"ExecutionEnvironment", "execution-environment"},
    {"BenchmarkRun", "benchmark-run"},
    {"ModelRevision", "model-revision"},
    {"ServingStackRevision", "serving-stack-revision"},
    {"ServingConfiguration", "serving-configuration"},
    {"ServingWorkload", "serving-workload"},
    {"ServingRun", "serving-run"},
}};

}  // namespace ki::manifest
