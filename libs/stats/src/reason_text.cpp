#include "reason_text.h"

#include "ki/stats/elementary.h"
#include "ki/stats/samples.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

namespace ki::stats {

std::string percent_of(double log_ratio) {
  if (log_ratio == 0) return "equal";
  const double change = 100 * (portable_exp(log_ratio) - 1);
  return change < 0 ? fmt::format("{:.3g} % lower", -change)
                    : fmt::format("{:.3g} % higher", change);
}

void append_faults(std::span<const double> values, std::string_view side,
                   std::vector<Reason>& reasons) {
  constexpr std::size_t kShown = 5;
  for (const auto fault : std::array{SampleFault::kNotANumber, SampleFault::kInfinite,
                                     SampleFault::kNegative, SampleFault::kZero}) {
    std::size_t count = 0;
    std::string positions;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (fault_of_positive(values[i]) != fault) continue;
      if (count < kShown) positions += fmt::format("{}{}", count == 0 ? "" : ", ", i);
      ++count;
    }
    if (count == 0) continue;
    reasons.push_back({ReasonCode::kInvalidSamples,
                       fmt::format("{} {} of {} samples {}: at {}{}", side, count, values.size(),
                                   to_string(fault), positions, count > kShown ? ", …" : "")});
  }
}

}  // namespace ki::stats
