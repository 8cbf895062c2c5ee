// Serving results (spec 14.5): an overview, comparison groups under a request, one run.
#include "ki/base/text.h"
#include "ki/display/format.h"
#include "ki/display/labels.h"
#include "ki/display/names.h"
#include "ki/json/writer.h"
#include "ki/views/serving.h"
#include "lookup.h"
#include "pages.h"
#include "parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace ki::web {
namespace {

using Kind = Table::Kind;
using views::ServingAnswer;
using views::ServingRequest;
using views::ServingTable;

constexpr std::size_t kGroupsShown = 12;
constexpr std::size_t kRowsShown = 24;
constexpr std::size_t kExcludedShown = 12;
constexpr std::string_view kThroughput = "output_token_throughput_tps";

std::string_view model_name(const Snapshot& s, Index model) {
  return s.text(s.columns().models[model].name);
}
std::string_view model_slug(const Snapshot& s, Index model) {
  return s.text(s.columns().models[model].slug);
}

// 101611 -> "101,611"; what is small keeps its digits.
std::string number_text(double value) {
  return value >= 1000 ? display::count(static_cast<std::int64_t>(value + .5))
                       : fmt::format("{}", value);
}

std::string_view unit_text(std::string_view unit) { return unit == "tokens_s" ? "tokens/s" : unit; }

// The first statistic of a metric that the run reports.
const ServingTable::Measured* first_of(const ServingTable::Run& run, std::string_view metric) {
  const auto found = std::ranges::find(run.measurements, metric, &ServingTable::Measured::metric);
  return found == run.measurements.end() ? nullptr : &*found;
}

std::optional<double> positive(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0)) return std::nullopt;
  return value;
}

// What the address asks; a bound that is no number above 0 is said, not dropped.
ServingRequest read(const http::Request& request, std::vector<std::string>& problems) {
  ServingRequest out;
  const auto value = [&](std::string_view name) {
    return std::string(trim(request.query(name).value_or("")).substr(0, 200));
  };
  out.model = value("model");
  out.workload = value("workload");
  out.hardware = value("hw");
  if (const std::string gpus = value("gpus"); !gpus.empty()) {
    const auto number = positive(gpus);
    if (number && *number <= 1e9) {
      out.count_maximum = static_cast<std::int64_t>(*number);
    } else {
      problems.push_back("“at most accelerators” is no count above 0: " + gpus);
    }
  }
  const std::string objective = value("objective");
  if (objective == "ttft") {
    out.objective = {policy::Direction::kLowerIsBetter, "ttft_ms", "p99"};
  } else if (objective != "none") {
    out.objective = {policy::Direction::kHigherIsBetter, std::string(kThroughput), ""};
  }
  for (const auto& [name, metric] :
       {std::pair<std::string_view, std::string_view>{"ttft", "ttft_ms"}, {"tpot", "tpot_ms"}}) {
    const std::string bound = value(name);
    if (bound.empty()) continue;
    if (const auto number = positive(bound)) {
      out.constraints.push_back({.metric = std::string(metric), .value = *number});
    } else {
      problems.push_back(std::string(name) + " is no number of milliseconds above 0: " + bound);
    }
  }
  out.limit = kGroupsShown;
  return out;
}

void option(Html& h, std::string_view value, std::string_view label, std::string_view chosen) {
  h << "<option" << attr("value", value);
  if (value == chosen) h << " selected";
  h << ">" << text(label) << "</option>";
}

void field(Html& h, std::string_view id, std::string_view name, Markup label,
           std::string_view value) {
  h << "<div><label" << attr("for", id) << ">" << label << "</label><input type=\"text\""
    << attr("id", id) << attr("name", name) << attr("value", value) << " maxlength=\"200\"></div>";
}

void form(Html& h, const Snapshot& s, const ServingTable& table, const http::Request& request) {
  const auto value = [&](std::string_view name) { return request.query(name).value_or(""); };
  h << "<form action=\"/serving\" method=\"get\" class=\"filters\"><div><label "
       "for=\"s-model\">Model</label><select id=\"s-model\" name=\"model\">";
  option(h, "", "any", value("model"));
  for (Index i = 0; i < table.model_runs.size(); ++i) {
    if (table.model_runs[i] != 0) option(h, model_slug(s, i), model_name(s, i), value("model"));
  }
  h << "</select></div><div><label for=\"s-workload\">Workload</label><select id=\"s-workload\" "
       "name=\"workload\">";
  option(h, "", "any", value("workload"));
  for (const auto& workload : table.workloads) {
    if (workload.runs != 0) option(h, workload.slug, workload.name, value("workload"));
  }
  h << "</select></div>";
  field(h, "s-hw", "hw", "Accelerator holds", value("hw"));
  field(h, "s-gpus", "gpus", "At most accelerators", value("gpus"));
  h << "<div><label for=\"s-objective\">Rank by</label><select id=\"s-objective\" "
       "name=\"objective\">";
  const std::string_view objective = value("objective");
  option(h, "throughput", "output tokens a second", objective.empty() ? "throughput" : objective);
  option(h, "ttft", "time to first token, p99", objective);
  option(h, "none", "nothing", objective);
  h << "</select></div>";
  field(h, "s-ttft", "ttft", "TTFT p99 ≤ ms", value("ttft"));
  field(h, "s-tpot", "tpot", "TPOT p99 ≤ ms", value("tpot"));
  h << "<div class=\"act\"><button type=\"submit\">Show</button></div></form>";
}

void overview(Html& h, const Snapshot& s, const ServingTable& table) {
  const auto lines = views::serving_overview(table, s);
  h << "<section aria-labelledby=\"overview\"><h2 id=\"overview\">By model and workload</h2>";
  if (lines.empty()) {
    h << "<p>No serving result is indexed.</p></section>\n";
    return;
  }
  constexpr std::array<Table::Column, 6> kColumns = {{{"Model", Kind::kHeader},
                                                      {"Workload"},
                                                      {"Runs", Kind::kCount},
                                                      {"Configurations", Kind::kCount},
                                                      {"Best reported throughput", Kind::kValue},
                                                      {"By"}}};
  {
    Table rows(h, "Serving results by model and workload", kColumns);
    for (const auto& line : lines) {
      const auto& workload = table.workloads[line.workload];
      rows.row();
      named_link(rows.cell(),
                 Url::path({"serving"})
                     .with("model", model_slug(s, line.model))
                     .with("workload", workload.slug),
                 model_name(s, line.model));
      rows.cell() << text(workload.name);
      rows.cell() << text(display::count(line.runs));
      rows.cell() << text(display::count(line.configurations));
      if (line.best == nullptr) {
        rows.cell() << "not reported";
        rows.cell() << text(display::kMissing);
        continue;
      }
      rows.cell() << "<span class=\"v\">" << text(number_text(line.throughput))
                  << "</span> <span class=\"u\">tokens/s</span>";
      Html& by = rows.cell();
      named_link(by, Url::path({"serving-runs", line.best->id}), line.best->topology());
      by << "<span class=\"small\">"
         << text(table.stacks[table.configurations[line.best->configuration].stack].label())
         << "</span>";
    }
  }
  h << "<p class=\"hint\">The best values of different lines were measured on different hardware: "
       "they say what was reached, not which system is better.</p></section>\n";
}

void value_of(Html& h, const ServingTable::Run& run, std::string_view metric,
              std::string_view statistic) {
  const ServingTable::Measured* m =
      statistic.empty() ? first_of(run, metric) : run.find(metric, statistic);
  if (m == nullptr) {
    h << "not reported";
    return;
  }
  h << "<span class=\"v\">" << text(number_text(m->value)) << "</span> <span class=\"u\">"
    << text(unit_text(m->unit)) << "</span>";
}

void bounds(Html& h, const ServingTable& table, const ServingRequest& request,
            const ServingAnswer::Row& row) {
  bool is_first = true;
  for (std::size_t i = 0; i < row.constraints.size(); ++i) {
    const auto& asked = request.constraints[i];
    if (!is_first) h << "<br>";
    is_first = false;
    h << text(asked.metric) << " " << text(asked.statistic) << ": ";
    if (row.constraints[i].state == policy::ConstraintState::kMeasured) {
      h << text(number_text(row.run->find(asked.metric, asked.statistic)->value)) << " measured";
      continue;
    }
    for (const auto& bound : table.workloads[row.run->workload].slo) {
      if (bound.metric == asked.metric && bound.statistic == asked.statistic)
        h << "≤ " << text(number_text(bound.value)) << " declared by the workload";
    }
  }
}

void group_table(Html& h, const Snapshot& s, const ServingTable& table,
                 const ServingRequest& request, const ServingAnswer::Group& group) {
  const ServingTable::Run& any = *group.any;
  const std::string id = "g-" + any.cohort_key.substr(7, 12);
  h << "<section" << attr("aria-labelledby", id) << "><h2" << attr("id", id) << ">"
    << text(model_name(s, any.model)) << " · " << text(table.workloads[any.workload].name)
    << "</h2><p>" << text(any.topology()) << " · " << text(any.harness) << " · quality "
    << text(display::words(any.quality)) << "</p>";
  const std::string metric =
      request.objective ? request.objective->metric : std::string(kThroughput);
  const std::string statistic = request.objective ? request.objective->statistic : "";
  if (!group.rows.empty()) {
    std::vector<Table::Column> columns = {{"Rank", Kind::kCount},
                                          {"Stack", Kind::kHeader},
                                          {"Configuration"},
                                          {metric, Kind::kValue}};
    if (!request.constraints.empty()) columns.push_back({"Bounds"});
    columns.push_back({"Observed"});
    Table rows(h, "Feasible runs of the group", columns);
    std::size_t shown = 0;
    for (const auto& row : group.rows) {
      if (shown++ == kRowsShown) break;
      const auto& configuration = table.configurations[row.run->configuration];
      rows.row(row.is_on_frontier);
      rows.cell() << text(row.rank ? std::to_string(*row.rank) : std::string(display::kMissing));
      Html& stack = rows.cell();
      named_link(stack, Url::path({"serving-runs", row.run->id}),
                 table.stacks[configuration.stack].label());
      if (row.is_on_frontier) stack << "<span class=\"small\">on the frontier</span>";
      rows.cell() << text(configuration.summary);
      value_of(rows.cell(), *row.run, metric, statistic);
      if (!request.constraints.empty()) bounds(rows.cell(), table, request, row);
      day(rows.cell(), row.run->observed_ms);
    }
  }
  if (group.rows.size() > kRowsShown) {
    h << "<p>"
      << text(display::count_noun(static_cast<std::int64_t>(group.rows.size() - kRowsShown),
                                  "more run"))
      << " in the JSON.</p>";
  }
  if (!group.excluded.empty()) {
    h << "<details><summary>"
      << text(display::count_noun(static_cast<std::int64_t>(group.excluded.size()), "run"))
      << " excluded</summary><ul>";
    std::size_t shown = 0;
    for (const auto& one : group.excluded) {
      if (shown++ == kExcludedShown) break;
      h << "<li><a" << href(Url::path({"serving-runs", one.run->id})) << ">"
        << text(table.configurations[one.run->configuration].summary) << "</a>: ";
      bool is_first = true;
      for (const std::string& reason : one.reasons) {
        if (!is_first) h << ", ";
        is_first = false;
        const bool is_unsaid = reason.starts_with("METRIC_NOT_REPORTED:");
        h << text(reason.substr(reason.find(':') + 1))
          << (is_unsaid ? Markup(" is neither reported nor declared")
                        : Markup(" is above the bound"));
      }
      h << "</li>";
    }
    h << "</ul></details>";
  }
  h << "</section>\n";
}

std::string twin_body(const ServingRequest& request) {
  std::string body;
  json::Writer w(body);
  w.begin_object();
  if (!request.model.empty()) w.member("model", request.model);
  if (!request.workload.empty()) w.member("workload", request.workload);
  if (!request.hardware.empty() || request.count_maximum != 0) {
    w.key("hardware").begin_object();
    if (!request.hardware.empty()) w.member("model", request.hardware);
    if (request.count_maximum != 0) w.member("countMaximum", request.count_maximum);
    w.end_object();
  }
  if (request.objective) {
    w.key("objective").begin_object().member("metric", request.objective->metric);
    if (!request.objective->statistic.empty()) w.member("statistic", request.objective->statistic);
    w.end_object();
  }
  w.key("constraints").begin_array();
  for (const auto& one : request.constraints) {
    w.begin_object().member("metric", one.metric).member("value", one.value).end_object();
  }
  w.end_array().end_object();
  return body;
}

}  // namespace

http::Response serving_page(const Site& site, const http::Request& request) {
  const ServingTable* table = site.catalog.serving_table;
  static const ServingTable kNothing;
  if (table == nullptr) table = &kNothing;
  const Snapshot& s = site.snapshot();
  std::vector<std::string> problems;
  const ServingRequest asked = read(request, problems);
  Url canonical = Url::path({"serving"});
  for (const std::string_view name :
       {"model", "workload", "hw", "gpus", "objective", "ttft", "tpot"})
    canonical = std::move(canonical).with(name, request.query(name).value_or(""));
  const PageHead head{.title = "Serving",
                      .description =
                          "Serving results by model, workload and hardware, never ranked "
                          "with kernels.",
                      .canonical = canonical,
                      .json = Url::path({"api", "v1", "resolve", "serving"}),
                      .json_body = twin_body(asked),
                      .command = "ki serving",
                      .section = Section::kServing,
                      .is_indexed = !asked.is_narrowed()};
  Page page(site, head);
  Html& h = page.html();
  h << "<div class=\"head\"><h1>Serving</h1><p class=\"sub\">Results of whole serving systems, "
       "shown "
       "as their sources published them. They are never ranked with kernels, and no score mixes "
       "them.</p></div>\n";
  form(h, s, *table, request);
  for (const std::string& problem : problems)
    h << "<p class=\"banner warn\" role=\"note\">" << text(problem) << "</p>";
  if (!asked.is_narrowed()) {
    overview(h, s, *table);
    return std::move(page).finish(200, http::Cache::kRevalidate);
  }
  const ServingAnswer answer = views::resolve_serving(*table, s, asked);
  h << "<p>" << text(display::count_noun(static_cast<std::int64_t>(answer.runs_total), "run"))
    << " in "
    << text(display::count_noun(static_cast<std::int64_t>(answer.groups_total), "comparison group"))
    << ". Ranks hold inside one group.";
  if (answer.groups_total > answer.groups.size()) {
    h << " The first " << text(std::to_string(answer.groups.size())) << " are shown.";
  }
  h << "</p>";
  if (answer.groups.empty()) h << "<p>No serving result matches. Widen the request above.</p>";
  for (const auto& group : answer.groups) group_table(h, s, *table, asked, group);
  return std::move(page).finish();
}

http::Response serving_run_page(const Site& site, const http::Request& request) {
  const ServingTable* table = site.catalog.serving_table;
  const auto found = table == nullptr ? Result<const ServingTable::Run*>(fail(Code::kNotFound, ""))
                                      : views::find_serving_run(*table, request.parameter("id"));
  if (!found) {
    return not_found("SERVING_RUN_NOT_FOUND", "No published serving run has this id or digest.");
  }
  const ServingTable::Run& run = **found;
  const Snapshot& s = site.snapshot();
  const auto made = views::serving_dossier(*table, s, *site.catalog.store, run);
  if (!made) return http::Response::of(made.error());
  const auto& configuration = table->configurations[run.configuration];
  const auto& workload = table->workloads[run.workload];
  const std::string stack = table->stacks[configuration.stack].label();
  const PageHead head{.title = "Serving run " + run.id.substr(0, 8),
                      .description = std::string(model_name(s, run.model)) + ", " + workload.name +
                                     " on " + run.topology() + ".",
                      .canonical = Url::path({"serving-runs", run.id}),
                      .json = api({"serving-runs", run.id}),
                      .command = "ki show serving-run " + run.id,
                      .section = Section::kServing};
  Page page(site, head);
  Html& h = page.html();
  h << "<article class=\"run\"><div class=\"head\"><h1>Serving run " << text(run.id.substr(0, 8))
    << "</h1><p class=\"sub\">" << text(model_name(s, run.model)) << " · " << text(workload.name)
    << " · " << text(run.topology()) << "</p><p class=\"tags\"><span class=\"status\">"
    << text(display::words(run.status))
    << "</span> <span class=\"status\">reported</span></p></div>\n";
  if (!run.retracted_at.empty()) {
    h << "<div class=\"banner warn\" role=\"note\"><strong>Retracted.</strong> "
      << text(run.retraction_reason) << "</div>\n";
  }
  if (!run.superseded_by.empty()) {
    h << "<div class=\"banner warn\" role=\"note\"><strong>Superseded</strong> by <a"
      << href(Url::path({"serving-runs", run.superseded_by})) << ">a correction</a>.</div>\n";
  }
  h << "<section aria-labelledby=\"measurements\"><h2 id=\"measurements\">Measurements</h2>";
  {
    Pairs pairs(h);
    for (const auto& m : run.measurements) {
      pairs.add(m.metric + " · " + m.statistic,
                number_text(m.value) + " " + std::string(unit_text(m.unit)));
    }
  }
  h << "</section>\n<section aria-labelledby=\"identity\"><h2 id=\"identity\">Identity</h2>";
  {
    Pairs pairs(h);
    pairs.add_link("model", Url::path({"models", model_slug(s, run.model)}),
                   model_name(s, run.model));
    pairs.add("stack", stack);
    pairs.add("harness", run.harness);
    pairs.add("quality policy", run.quality);
    pairs.add("scenario", run.scenario);
    pairs.add_copy("comparison key", display::short_key(run.cohort_key), run.cohort_key,
                   "Copy the comparison key");
    pairs.add_copy("digest", display::short_digest(run.digest), run.digest, "Copy the digest");
  }
  h << "</section>\n<section aria-labelledby=\"configuration\"><h2 id=\"configuration\">Launch "
       "configuration</h2>";
  {
    Pairs pairs(h);
    pairs.add("configuration", configuration.summary);
    pairs.add("dtype", configuration.dtype);
    pairs.add("quantization", configuration.quantization);
    for (const auto& fact : made->facts) pairs.add(fact.key, fact.value);
  }
  h << "</section>\n<section aria-labelledby=\"workload\"><h2 id=\"workload\">Workload</h2>";
  {
    Pairs pairs(h);
    pairs.add("name", workload.name);
    pairs.add("load", display::words(workload.load_generation));
    pairs.add("streaming", workload.is_streaming ? "yes" : "no");
    for (const auto& bound : workload.slo) {
      pairs.add("declares " + bound.metric + " · " + bound.statistic,
                bound.op + " " + number_text(bound.value));
    }
  }
  h << "</section>\n";
  if (!run.caveats.empty()) {
    h << "<section aria-labelledby=\"caveats\"><h2 id=\"caveats\">Caveats</h2><ul>";
    for (const std::string& caveat : run.caveats) h << "<li>" << text(caveat) << "</li>";
    h << "</ul></section>\n";
  }
  h << "<p class=\"closing\">";
  if (const auto url = Url::external(made->source_url)) {
    named_link(h, *url, made->attribution);
  } else {
    h << text(made->attribution);
  }
  h << " · observed ";
  day(h, run.observed_ms);
  h << " · shown unmodified as published · <a"
    << href(Url::path({"serving"})
                .with("model", model_slug(s, run.model))
                .with("workload", workload.slug))
    << ">All results of this workload →</a></p></article>";
  return std::move(page).finish();
}

}  // namespace ki::web
