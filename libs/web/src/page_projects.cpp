// Projects: libraries, vendors and individual authors; the page of one.
#include "ki/display/names.h"
#include "ki/resolve/describe.h"
#include "ki/views/lists.h"
#include "ki/views/project_view.h"
#include "lookup.h"
#include "pages.h"
#include "parts.h"
#include "record_rows.h"

#include <array>

namespace ki::web {
namespace {

using Kind = Table::Kind;

std::string joined(std::span<const std::string_view> list, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < list.size() && i < most; ++i) {
    if (i != 0) out += ", ";
    out += list[i];
  }
  if (list.size() > most) {
    out += " and " + display::count(static_cast<std::int64_t>(list.size() - most)) + " more";
  }
  return out;
}

void project_table(Html& h, const views::ProjectList& list, std::string_view caption) {
  static constexpr std::array<Table::Column, 7> kColumns = {{{"Project", Kind::kHeader},
                                                             {"Runs", Kind::kCount},
                                                             {"Implementations", Kind::kCount},
                                                             {"Groups led", Kind::kCount},
                                                             {"Gained and lost, 30 days"},
                                                             {"Evidence"},
                                                             {"Hardware"}}};
  Table table(h, caption, kColumns);
  for (const auto& item : list.items) {
    table.row();
    named_link(table.cell(), project_url(item.slug), item.name);
    table.cell() << text(display::count(item.runs));
    table.cell() << text(display::count(item.implementations));
    table.cell() << text(display::count(item.records));
    table.cell() << "+" << text(display::count(item.gained)) << " −"
                 << text(display::count(item.lost));
    evidence(table.cell(), item.best_evidence);
    table.cell() << text(joined(item.hardware, 3));
  }
}

}  // namespace

http::Response projects_page(const Site& site, const http::Request& request) {
  const std::string kind(request.query("kind").value_or(""));
  const std::string sort(request.query("sort").value_or(""));
  Paging paging{.page = page_parameter(request), .size = 50};
  const views::ProjectList list = views::list_projects(
      *site.catalog.ledger,
      {.kind = kind,
       .sort = views::parse_project_sort(sort).value_or(views::ProjectSort::kRuns),
       .offset = paging.offset(),
       .limit = paging.size,
       .now = site.catalog.now});
  paging.total = list.total;
  const Url here = Url::path({"projects"}).with("kind", kind).with("sort", sort);
  const PageHead head{.title = "Projects",
                      .description = "Who wrote the kernels that were measured.",
                      .canonical = here,
                      .json = api({"projects"}),
                      .command = "ki projects",
                      .section = Section::kProjects};
  Page page(site, head);
  Html& h = page.html();
  h << "<div class=\"head\"><h1>Projects</h1></div>\n<ul class=\"chips\" aria-label=\"Kind\">";
  const auto chip = [&](std::string_view value, std::string_view chosen, Markup label,
                        const Url& url) {
    h << "<li><a";
    if (value == chosen) {
      h << " class=\"chip on\" aria-current=\"true\"";
    } else {
      h << " class=\"chip\"";
    }
    h << href(url) << ">" << label << "</a></li>";
  };
  const auto kind_url = [&](std::string_view value) {
    return Url::path({"projects"}).with("kind", value).with("sort", sort);
  };
  chip("", kind, "all", kind_url(""));
  chip("library", kind, "libraries", kind_url("library"));
  chip("vendor", kind, "vendors", kind_url("vendor"));
  chip("individual", kind, "authors", kind_url("individual"));
  h << "</ul><ul class=\"chips\" aria-label=\"Order\">";
  const auto sort_url = [&](std::string_view value) {
    return Url::path({"projects"}).with("kind", kind).with("sort", value);
  };
  chip("", sort, "most runs", sort_url(""));
  chip("records", sort, "most groups led", sort_url("records"));
  chip("gained", sort, "most gained", sort_url("gained"));
  chip("az", sort, "name", sort_url("az"));
  h << "</ul><section aria-labelledby=\"list\"><h2 id=\"list\">"
    << text(display::count_noun(static_cast<std::int64_t>(list.total), "project")) << "</h2>";
  if (list.items.empty()) {
    h << "<p>No project of this kind was measured.</p>";
  } else {
    project_table(h, list, "Projects with eligible runs");
  }
  pager(h, here, paging, "projects");
  h << "</section>\n";
  return std::move(page).finish();
}

http::Response project_page(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  const Index project = s.find_project(request.parameter("slug"));
  if (project == kNone) return not_found("PROJECT_NOT_FOUND", "No project has this name.");
  Paging paging{.page = page_parameter(request)};
  const views::ProjectView view = views::project_view(*site.catalog.ledger, project,
                                                      {.records_limit = paging.size,
                                                       .records_offset = paging.offset(),
                                                       .implementations_limit = paging.size,
                                                       .implementations_offset = paging.offset(),
                                                       .now = site.catalog.now});
  const std::string name(view.name);
  const PageHead head{
      .title = name,
      .description = name + ": " + display::count_noun(view.runs, "eligible run") + ", leads " +
                     display::count_noun(view.records_total, "comparison group") + ".",
      .canonical = project_url(view.slug),
      .json = api({"projects", view.slug}),
      .card = Url::path({"cards", "projects", std::string(view.slug) + ".svg"}),
      .feed = project_url(view.slug).below({"feed.xml"}),
      .command = "ki show project " + std::string(view.slug),
      .section = Section::kProjects,
      .is_illustrative = view.is_illustrative};
  Page page(site, head);
  Html& h = page.html();
  h << "<div class=\"head\"><h1>" << text(name) << "</h1><p class=\"sub\">" << text(view.kind)
    << " · " << text(display::count_noun(view.runs, "eligible run")) << " · "
    << text(display::count_noun(view.implementations_total, "implementation")) << " · leads "
    << text(display::count_noun(view.records_total, "group")) << "</p></div>\n";
  {
    Pairs pairs(h);
    if (const auto url = Url::external(view.url)) {
      pairs.add_link("repository", *url, view.url);
    } else {
      pairs.add("repository", view.url);
    }
    pairs.add("licences", joined(view.licences, 8));
    pairs.add("hardware", joined(view.hardware, 8));
    pairs.add("last 30 days",
              "gained " + display::count(view.gained) + ", lost " + display::count(view.lost));
    for (const auto& source : view.sources) pairs.add("source", source.name);
  }
  h << "<section aria-labelledby=\"records\"><h2 id=\"records\">Groups led: "
    << text(display::count(view.records_total)) << "</h2>";
  if (view.records.items.empty()) {
    h << "<p>It leads no comparison group on this page.</p>";
  } else {
    record_table(h, s, view.records, "Comparison groups that the project leads");
  }
  h << "</section>\n<section aria-labelledby=\"implementations\"><h2 "
       "id=\"implementations\">Implementations: "
    << text(display::count(view.implementations_total)) << "</h2>";
  static constexpr std::array<Table::Column, 5> kColumns = {{{"Implementation", Kind::kHeader},
                                                             {"Operation"},
                                                             {"Runs", Kind::kCount},
                                                             {"Evidence"},
                                                             {"Licence"}}};
  {
    Table table(h, "Implementations of the project, most runs first", kColumns);
    for (const auto& item : view.implementations) {
      table.row();
      Html& title = table.cell();
      named_link(title, implementation_url(item.named.slug), item.named.name);
      if (!item.revision.empty()) {
        title << "<span class=\"small\">" << text(display::revision(item.revision)) << "</span>";
      }
      named_link(table.cell(), operation_url(item.operation.slug), item.operation.name);
      table.cell() << text(display::count(item.runs));
      evidence(table.cell(), item.evidence);
      table.cell() << text(licence_text(s, item.implementation));
    }
  }
  paging.total = std::max<std::size_t>(view.records_total, view.implementations_total);
  pager(h, project_url(view.slug), paging, "lines");
  h << "</section>\n";
  return std::move(page).finish();
}

}  // namespace ki::web
