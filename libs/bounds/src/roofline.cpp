#include "ki/bounds/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ki::bounds {
namespace {

constexpr double kWidth = 720, kHeight = 440;
constexpr double kLeft = 92, kRight = 24, kTop = 44, kBottom = 92;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// 1.81e15 -> "1.81 P"
std::string scaled(double value) {
  struct Prefix {
    double from;
    std::string_view name;
  };
  for (const auto& [from, name] :
       {Prefix{1e15, " P"}, Prefix{1e12, " T"}, Prefix{1e9, " G"}, Prefix{1e6, " M"}}) {
    if (value >= from) return fmt::format("{:.3g}{}", value / from, name);
  }
  return fmt::format("{:.3g} ", value);
}

struct Range {
  double low, high;  // powers of ten
  double part(double x) const { return (std::log10(x) - low) / (high - low); }
};

struct Plot {
  Range x, y;
  double px(double v) const { return kLeft + x.part(v) * (kWidth - kLeft - kRight); }
  double py(double v) const { return kHeight - kBottom - y.part(v) * (kHeight - kTop - kBottom); }
};

const Ceilings& ceilings_of(const Hardware& hardware, Profile profile) {
  if (profile == Profile::kSolarCompat && hardware.solar) return *hardware.solar;
  if (profile == Profile::kMeasured && hardware.measured) return *hardware.measured;
  return hardware.nominal;
}

struct Roof {
  std::string name;
  double flops;
};

std::vector<Roof> roofs_of(const Hardware& hardware, const Ceilings& ceilings,
                           const SuiteBound& bound) {
  std::vector<Roof> roofs;
  for (const CaseBound& one : bound.cases) {
    for (const WorkTime& work : one.work) {
      const std::string name = fmt::format("{} {}", to_string(work.unit), work.precision);
      if (std::ranges::find(roofs, name, &Roof::name) != roofs.end()) continue;
      auto peak = ceilings.peak(work.unit, work.precision);
      if (!peak) peak = hardware.nominal.peak(work.unit, work.precision);
      if (peak) roofs.push_back({name, *peak});
    }
  }
  std::ranges::sort(roofs, std::greater<>(), &Roof::flops);
  return roofs;
}

void add_axes(const Plot& plot, std::string& out) {
  for (double e = plot.x.low; e <= plot.x.high + 0.5; ++e) {
    const double x = plot.px(std::pow(10, e));
    out += fmt::format(
        "<line class=\"g\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>"
        "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4:g}</text>\n",
        x, kTop, kHeight - kBottom, kHeight - kBottom + 18, std::pow(10, e));
  }
  for (double e = plot.y.low; e <= plot.y.high + 0.5; ++e) {
    const double y = plot.py(std::pow(10, e));
    out += fmt::format(
        "<line class=\"g\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\"/>"
        "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}FLOP/s</text>\n",
        kLeft, y, kWidth - kRight, kLeft - 6, y + 4, scaled(std::pow(10, e)));
  }
  out += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">operations a byte</text>\n",
      (kLeft + kWidth - kRight) / 2, kHeight - kBottom + 38);
}

}  // namespace

std::string roofline_svg(const OperationShape& shape, const Hardware& hardware, Profile profile,
                         const SuiteBound& bound) {
  const Ceilings& ceilings = ceilings_of(hardware, profile);
  const std::vector<Roof> roofs = roofs_of(hardware, ceilings, bound);
  struct Point {
    double intensity, flops;
    std::string_view name;
  };
  std::vector<Point> points;
  for (const CaseBound& one : bound.cases) {
    if (one.intensity() > 0)
      points.push_back({one.intensity(), static_cast<double>(one.flops) / one.seconds, one.name});
  }
  // The range holds every point and every ridge.
  double x_low = 1, x_high = 10;
  double y_low = ceilings.dram_bytes, y_high = ceilings.dram_bytes * 10;
  for (const Point& point : points) {
    x_low = std::min(x_low, point.intensity);
    x_high = std::max(x_high, point.intensity);
    y_low = std::min(y_low, point.flops);
    y_high = std::max(y_high, point.flops);
  }
  for (const Roof& roof : roofs) {
    x_high = std::max(x_high, roof.flops / ceilings.dram_bytes);
    y_high = std::max(y_high, roof.flops);
  }
  const Plot plot{{std::floor(std::log10(x_low)), std::ceil(std::log10(x_high) + 0.01)},
                  {std::floor(std::log10(y_low)), std::ceil(std::log10(y_high) + 0.01)}};

  const std::string title = fmt::format("Roofline of {} on {}, profile {}", shape.name,
                                        hardware.title, to_string(profile));
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\" role=\"img\">\n<title>{2}</title>\n"
      "<style>text{{font:12px "
      "sans-serif;fill:#222}}.g{{stroke:#ddd}}.r{{stroke:#222;stroke-width:2;"
      "fill:none}}.p{{fill:#0b62a4;stroke:#fff}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text x=\"12\" y=\"24\" style=\"font-weight:bold\">{2}</text>\n",
      kWidth, kHeight, escaped(title));
  add_axes(plot, out);
  const double x_first = std::pow(10, plot.x.low), x_last = std::pow(10, plot.x.high);
  const double y_first = std::pow(10, plot.y.low);
  // The slope ends at the highest roof, or at the frame.
  const double top = roofs.empty() ? std::pow(10, plot.y.high) : roofs.front().flops;
  const double slope_from = std::max(x_first, y_first / ceilings.dram_bytes);
  const double slope_to = std::min(x_last, top / ceilings.dram_bytes);
  out += fmt::format("<path class=\"r\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n",
                     plot.px(slope_from), plot.py(slope_from * ceilings.dram_bytes),
                     plot.px(slope_to), plot.py(slope_to * ceilings.dram_bytes));
  out +=
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">memory {}B/s</text>\n", plot.px(slope_from) + 24,
                  plot.py(slope_from * ceilings.dram_bytes) + 14, scaled(ceilings.dram_bytes));
  for (const Roof& roof : roofs) {
    const double from = roof.flops / ceilings.dram_bytes;
    out += fmt::format(
        "<path class=\"r\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{} {}FLOP/s</text>\n",
        plot.px(std::clamp(from, x_first, x_last)), plot.py(roof.flops), plot.px(x_last),
        plot.py(roof.flops), kWidth - kRight - 4, plot.py(roof.flops) - 6, escaped(roof.name),
        scaled(roof.flops));
  }
  for (const Point& point : points) {
    out += fmt::format(
        "<circle class=\"p\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{}: {:.4g} "
        "operations a byte, {}FLOP/s</title></circle>\n",
        plot.px(point.intensity), plot.py(point.flops), escaped(point.name), point.intensity,
        scaled(point.flops));
  }
  const std::size_t without = bound.cases.size() - points.size();
  out += fmt::format(
      "<text x=\"{:g}\" y=\"{:g}\">{}{}. Geometric mean of the bounds {:.3f} µs.</text>\n", kLeft,
      kHeight - 14,
      fmt::format("{} of {} cases shown at their bound", points.size(), bound.cases.size()),
      without == 0 ? "" : fmt::format("; {} have no declared work", without),
      bound.geomean_s * 1e6);
  out += "</svg>\n";
  return out;
}

}  // namespace ki::bounds
