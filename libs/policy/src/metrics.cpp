#include "ki/policy/metrics.h"

#include "ki/base/text.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

namespace ki::policy {
namespace {

using enum UnitFamily;
using enum Direction;

// SI prefixes are powers of 1000, IEC ones of 1024; B is a byte, b a bit. By family, then scale.
constexpr auto kUnits = std::to_array<Unit>({
    {"ns", kTime, 1, 1000000000},
    {"us", kTime, 1, 1000000},
    {"µs", kTime, 1, 1000000},
    {"ms", kTime, 1, 1000},
    {"s", kTime, 1, 1},
    {"min", kTime, 60, 1},
    {"h", kTime, 3600, 1},
    {"requests_s", kRequestRate, 1, 1},
    {"requests/s", kRequestRate, 1, 1},
    {"tokens_s", kTokenRate, 1, 1},
    {"tokens/s", kTokenRate, 1, 1},
    {"ops/s", kOperationRate, 1, 1},
    {"ops/ms", kOperationRate, 1000, 1},
    {"ops/us", kOperationRate, 1000000, 1},
    {"ops/ns", kOperationRate, 1000000000, 1},
    {"FLOP/s", kFlopRate, 1, 1},
    {"MFLOP/s", kFlopRate, 1000000, 1},
    {"GFLOP/s", kFlopRate, 1000000000, 1},
    {"TFLOP/s", kFlopRate, 1000000000000, 1},
    {"gflops", kFlopRate, 1000000000, 1},
    {"tflops", kFlopRate, 1000000000000, 1},
    {"B/s", kByteRate, 1, 1},
    {"kb/s", kByteRate, 125, 1},
    {"Mb/s", kByteRate, 125000, 1},
    {"Gb/s", kByteRate, 125000000, 1},
    {"kB/s", kByteRate, 1000, 1},
    {"MB/s", kByteRate, 1000000, 1},
    {"GB/s", kByteRate, 1000000000, 1},
    {"TB/s", kByteRate, 1000000000000, 1},
    {"KiB/s", kByteRate, 1024, 1},
    {"MiB/s", kByteRate, 1048576, 1},
    {"GiB/s", kByteRate, 1073741824, 1},
    {"TiB/s", kByteRate, 1099511627776, 1},
    {"B", kBytes, 1, 1},
    {"bytes", kBytes, 1, 1},
    {"kB", kBytes, 1000, 1},
    {"MB", kBytes, 1000000, 1},
    {"GB", kBytes, 1000000000, 1},
    {"KiB", kBytes, 1024, 1},
    {"MiB", kBytes, 1048576, 1},
    {"GiB", kBytes, 1073741824, 1},
    {"uJ", kEnergy, 1, 1000000},
    {"mJ", kEnergy, 1, 1000},
    {"J", kEnergy, 1, 1},
    {"kJ", kEnergy, 1000, 1},
    {"Wh", kEnergy, 3600, 1},
    {"kWh", kEnergy, 3600000, 1},
    {"mW", kPower, 1, 1000},
    {"W", kPower, 1, 1},
    {"kW", kPower, 1000, 1},
    {"USD", kMoney, 1, 1},
    {"ratio", kRatio, 1, 1},
    {"percent", kRatio, 1, 100},
    {"%", kRatio, 1, 100},
    {"count", kCount, 1, 1},
});

constexpr auto kMetrics = std::to_array<Metric>({
    {"latency", kTime, kLowerIsBetter},
    {"score", kTime, kLowerIsBetter},  // KernelBot: geometric mean of case times
    {"duration", kTime, kLowerIsBetter},
    {"compile_time", kTime, kLowerIsBetter},
    {"ttft_ms", kTime, kLowerIsBetter},
    {"tpot_ms", kTime, kLowerIsBetter},
    {"itl_ms", kTime, kLowerIsBetter},
    {"e2e_latency_ms", kTime, kLowerIsBetter},
    {"error_rate", kRatio, kLowerIsBetter},
    {"request_throughput_rps", kRequestRate, kHigherIsBetter},
    {"goodput", kRequestRate, kHigherIsBetter},
    {"goodput", kTokenRate, kHigherIsBetter},
    {"output_token_throughput_tps", kTokenRate, kHigherIsBetter},
    {"token_throughput_tps", kTokenRate, kHigherIsBetter},
    {"throughput", kOperationRate, kHigherIsBetter},
    {"throughput", kRequestRate, kHigherIsBetter},
    {"throughput", kTokenRate, kHigherIsBetter},
    {"throughput", kFlopRate, kHigherIsBetter},
    {"throughput", kByteRate, kHigherIsBetter},
    {"flop_rate", kFlopRate, kHigherIsBetter},
    {"bandwidth", kByteRate, kHigherIsBetter},
    {"peak_memory", kBytes, kLowerIsBetter},
    {"energy", kEnergy, kLowerIsBetter},
    {"power", kPower, kLowerIsBetter},
    {"cost", kMoney, kLowerIsBetter},
    {"speedup", kRatio, kHigherIsBetter},
    {"sol_score", kRatio, kHigherIsBetter},
});

struct ServingMetric {
  std::string_view name;
  Direction direction;
};
constexpr auto kServingMetrics = std::to_array<ServingMetric>({
    {"ttft_ms", kLowerIsBetter},
    {"tpot_ms", kLowerIsBetter},
    {"itl_ms", kLowerIsBetter},
    {"e2e_latency_ms", kLowerIsBetter},
    {"error_rate", kLowerIsBetter},
    {"request_throughput_rps", kHigherIsBetter},
    {"output_token_throughput_tps", kHigherIsBetter},
    {"token_throughput_tps", kHigherIsBetter},
    {"goodput", kHigherIsBetter},
});

std::string unknown_unit(std::string_view name) {
  std::vector<std::string_view> names;
  names.reserve(kUnits.size());
  for (const Unit& unit : kUnits) names.push_back(unit.name);
  std::string message = "unknown unit " + quote(name);
  if (const auto close = did_you_mean(name, names))
    message += "; did you mean " + quote(*close) + "?";
  return message;
}

}  // namespace

const Unit* find_unit(std::string_view name) {
  const auto unit = std::ranges::find(kUnits, name, &Unit::name);
  return unit == kUnits.end() ? nullptr : &*unit;
}

Result<double> convert(double value, std::string_view from, std::string_view to) {
  const Unit* source = find_unit(from);
  const Unit* target = find_unit(to);
  if (source == nullptr) return fail(Code::kInvalidArgument, unknown_unit(from));
  if (target == nullptr) return fail(Code::kInvalidArgument, unknown_unit(to));
  if (source->family != target->family) {
    return fail(Code::kInvalidArgument, quote(from) + " and " + quote(to) +
                                            " measure different things and can't be converted");
  }
  // One reduced fraction, so that 7810 ns is 7.81 us and not a neighbour of it.
  std::uint64_t numerator = source->numerator * target->denominator;
  std::uint64_t denominator = source->denominator * target->numerator;
  const std::uint64_t common = std::gcd(numerator, denominator);
  numerator /= common;
  denominator /= common;
  return value * static_cast<double>(numerator) / static_cast<double>(denominator);
}

std::span<const Metric> metrics() { return kMetrics; }

const Metric* find_metric(std::string_view metric, std::string_view unit) {
  const Unit* known = find_unit(unit);
  if (known == nullptr) return nullptr;
  const auto entry = std::ranges::find_if(
      kMetrics, [&](const Metric& m) { return m.name == metric && m.family == known->family; });
  return entry == kMetrics.end() ? nullptr : &*entry;
}

std::optional<Direction> serving_direction(std::string_view metric) {
  const auto entry = std::ranges::find(kServingMetrics, metric, &ServingMetric::name);
  if (entry == kServingMetrics.end()) return std::nullopt;
  return entry->direction;
}

}  // namespace ki::policy
