#include "plot.h"

#include "ki/display/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace ki::web {
namespace {

constexpr double kWidth = 760, kHeight = 300;
constexpr double kLeft = 74, kRight = 168, kTop = 14, kBottom = 44;
constexpr std::array<Markup, 5> kTraces = {"trace t1", "trace t2", "trace t3", "trace t4",
                                           "trace t5"};
constexpr std::array<Markup, 5> kDots = {"d1", "d2", "d3", "d4", "d5"};

std::string px(double x) { return display::to_fixed(x, 1); }

class LogScale {
 public:
  LogScale(double low, double high, double from, double to)
      : low_(std::log(low)), high_(std::log(high)), from_(from), to_(to) {
    if (high_ - low_ < 1e-9) {  // one value: in the middle
      low_ -= 0.5;
      high_ += 0.5;
    }
  }
  double at(double value) const {
    return from_ + (std::log(value) - low_) / (high_ - low_) * (to_ - from_);
  }

 private:
  double low_, high_, from_, to_;
};

void open(Html& h, std::string_view id, std::string_view title, double height) {
  const std::string title_id = std::string(id) + "-title";
  h << "<svg class=\"chart\" role=\"img\"" << attr("aria-labelledby", title_id)
    << attr("viewBox", "0 0 " + px(kWidth) + " " + px(height)) << "><title" << attr("id", title_id)
    << ">" << text(title) << "</title>";
}

void line(Html& h, Markup css, double x1, double y1, double x2, double y2) {
  h << "<line class=\"" << css << "\"" << attr("x1", px(x1)) << attr("y1", px(y1))
    << attr("x2", px(x2)) << attr("y2", px(y2)) << "/>";
}

enum class Anchor : std::uint8_t { kStart, kMiddle, kEnd };
void label(Html& h, double x, double y, Anchor anchor, std::string_view words, Markup css = "") {
  h << "<text";
  if (!css.text().empty()) h << " class=\"" << css << "\"";
  h << attr("x", px(x)) << attr("y", px(y));
  if (anchor == Anchor::kMiddle) h << " text-anchor=\"middle\"";
  if (anchor == Anchor::kEnd) h << " text-anchor=\"end\"";
  h << ">" << text(words) << "</text>";
}

void dot(Html& h, Markup css, double x, double y, double radius) {
  h << "<circle class=\"" << css << "\"" << attr("cx", px(x)) << attr("cy", px(y))
    << attr("r", px(radius)) << "/>";
}

void value_axis(Html& h, const LogScale& scale, double low, double high, std::string_view unit,
                double right) {
  for (const double tick : log_ticks(low, high)) {
    const double y = scale.at(tick);
    line(h, "grid", kLeft, y, right, y);
    label(h, kLeft - 8, y + 4, Anchor::kEnd, display::primary_text(tick, unit));
  }
  line(h, "axis", kLeft, kTop, kLeft, kHeight - kBottom);
}

struct Range {
  double low = HUGE_VAL, high = 0;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void widen(double share) {
    low /= 1 + share;
    high *= 1 + share;
  }
};

std::string fit(std::string_view name, std::size_t length) {
  std::string out;
  std::size_t characters = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(name[i]) & 0xC0U) != 0x80U;
    if (begins && ++characters > length) return out + "…";
    out += name[i];
  }
  return out;
}

std::string path(std::span<const PlotPoint> points, const LogScale& x, const LogScale& y) {
  std::string d;
  for (const PlotPoint& p : points) {
    d += d.empty() ? "M" : "L";
    d += px(x.at(p.x)) + " " + px(y.at(p.y));
  }
  return d;
}

}  // namespace

std::vector<double> log_ticks(double low, double high) {
  std::vector<double> ticks;
  if (!(low > 0) || !(high >= low) || !std::isfinite(high)) return ticks;
  const auto collect = [&](std::initializer_list<double> factors) {
    ticks.clear();
    const int first = static_cast<int>(std::floor(std::log10(low))) - 1;
    const int last = static_cast<int>(std::ceil(std::log10(high)));
    for (int exponent = first; exponent <= last; ++exponent) {
      for (const double factor : factors) {
        const double tick = factor * std::pow(10.0, exponent);
        if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push_back(tick);
      }
    }
  };
  collect({1, 2, 5});
  if (ticks.size() > 7) collect({1});
  while (ticks.size() > 7) {  // every other power of ten
    std::vector<double> fewer;
    for (std::size_t i = 0; i < ticks.size(); i += 2) fewer.push_back(ticks[i]);
    ticks = std::move(fewer);
  }
  if (ticks.size() < 2) {
    collect({1, 1.5, 2, 3, 4, 5, 6, 8});
    while (ticks.size() > 7) ticks.pop_back();
  }
  if (ticks.empty()) ticks = {low, high};
  return ticks;
}

std::vector<double> linear_ticks(double high) {
  std::vector<double> ticks;
  if (!(high > 0) || !std::isfinite(high)) return {0};
  const double raw = high / 5;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) {
      step = factor * power;
      break;
    }
  }
  for (int i = 0; step * i <= high * (1 + 1e-9); ++i) ticks.push_back(step * i);
  return ticks;
}

void sweep_plot(Html& h, const SweepPlot& plot) {
  Range xs, ys;
  for (const PlotSeries& series : plot.series) {
    for (const PlotPoint& p : series.points) {
      xs.add(p.x);
      ys.add(p.y);
    }
  }
  if (!(xs.low > 0) || !(ys.low > 0)) return;
  ys.widen(0.08);
  const double right = kWidth - kRight;
  const LogScale x(xs.low, xs.high, kLeft + 8, right - 8);
  const LogScale y(ys.low, ys.high, kHeight - kBottom, kTop);
  open(h, plot.id, plot.title, kHeight);
  value_axis(h, y, ys.low, ys.high, plot.y_unit, right);
  line(h, "axis", kLeft, kHeight - kBottom, right, kHeight - kBottom);
  for (const double tick : log_ticks(xs.low, xs.high)) {
    line(h, "axis", x.at(tick), kHeight - kBottom, x.at(tick), kHeight - kBottom + 4);
    label(h, x.at(tick), kHeight - kBottom + 17, Anchor::kMiddle,
          display::count(static_cast<std::int64_t>(tick)));
  }
  label(h, (kLeft + right) / 2, kHeight - 6, Anchor::kMiddle, plot.x_label + " (logarithmic)");
  double next_label = kTop - 12;
  struct End {
    double y;
    std::size_t series;
  };
  std::vector<End> ends;
  const std::size_t shown = std::min(plot.series.size(), kTraces.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& points = plot.series[i].points;
    h << "<path class=\"" << kTraces[i] << "\"" << attr("d", path(points, x, y)) << "/>";
    for (const PlotPoint& p : points) dot(h, kDots[i], x.at(p.x), y.at(p.y), 2.5);
    ends.push_back({y.at(points.back().y), i});
  }
  std::ranges::sort(ends, {}, &End::y);
  for (const End& end : ends) {
    next_label = std::max(end.y + 4, next_label + 14);
    label(h, right + 4, next_label, Anchor::kStart, fit(plot.series[end.series].name, 24),
          kDots[end.series]);
  }
  h << "</svg>";
}

void staircase_plot(Html& h, const StaircasePlot& plot) {
  Range ys;
  for (const StepPoint& step : plot.steps) ys.add(step.value);
  if (plot.steps.empty() || !(ys.low > 0)) return;
  ys.widen(0.08);
  const double right = kWidth - 24;
  const double from = static_cast<double>(plot.steps.front().at_ms);
  const double to =
      std::max(static_cast<double>(plot.until_ms), static_cast<double>(plot.steps.back().at_ms));
  const auto x = [&](std::int64_t ms) {
    const double share = to > from ? (static_cast<double>(ms) - from) / (to - from) : 0;
    return kLeft + 8 + share * (right - kLeft - 16);
  };
  const LogScale y(ys.low, ys.high, kHeight - kBottom, kTop);
  open(h, plot.id, plot.title, kHeight);
  value_axis(h, y, ys.low, ys.high, plot.unit, right);
  line(h, "axis", kLeft, kHeight - kBottom, right, kHeight - kBottom);
  constexpr int kTicks = 4;
  for (int i = 0; i <= kTicks; ++i) {
    if (i != 0 && to <= from) break;
    const auto ms = static_cast<std::int64_t>(from + (to - from) * i / kTicks);
    const Anchor anchor = i == 0 ? Anchor::kStart : i == kTicks ? Anchor::kEnd : Anchor::kMiddle;
    label(h, x(ms), kHeight - kBottom + 17, anchor, display::date(Instant{ms}));
  }
  label(h, (kLeft + right) / 2, kHeight - 6, Anchor::kMiddle, "observed (UTC)");
  std::string d;
  for (const StepPoint& step : plot.steps) {
    if (d.empty()) {
      d = "M" + px(x(step.at_ms)) + " " + px(y.at(step.value));
    } else {
      d += "H" + px(x(step.at_ms)) + "V" + px(y.at(step.value));
    }
  }
  d += "H" + px(right - 8);
  h << "<path class=\"trace t1\"" << attr("d", d) << "/>";
  for (const StepPoint& step : plot.steps) {
    if (step.is_break) {
      dot(h, "d2", x(step.at_ms), y.at(step.value), 4);
    } else {
      dot(h, "d1", x(step.at_ms), y.at(step.value), 3);
    }
  }
  h << "</svg>";
}

void spark(Html& h, std::span<const double> values) {
  if (values.size() < 2) return;
  Range range;
  for (const double value : values) range.add(value);
  if (!(range.low > 0)) return;
  const LogScale y(range.low, range.high, 22, 3);
  const double step = 110.0 / static_cast<double>(values.size());
  std::string d = "M1 " + px(y.at(values.front()));
  for (std::size_t i = 1; i < values.size(); ++i) {
    d += "H" + px(1 + step * static_cast<double>(i)) + "V" + px(y.at(values[i]));
  }
  d += "H111";
  h << "<svg class=\"spark\" aria-hidden=\"true\" viewBox=\"0 0 112 24\"><path class=\"trace "
       "t1\""
    << attr("d", d) << "/></svg>";
}

void strip_plot(Html& h, const StripPlot& plot) {
  Range range;
  for (const double value : plot.values) range.add(value);
  if (plot.values.size() < 3 || !(range.low > 0)) return;
  constexpr double kRadius = 4, kBase = 96, kStripHeight = 140;
  const double right = kWidth - 24;
  const LogScale x(range.low, range.high, kLeft, right - 8);
  open(h, plot.id, plot.title, kStripHeight);
  line(h, "axis", kLeft - 8, kBase + 8, right, kBase + 8);
  for (const double tick : log_ticks(range.low, range.high)) {
    line(h, "axis", x.at(tick), kBase + 8, x.at(tick), kBase + 12);
    label(h, x.at(tick), kBase + 26, Anchor::kMiddle, display::primary_text(tick, plot.unit));
  }
  label(h, (kLeft + right) / 2, kStripHeight - 2, Anchor::kMiddle, "logarithmic");
  // Dots of one place stand on each other; a column that would leave the picture is drawn closer.
  std::map<int, int> columns;
  int highest = 1;
  const auto column_of = [&](double value) {
    return static_cast<int>(std::floor(x.at(value) / (2 * kRadius)));
  };
  for (const double value : plot.values) highest = std::max(highest, ++columns[column_of(value)]);
  const double rise = std::min(2 * kRadius, (kBase - 8) / highest);
  columns.clear();
  bool is_marked = false;
  for (const double value : plot.values) {
    const double y = kBase - rise * columns[column_of(value)]++;
    if (!is_marked && plot.marked && value == *plot.marked) {
      dot(h, "here", x.at(value), y, kRadius + 1);
      is_marked = true;
    } else {
      dot(h, "dot", x.at(value), y, kRadius);
    }
  }
  h << "</svg>";
}

void interval_plot(Html& h, const IntervalPlot& plot) {
  double high = 0;
  for (const IntervalLine& l : plot.lines) {
    high = std::max({high, l.value, l.interval ? l.interval->second : 0.0});
  }
  if (plot.lines.empty() || !(high > 0)) return;
  constexpr double kName = 190, kRow = 30;
  const double height = kTop + kRow * static_cast<double>(plot.lines.size()) + kBottom - 10;
  const double right = kWidth - 90;
  const auto x = [&](double value) { return kName + value / high * (right - kName); };
  open(h, plot.id, plot.title, height);
  const double base = height - kBottom + 14;
  for (const double tick : linear_ticks(high)) {
    line(h, "grid", x(tick), kTop - 6, x(tick), base);
    label(h, x(tick), base + 16, Anchor::kMiddle, display::primary_text(tick, plot.unit));
  }
  line(h, "axis", kName, kTop - 6, kName, base);
  double y = kTop + 8;
  for (const IntervalLine& l : plot.lines) {
    label(h, kName - 8, y + 4, Anchor::kEnd, fit(l.name, 26));
    line(h, "axis", kName, y, x(l.value), y);
    if (l.interval) {
      line(h, "trace t1", x(l.interval->first), y, x(l.interval->second), y);
      line(h, "trace t1", x(l.interval->first), y - 5, x(l.interval->first), y + 5);
      line(h, "trace t1", x(l.interval->second), y - 5, x(l.interval->second), y + 5);
    }
    dot(h, "d1", x(l.value), y, 4.5);
    label(h, std::max(x(l.value), l.interval ? x(l.interval->second) : 0) + 8, y + 4,
          Anchor::kStart, display::primary_text(l.value, plot.unit));
    y += kRow;
  }
  h << "</svg>";
}

}  // namespace ki::web
