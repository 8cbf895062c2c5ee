// The comparator `ki_strict_v1` (harness 03 section 4). Where the original compares in binary32
// against one reference, this one compares integers exactly, floating numbers in binary64 against a
// binary64 reference, and finds elements that were never written.
#pragma once

#include "ki/judge/convert.h"
#include "ki/problem/workload.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ki::judge {

// Why a comparison failed; the first that applies, in this order.
enum class Reason : std::uint8_t {
  kNone,
  kInvalidTolerance,  // not finite, negative, or a ratio outside (0, 1]: the workload is refused
  kInvalidReference,  // a reference that is not finite where the tolerance explains none of it
  kPartialWrite,      // elements still hold the poison
  kNan,
  kInf,
  kWeakTolerance,  // within the tolerance as written, outside what the signal allows
  kPartialTile,    // enough elements match, and those that do not are one tile, or far off
  kCap,
  kTolerance,
};
std::string_view to_string(Reason reason);  // "partial_write", ...

struct StrictCase {
  Dtype dtype = Dtype::kF32;
  std::span<const std::int64_t> shape;  // numbers, also for the packed type
  std::span<const std::byte> output;    // stored elements
  std::span<const std::byte> native;    // of the reference in its own types
  std::span<const double> exact;        // floating: of the binary64 reference, one each number
  std::optional<std::uint64_t> poison;  // the key under which the output was filled before
  problem::Tolerance tolerance;
};

struct StrictResult {
  Reason reason = Reason::kNone;
  std::uint64_t total = 0, bad = 0, unwritten = 0;
  double matched_ratio = 1;
  double max_absolute_error = 0;  // of finite pairs
  double max_relative_error = 0;  // against max(|reference|, the absolute tolerance in force)
  double rms_error = 0;
  double rms_reference = 0;
  double atol = 0;  // in force: min(max_atol, 0.05 RMS of the reference)
  std::optional<std::uint64_t> first_bad, worst;  // indices of numbers
  std::vector<std::int64_t> box_low, box_high;    // of the numbers that are bad, inclusive
  // Numbers by distance from the rounded reference in units of the last place of the type:
  // 0, up to 1, 2, 4, 16, 256, 65536, more.
  std::array<std::uint64_t, 8> ulp_histogram{};
  double native_rms_error = 0;          // of the native reference against the exact one
  bool is_weak_tolerance = false;       // max_atol >= 0.1 RMS of the reference
  bool is_precision_downgrade = false;  // f32 output more than 10 times as far off as the reference

  bool is_passed() const { return reason == Reason::kNone; }
};

StrictResult compare_strict(const StrictCase& c);

// Whether a tolerance can be judged by at all.
bool is_valid(const problem::Tolerance& tolerance);

// Two outputs of one input. The law: the same input and other garbage in the outputs before the
// call must give the same numbers, bit for bit unless the kernel differs from call to call anyway.
struct Repeat {
  std::span<const std::byte> first;       // with poison A
  std::span<const std::byte> again;       // with poison A once more
  std::span<const std::byte> repoisoned;  // with poison B
  bool is_repoisoned_passed = true;       // what compare_strict said of it
};
struct RepeatResult {
  bool is_deterministic = true;
  bool depends_on_output_init = false;
};
RepeatResult compare_repeats(const Repeat& repeat);

}  // namespace ki::judge
