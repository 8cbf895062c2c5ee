// The 13 manifest kinds (spec 01.4 and 01.5) and their names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ki::manifest {

inline constexpr std::string_view kApiVersion = "kernelindex.dev/v1alpha1";

enum class ManifestKind : std::uint8_t {
  kOperationSpec,
  kWorkloadCase,
  kWorkloadSuite,
  kSoftwareProject,
  kImplementationRevision,
  kBenchmarkProtocol,
  kExecutionEnvironment,
  kBenchmarkRun,
  kModelRevision,
  kServingStackRevision,
  kServingConfiguration,
  kServingWorkload,
  kServingRun,
};

inline constexpr std::size_t kManifestKindCount = 13;

// All kinds, in the order of the enumeration.
std::array<ManifestKind, kManifestKindCount> all_kinds();

// "OperationSpec".
std::string_view to_string(ManifestKind kind);
// "operation-spec".
std::string_view kind_slug(ManifestKind kind);
// The kind of exactly that name ("OperationSpec"), or nothing.
std::optional<ManifestKind> parse_kind(std::string_view name);

}  // namespace ki::manifest
