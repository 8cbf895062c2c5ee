// Protocol: how a number was taken, as values that decide what it may be compared with.
#pragma once

#include "ki/measure/stopping.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ki::measure {

enum class Family : std::uint8_t { kCold, kHot, kPair };
std::string_view to_string(Family family);  // "ki_cold_v1", "ki_hot_v1", "ki_pair_v1"

struct Protocol {
  Family family = Family::kCold;
  int processes = 6;            // fresh ones; a published interval needs six
  int warmup_calls = 3;         // at least
  double warmup_seconds = 0.2;  // at least
  std::size_t least_samples = 30;
  StopOptions stop = {};
  bool is_spinning = true;  // the parent spins on a core of its own, else it sleeps
  int threads = 1;

  // One "name: value" a line, every member, in a fixed order; what a protocol digest is taken of.
  std::string to_string() const;
};

// The least of a case (harness 14 section 3): 30 samples of calls below 50 ms, else 10.
Protocol protocol_for(Family family, double call_seconds, int threads, bool is_spinning);

}  // namespace ki::measure
