// One operation (spec 10 "Operation"): its answer for one comparison group, the workloads and
// groups to choose from, records, sweep and history, implementations, semantics, sources.
#include "ki/display/labels.h"
#include "ki/display/names.h"
#include "ki/display/table.h"
#include "ki/query/hardware.h"
#include "ki/resolve/describe.h"
#include "ki/views/operation_view.h"
#include "ki/views/sweep.h"
#include "lookup.h"
#include "pages.h"
#include "parts.h"
#include "plot.h"
#include "rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace ki::web {
namespace {

using views::OperationView;
using Kind = Table::Kind;

constexpr std::size_t kChips = 8;

Url group_url(const OperationView& view, std::string_view workload, std::string_view cohort) {
  return operation_url(view.slug).with("workload", workload).with("cohort", cohort);
}

// Which of the GPUs that people ask for most have no run of this operation.
std::vector<std::string_view> unmeasured_gpus(const Snapshot& s, Index operation) {
  std::vector<std::string_view> missing;
  for (const std::string_view wanted : {std::string_view("H100"), std::string_view("B200")}) {
    const query::Gpu gpu = query::parse_gpu(wanted);
    const bool is_measured =
        std::ranges::any_of(s.cohorts_of_operation(operation), [&](Index cohort) {
          const auto& row = s.cohorts()[cohort];
          return row.ranked != 0 &&
                 query::match_gpu(gpu, query::parse_gpu(product_of(s, row.environment))) !=
                     query::GpuMatch::kNoMatch;
        });
    if (!is_measured) missing.push_back(wanted);
  }
  return missing;
}

void answer(Html& h, const Snapshot& s, const OperationView& view) {
  h << "<section class=\"answer\" aria-labelledby=\"answer\"><h2 id=\"answer\">Answer</h2>";
  if (!view.group) {
    h << "<p class=\"lead\">Nothing of this operation was measured.</p></section>\n";
    return;
  }
  h << "<p class=\"lead\">"
    << text(display::count_noun(static_cast<std::int64_t>(view.records_total), "ranked run"))
    << " in the comparison group shown.</p>";
  cohort_facts(h, s, view.group->cohort);
  if (!view.records.empty()) {
    const Index head = view.records.front().run;
    h << "<div class=\"slots\">";
    answer_slot(h, s, {.label = leader_label(s, head, view.records_total), .run = head});
    h << "<div class=\"slot\"><h3>How it was measured</h3><p>"
      << text(resolve::protocol_text(s, s.cohorts()[view.group->cohort].protocol)) << "</p><p>"
      << "Ranks: ranking-v1, the order of reported values, not tested.</p>";
    const auto missing = unmeasured_gpus(s, view.operation);
    if (!missing.empty()) {
      h << "<h3>Not measured here</h3><p>";
      for (const std::string_view gpu : missing) {
        if (gpu != missing.front()) h << ", ";
        h << text(gpu);
      }
      h << "</p>";
    }
    h << "</div></div>";
  }
  h << "</section>\n";
}

// ---- workloads

struct AxisUse {
  std::string_view name = {};
  std::set<std::int64_t> values = {};
  std::size_t workloads = 0;
};

// Axes by how much they vary, "seed" last; those with one value everywhere are constants.
std::vector<AxisUse> axes_of(const OperationView& view, std::size_t& cases) {
  std::vector<AxisUse> axes;
  cases = 0;
  for (const auto& workload : view.workloads) {
    if (workload.axes.empty()) continue;
    ++cases;
    for (const auto& [name, value] : workload.axes) {
      auto found = std::ranges::find(axes, name, &AxisUse::name);
      if (found == axes.end()) found = axes.insert(axes.end(), AxisUse{.name = name});
      found->values.insert(value);
      ++found->workloads;
    }
  }
  std::ranges::stable_sort(axes, [](const AxisUse& a, const AxisUse& b) {
    if ((a.name == "seed") != (b.name == "seed")) return b.name == "seed";
    return a.values.size() > b.values.size();
  });
  return axes;
}

void workload_chips(Html& h, const OperationView& view) {
  h << "<ul class=\"chips\">";
  for (const auto& workload : view.workloads) {
    h << "<li><a";
    if (workload.workload == view.selected_workload) {
      h << " class=\"chip on\" aria-current=\"true\"";
    } else {
      h << " class=\"chip\"";
    }
    h << href(group_url(view, workload.id, "")) << ">" << text(workload.label) << " <span>("
      << text(display::count_noun(workload.runs, "run")) << ")</span></a></li>";
  }
  h << "</ul>";
}

void workload_table(Html& h, const OperationView& view) {
  std::size_t cases = 0;
  const std::vector<AxisUse> axes = axes_of(view, cases);
  std::string constants;
  std::vector<const AxisUse*> varying;
  for (const AxisUse& axis : axes) {
    if (axis.values.size() == 1 && axis.workloads == cases) {
      if (!constants.empty()) constants += " · ";
      constants += std::string(axis.name) + " = " + display::count(*axis.values.begin());
    } else if (varying.size() < 6) {
      varying.push_back(&axis);
    }
  }
  if (!constants.empty()) h << "<p class=\"hint\">In every case: " << text(constants) << "</p>";
  std::vector<Table::Column> columns = {{"Workload", Kind::kHeader}};
  for (const AxisUse* axis : varying) columns.push_back({axis->name, Kind::kCount});
  columns.push_back({"Runs", Kind::kCount});
  Table table(h, "Workloads of the operation, most runs first", columns);
  for (const auto& workload : view.workloads) {
    const bool is_shown = workload.workload == view.selected_workload;
    table.row(is_shown);
    Html& name = table.cell();
    named_link(name, group_url(view, workload.id, ""), workload.label);
    if (is_shown) name << "<span class=\"small\">shown</span>";
    for (const AxisUse* axis : varying) {
      const auto found = std::ranges::find(workload.axes, axis->name,
                                           &std::pair<std::string_view, std::int64_t>::first);
      table.cell() << text(found == workload.axes.end() ? std::string(display::kMissing)
                                                        : display::count(found->second));
    }
    table.cell() << text(display::count(workload.runs));
  }
}

void workloads(Html& h, const OperationView& view) {
  if (view.workloads.empty()) return;
  h << "<section aria-labelledby=\"workloads\"><h2 id=\"workloads\">Workloads: "
    << text(display::count(static_cast<std::int64_t>(view.workloads_total))) << "</h2>";
  if (view.workloads.size() <= kChips) {
    workload_chips(h, view);
  } else {
    h << "<details><summary>Choose another workload</summary>";
    workload_table(h, view);
    h << "</details>";
  }
  if (view.workloads_total > view.workloads.size()) {
    h << "<p class=\"hint\">The "
      << text(display::count(static_cast<std::int64_t>(view.workloads.size())))
      << " with most runs are shown; <a" << href(search_url("op:" + std::string(view.slug)))
      << ">search</a> finds the others by their axes.</p>";
  }
  h << "</section>\n";
}

void groups(Html& h, const Snapshot& s, const OperationView& view) {
  if (view.group_options.empty()) return;
  static constexpr std::array<Table::Column, 4> kColumns = {
      {{"Environment", Kind::kHeader}, {"Runs", Kind::kCount}, {"Lowest", Kind::kValue}, {"By"}}};
  h << "<section aria-labelledby=\"groups\"><h2 id=\"groups\">Where this workload was "
       "measured</h2><p class=\"hint\">One line a comparison group. Values of different groups "
       "are not comparable.</p>";
  {
    Table table(h, "Comparison groups of the workload", kColumns);
    for (const auto& option : view.group_options) {
      const bool is_shown = view.group && option.cohort == view.group->cohort;
      table.row(is_shown);
      Html& name = table.cell();
      named_link(name, group_url(view, "", option.comparison_key), option.label);
      if (is_shown) name << "<span class=\"small\">shown</span>";
      table.cell() << text(display::count(option.runs));
      Html& value = table.cell();
      if (option.head == kNone) {
        value << text(display::kMissing);
        table.cell() << text(display::kMissing);
        continue;
      }
      value_cell(value, s.runs()[option.head].value, unit_of(s, option.head));
      Html& by = table.cell();
      named_link(by, run_url(s, option.head),
                 resolve::implementation_name(s, s.runs()[option.head].implementation));
    }
  }
  h << "</section>\n";
}

// ---- records of the group

void records(Html& h, const Snapshot& s, const OperationView& view) {
  if (!view.group || view.records.empty()) return;
  h << "<section aria-labelledby=\"records\"><h2 id=\"records\">Runs of this group</h2>";
  std::vector<double> values;
  for (const Index run :
       s.runs_of_cohort(view.group->cohort).first(s.cohorts()[view.group->cohort].ranked)) {
    values.push_back(s.runs()[run].value);
  }
  if (values.size() >= 3) {
    h << "<figure class=\"plot\"><figcaption>Values of the group: each dot one run, the leader "
         "marked. The table below holds the same values.</figcaption>";
    strip_plot(h, {.id = "strip",
                   .title = "Distribution of the values of this comparison group",
                   .unit = unit_of(s, view.records.front().run),
                   .values = values,
                   .marked = values.front()});
    h << "</figure>";
  }
  begin_compare(h);
  ranked_table(h, s, view.records, view.records.front().value,
               "Runs of the comparison group in rank order");
  end_compare(h);
  const Url all =
      search_url("op:" + std::string(view.slug)).with("cohort", view.group->comparison_key);
  h << "<p>";
  if (view.records_total > view.records.size()) {
    h << "<a" << href(all) << ">All "
      << text(display::count(static_cast<std::int64_t>(view.records_total))) << " runs</a> · ";
  }
  h << "<a"
    << href(operation_url(view.slug).below({"runs.csv"}).with("cohort", view.group->comparison_key))
    << ">CSV</a></p></section>\n";
}

void history(Html& h, const Site& site, const OperationView& view) {
  if (!view.group) return;
  const Snapshot& s = site.snapshot();
  const Index at = site.catalog.ledger->holder_of(view.group->cohort);
  if (at == kNone) return;
  const auto& holder = site.catalog.ledger->holders()[at];
  const auto steps = site.catalog.ledger->steps(holder);
  h << "<section aria-labelledby=\"history\"><h2 id=\"history\">Record history</h2>";
  if (steps.size() < 2) {
    h << "<p>One leader so far: nobody has been displaced in this group.</p></section>\n";
    return;
  }
  std::vector<StepPoint> points;
  for (const auto& step : steps) {
    points.push_back({.at_ms = s.events()[step.event].at_ms,
                      .value = s.runs()[step.run].value,
                      .is_break = step.kind == policy::StepKind::kBreak});
  }
  h << "<figure class=\"plot\"><figcaption>Lowest value over time; the other colour marks a change "
       "of project by 0.5 % or more.</figcaption>";
  staircase_plot(h, {.id = "stairs",
                     .title = "Record history of this comparison group",
                     .unit = unit_of(s, holder.run),
                     .steps = points,
                     .until_ms = site.catalog.now.ms});
  h << "</figure><details><summary>The same as a table</summary>";
  {
    static constexpr std::array<Table::Column, 4> kColumns = {{{"Observed", Kind::kHeader},
                                                               {"Implementation"},
                                                               {"Value", Kind::kValue},
                                                               {"Better by", Kind::kValue}}};
    Table table(h, "Leaders of the group, newest first", kColumns);
    for (std::size_t i = steps.size(); i-- > 0;) {
      const auto& step = steps[i];
      table.row();
      day(table.cell(), points[i].at_ms);
      named_link(table.cell(), run_url(s, step.run),
                 resolve::implementation_name(s, s.runs()[step.run].implementation));
      value_cell(table.cell(), points[i].value, unit_of(s, step.run));
      table.cell() << text(step.kind == policy::StepKind::kFirst
                               ? std::string(display::kMissing)
                               : display::improvement(step.improvement * 100.0));
    }
  }
  h << "</details><p><a"
    << href(operation_url(view.slug)
                .below({"history.csv"})
                .with("cohort", view.group->comparison_key))
    << ">CSV</a></p></section>\n";
}

void sweep(Html& h, const Snapshot& s, const OperationView& view) {
  if (!view.group) return;
  const auto found = views::find_sweep(s, view.group->cohort);
  if (!found) return;
  const auto& metric = s.metrics()[found->metric];
  std::vector<PlotSeries> series;
  for (const views::SweepSeries& line : found->series) {
    if (series.size() == views::kSweepShown) break;
    PlotSeries& out = series.emplace_back();
    out.name = resolve::implementation_name(s, line.implementation);
    for (const views::SweepPoint& point : line.points) {
      out.points.push_back({.x = static_cast<double>(point.x), .y = point.value});
    }
  }
  const std::string axis(found->axis);
  h << "<section aria-labelledby=\"sweep\"><h2 id=\"sweep\">Over " << text(axis)
    << "</h2><figure class=\"plot\"><figcaption>" << text(s.name(metric.metric)) << " ("
    << text(s.name(metric.statistic)) << ") over " << text(axis) << " on "
    << text(product_of(s, s.cohorts()[view.group->cohort].environment))
    << ", all else equal; both axes logarithmic. Each point is the best run of one comparison "
       "group.";
  if (found->series.size() > series.size()) {
    h << " "
      << text(display::count(static_cast<std::int64_t>(found->series.size() - series.size())))
      << " more implementations are in the CSV.";
  }
  h << "</figcaption>";
  sweep_plot(h, {.id = "sweep-plot",
                 .title = "Values over " + axis + ", one line an implementation",
                 .x_label = axis,
                 .y_unit = s.name(metric.unit),
                 .series = series});
  h << "</figure><details><summary>The same as a table</summary>";
  {
    std::vector<Table::Column> columns = {{axis, Kind::kHeader}};
    for (const PlotSeries& line : series) columns.push_back({line.name, Kind::kValue});
    Table table(h, "Values over " + axis, columns);
    std::map<double, std::vector<std::optional<double>>> rows;
    for (std::size_t i = 0; i < series.size(); ++i) {
      for (const PlotPoint& point : series[i].points) {
        auto& row = rows[point.x];
        row.resize(series.size());
        row[i] = point.y;
      }
    }
    for (auto& [x, row] : rows) {
      row.resize(series.size());
      table.row();
      table.cell() << text(display::count(static_cast<std::int64_t>(x)));
      for (const auto& value : row) value_cell(table.cell(), value, s.name(metric.unit));
    }
  }
  h << "</details><p><a"
    << href(
           operation_url(view.slug).below({"sweep.csv"}).with("cohort", view.group->comparison_key))
    << ">CSV</a></p></section>\n";
}

void implementations(Html& h, const Snapshot& s, const OperationView& view) {
  if (view.implementations.empty()) return;
  static constexpr std::array<Table::Column, 6> kColumns = {{{"Implementation", Kind::kHeader},
                                                             {"Project"},
                                                             {"Evidence"},
                                                             {"Runs", Kind::kCount},
                                                             {"Lowest in this group", Kind::kValue},
                                                             {"Licence"}}};
  h << "<section aria-labelledby=\"implementations\"><h2 id=\"implementations\">Implementations: "
    << text(display::count(static_cast<std::int64_t>(view.implementations_total))) << "</h2>";
  {
    Table table(h, "Implementations, those measured in the shown group first", kColumns);
    for (const auto& item : view.implementations) {
      table.row();
      named_link(table.cell(), implementation_url(item.named.slug), item.named.name);
      named_link(table.cell(), project_url(item.project.slug), item.project.name);
      evidence(table.cell(), item.evidence);
      table.cell() << text(display::count(item.runs));
      Html& value = table.cell();
      if (item.best_run == kNone) {
        value << text(display::kMissing);
      } else {
        value_cell(value, s.runs()[item.best_run].value, unit_of(s, item.best_run));
      }
      table.cell() << text(licence_text(s, item.implementation));
    }
  }
  if (view.implementations_total > view.implementations.size()) {
    h << "<p class=\"hint\">The first "
      << text(display::count(static_cast<std::int64_t>(view.implementations.size())))
      << " are shown; the JSON of this page has all.</p>";
  }
  h << "</section>\n";
}

void arguments(Html& h, std::string_view caption, std::span<const OperationView::Argument> list) {
  if (list.empty()) return;
  static constexpr std::array<Table::Column, 4> kColumns = {
      {{"Name", Kind::kHeader}, {"dtype"}, {"Shape"}, {"Layout"}}};
  Table table(h, caption, kColumns, true);
  for (const auto& argument : list) {
    table.row();
    table.cell() << text(argument.name);
    table.cell() << text(argument.dtype);
    table.cell() << "<span class=\"id\">" << text(argument.is_tensor ? argument.shape : "scalar")
                 << "</span>";
    table.cell() << text(argument.layout.empty() ? display::kMissing : argument.layout);
  }
}

void semantics(Html& h, const OperationView& view) {
  h << "<section aria-labelledby=\"semantics\"><h2 id=\"semantics\">Semantics</h2>";
  if (!view.summary.empty()) h << "<p>" << text(view.summary) << "</p>";
  if (!view.expression.empty() && view.expression != view.summary) {
    h << "<pre tabindex=\"0\" role=\"region\" aria-label=\"Expression\">" << text(view.expression)
      << "</pre>";
  }
  arguments(h, "Inputs", view.inputs);
  arguments(h, "Outputs", view.outputs);
  if (!view.axes.empty()) {
    static constexpr std::array<Table::Column, 3> kColumns = {
        {{"Axis", Kind::kHeader}, {"Role"}, {"Value or constraint"}}};
    Table table(h, "Axes", kColumns, true);
    for (const auto& axis : view.axes) {
      table.row();
      table.cell() << text(axis.name);
      table.cell() << text(axis.role);
      std::string value = axis.value ? display::count(*axis.value) : axis.constraint;
      table.cell() << text(value.empty() ? std::string(display::kMissing) : value);
    }
  }
  if (!view.determinism.empty() || !view.constraints.empty()) {
    Pairs pairs(h);
    pairs.add("determinism", view.determinism);
    for (const std::string& constraint : view.constraints) pairs.add("constraint", constraint);
  }
  h << "</section>\n";
}

void identity(Html& h, const OperationView& view) {
  h << "<section aria-labelledby=\"identity\"><h2 id=\"identity\">Identity</h2>";
  {
    Pairs pairs(h);
    if (!view.family.empty()) {
      pairs.add_link("family", search_url("family:" + std::string(view.family)), view.family);
    }
    pairs.add("slug", view.slug);
    std::string aliases;
    for (const std::string_view alias : view.aliases) {
      if (!aliases.empty()) aliases += ", ";
      aliases += alias;
    }
    pairs.add("also called", aliases);
    for (const std::string_view model : view.models) {
      pairs.add_link("model", Url::path({"models", display::model_slug(model)}), model);
    }
    for (const auto& equivalent : view.equivalents) {
      pairs.add_link(display::words(equivalent.relation), operation_url(equivalent.named.slug),
                     equivalent.named.name);
    }
    pairs.add_copy("semantic digest", display::short_digest(view.semantic_digest),
                   view.semantic_digest, "Copy the semantic digest");
    for (const auto& source : view.sources) pairs.add("source", source.name);
  }
  h << "</section>\n";
}

struct Chosen {
  Index operation = kNone;
  Index workload = kNone;
  Index cohort = kNone;
};

std::expected<Chosen, http::Response> choose(const Snapshot& s, const http::Request& request) {
  Chosen chosen{.operation = find_operation(s, request.parameter("slug"))};
  if (chosen.operation == kNone) {
    return std::unexpected(not_found("OPERATION_NOT_FOUND", "No operation has this name."));
  }
  if (const auto id = request.query("workload"); id && !id->empty()) {
    chosen.workload = find_workload(s, *id);
    if (chosen.workload == kNone || s.workloads()[chosen.workload].operation != chosen.operation) {
      return std::unexpected(
          not_found("WORKLOAD_NOT_FOUND", "This operation has no workload with this id."));
    }
  }
  if (const auto key = request.query("cohort"); key && !key->empty()) {
    chosen.cohort = find_cohort(s, *key);
    if (chosen.cohort == kNone || s.cohorts()[chosen.cohort].operation != chosen.operation) {
      return std::unexpected(
          not_found("COHORT_NOT_FOUND", "This operation has no comparison group with this key."));
    }
  }
  return chosen;
}

http::Response csv(std::string text) {
  http::Response response;
  response.content_type = "text/csv; charset=utf-8; header=present";
  response.body = std::move(text);
  response.cache = http::Cache::kRevalidate;
  return response;
}

// The group that a CSV is of: the one named, else the one that the page shows first.
std::expected<Index, http::Response> csv_group(const Site& site, const http::Request& request) {
  auto chosen = choose(site.snapshot(), request);
  if (!chosen) return std::unexpected(std::move(chosen).error());
  if (chosen->cohort != kNone) return chosen->cohort;
  const auto groups = site.snapshot().cohorts_of_operation(chosen->operation);
  if (groups.empty()) {
    return std::unexpected(
        not_found("COHORT_NOT_FOUND", "Nothing of this operation was measured."));
  }
  return groups.front();
}

}  // namespace

http::Response operation_page(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  auto chosen = choose(s, request);
  if (!chosen) return std::move(chosen).error();
  const auto made = views::operation_view(s, *site.catalog.store, chosen->operation,
                                          {.workload = chosen->workload,
                                           .cohort = chosen->cohort,
                                           .records_limit = 25,
                                           .workloads_limit = 40,
                                           .implementations_limit = 25,
                                           .now = site.catalog.now});
  if (!made) return http::Response::of(made.error());
  const OperationView& view = *made;
  const std::string workload(request.query("workload").value_or(""));
  const std::string cohort(request.query("cohort").value_or(""));
  const auto runs = s.operations()[chosen->operation].eligible_runs;
  const PageHead head{
      .title = view.name,
      .description = view.name + ": " + display::count_noun(runs, "ranked run") + " of " +
                     display::count_noun(static_cast<std::int64_t>(view.implementations_total),
                                         "implementation") +
                     ".",
      .canonical = group_url(view, workload, cohort),
      .json = api({"operations", view.slug}).with("workload", workload).with("cohort", cohort),
      .card = Url::path({"cards", "operations", std::string(view.slug) + ".svg"}),
      .feed = operation_url(view.slug).below({"feed.xml"}),
      .command = "ki show operation " + std::string(view.slug),
      .section = Section::kSearch,
      .is_illustrative = view.is_illustrative};
  Page page(site, head);
  Html& h = page.html();
  h << "<div class=\"head\"><h1>" << text(view.name) << "</h1><p class=\"sub\">"
    << text(view.family) << " · " << text(display::count_noun(runs, "ranked run")) << " · "
    << text(display::count_noun(static_cast<std::int64_t>(view.workloads_total), "workload"))
    << " · "
    << text(display::count_noun(static_cast<std::int64_t>(view.implementations_total),
                                "implementation"));
  if (view.last_observed_ms != 0) {
    h << " · last observed ";
    day(h, view.last_observed_ms);
  }
  h << "</p></div>\n";
  answer(h, s, view);
  workloads(h, view);
  groups(h, s, view);
  records(h, s, view);
  sweep(h, s, view);
  history(h, site, view);
  implementations(h, s, view);
  semantics(h, view);
  identity(h, view);
  return std::move(page).finish();
}

http::Response group_runs_csv(const Site& site, const http::Request& request) {
  const auto group = csv_group(site, request);
  if (!group) return group.error();
  const Snapshot& s = site.snapshot();
  std::string out = display::csv_line({"rank", "run", "implementation", "revision", "value", "unit",
                                       "statistic", "evidence", "observed"});
  const auto& cohort = s.cohorts()[*group];
  for (const Index index : s.runs_of_cohort(*group).first(cohort.ranked)) {
    const auto& run = s.runs()[index];
    const auto& code = s.implementations()[run.implementation];
    out += display::csv_line(
        {display::to_fixed(run.rank, 0), views::id_text(run.id), std::string(s.text(code.slug)),
         std::string(s.text(code.revision)), number_cell(run.value), std::string(unit_of(s, index)),
         std::string(statistic_of(s, index)),
         std::string(policy::to_string(static_cast<policy::EvidenceLevel>(run.evidence))),
         Instant{run.observed_ms}.to_string()});
  }
  return csv(std::move(out));
}

http::Response history_csv(const Site& site, const http::Request& request) {
  const auto group = csv_group(site, request);
  if (!group) return group.error();
  const Snapshot& s = site.snapshot();
  std::string out =
      display::csv_line({"observed", "run", "implementation", "value", "unit", "kind"});
  if (const Index at = site.catalog.ledger->holder_of(*group); at != kNone) {
    for (const auto& step : site.catalog.ledger->steps(site.catalog.ledger->holders()[at])) {
      const auto& run = s.runs()[step.run];
      out += display::csv_line({Instant{s.events()[step.event].at_ms}.to_string(),
                                views::id_text(run.id),
                                std::string(s.text(s.implementations()[run.implementation].slug)),
                                number_cell(run.value), std::string(unit_of(s, step.run)),
                                std::string(policy::to_string(step.kind))});
    }
  }
  return csv(std::move(out));
}

http::Response sweep_csv(const Site& site, const http::Request& request) {
  const auto group = csv_group(site, request);
  if (!group) return group.error();
  const Snapshot& s = site.snapshot();
  const auto found = views::find_sweep(s, *group);
  if (!found) {
    return not_found("SWEEP_NOT_FOUND", "No axis of this workload has three measured values.");
  }
  std::string out =
      display::csv_line({std::string(found->axis), "implementation", "run", "value", "unit"});
  for (const views::SweepSeries& line : found->series) {
    for (const views::SweepPoint& point : line.points) {
      out += display::csv_line({display::to_fixed(static_cast<double>(point.x), 0),
                                std::string(s.text(s.implementations()[line.implementation].slug)),
                                views::id_text(s.runs()[point.run].id), number_cell(point.value),
                                std::string(s.name(s.metrics()[found->metric].unit))});
    }
  }
  return csv(std::move(out));
}

}  // namespace ki::web
