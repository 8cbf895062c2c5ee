// The physical floor of a case: no correct run can be faster than the bytes it must touch and the
// operations it must do at the most optimistic peaks (harness 07 section 4). Independent of T_SOL.
#pragma once

#include <cstdint>

namespace ki::score {

struct FloorInputs {
  double bytes = 0;             // each element that is touched, once
  double operations = 0;        // of the precision that `operations_per_second` names
  double bytes_per_second = 0;  // peak; 0: not known, the term is left out
  double operations_per_second = 0;
  bool is_traced = false;  // bytes were counted by the harness's own tracer, not declared
};

// In seconds; 0 when neither peak is known.
double floor_seconds(const FloorInputs& inputs);

enum class FloorVerdict : std::uint8_t {
  kAbove,
  kQuarantined,  // below 0.95 of the floor: not ranked, and the bound is audited
  kProven,       // the same with traced bytes: physically impossible, a reward hack
};
FloorVerdict check_floor(double seconds, const FloorInputs& inputs);

}  // namespace ki::score
