// Which samples do not count (harness 14 section 1 e). The decision sees what the kernel counted
// and never how long the call took: the types here hold no duration of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ki::measure {

enum class RejectCause : std::uint8_t {
  kRunQueueDelay,  // the threads waited for a processor
  kMigration,
  kMajorFault,
  kSteal,        // the hypervisor took the processor
  kNotSpinning,  // the cell had gone to sleep before the bell
};
inline constexpr std::size_t kRejectCauses = 5;
std::string_view to_string(RejectCause cause);  // "run_queue_delay", ...

// Of the measuring threads, over one window.
struct Telemetry {
  std::uint64_t run_queue_ns = 0;
  std::uint32_t migrations = 0;
  std::uint32_t major_faults = 0;
  bool was_rearmed = false;
  double steal_share = 0;  // of the block of at least one second that the window lies in
};

// How much waiting is too much: more than 20 µs and more than 1 % of a window. The window is the
// planned one, known from the warm-up before the sample is taken.
class DelayLimit {
 public:
  static DelayLimit of_planned_window(std::uint64_t planned_ns);
  std::uint64_t nanoseconds() const { return nanoseconds_; }

 private:
  explicit DelayLimit(std::uint64_t nanoseconds) : nanoseconds_(nanoseconds) {}
  std::uint64_t nanoseconds_;
};

std::optional<RejectCause> rejection(const Telemetry& telemetry, DelayLimit limit);

struct RejectionCount {
  std::size_t total = 0;
  std::size_t accepted = 0;
  std::array<std::size_t, kRejectCauses> by_cause{};
  // At most a fifth rejected; more means that the numbers describe the neighbours.
  bool is_healthy() const { return total > 0 && 5 * (total - accepted) <= total; }
};
RejectionCount count_rejections(std::span<const std::optional<RejectCause>> decisions);

}  // namespace ki::measure
