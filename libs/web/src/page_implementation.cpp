// One implementation (spec 10 "Implementation"): whether it can be used, how, where it was
// measured, its source and its limits.
#include "ki/display/labels.h"
#include "ki/display/names.h"
#include "ki/resolve/describe.h"
#include "ki/views/implementation_view.h"
#include "lookup.h"
#include "pages.h"
#include "parts.h"

#include <array>

namespace ki::web {
namespace {

using views::ImplementationView;
using Kind = Table::Kind;

std::string_view reason_text(std::string_view code) {
  if (code == "NO_PUBLIC_SOURCE") return "its source is not public";
  if (code == "NO_INSTALL_RECIPE") return "there is no install recipe";
  if (code == "LICENSE_UNKNOWN") return "no licence was concluded";
  return code;
}

std::string verdict(const ImplementationView& view) {
  if (view.not_deployable_because.empty()) return "Can be installed.";
  std::string out = view.is_vendorable ? "Can be copied into your own tree, not installed: "
                                       : "Cannot be deployed as it stands: ";
  for (const std::string_view code : view.not_deployable_because) {
    if (code != view.not_deployable_because.front()) out += ", ";
    out += reason_text(code);
  }
  return out + ".";
}

std::string joined(std::span<const std::string> texts) {
  std::string out;
  for (const std::string& item : texts) {
    if (!out.empty()) out += ", ";
    out += item;
  }
  return out;
}

std::string joined(std::span<const std::string_view> texts) {
  std::string out;
  for (const std::string_view item : texts) {
    if (!out.empty()) out += ", ";
    out += item;
  }
  return out;
}

void use(Html& h, const ImplementationView& view) {
  h << "<section class=\"answer\" aria-labelledby=\"use\"><h2 id=\"use\">Use</h2><p class=\"lead\">"
    << text(verdict(view)) << "</p>";
  if (!view.install_command.empty()) {
    h << "<p>";
    copy_line(h, view.install_command, "Copy the install command");
    h << "</p>";
  } else if (view.source_code && !view.source_code->uri.empty()) {
    if (const auto url = Url::external(view.source_code->uri)) {
      h << "<p>";
      copy_line(h, "curl -LO " + url->text(), "Copy the download command");
      h << "</p>";
    }
  }
  {
    Pairs pairs(h);
    pairs.add("language", view.interface.language);
    pairs.add("interface", view.interface.framework);
    pairs.add("symbol", view.interface.symbol);
    pairs.add("path", view.interface.source_path);
    pairs.add("pinned revision", view.revision);
    for (const views::KeyValue& item : view.requirements) {
      pairs.add("requires " + item.key, item.value);
    }
    const std::string licence =
        !view.licence.concluded.empty()  ? std::string(view.licence.concluded)
        : !view.licence.declared.empty() ? std::string(view.licence.declared) + " (declared)"
                                         : "unknown";
    pairs.add("licence", licence);
  }
  h << "</section>\n";
}

void compatibility(Html& h, const ImplementationView& view) {
  h << "<section aria-labelledby=\"compatibility\"><h2 "
       "id=\"compatibility\">Compatibility</h2>";
  {
    Pairs pairs(h);
    const std::string measured = joined(view.support.measured_on);
    pairs.add("measured on", measured.empty() ? "nothing yet" : measured);
    pairs.add("declared architectures", joined(view.support.architectures));
    pairs.add("declared as tested on", joined(view.support.products));
    pairs.add("declared dtypes", joined(view.support.dtypes));
    pairs.add("declared layouts", joined(view.support.layouts));
    pairs.add("declared axes", joined(view.support.axes));
  }
  h << "</section>\n";
}

void performance(Html& h, const Snapshot& s, const ImplementationView& view, const Paging& paging) {
  h << "<section aria-labelledby=\"performance\"><h2 id=\"performance\">Measured</h2>";
  if (view.results.empty()) {
    h << "<p>No eligible run.</p></section>\n";
    return;
  }
  h << "<p class=\"hint\">One line a comparison group, its best run there. Lines are not "
       "comparable with each other.</p>";
  static constexpr std::array<Table::Column, 7> kColumns = {{{"Compare", Kind::kTool},
                                                             {"Workload", Kind::kHeader},
                                                             {"Hardware"},
                                                             {"Value", Kind::kValue},
                                                             {"Rank"},
                                                             {"Evidence"},
                                                             {"Observed"}}};
  begin_compare(h);
  {
    Table table(h, "Results of the implementation, one a comparison group", kColumns);
    for (const resolve::Row& row : view.results) {
      table.row();
      const std::string workload = resolve::workload_summary(s, row.workload);
      compare_box(table.cell(), views::id_text(s.runs()[row.run].id),
                  workload + ", " + value_text(s, row.run));
      table.cell() << text(workload);
      table.cell() << text(product_of(s, row.environment));
      Html& value = table.cell();
      value << "<a" << href(run_url(s, row.run)) << ">";
      value_cell(value, row.value, unit_of(s, row.run));
      value << "</a>";
      table.cell() << text(row.rank == 0 ? std::string(display::kMissing)
                                         : display::rank_of(row.rank, row.cohort_size));
      evidence(table.cell(), row.evidence);
      day(table.cell(), s.runs()[row.run].observed_ms);
    }
  }
  end_compare(h);
  pager(h, implementation_url(view.named.slug), paging, "groups");
  h << "</section>\n";
}

void source(Html& h, const ImplementationView& view) {
  h << "<section aria-labelledby=\"source\"><h2 id=\"source\">Source</h2>";
  {
    Pairs pairs(h);
    pairs.add("public", view.source.is_available ? "yes" : "no");
    if (const auto url = Url::external(view.source.url)) {
      pairs.add_link("repository", *url, view.source.url);
    } else {
      pairs.add("repository", view.source.url);
    }
    pairs.add("commit", view.source.commit);
    pairs.add_copy("tree digest", display::short_digest(view.source.tree_digest),
                   view.source.tree_digest, "Copy the tree digest");
    pairs.add("authors", joined(view.authors));
    pairs.add("licence evidence", view.licence_evidence);
    for (const auto& item : view.sources) pairs.add("reported by", item.name);
    if (view.source_code) {
      pairs.add("file", view.source_code->file_name);
      pairs.add_copy("file digest", display::short_digest(view.source_code->digest),
                     view.source_code->digest, "Copy the file digest");
      pairs.add("licence of the file", view.source_code->licence);
    }
  }
  if (view.source_code && !view.source_code->content.empty()) {
    h << "<details><summary>Show " << text(view.source_code->file_name)
      << "</summary><pre tabindex=\"0\" role=\"region\" aria-label=\"Source file\">"
      << text(view.source_code->content) << "</pre></details>";
  }
  h << "</section>\n";
}

void source_diff(Html& h, const ImplementationView& view) {
  if (!view.source_code || !view.source_code->diff) return;
  const views::SourceDiff& diff = *view.source_code->diff;
  h << "<section aria-labelledby=\"diff\"><h2 id=\"diff\">Changed since the previous "
       "submission</h2><p>Against <a"
    << href(Url::path({"implementations", diff.previous_id})) << ">" << text(diff.previous.name)
    << "</a> (" << text(diff.previous_revision)
    << "): " << text(display::count_noun(static_cast<std::int64_t>(diff.added), "line"))
    << " added, " << text(display::count_noun(static_cast<std::int64_t>(diff.deleted), "line"))
    << " deleted.</p>";
  if (!diff.lines.empty()) {
    h << "<pre class=\"diff\" tabindex=\"0\" role=\"region\" aria-label=\"Changed lines\">";
    for (const auto& line : diff.lines) {
      switch (line.kind) {
        case views::SourceDiff::Kind::kAdded:
          h << "<ins>+" << text(line.text) << "</ins>\n";
          break;
        case views::SourceDiff::Kind::kDeleted:
          h << "<del>-" << text(line.text) << "</del>\n";
          break;
        case views::SourceDiff::Kind::kContext:
          h << " " << text(line.text) << "\n";
          break;
        case views::SourceDiff::Kind::kGap:
          h << "<i>… " << text(line.text) << "</i>\n";
          break;
      }
    }
    h << "</pre>";
  }
  if (const std::size_t rest = diff.lines_total - diff.lines.size(); rest != 0) {
    h << "<p class=\"hint\">" << text(display::count_noun(static_cast<std::int64_t>(rest), "line"))
      << " more not shown.</p>";
  }
  h << "</section>\n";
}

void identity(Html& h, const ImplementationView& view) {
  h << "<section aria-labelledby=\"identity\"><h2 id=\"identity\">Identity</h2>";
  {
    Pairs pairs(h);
    pairs.add_link("operation", operation_url(view.operation.slug), view.operation.name);
    pairs.add_link("project", project_url(view.project.slug), view.project.name);
    pairs.add("slug", view.named.slug);
    pairs.add_copy("digest", display::short_digest(view.digest), view.digest, "Copy the digest");
    pairs.add_with("indexed", [&](Html& out) { day(out, view.created_ms); });
    pairs.add_with("badge", [&](Html& out) {
      named_link(out,
                 Url::path({"badges", "implementations", std::string(view.named.slug) + ".svg"}),
                 "SVG badge");
    });
    for (const auto& revision : view.revisions) {
      pairs.add_link("other revision", Url::path({"implementations", revision.id}),
                     revision.revision.empty() ? std::string_view(revision.id) : revision.revision);
    }
  }
  h << "</section>\n";
}

}  // namespace

http::Response implementation_page(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  const Index implementation = find_implementation(s, request.parameter("slug"));
  if (implementation == kNone) {
    return not_found("IMPLEMENTATION_NOT_FOUND", "No implementation has this name.");
  }
  Paging paging{.page = page_parameter(request)};
  const auto made = views::implementation_view(s, *site.catalog.store, implementation,
                                               {.limit = paging.size,
                                                .offset = paging.offset(),
                                                .with_source = true,
                                                .now = site.catalog.now});
  if (!made) return http::Response::of(made.error());
  const ImplementationView& view = *made;
  paging.total = view.results_total;
  const PageHead head{
      .title = view.named.name,
      .description = view.named.name + " of " + view.project.name + " for " + view.operation.name +
                     ". " + verdict(view),
      .canonical = implementation_url(view.named.slug),
      .json = api({"implementations", view.named.slug}),
      .card = Url::path({"cards", "implementations", std::string(view.named.slug) + ".svg"}),
      .command = "ki show implementation " + std::string(view.named.slug),
      .is_illustrative = view.is_illustrative};
  Page page(site, head);
  Html& h = page.html();
  h << "<div class=\"head\"><h1>" << text(view.named.name) << "</h1><p class=\"sub\"><a"
    << href(operation_url(view.operation.slug)) << ">" << text(view.operation.name) << "</a> · <a"
    << href(project_url(view.project.slug)) << ">" << text(view.project.name) << "</a>";
  if (!view.revision.empty()) h << " · " << text(display::revision(view.revision));
  h << "</p><p class=\"tags\">";
  evidence(h, view.evidence);
  h << " <span class=\"chip\">" << text(display::count_noun(view.records, "record"))
    << "</span></p></div>\n";
  use(h, view);
  performance(h, s, view, paging);
  compatibility(h, view);
  source(h, view);
  source_diff(h, view);
  h << "<section aria-labelledby=\"limitations\"><h2 id=\"limitations\">Limitations</h2>";
  if (view.limitations.empty()) {
    h << "<p>None stated by its authors.</p>";
  } else {
    h << "<ul>";
    for (const std::string& limitation : view.limitations) {
      h << "<li>" << text(limitation) << "</li>";
    }
    h << "</ul>";
  }
  h << "</section>\n";
  identity(h, view);
  return std::move(page).finish();
}

}  // namespace ki::web
