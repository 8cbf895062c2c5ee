#include "rejection.h"

#include <algorithm>

namespace ki::harness {
namespace {

constexpr double kLeastDelayNs = 20'000;  // harness 14 section 1(e)
constexpr double kDelayShare = 0.01;

}  // namespace

Cause cause_of(const Telemetry& t, double planned_window_ns) {
  if (t.was_rearmed) return Cause::kRearmed;
  if (t.migrations > 0) return Cause::kMigration;
  if (t.major_faults > 0) return Cause::kMajorFault;
  if (static_cast<double>(t.run_queue_ns) >
      std::max(kLeastDelayNs, kDelayShare * planned_window_ns))
    return Cause::kRunQueueDelay;
  return Cause::kAccepted;
}

}  // namespace ki::harness
