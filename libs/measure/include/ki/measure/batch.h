// How many calls one sample must hold so that the clock can tell it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ki::measure {

struct EmptyCall {
  double median_ns;      // a ring without a call
  double deviation_ns;   // 1.4826 times the median absolute deviation of such rings
  double resolution_ns;  // smallest step of the clock
  bool is_spinning;      // the parent spins on another core
};

// The least K, at most `most`, for which a window of K calls lasts 20 µs, 50 steps of the clock
// and, where the parent sleeps, 20 deviations of the empty call. `call_ns` > 0.
std::size_t calls_per_sample(double call_ns, const EmptyCall& empty, std::size_t most);

}  // namespace ki::measure
