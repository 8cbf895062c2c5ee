#include "ki/measure/rejection.h"

#include <algorithm>

namespace ki::measure {

std::string_view to_string(RejectCause cause) {
  switch (cause) {
    case RejectCause::kRunQueueDelay:
      return "run_queue_delay";
    case RejectCause::kMigration:
      return "migration";
    case RejectCause::kMajorFault:
      return "major_fault";
    case RejectCause::kSteal:
      return "steal";
    case RejectCause::kNotSpinning:
      return "not_spinning";
  }
  return "";
}

DelayLimit DelayLimit::of_planned_window(std::uint64_t planned_ns) {
  return DelayLimit(std::max<std::uint64_t>(20'000, planned_ns / 100));
}

std::optional<RejectCause> rejection(const Telemetry& telemetry, DelayLimit limit) {
  if (telemetry.was_rearmed) return RejectCause::kNotSpinning;
  if (telemetry.run_queue_ns > limit.nanoseconds()) return RejectCause::kRunQueueDelay;
  if (telemetry.migrations > 0) return RejectCause::kMigration;
  if (telemetry.major_faults > 0) return RejectCause::kMajorFault;
  if (telemetry.steal_share > 0.02) return RejectCause::kSteal;
  return std::nullopt;
}

RejectionCount count_rejections(std::span<const std::optional<RejectCause>> decisions) {
  RejectionCount out;
  out.total = decisions.size();
  for (const auto& decision : decisions) {
    if (decision) {
      ++out.by_cause[static_cast<std::size_t>(*decision)];
    } else {
      ++out.accepted;
    }
  }
  return out;
}

}  // namespace ki::measure
