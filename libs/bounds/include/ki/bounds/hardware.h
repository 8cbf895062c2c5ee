// Hardware: the ceilings that a bound divides by, each with where the figure comes from.
#pragma once

#include "ki/bounds/declaration.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::bounds {

struct Peak {
  Unit unit = Unit::kTensor;
  std::string precision;  // "fp16", "bf16", "tf32", "fp8", "nvfp4", "fp32", "fp64"
  double flops = 0;       // operations a second; a fused multiply-add is two
};

// The ceilings of one profile.
struct Ceilings {
  double dram_bytes = 0;  // a second; 0: not known
  std::vector<Peak> peaks;

  std::optional<double> peak(Unit unit, std::string_view precision) const;
};

struct Provenance {
  std::string what;    // "dram", "tensor", "measured", ...
  std::string source;  // a data sheet, a program's table, a measurement and how it was made
};

struct Hardware {
  std::string name;                   // "B200": what --hardware takes
  std::string title;                  // "NVIDIA B200"
  std::string kind;                   // "gpu", "cpu"
  std::string clock;                  // at which the peaks hold
  std::vector<std::string> products;  // as environments spell it
  Ceilings nominal;
  std::optional<Ceilings> measured;
  std::optional<Ceilings> solar;  // SOLAR's table, when it has one
  std::int64_t solar_fixed_ns = 0;
  std::int64_t l2_bytes = 0;   // the last cache before memory; 0: not known
  std::int64_t launch_ns = 0;  // of an empty kernel; 0: not known. Shown, in no bound
  std::vector<Provenance> provenance;

  bool is_product(std::string_view product) const;
};

// One record, as in registry/bounds/hardware.json. Unknown members are refused.
Result<Hardware> read_hardware(const json::Value& record, std::string_view pointer = "");

// The records that are compiled in, in the order of the file.
Result<std::vector<Hardware>> known_hardware();
// By name or product, ignoring case; kNotFound with the names there are.
Result<Hardware> find_hardware(std::span<const Hardware> known, std::string_view name);

}  // namespace ki::bounds
