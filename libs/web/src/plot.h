// Plots drawn here as SVG. Colours and lines come from the stylesheet's classes; each plot stands
// beside a table that says the same. Coordinates are in the units of the view box.
#pragma once

#include "ki/web/html.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::web {

// One line of a sweep: points by rising x.
struct PlotPoint {
  double x = 0;
  double y = 0;
};
struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;
};

// Several lines over one axis, both axes logarithmic. At most five series are drawn.
struct SweepPlot {
  std::string_view id;  // unique on the page
  std::string title;    // what it shows, in words
  std::string x_label;
  std::string_view y_unit;  // of the values: "ns"
  std::span<const PlotSeries> series;
};
void sweep_plot(Html& h, const SweepPlot& plot);

// Who led when: a staircase over time, the value axis logarithmic.
struct StepPoint {
  std::int64_t at_ms = 0;
  double value = 0;
  bool is_break = false;
};
struct StaircasePlot {
  std::string_view id;
  std::string title;
  std::string_view unit;
  std::span<const StepPoint> steps;  // oldest first
  std::int64_t until_ms = 0;         // the last level is drawn up to here
};
void staircase_plot(Html& h, const StaircasePlot& plot);
// The same in a table's line: no axes, hidden from readers of the screen.
void spark(Html& h, std::span<const double> values);

// All values of one comparison group as dots over a logarithmic axis.
struct StripPlot {
  std::string_view id;
  std::string title;
  std::string_view unit;
  std::span<const double> values;
  std::optional<double> marked = {};
};
void strip_plot(Html& h, const StripPlot& plot);

// Values with their intervals, one line each, from the same linear axis that begins at zero.
struct IntervalLine {
  std::string name;
  double value = 0;
  std::optional<std::pair<double, double>> interval = {};
};
struct IntervalPlot {
  std::string_view id;
  std::string title;
  std::string_view unit;
  std::span<const IntervalLine> lines;
};
void interval_plot(Html& h, const IntervalPlot& plot);

// Ticks of a logarithmic axis over [low, high]: 1, 2, 5 or powers of ten, at most seven.
std::vector<double> log_ticks(double low, double high);
// Ticks of a linear axis that begins at zero: round steps, at most seven.
std::vector<double> linear_ticks(double high);

}  // namespace ki::web
