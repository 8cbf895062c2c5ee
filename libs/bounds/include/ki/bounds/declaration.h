// Declaration: what a bound counts beside the shapes of an operation: tensors that are not read or
// written once, bytes beyond the tensors, arithmetic by unit and precision, fixed costs. A few
// lines of JSON beside the manifest; `bound` of a problem's bounds.json.
#pragma once

#include "ki/bounds/expression.h"
#include "ki/json/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::bounds {

// How a bound is computed (docs/internals/bounds.md).
enum class Profile : std::uint8_t {
  kPhysical,     // true element sizes, nominal bandwidth, declared precision
  kSolarCompat,  // what SOLAR computes: one element size and one precision for everything, +400 ns
  kMeasured,     // physical, against measured ceilings
};
std::string_view to_string(Profile profile);  // "physical", "solar-compat", "measured"
std::optional<Profile> parse_profile(std::string_view name);

enum class Unit : std::uint8_t { kTensor, kSimt };
std::string_view to_string(Unit unit);  // "tensor", "simt"

// A tensor that does not move once: how many of its elements do.
struct TensorTraffic {
  std::string tensor{};
  Expression elements;
  std::string why{};
};

struct ExtraTraffic {
  Expression bytes;
  std::string why{};
  std::optional<Profile> only{};  // absent: every profile
};

struct Work {
  Expression flops;  // of one pass
  Unit unit = Unit::kTensor;
  std::string precision{};  // that of the arithmetic: "fp16" of "fp32->fp16"
  std::string operands{};   // as stored: "fp32" of "fp32->fp16"; else the same
  std::int64_t passes = 1;
  std::string why{};
};

struct Declaration {
  std::vector<TensorTraffic> traffic{};  // all other tensors move once
  std::vector<std::string> once{};       // tensors of which that is said, as of every index input
  std::vector<ExtraTraffic> extra_traffic{};
  std::vector<Work> work{};
  std::int64_t fixed_ns = 0;
  std::string ignores{};  // what a reader must know that it leaves out; may be empty

  std::string_view label() const { return work.empty() ? "traffic only" : "traffic and work"; }
};

// Reads a `bound` object:
//   "traffic": {"<tensor>": "once" | "none" | {"elements": "<expression>", "why": "..."}}
//   "extra_traffic": [{"bytes": "<expression>", "why": "...", "profile": "solar-compat"}]
//   "work": [{"flops": "<expression>", "unit": "tensor" | "simt", "precision": "bf16" |
//             "fp32->fp16", "passes": 1, "why": "..."}]
//   "fixed_ns": 0, "axes_from": "manifest", "ignores": "..."
// All are optional. Every fault comes back at once, with its JSON pointer below `pointer`.
Result<Declaration> read_declaration(const json::Value& bound, std::string_view pointer = "");

}  // namespace ki::bounds
