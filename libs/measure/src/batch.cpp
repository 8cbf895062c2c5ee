#include "ki/measure/batch.h"

#include "ki/base/check.h"

#include <algorithm>
#include <cmath>

namespace ki::measure {

std::size_t calls_per_sample(double call_ns, const EmptyCall& empty, std::size_t most) {
  KI_CHECK(call_ns > 0 && most > 0);
  // Spinning, a stretched empty call is seen by telemetry; sleeping, the wake-up is in every
  // sample.
  const double window = std::max(
      {20'000.0, 50 * empty.resolution_ns, empty.is_spinning ? 0.0 : 20 * empty.deviation_ns});
  const double calls = std::ceil(window / call_ns);
  return calls >= static_cast<double>(most) ? most : static_cast<std::size_t>(std::max(calls, 1.0));
}

}  // namespace ki::measure
