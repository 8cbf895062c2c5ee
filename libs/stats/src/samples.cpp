#include "ki/stats/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace ki::stats {
namespace {

std::string_view fix_of(SampleFault fault) {
  switch (fault) {
    case SampleFault::kNotANumber:
    case SampleFault::kInfinite:
      return "leave the sample out and record it as failed";
    case SampleFault::kNegative:
      return "check the clock and the overhead that was subtracted";
    case SampleFault::kZero:
      return "time more calls per sample until the timer resolves them";
  }
  return "";
}

std::optional<SampleFault> fault_of_finite(double value) {
  if (std::isnan(value)) return SampleFault::kNotANumber;
  if (std::isinf(value)) return SampleFault::kInfinite;
  return std::nullopt;
}

Result<void> check(std::span<const double> values, std::optional<SampleFault> (*fault_of)(double),
                   std::string_view expected) {
  if (values.empty()) return fail(Code::kInvalidArgument, "no samples; expected at least one");
  std::vector<Issue> issues;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const auto fault = fault_of(values[i])) {
      issues.push_back(
          {.code = std::string(to_string(*fault)),
           .pointer = fmt::format("/{}", i),
           .message = fmt::format("sample {} is {}; expected {}", i, values[i], expected),
           .fix = std::string(fix_of(*fault))});
    }
  }
  if (issues.empty()) return {};
  auto message = fmt::format("{} of {} samples are invalid", issues.size(), values.size());
  return fail(Error(Code::kInvalidArgument, std::move(message), std::move(issues)));
}

}  // namespace

std::string_view to_string(SampleFault fault) {
  switch (fault) {
    case SampleFault::kNotANumber:
      return "NOT_A_NUMBER";
    case SampleFault::kInfinite:
      return "INFINITE";
    case SampleFault::kNegative:
      return "NEGATIVE";
    case SampleFault::kZero:
      return "ZERO";
  }
  return "";
}

std::optional<SampleFault> fault_of_positive(double value) {
  if (const auto fault = fault_of_finite(value)) return fault;
  if (value < 0) return SampleFault::kNegative;
  if (value == 0) return SampleFault::kZero;
  return std::nullopt;
}

Result<Samples> Samples::finite(std::vector<double> values) {
  KI_TRY_VOID(check(values, fault_of_finite, "a finite number"));
  return Samples(std::move(values));
}

Result<Samples> Samples::positive(std::vector<double> values) {
  KI_TRY_VOID(check(values, fault_of_positive, "a finite number above zero"));
  return Samples(std::move(values));
}

Resolution resolution_of(const Samples& samples) {
  std::vector<double> sorted(samples.values().begin(), samples.values().end());
  std::ranges::sort(sorted);
  Resolution resolution{
      .distinct = 1, .step = 0, .single_precision = true, .single_precision_step = 0};
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double gap = sorted[i] - sorted[i - 1];
    if (gap == 0) continue;
    ++resolution.distinct;
    if (resolution.step == 0 || gap < resolution.step) resolution.step = gap;
  }
  const auto is_single = [](double value) {
    return std::fabs(value) <= std::numeric_limits<float>::max() &&
           static_cast<double>(static_cast<float>(value)) == value;
  };
  resolution.single_precision = std::ranges::all_of(sorted, is_single);
  if (std::fabs(sorted.back()) <= std::numeric_limits<float>::max()) {
    const auto largest = std::fabs(static_cast<float>(sorted.back()));
    const float next = std::nextafterf(largest, std::numeric_limits<float>::infinity());
    if (std::isfinite(next)) {
      resolution.single_precision_step = static_cast<double>(next) - static_cast<double>(largest);
    }
  }
  return resolution;
}

}  // namespace ki::stats
