// Models: kernel tags and serving models, never merged; the page of one.
#include "ki/display/names.h"
#include "ki/resolve/describe.h"
#include "ki/views/lists.h"
#include "ki/views/model_view.h"
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
      Html& name = table.cell();
      named_link(name, Url::path({"models", model.slug}), model.name);
      name << " <span class=\"small\"><a" << href(Url::path({"serving"}).with("model", model.slug))
           << ">serving results</a></span>";
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
  const auto found = views::model_view(
      s, slug, {.gpu = request.query("gpu").value_or(""), .now = site.catalog.now});
  if (!found) {
    return not_found("MODEL_NOT_FOUND", "No operation and no serving result names this model.");
  }
  const views::ModelView& view = *found;
  const std::string name = view.serving ? std::string(view.serving->name) : slug;
  const PageHead head{.title = name,
                      .description = "Kernels of " + name +
                                     ": what leads each operation, and "
                                     "what nobody measured.",
                      .canonical = Url::path({"models", slug}),
                      .json = api({"models", slug}),
                      .command = "ki show model " + slug,
                      .section = Section::kModels};
  Page page(site, head);
  Html& h = page.html();
  h << "<div class=\"head\"><h1>" << text(name) << "</h1><p class=\"sub\">"
    << text(display::count_noun(static_cast<std::int64_t>(view.operations), "operation"))
    << " tagged with it · " << text(display::count_noun(view.runs, "run")) << " · "
    << text(display::count_noun(view.serving ? view.serving->runs : 0, "serving run"))
    << "</p></div>\n";
  if (!view.related_tags.empty()) {
    h << "<p>Related: ";
    for (const std::string_view tag : view.related_tags) {
      if (tag != view.related_tags.front()) h << ", ";
      named_link(h, Url::path({"models", display::model_slug(tag)}), tag);
    }
    h << "</p>\n";
  }
  if (view.gpus.size() > 1) {
    h << "<ul class=\"chips\" aria-label=\"GPU\">";
    for (const views::ModelView::Gpu& gpu : view.gpus) {
      h << "<li><a";
      if (gpu.product == view.selected_gpu) {
        h << " class=\"chip on\" aria-current=\"true\"";
      } else {
        h << " class=\"chip\"";
      }
      h << href(Url::path({"models", slug}).with("gpu", display::hardware_slug(gpu.product))) << ">"
        << text(gpu.product) << " (" << text(display::count_noun(gpu.runs, "run")) << ")</a></li>";
    }
    h << "</ul>";
  }
  if (!view.groups.empty()) {
    static constexpr std::array<Table::Column, 6> kColumns = {{{"Operation", Kind::kHeader},
                                                               {"Workload"},
                                                               {"First by value"},
                                                               {"Value", Kind::kValue},
                                                               {"First that can be used"},
                                                               {"Runs", Kind::kCount}}};
    h << "<section aria-labelledby=\"operations\"><h2 id=\"operations\">Operations on "
      << text(view.selected_gpu) << "</h2>";
    Table table(h, "Operations of the model; of each the comparison group with most runs",
                kColumns);
    for (const views::ModelView::Group& group : view.groups) {
      for (const views::ModelView::Entry& entry : group.entries) {
        table.row();
        Html& title = table.cell();
        named_link(title, operation_url(s.text(s.operations()[entry.operation].slug)),
                   resolve::operation_name(s, entry.operation));
        title << "<span class=\"small\">" << text(group.family) << "</span>";
        table.cell() << text(resolve::workload_label(s, s.cohorts()[entry.cohort].workload));
        named_link(table.cell(), run_url(s, entry.fastest.run),
                   resolve::implementation_name(s, entry.fastest.implementation));
        value_cell(table.cell(), s.runs()[entry.fastest.run].value, unit_of(s, entry.fastest.run));
        Html& usable = table.cell();
        if (entry.deployable) {
          named_link(usable, run_url(s, entry.deployable->run),
                     resolve::implementation_name(s, entry.deployable->implementation));
        } else {
          usable << "none: no source, recipe or licence";
        }
        table.cell() << text(display::count(s.cohorts()[entry.cohort].ranked));
      }
    }
  }
  if (!view.groups.empty()) h << "</section>\n";
  if (!view.gaps.empty()) {
    static constexpr std::array<Table::Column, 3> kColumns = {
        {{"Operation", Kind::kHeader}, {"Family"}, {"Measured on"}}};
    h << "<section aria-labelledby=\"gaps\"><h2 id=\"gaps\">Not measured"
      << text(view.selected_gpu.empty() ? std::string() : " on " + std::string(view.selected_gpu))
      << "</h2>";
    {
      Table table(h, "Operations of the model without a ranked run there", kColumns);
      for (const views::ModelView::Gap& gap : view.gaps) {
        table.row();
        named_link(table.cell(), operation_url(s.text(s.operations()[gap.operation].slug)),
                   resolve::operation_name(s, gap.operation));
        table.cell() << text(s.name(s.operations()[gap.operation].family));
        std::string elsewhere;
        for (const std::string_view gpu : gap.measured_on) {
          if (!elsewhere.empty()) elsewhere += ", ";
          elsewhere += gpu;
        }
        table.cell() << text(elsewhere.empty() ? std::string("nothing indexed") : elsewhere);
      }
    }
    h << "</section>\n";
  }
  return std::move(page).finish();
}

}  // namespace ki::web
