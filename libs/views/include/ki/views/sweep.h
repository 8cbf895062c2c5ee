// A shape sweep (spec 07.2): how the implementations of one operation do over one axis, everything
// else held constant. Each point is the best run of its implementation in a comparison group of its
// own; groups of another protocol, environment, correctness policy or metric never enter.
#pragma once

#include "ki/views/parts.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::views {

struct SweepPoint {
  std::int64_t x = 0;
  double value = 0;
  Index run = kNone;
};
struct SweepSeries {
  Index implementation = kNone;
  std::vector<SweepPoint> points;  // by rising x
};
struct Sweep {
  std::string_view axis;
  Index cohort = kNone;  // that it was asked for; every point shares its setting
  Index metric = kNone;
  std::vector<SweepSeries> series;  // by the value of the last point, best first
  std::size_t points = 0;           // distinct values of the axis
};
inline constexpr std::size_t kSweepShown = 5;

// Nothing when no axis has three measured values.
std::optional<Sweep> find_sweep(const catalog::Snapshot& s, Index cohort);
// {axis, unit, metricLabel, environmentLabel, series: [{implementation, points: [{x, value,
// workloadId, runId}]}], overflow}: the first kSweepShown series, and how many more there are.
void write_json(json::Writer& w, const catalog::Snapshot& s, const Sweep& sweep);

}  // namespace ki::views
