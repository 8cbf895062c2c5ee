// Which samples do not count. The decision sees what the kernel's counters say of the window and
// nothing of the time that was measured: a slow sample cannot be dropped for being slow.
#pragma once

#include "ki/harness/run.h"

#include <cstdint>

namespace ki::harness {

// Differences of the cell's counters over one window.
struct Telemetry {
  std::uint64_t run_queue_ns = 0;  // runnable, but not running
  std::uint64_t migrations = 0;
  std::uint64_t major_faults = 0;
  bool was_rearmed = false;  // the shim had gone to sleep: its waking is in the window
};

// `planned_window_ns` is what the plan expects of a window, known before the first sample.
Cause cause_of(const Telemetry& telemetry, double planned_window_ns);

}  // namespace ki::harness
