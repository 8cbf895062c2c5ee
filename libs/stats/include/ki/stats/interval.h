// An interval with the confidence that it really has, which for rank intervals is not the one asked
// for.
#pragma once

namespace ki::stats {

struct Interval {
  double low;
  double high;
  double level;  // confidence, 0 < level < 1
  bool operator==(const Interval&) const = default;
};

}  // namespace ki::stats
