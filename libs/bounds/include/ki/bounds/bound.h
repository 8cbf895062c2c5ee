// Bound: the shortest time that a case can take on a machine, and which resource says so.
//   T = max(bytes / bandwidth, tensor work / tensor peak, simt work / simt peak) + fixed
// (kernels/solar.md). Nothing else is in it: no latency, no cache, no launch, no wave quantisation.
#pragma once

#include "ki/bounds/declaration.h"
#include "ki/bounds/hardware.h"
#include "ki/bounds/shape.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::bounds {

enum class Binding : std::uint8_t { kMemory, kTensor, kSimt };
std::string_view to_string(Binding binding);  // "memory", "tensor", "simt"

struct TensorBytes {
  std::string name{};
  bool is_output = false;
  std::int64_t bytes = 0;
  std::string why{};  // of a declared one; empty: the tensor moves once
};

struct WorkTime {
  Unit unit = Unit::kTensor;
  std::string precision{};  // whose ceiling it is divided by
  std::int64_t flops = 0;   // all passes together
  double seconds = 0;
  bool is_nominal = false;  // the profile has no ceiling of its own for it: the nominal one
};

struct CaseBound {
  std::string name{};
  std::int64_t bytes = 0;
  std::int64_t flops = 0;  // of one pass
  double memory_s = 0, tensor_s = 0, simt_s = 0, fixed_s = 0;
  double seconds = 0;
  Binding binding = Binding::kMemory;
  std::vector<TensorBytes> traffic{};  // tensors in order, then extra traffic
  std::vector<WorkTime> work{};

  double intensity() const {  // operations a byte
    return bytes == 0 ? 0 : static_cast<double>(flops) / static_cast<double>(bytes);
  }
};

struct SuiteBound {
  std::vector<CaseBound> cases{};
  double geomean_s = 0;  // as the benchmark's published figures are
  double mean_s = 0;
  // Of the memory term and of the larger compute term alone; nothing when one case has none.
  std::optional<double> memory_geomean_s, compute_geomean_s;
};

// Fails on a declared tensor that the operation does not have, on a precision without ceiling, on
// expressions that fail, on a profile for which the record has no figures, and on no cases.
Result<CaseBound> bound_of(const OperationShape& shape, const Declaration& declaration,
                           const Hardware& hardware, Profile profile, const Case& one);
Result<SuiteBound> bound_of(const OperationShape& shape, const Declaration& declaration,
                            const Hardware& hardware, Profile profile, std::span<const Case> cases);

// What a measured time below a physical bound means, with the numbers: "impossible or aliasing:
// 11.09 µs is 0.785 of the physical bound 14.12 µs". Nothing when the time is possible.
std::optional<std::string> impossible(double measured_s, double physical_bound_s);

}  // namespace ki::bounds
