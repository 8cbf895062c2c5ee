#include "ki/base/clock.h"

#include <chrono>

namespace ki {
Instant SystemClock::now() const {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return Instant{std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count()};
}
}  // namespace ki
