#include "ki/sandbox/ending.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>

namespace ki::sandbox {

std::string_view to_string(EndCause cause) {
  switch (cause) {
    case EndCause::kExited:
      return "exited";
    case EndCause::kSignal:
      return "signal";
    case EndCause::kPolicyViolation:
      return "policy_violation";
    case EndCause::kTimeout:
      return "timeout";
    case EndCause::kOutOfMemory:
      return "out_of_memory";
    case EndCause::kCpuLimit:
      return "cpu_limit";
    case EndCause::kLoadFailed:
      return "load_failed";
    case EndCause::kStopped:
      return "stopped";
  }
  return "exited";
}

std::string Ending::reason() const {
  switch (cause) {
    case EndCause::kSignal: {
      if (fault_place == FaultPlace::kGuard) return "oob";
      if (fault_place == FaultPlace::kInput) return "input_write";
      const char* name = ::sigabbrev_np(code);
      return name == nullptr ? fmt::format("signal_{}", code) : fmt::format("signal_{}", name);
    }
    case EndCause::kOutOfMemory:
    case EndCause::kCpuLimit:
      return "resource_exceeded";
    case EndCause::kLoadFailed:
      return "load_error";
    case EndCause::kExited:
    case EndCause::kPolicyViolation:
    case EndCause::kTimeout:
    case EndCause::kStopped:
      break;
  }
  return std::string(to_string(cause));
}

}  // namespace ki::sandbox
