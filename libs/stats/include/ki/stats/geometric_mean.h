// Geometric means. A zero, a negative or a missing case makes the mean of a suite meaningless, so
// it is refused with the list; a mean over fewer cases is only given when asked for, and names what
// it left out.
#pragma once

#include "ki/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ki::stats {

// kInvalidArgument when empty, or with one issue (NEGATIVE, ZERO, NOT_A_NUMBER, INFINITE) per
// refused value.
Result<double> geometric_mean(std::span<const double> values);

struct CaseValue {
  std::string name;
  double value;
};

enum class Coverage : std::uint8_t {
  kComplete,  // both sides have the same cases, all valid
  kCommon,    // the cases that are valid on both sides, named
};

struct LeftOut {
  std::string name;
  std::string
      reason;  // "MISSING_LEFT", "MISSING_RIGHT", or a fault code with its side, "ZERO_LEFT"
  bool operator==(const LeftOut&) const = default;
};

struct GeometricRatio {
  double ratio;                   // geometric mean of left/right, case by case
  std::vector<std::string> used;  // names in ascending order of bytes
  std::vector<LeftOut> left_out;  // empty for kComplete; ordered by name
};

// kInvalidArgument: a name twice on one side; with kComplete a case that is missing or invalid on
// one side (one issue each, pointer "/NAME"); with kCommon no case left.
Result<GeometricRatio> geometric_ratio(std::span<const CaseValue> left,
                                       std::span<const CaseValue> right,
                                       Coverage coverage = Coverage::kComplete);

}  // namespace ki::stats
