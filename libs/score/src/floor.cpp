#include "ki/score/floor.h"

#include <algorithm>

namespace ki::score {
namespace {

constexpr double kAllowance = 0.95;  // peaks of data sheets and timers are that much off

}  // namespace

double floor_seconds(const FloorInputs& i) {
  const double memory = i.bytes_per_second > 0 ? i.bytes / i.bytes_per_second : 0;
  const double compute = i.operations_per_second > 0 ? i.operations / i.operations_per_second : 0;
  return std::max(memory, compute);
}

FloorVerdict check_floor(double seconds, const FloorInputs& inputs) {
  if (!(seconds < kAllowance * floor_seconds(inputs))) return FloorVerdict::kAbove;
  return inputs.is_traced ? FloorVerdict::kProven : FloorVerdict::kQuarantined;
}

}  // namespace ki::score
