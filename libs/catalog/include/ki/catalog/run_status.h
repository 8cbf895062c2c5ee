// The statuses of benchmark runs (spec 01.4), as numbers for the snapshot.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ki::catalog {

enum class RunStatus : std::uint8_t {
  kPassed,
  kIncorrectShape,
  kIncorrectDtype,
  kIncorrectNumerical,
  kCompileError,
  kRuntimeError,
  kTimeout,
  kResourceExceeded,
  kInvalidReference,
  kPolicyViolation,
  kSuspectedRewardHack,
  kIncompleteEvidence,
  kRevoked,
};

inline constexpr std::array<std::string_view, 13> kRunStatusNames = {"passed",
                                                                     "incorrect_shape",
                                                                     "incorrect_dtype",
                                                                     "incorrect_numerical",
                                                                     "compile_error",
                                                                     "runtime_error",
                                                                     "timeout",
                                                                     "resource_exceeded",
                                                                     "invalid_reference",
                                                                     "policy_violation",
                                                                     "suspected_reward_hack",
                                                                     "incomplete_evidence",
                                                                     "revoked"};

constexpr std::string_view to_string(RunStatus status) {
  return kRunStatusNames[static_cast<std::size_t>(status)];
}

constexpr std::optional<RunStatus> parse_run_status(std::string_view name) {
  for (std::size_t i = 0; i < kRunStatusNames.size(); ++i) {
    if (kRunStatusNames[i] == name) return static_cast<RunStatus>(i);
  }
  return std::nullopt;
}

}  // namespace ki::catalog
