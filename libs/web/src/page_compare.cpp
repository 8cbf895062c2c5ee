// Two to eight runs side by side (spec 07.3, 10 "Compare"): whether they may be compared, and if
// not, what differs first.
#include "ki/display/labels.h"
#include "ki/display/table.h"
#include "ki/resolve/compare.h"
#include "ki/resolve/describe.h"
#include "lookup.h"
#include "pages.h"
#include "parts.h"
#include "plot.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ki::web {
namespace {

using Kind = Table::Kind;

std::vector<std::string_view> asked(const http::Request& request) {
  std::vector<std::string_view> ids;
  for (const http::QueryPair& pair : request.target.query) {
    if (pair.name != "run") continue;
    // A field may hold several ids, separated by spaces or commas.
    std::string_view rest = pair.value;
    while (!rest.empty() && ids.size() < 32) {
      const std::size_t end = std::min(rest.find_first_of(" ,\t\n"), rest.size());
      if (end != 0) ids.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(rest.size(), end + 1));
    }
  }
  return ids;
}

Url compare_url(const Snapshot& s, const resolve::Comparison& comparison, Index without = kNone) {
  Url url = Url::path({"compare"});
  for (const auto& item : comparison.runs) {
    if (item.run == without) continue;
    url = std::move(url).with("run", views::id_text(s.runs()[item.run].id));
  }
  return url;
}

std::string name_of(const Snapshot& s, Index run) {
  return resolve::implementation_name(s, s.runs()[run].implementation);
}

std::optional<std::pair<double, double>> interval_of(const Snapshot& s, Index run) {
  const Index at = s.runs()[run].interval;
  if (at == kNone) return std::nullopt;
  const auto& bounds = s.columns().run_intervals[at];
  return std::pair(bounds.low, bounds.high);
}

void add_form(Html& h, const Snapshot& s, const resolve::Comparison& comparison) {
  h << "<form class=\"filters\" action=\"/compare\" method=\"get\">";
  for (const auto& item : comparison.runs) {
    h << "<input type=\"hidden\" name=\"run\""
      << attr("value", views::id_text(s.runs()[item.run].id)) << ">";
  }
  h << "<div><label for=\"add\">Add a run by id or digest</label><input type=\"text\" id=\"add\" "
       "name=\"run\" size=\"40\" maxlength=\"200\" spellcheck=\"false\"></div><button "
       "type=\"submit\">Add</button></form>";
}

void verdict(Html& h, const Snapshot& s, const resolve::Comparison& comparison) {
  h << "<section class=\"answer\" aria-labelledby=\"verdict\"><h2 id=\"verdict\">";
  if (comparison.is_comparable) {
    h << "Comparable";
  } else {
    h << "Not comparable";
  }
  h << "</h2><p class=\"lead\">" << text(comparison.explanation) << "</p>";
  if (comparison.is_comparable && comparison.order.size() >= 2) {
    const Index first = comparison.order.front();
    const double best = s.runs()[first].value;
    h << "<ol>";
    for (const Index run : comparison.order) {
      h << "<li><strong>" << text(name_of(s, run)) << "</strong>: " << text(value_text(s, run));
      if (run != first) {
        h << ", " << text(display::relative(s.runs()[run].value, best))
          << " the value of the first";
      }
      h << "</li>";
    }
    h << "</ol><p class=\"hint\">Order of reported values (ranking-v1), not tested";
    const bool has_intervals = std::ranges::all_of(
        comparison.order, [&](Index run) { return s.runs()[run].interval != kNone; });
    if (!has_intervals) {
      h << "; without intervals or samples on both sides nobody can say whether the difference is "
           "noise";
    }
    h << ".</p>";
  }
  h << "</section>\n";
}

void picture(Html& h, const Snapshot& s, const resolve::Comparison& comparison) {
  if (!comparison.is_comparable) return;
  std::vector<IntervalLine> lines;
  for (const Index run : comparison.order) {
    if (std::isnan(s.runs()[run].value)) return;
    lines.push_back(
        {.name = name_of(s, run), .value = s.runs()[run].value, .interval = interval_of(s, run)});
  }
  h << "<figure class=\"plot\"><figcaption>Values from zero, with 95 % intervals where the source "
       "states them. The table below holds the same values.</figcaption>";
  interval_plot(h, {.id = "intervals",
                    .title = "Values of the compared runs",
                    .unit = unit_of(s, comparison.order.front()),
                    .lines = lines});
  h << "</figure>\n";
}

void values_table(Html& h, const Snapshot& s, const resolve::Comparison& comparison) {
  static constexpr std::array<Table::Column, 6> kColumns = {{{"Implementation", Kind::kHeader},
                                                             {"Rank here"},
                                                             {"Value", Kind::kValue},
                                                             {"Evidence"},
                                                             {"Eligible"},
                                                             {"Remove"}}};
  Table table(h, "The compared runs", kColumns);
  for (const auto& item : comparison.runs) {
    const auto& run = s.runs()[item.run];
    table.row();
    Html& name = table.cell();
    named_link(name, run_url(s, item.run), name_of(s, item.run));
    name << "<span class=\"small id\">run " << text(display::short_run_id(views::id_text(run.id)))
         << "</span>";
    table.cell() << text(display::rank_text(
        item.rank == 0 ? std::nullopt : std::optional(item.rank), item.is_tied_with_previous));
    Html& value = table.cell();
    value_cell(value, run.value, unit_of(s, item.run));
    if (const auto bounds = interval_of(s, item.run)) {
      value << "<span class=\"small\">"
            << text(display::spread({run.value, bounds->first, bounds->second},
                                    unit_of(s, item.run)))
            << "</span>";
    }
    evidence(table.cell(), static_cast<policy::EvidenceLevel>(run.evidence),
             views::evidence_note(s, item.run));
    Html& eligible = table.cell();
    if (item.ineligible.empty()) {
      eligible << "yes";
    } else {
      eligible << "no: ";
      for (const std::string& code : item.ineligible) {
        if (&code != item.ineligible.data()) eligible << ", ";
        eligible << text(display::words(code));
      }
    }
    table.cell() << "<a" << href(compare_url(s, comparison, item.run))
                 << ">Remove<span class=\"sr\"> " << text(name_of(s, item.run)) << "</span></a>";
  }
}

void fields_table(Html& h, const Snapshot& s, const resolve::Comparison& comparison) {
  std::vector<std::string> names;
  std::vector<Table::Column> columns = {{"Field", Kind::kHeader}};
  names.reserve(comparison.runs.size());
  for (const auto& item : comparison.runs) names.push_back(name_of(s, item.run));
  for (const std::string& name : names) columns.push_back({name});
  Table table(h, "What must be equal, then what may differ", columns);
  for (const auto& field : comparison.fields) {
    table.row(field.is_material && field.differs);
    Html& name = table.cell();
    name << text(field.field);
    if (field.is_material && field.differs) {
      name << " <span class=\"differs\">differs</span>";
    } else if (field.is_material) {
      name << "<span class=\"small\">must be equal</span>";
    }
    for (const std::string& value : field.values) {
      table.cell() << text(value.empty() ? std::string(display::kMissing) : value);
    }
  }
}

std::string markdown_cell(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '|' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

http::Response as_text(std::string body, std::string_view type) {
  http::Response response;
  response.content_type = type;
  response.body = std::move(body);
  response.cache = http::Cache::kRevalidate;
  return response;
}

// Every cell quoted; first rows "field" and "primary" (spec 10).
http::Response as_csv(const Snapshot& s, const resolve::Comparison& comparison) {
  const auto quoted = [](std::string_view value) {
    std::string out = "\"";
    for (const char c : value) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
  };
  const auto line = [&](std::string_view field, auto&& value_of) {
    std::string out = quoted(field);
    for (std::size_t i = 0; i < comparison.runs.size(); ++i) out += "," + quoted(value_of(i));
    return out + "\r\n";
  };
  std::string out =
      line("field", [&](std::size_t i) { return name_of(s, comparison.runs[i].run); });
  out += line("primary", [&](std::size_t i) { return value_text(s, comparison.runs[i].run); });
  out += line("run",
              [&](std::size_t i) { return views::id_text(s.runs()[comparison.runs[i].run].id); });
  for (const auto& field : comparison.fields) {
    out += line(field.field, [&](std::size_t i) { return field.values[i]; });
  }
  return as_text(std::move(out), "text/csv; charset=utf-8; header=present");
}

http::Response as_markdown(const Snapshot& s, const resolve::Comparison& comparison) {
  std::string out = comparison.explanation + "\n\n| field |";
  for (const auto& item : comparison.runs) out += " " + markdown_cell(name_of(s, item.run)) + " |";
  out += "\n|---|";
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) out += "---|";
  out += "\n| value |";
  for (const auto& item : comparison.runs) out += " " + value_text(s, item.run) + " |";
  for (const auto& field : comparison.fields) {
    out += "\n| " + std::string(field.field) +
           (field.is_material && field.differs ? " (differs)" : "") + " |";
    for (const std::string& value : field.values) out += " " + markdown_cell(value) + " |";
  }
  return as_text(out + "\n", "text/markdown; charset=utf-8");
}

}  // namespace

http::Response compare_page(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  const std::vector<std::string_view> ids = asked(request);
  const resolve::Comparison comparison = resolve::compare(s, ids);
  const std::string_view format = request.query("format").value_or("");
  if (format == "csv") return as_csv(s, comparison);
  if (format == "md") return as_markdown(s, comparison);

  std::string body = "{\"runs\":[";
  std::string command = "ki compare";
  for (const auto& item : comparison.runs) {
    const std::string id = views::id_text(s.runs()[item.run].id);
    if (!body.ends_with('[')) body += ",";
    body += "\"" + id + "\"";
    command += " " + id;
  }
  body += "]}";
  const bool has_runs = comparison.runs.size() >= 2;
  const PageHead head{
      .title = "Compare runs",
      .description = has_runs ? comparison.explanation : "Two to eight runs side by side.",
      .canonical = compare_url(s, comparison),
      .json = has_runs ? std::optional(api({"compare"})) : std::nullopt,
      .json_body = has_runs ? body : std::string(),
      .command = has_runs ? command : std::string(),
      .is_indexed = false};
  Page page(site, head);
  Html& h = page.html();
  h << "<div class=\"head\"><h1>Compare runs</h1></div>\n";
  if (!comparison.missing.empty()) {
    h << "<div class=\"banner warn\" role=\"note\"><p>No published run has the id ";
    for (const std::string& id : comparison.missing) {
      if (&id != comparison.missing.data()) h << ", ";
      h << "<code>" << text(id) << "</code>";
    }
    h << ".</p></div>";
  }
  if (!has_runs) {
    h << "<p class=\"lead\">Mark two to eight rows on a search, operation or record page, or give "
         "ids here. Runs are compared only when operation, workload, protocol, environment, "
         "correctness policy and metric are equal.</p>";
    if (comparison.runs.size() == 1) {
      h << "<p>One run so far: " << text(name_of(s, comparison.runs.front().run)) << ", "
        << text(value_text(s, comparison.runs.front().run)) << ".</p>";
    }
  } else {
    verdict(h, s, comparison);
    picture(h, s, comparison);
    values_table(h, s, comparison);
    fields_table(h, s, comparison);
    const Url here = compare_url(s, comparison);
    h << "<p class=\"act\">Take it along: <a" << href(here.with("format", "md"))
      << ">Markdown</a> · <a" << href(here.with("format", "csv")) << ">CSV</a></p>";
  }
  add_form(h, s, comparison);
  return std::move(page).finish();
}

}  // namespace ki::web
