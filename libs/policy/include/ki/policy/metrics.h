// The metric registry: which way is better and in which unit. What is not listed has no direction;
// it is refused, never guessed (problem N4).
#pragma once

#include "ki/base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ki::policy {

enum class Direction : std::uint8_t { kLowerIsBetter, kHigherIsBetter };

enum class UnitFamily : std::uint8_t {
  kTime,
  kRequestRate,
  kTokenRate,
  kOperationRate,  // operations a second, as of a microbenchmark
  kFlopRate,
  kByteRate,
  kBytes,
  kEnergy,
  kPower,
  kMoney,
  kRatio,
  kCount,
};

struct Unit {
  std::string_view name;
  UnitFamily family;
  // Of the family's base unit (s, 1/s, tokens/s, flop/s, byte/s, byte, J, W, USD, 1), as a
  // fraction.
  std::uint64_t numerator;
  std::uint64_t denominator;
};
// Exact spelling: MB is not MiB, Mb is not MB.
const Unit* find_unit(std::string_view name);

// `value` of `from` in `to`; kInvalidArgument for an unknown unit or another family.
Result<double> convert(double value, std::string_view from, std::string_view to);

struct Metric {
  std::string_view name;
  UnitFamily family;
  Direction direction;
};
// One entry per (metric, unit family).
std::span<const Metric> metrics();

// The metric's entry for the unit's family, or nothing: then v2 says "incomparable". ranking-v1
// takes lower as better for every metric (frozen).
const Metric* find_metric(std::string_view metric, std::string_view unit);

// Of spec 14.2: the serving metrics by name alone; nothing for others.
std::optional<Direction> serving_direction(std::string_view metric);

}  // namespace ki::policy
