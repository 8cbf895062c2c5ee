// Pictures that stand alone: badges and cards for link previews. They carry their own colours, as
// presentation attributes.
#include "ki/display/labels.h"
#include "ki/display/table.h"
#include "ki/resolve/describe.h"
#include "lookup.h"
#include "machine.h"
#include "parts.h"

#include <algorithm>
#include <cmath>

namespace ki::web {
namespace {

std::string px(double x) { return display::to_fixed(x, 1); }

http::Response svg(std::string body, http::Cache cache = http::Cache::kMedium) {
  http::Response response;
  response.content_type = "image/svg+xml";
  response.body = std::move(body);
  response.cache = cache;
  return response;
}

std::string_view without_extension(std::string_view name) {
  if (name.ends_with(".svg") || name.ends_with(".png")) name.remove_suffix(4);
  return name;
}

// 20 pixels high; 6.3 a character and 14 around each half (spec 12.2).
http::Response badge(std::string_view right) {
  const auto width = [](std::string_view words) {
    return 6.3 * static_cast<double>(display::display_width(words)) + 14;
  };
  constexpr std::string_view kLeft = "kernelindex";
  const double left_width = width(kLeft), right_width = width(right);
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
                    px(left_width + right_width) +
                    "\" height=\"20\" role=\"img\" "
                    "aria-label=\"kernelindex: ";
  append_escaped(out, right);
  out += "\"><title>kernelindex: ";
  append_escaped(out, right);
  out += "</title><rect width=\"" + px(left_width) +
         "\" height=\"20\" fill=\"#12161b\"/><rect x=\"" + px(left_width) + "\" width=\"" +
         px(right_width) +
         "\" height=\"20\" fill=\"#1a4fc4\"/><g fill=\"#fff\" "
         "font-family=\"DejaVu Sans,Verdana,sans-serif\" font-size=\"11\" "
         "text-anchor=\"middle\"><text x=\"" +
         px(left_width / 2) + "\" y=\"14\">kernelindex</text><text x=\"" +
         px(left_width + right_width / 2) + "\" y=\"14\">";
  append_escaped(out, right);
  out += "</text></g></svg>\n";
  return svg(std::move(out));
}

struct Card {
  std::string eyebrow, title, lead, readout, note;
  double bar = 0;  // best / value; 0: no bar
};

std::string lines_of(std::string_view words, std::size_t width, std::size_t most, double x,
                     double y, double rise) {
  std::string out;
  std::string line;
  std::size_t count = 0;
  const auto flush = [&](bool is_last) {
    if (line.empty() || count == most) return;
    ++count;
    out +=
        "<tspan x=\"" + px(x) + "\" y=\"" + px(y + rise * static_cast<double>(count - 1)) + "\">";
    append_escaped(out, display::fit(is_last || count < most ? line : line + "…", width));
    out += "</tspan>";
    line.clear();
  };
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    if (!line.empty() && display::display_width(line) + 1 + display::display_width(word) > width) {
      flush(false);
    }
    if (!line.empty()) line += ' ';
    line += word;
    words.remove_prefix(std::min(words.size(), end + 1));
  }
  flush(true);
  return out;
}

http::Response card(const Card& c) {
  std::string out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 630\" width=\"1200\" "
      "height=\"630\" font-family=\"DejaVu Sans,Verdana,sans-serif\"><rect width=\"1200\" "
      "height=\"630\" fill=\"#0c0e12\"/><rect x=\"72\" y=\"64\" width=\"56\" height=\"6\" "
      "fill=\"#93b6ff\"/>";
  const auto words = [&](std::string_view attributes, const std::string& lines) {
    out += "<text ";
    out += attributes;
    out += ">" + lines + "</text>";
  };
  words("fill=\"#98a3b1\" font-size=\"26\"", lines_of(c.eyebrow, 70, 1, 72, 112, 0));
  words("fill=\"#eef1f5\" font-size=\"50\" font-weight=\"bold\"",
        lines_of(c.title, 36, 3, 72, 184, 62));
  words("fill=\"#bcc5d0\" font-size=\"28\"", lines_of(c.lead, 66, 2, 72, 382, 38));
  words("fill=\"#93b6ff\" font-size=\"72\" font-weight=\"bold\"",
        lines_of(c.readout, 28, 1, 72, 512, 0));
  if (c.bar > 0) {
    out +=
        "<rect x=\"72\" y=\"536\" width=\"1056\" height=\"8\" fill=\"#262c35\"/><rect x=\"72\" "
        "y=\"536\" width=\"" +
        px(1056 * std::min(1.0, c.bar)) + "\" height=\"8\" fill=\"#93b6ff\"/>";
  }
  words("fill=\"#98a3b1\" font-size=\"24\"", lines_of(c.note, 76, 1, 72, 584, 0));
  out += "</svg>\n";
  return svg(std::move(out));
}

}  // namespace

http::Response implementation_badge(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  const Index implementation = find_implementation(s, without_extension(request.parameter("slug")));
  if (implementation == kNone) {
    return not_found("IMPLEMENTATION_NOT_FOUND", "No implementation has this name.");
  }
  const std::string_view slug = s.text(s.implementations()[implementation].slug);
  const auto records =
      std::ranges::count_if(site.catalog.ledger->holders(), [&](const auto& holder) {
        return s.text(s.implementations()[s.runs()[holder.run].implementation].slug) == slug;
      });
  return badge(records == 0 ? std::string("indexed") : display::count_noun(records, "record"));
}

http::Response run_badge(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  const Index run = find_run(s, without_extension(request.parameter("id")));
  if (run == kNone) return not_found("RUN_NOT_FOUND", "No published run has this id or digest.");
  const auto& row = s.runs()[run];
  const auto& cohort = s.cohorts()[row.cohort];
  return badge(row.rank == 0 ? std::string("not ranked")
                             : display::rank_of(row.rank, cohort.ranked) + " · " +
                                   std::string(product_of(s, cohort.environment)));
}

http::Response site_card(const Site& site, const http::Request& request) {
  (void)request;
  const Snapshot& s = site.snapshot();
  return card({.eyebrow = "KernelIndex",
               .title = "What is the fastest kernel for my exact workload?",
               .lead = "Exact workloads, ranks inside comparison groups only, and the evidence "
                       "behind every number.",
               .readout = display::count_noun(static_cast<std::int64_t>(s.operations().size()),
                                              "operation"),
               .note = "Catalog version " + site.version});
}

http::Response run_card(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  const Index run = find_run(s, without_extension(request.parameter("id")));
  if (run == kNone) return not_found("RUN_NOT_FOUND", "No published run has this id or digest.");
  const auto& row = s.runs()[run];
  const auto& cohort = s.cohorts()[row.cohort];
  const std::string evidence(
      display::evidence_label(policy::to_string(static_cast<policy::EvidenceLevel>(row.evidence))));
  std::string note = row.rank == 0 ? std::string("Not ranked")
                                   : "Rank " + display::rank_of(row.rank, cohort.ranked).substr(1) +
                                         " in its comparison group";
  note += " · " + evidence + " · observed " + Instant{row.observed_ms}.date();
  double bar = 0;
  if (row.rank != 0) bar = s.runs()[s.runs_of_cohort(row.cohort).front()].value / row.value;
  return card({.eyebrow = "KernelIndex · " + std::string(views::source_of(s, row.source).name),
               .title = resolve::operation_name(s, cohort.operation),
               .lead = resolve::implementation_name(s, row.implementation) + " · " +
                       resolve::workload_label(s, row.workload) + " · " +
                       std::string(product_of(s, cohort.environment)),
               .readout = value_text(s, run),
               .note = std::move(note),
               .bar = bar});
}

http::Response operation_card(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  const Index operation = find_operation(s, without_extension(request.parameter("slug")));
  if (operation == kNone) return not_found("OPERATION_NOT_FOUND", "No operation has this name.");
  const auto& row = s.operations()[operation];
  return card({.eyebrow = "KernelIndex · " + std::string(s.name(row.family)),
               .title = resolve::operation_name(s, operation),
               .lead = display::count_noun(row.measured_cohorts, "comparison group"),
               .readout = display::count_noun(row.eligible_runs, "ranked run"),
               .note = row.last_observed_ms == 0
                           ? std::string("Nothing measured yet")
                           : "Last observed " + Instant{row.last_observed_ms}.date()});
}

http::Response implementation_card(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  const Index implementation = find_implementation(s, without_extension(request.parameter("slug")));
  if (implementation == kNone) {
    return not_found("IMPLEMENTATION_NOT_FOUND", "No implementation has this name.");
  }
  const auto& row = s.implementations()[implementation];
  return card({.eyebrow = "KernelIndex · " + std::string(s.text(s.projects()[row.project].name)),
               .title = resolve::implementation_name(s, implementation),
               .lead = resolve::operation_name(s, row.operation),
               .readout = display::count_noun(row.eligible_runs, "ranked run"),
               .note = use_text(s, implementation)});
}

http::Response project_card(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  const Index project = s.find_project(without_extension(request.parameter("slug")));
  if (project == kNone) return not_found("PROJECT_NOT_FOUND", "No project has this name.");
  const auto records =
      std::ranges::count_if(site.catalog.ledger->holders(), [&](const auto& holder) {
        return s.implementations()[s.runs()[holder.run].implementation].project == project;
      });
  return card({.eyebrow = "KernelIndex",
               .title = std::string(s.text(s.projects()[project].name)),
               .lead = "Comparison groups that it leads",
               .readout = display::count_noun(records, "group"),
               .note = "Catalog version " + site.version});
}

}  // namespace ki::web
