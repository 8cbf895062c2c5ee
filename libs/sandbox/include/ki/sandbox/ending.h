// Ending: why a sandboxed process is no more, as seen by its parent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ki::sandbox {

enum class EndCause : std::uint8_t {
  kExited,           // by itself, with a code
  kSignal,           // a fault or abort
  kPolicyViolation,  // a forbidden system call; it was not performed
  kTimeout,          // over its deadline; killed by the parent
  kOutOfMemory,      // over the memory limit; killed by the kernel
  kCpuLimit,         // over RLIMIT_CPU
  kLoadFailed,       // the object could not be loaded
  kStopped,          // by the parent, which no longer needs it
};
std::string_view to_string(EndCause cause);  // "exited", "signal", "policy_violation", ...

// Where a fault lies, by the map of the cell.
enum class FaultPlace : std::uint8_t { kElsewhere, kGuard, kInput };

struct Ending {
  EndCause cause = EndCause::kExited;
  int code = 0;                  // exit code or signal number
  std::string system_call = {};  // of a policy violation: "socket"; else empty
  std::optional<std::uint64_t> fault_address = std::nullopt;
  FaultPlace fault_place = FaultPlace::kElsewhere;
  std::string text = {};  // one sentence for people

  // The reason word of harness 06 section 4: "signal_SEGV", "oob", "input_write",
  // "policy_violation", "resource_exceeded", "timeout", "load_error", "exited".
  std::string reason() const;
};

}  // namespace ki::sandbox
