// Models: kernel tags and serving models, never merged; the page of one.
#include "ki/display/names.h"
#include "ki/resolve/describe.h"
#include "ki/views/lists.h"
#include "lookup.h"
#include "pages.h"
#include "parts.h"
#include "rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace ki::web {
namespace {

using Kind = Table::Kind;

struct Measured {
  Index operation = kNone;
  Index cohort = kNone;  // with most ranked runs on the GPU shown; kNone: a gap
  std::set<std::string_view> measured_on;
};

std::vector<Index> operations_of(const Snapshot& s, std::string_view slug) {
  std::vector<Index> list;
  for (Index i = 0; i < s.operations().size(); ++i) {
    for (const catalog::NameId tag : s.tags(s.operations()[i])) {
      const std::string_view name = s.name(tag);
      if (name.starts_with("model:") && display::model_slug(name.substr(6)) == slug) {
        list.push_back(i);
        break;
      }
    }
  }
  return list;
}

}  // namespace

http::Response models_page(const Site& site, const http::Request& request) {
  (void)request;
  const views::ModelList list = views::list_models(site.snapshot());
  const PageHead head{.title = "Models",
                      .description = "Operations by the model that uses them, and serving results.",
                      .canonical = Url::path({"models"}),
                      .json = api({"models"}),
                      .command = "ki models",
                      .section = Section::kModels};
  Page page(site, head);
  Html& h = page.html();
  h << "<div class=\"head\"><h1>Models</h1></div>\n<section aria-labelledby=\"kernel\"><h2 "
       "id=\"kernel\">Kernels by model</h2>";
  static constexpr std::array<Table::Column, 6> kKernel = {{{"Model", Kind::kHeader},
                                                            {"Operations", Kind::kCount},
                                                            {"Measured", Kind::kCount},
                                                            {"Runs", Kind::kCount},
                                                            {"GPUs", Kind::kCount},
                                                            {"Last observed"}}};
  if (list.kernel.empty()) {
    h << "<p>No operation is tagged with a model.</p>";
  } else {
    Table table(h, "Models that operations are tagged with", kKernel);
    for (const auto& model : list.kernel) {
      table.row();
      named_link(table.cell(), Url::path({"models", display::model_slug(model.model)}),
                 model.model);
      table.cell() << text(display::count(model.operations));
      table.cell() << text(display::count(model.measured));
      table.cell() << text(display::count(model.runs));
      table.cell() << text(display::count(model.gpus));
      day(table.cell(), model.last_observed_ms);
    }
  }
  h << "</section>\n<section aria-labelledby=\"serving\"><h2 id=\"serving\">Serving results by "
       "model</h2>";
  static constexpr std::array<Table::Column, 3> kServing = {
      {{"Model", Kind::kHeader}, {"Parameters"}, {"Serving runs", Kind::kCount}}};
  if (list.serving.empty()) {
    h << "<p>No serving result is indexed.</p>";
  } else {
    Table table(h, "Models with serving results", kServing);
    for (const auto& model : list.serving) {
      table.row();
      named_link(table.cell(), Url::path({"models", model.slug}), model.name);
      table.cell() << text(model.parameters == 0
                               ? std::string("unknown")
                               : display::parameters(static_cast<double>(model.parameters)));
      table.cell() << text(display::count(model.runs));
    }
  }
  h << "</section>\n";
  return std::move(page).finish();
}

http::Response model_page(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  const std::string& slug = request.parameter("slug");
  const views::ModelList models = views::list_models(s);
  const auto serving = std::ranges::find(models.serving, slug, &views::ServingModel::slug);
  const std::vector<Index> operations = operations_of(s, slug);
  if (operations.empty() && serving == models.serving.end()) {
    return not_found("MODEL_NOT_FOUND", "No operation and no serving result names this model.");
  }
  std::map<std::string_view, std::uint32_t> gpus;
  for (const Index operation : operations) {
    for (const Index cohort : s.cohorts_of_operation(operation)) {
      const auto& row = s.cohorts()[cohort];
      if (row.ranked != 0) gpus[product_of(s, row.environment)] += row.ranked;
    }
  }
  std::vector<std::pair<std::string_view, std::uint32_t>> by_runs(gpus.begin(), gpus.end());
  std::ranges::sort(by_runs, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::string_view chosen = by_runs.empty() ? std::string_view() : by_runs.front().first;
  for (const auto& [product, runs] : by_runs) {
    const std::string_view wanted = request.query("gpu").value_or("");
    if (product == wanted || display::hardware_slug(product) == wanted) chosen = product;
  }
  std::vector<Measured> rows;
  for (const Index operation : operations) {
    Measured& row = rows.emplace_back();
    row.operation = operation;
    for (const Index cohort : s.cohorts_of_operation(operation)) {
      const auto& group = s.cohorts()[cohort];
      if (group.ranked == 0) continue;
      const std::string_view product = product_of(s, group.environment);
      row.measured_on.insert(product);
      if (row.cohort == kNone && product == chosen) row.cohort = cohort;
    }
  }
  std::ranges::stable_sort(rows, [&](const Measured& a, const Measured& b) {
    if ((a.cohort == kNone) != (b.cohort == kNone)) return b.cohort == kNone;
    return s.name(s.operations()[a.operation].family) < s.name(s.operations()[b.operation].family);
  });
  const std::string name = serving != models.serving.end() ? std::string(serving->name) : slug;
  const PageHead head{.title = name,
                      .description = "Kernels of " + name +
                                     ": what leads each operation, and "
                                     "what nobody measured.",
                      .canonical = Url::path({"models", slug}),
                      .json = api({"search"}).with("q", "model:" + slug),
                      .command = "ki search model:" + slug,
                      .section = Section::kModels};
  Page page(site, head);
  Html& h = page.html();
  h << "<div class=\"head\"><h1>" << text(name) << "</h1><p class=\"sub\">"
    << text(display::count_noun(static_cast<std::int64_t>(operations.size()), "operation"))
    << " tagged with it · "
    << text(display::count_noun(
           serving != models.serving.end() ? static_cast<std::int64_t>(serving->runs) : 0,
           "serving run"))
    << "</p></div>\n";
  if (by_runs.size() > 1) {
    h << "<ul class=\"chips\" aria-label=\"GPU\">";
    for (const auto& [product, runs] : by_runs) {
      h << "<li><a";
      if (product == chosen) {
        h << " class=\"chip on\" aria-current=\"true\"";
      } else {
        h << " class=\"chip\"";
      }
      h << href(Url::path({"models", slug}).with("gpu", display::hardware_slug(product))) << ">"
        << text(product) << " (" << text(display::count_noun(runs, "run")) << ")</a></li>";
    }
    h << "</ul>";
  }
  if (!rows.empty()) {
    static constexpr std::array<Table::Column, 6> kColumns = {{{"Operation", Kind::kHeader},
                                                               {"Workload"},
                                                               {"First by value"},
                                                               {"Value", Kind::kValue},
                                                               {"Licence"},
                                                               {"Measured elsewhere"}}};
    h << "<section aria-labelledby=\"operations\"><h2 id=\"operations\">Operations on "
      << text(chosen.empty() ? std::string_view("any GPU") : chosen) << "</h2>";
    {
      Table table(h, "Operations of the model; of each the comparison group with most runs",
                  kColumns);
      for (const Measured& row : rows) {
        table.row();
        const auto& operation = s.operations()[row.operation];
        Html& title = table.cell();
        named_link(title, operation_url(s.text(operation.slug)),
                   resolve::operation_name(s, row.operation));
        title << "<span class=\"small\">" << text(s.name(operation.family)) << "</span>";
        if (row.cohort == kNone) {
          table.cell() << text(display::kMissing);
          table.cell() << "not measured here";
          table.cell() << text(display::kMissing);
          table.cell() << text(display::kMissing);
        } else {
          const Index head_run = s.runs_of_cohort(row.cohort).front();
          const auto& run = s.runs()[head_run];
          table.cell() << text(resolve::workload_label(s, run.workload));
          named_link(table.cell(), run_url(s, head_run),
                     resolve::implementation_name(s, run.implementation));
          value_cell(table.cell(), run.value, unit_of(s, head_run));
          table.cell() << text(licence_text(s, run.implementation));
        }
        std::string elsewhere;
        for (const std::string_view product : row.measured_on) {
          if (product == chosen) continue;
          if (!elsewhere.empty()) elsewhere += ", ";
          elsewhere += product;
        }
        table.cell() << text(elsewhere.empty() ? std::string(display::kMissing) : elsewhere);
      }
    }
    h << "</section>\n";
  }
  return std::move(page).finish();
}

}  // namespace ki::web
