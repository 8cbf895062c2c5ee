#include "ki/measure/sentinel.h"

#include "ki/stats/summary.h"

#include <algorithm>
#include <cmath>

namespace ki::measure {

std::vector<SentinelShift> shifts(std::span<const SentinelReading> before,
                                  std::span<const SentinelReading> after, double limit) {
  std::vector<SentinelShift> out;
  const auto find = [](std::span<const SentinelReading> readings, const std::string& name) {
    return std::ranges::find(readings, name, &SentinelReading::name);
  };
  for (const SentinelReading& reading : before) {
    const auto later = find(after, reading.name);
    if (later == after.end()) {
      out.push_back({reading.name, 0});
      continue;
    }
    const double ratio = later->nanoseconds / reading.nanoseconds;
    if (!(std::fabs(std::log(ratio)) <= std::log1p(limit))) out.push_back({reading.name, ratio});
  }
  for (const SentinelReading& reading : after) {
    if (find(before, reading.name) == before.end()) out.push_back({reading.name, 0});
  }
  return out;
}

std::optional<SentinelBaseline> baseline_of(std::span<const double> sessions) {
  if (sessions.size() < 20) return std::nullopt;
  return SentinelBaseline{stats::median(sessions),
                          stats::kMadToSigma * stats::median_absolute_deviation(sessions)};
}

bool agrees(const SentinelBaseline& baseline, double nanoseconds) {
  return std::fabs(nanoseconds - baseline.median) <=
         std::max(4 * baseline.sigma, 0.01 * baseline.median);
}

}  // namespace ki::measure
