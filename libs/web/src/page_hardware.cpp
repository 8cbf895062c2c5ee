// GPUs: the list with the grid of families, and the page of one.
#include "ki/base/text.h"
#include "ki/display/names.h"
#include "ki/resolve/describe.h"
#include "ki/views/lists.h"
#include "ki/views/records.h"
#include "lookup.h"
#include "pages.h"
#include "parts.h"
#include "record_rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace ki::web {
namespace {

using Kind = Table::Kind;

// Families by runs, each with its runs on every GPU.
struct FamilyRow {
  std::string_view family;
  std::map<std::string_view, std::uint32_t> runs;  // by product
  std::uint32_t total = 0;
};
std::vector<FamilyRow> family_rows(const Snapshot& s) {
  std::map<catalog::NameId, FamilyRow> rows;
  for (const auto& cohort : s.cohorts()) {
    if (cohort.ranked == 0) continue;
    FamilyRow& row = rows[s.operations()[cohort.operation].family];
    row.runs[product_of(s, cohort.environment)] += cohort.ranked;
    row.total += cohort.ranked;
  }
  std::vector<FamilyRow> list;
  for (auto& [family, row] : rows) {
    row.family = s.name(family);
    list.push_back(std::move(row));
  }
  std::ranges::sort(list, [](const FamilyRow& a, const FamilyRow& b) {
    return a.total != b.total ? a.total > b.total : a.family < b.family;
  });
  return list;
}

void grid(Html& h, const Snapshot& s, std::span<const views::HardwareItem> items) {
  const std::vector<FamilyRow> rows = family_rows(s);
  std::vector<Table::Column> columns = {{"Family", Kind::kHeader}};
  std::vector<std::string_view> products;
  for (const auto& item : items) {
    if (item.kernel_runs == 0 || products.size() == 8) continue;
    products.push_back(item.model);
    columns.push_back({item.model, Kind::kCount});
  }
  h << "<section aria-labelledby=\"grid\"><h2 id=\"grid\">Families on each GPU</h2><p "
       "class=\"hint\">Ranked runs; “none” is a gap.</p>";
  {
    Table table(h, "Ranked runs by family and GPU", columns);
    for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 12); ++i) {
      table.row();
      named_link(table.cell(), search_url("family:" + std::string(rows[i].family)), rows[i].family);
      for (const std::string_view product : products) {
        const auto found = rows[i].runs.find(product);
        table.cell() << text(found == rows[i].runs.end() ? std::string("none")
                                                         : display::count(found->second));
      }
    }
  }
  h << "</section>\n";
}

}  // namespace

http::Response gpus_page(const Site& site, const http::Request& request) {
  (void)request;
  const Snapshot& s = site.snapshot();
  const auto items = views::list_hardware(s, site.catalog.serving);
  const PageHead head{.title = "GPUs",
                      .description = "What was measured on which GPU.",
                      .canonical = Url::path({"gpus"}),
                      .json = api({"hardware"}),
                      .command = "ki hardware",
                      .section = Section::kGpus};
  Page page(site, head);
  Html& h = page.html();
  h << "<div class=\"head\"><h1>GPUs</h1></div>\n<section aria-labelledby=\"list\"><h2 "
       "id=\"list\">Measured</h2>";
  static constexpr std::array<Table::Column, 7> kColumns = {{{"GPU", Kind::kHeader},
                                                             {"Architecture"},
                                                             {"Kernel runs", Kind::kCount},
                                                             {"Serving runs", Kind::kCount},
                                                             {"Operations", Kind::kCount},
                                                             {"Groups with a leader", Kind::kCount},
                                                             {"Last observed"}}};
  {
    Table table(h, "GPUs by kernel runs", kColumns);
    for (const auto& item : items) {
      table.row();
      named_link(table.cell(), gpu_url(item.model), item.model);
      table.cell() << text(item.architecture.empty() ? std::string_view("unknown")
                                                     : item.architecture);
      table.cell() << text(display::count(item.kernel_runs));
      table.cell() << text(display::count(item.serving_runs));
      table.cell() << text(display::count(item.operations));
      table.cell() << text(display::count(item.records));
      day(table.cell(), item.last_observed_ms);
    }
  }
  h << "</section>\n";
  grid(h, s, items);
  return std::move(page).finish();
}

http::Response gpu_page(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  const auto items = views::list_hardware(s, site.catalog.serving);
  const auto found =
      std::ranges::find(items, request.parameter("slug"), &views::HardwareItem::slug);
  if (found == items.end()) return not_found("GPU_NOT_FOUND", "No GPU here has this name.");
  const views::HardwareItem& item = *found;
  const PageHead head{.title = item.model,
                      .description = item.model + ": " +
                                     display::count_noun(item.kernel_runs, "kernel run") + " of " +
                                     display::count_noun(item.operations, "operation") + ".",
                      .canonical = gpu_url(item.model),
                      .json = api({"hardware"}),
                      .feed = gpu_url(item.model).below({"feed.xml"}),
                      .command = "ki records --hardware " + shell_quoted(item.model),
                      .section = Section::kGpus};
  Page page(site, head);
  Html& h = page.html();
  h << "<div class=\"head\"><h1>" << text(item.model) << "</h1><p class=\"sub\">"
    << text(item.architecture.empty() ? std::string_view("architecture unknown")
                                      : item.architecture)
    << " · " << text(display::count_noun(item.kernel_runs, "kernel run")) << " · "
    << text(display::count_noun(item.operations, "operation")) << " · last observed ";
  day(h, item.last_observed_ms);
  h << "</p></div>\n";

  Paging paging{.page = page_parameter(request)};
  const views::RecordPage records = views::list_records(*site.catalog.ledger,
                                                        {.view = views::RecordView::kCurrent,
                                                         .hardware = item.model,
                                                         .with_sourceless = true,
                                                         .with_baselines = true,
                                                         .offset = paging.offset(),
                                                         .limit = paging.size},
                                                        site.catalog.now);
  paging.total = records.total;
  h << "<section aria-labelledby=\"records\"><h2 id=\"records\">Leaders on this GPU: "
    << text(display::count(static_cast<std::int64_t>(records.total))) << "</h2>";
  if (records.items.empty()) {
    h << "<p>No kernel was ranked on it.</p>";
  } else {
    record_table(h, s, records, "Leaders of the comparison groups on this GPU");
  }
  pager(h, gpu_url(item.model), paging, "groups");
  h << "</section>\n";

  struct Family {
    std::uint32_t runs = 0;
    std::set<Index> operations;
    std::map<std::string_view, std::uint32_t> sources;
  };
  std::map<std::string_view, Family> families;
  for (const auto& cohort : s.cohorts()) {
    if (cohort.ranked == 0 || product_of(s, cohort.environment) != item.model) continue;
    Family& family = families[s.name(s.operations()[cohort.operation].family)];
    family.runs += cohort.ranked;
    family.operations.insert(cohort.operation);
    const auto at = static_cast<Index>(&cohort - s.cohorts().data());
    for (const Index run : s.runs_of_cohort(at).first(cohort.ranked)) {
      ++family.sources[views::source_of(s, s.runs()[run].source).name];
    }
  }
  h << "<section aria-labelledby=\"families\"><h2 id=\"families\">Families</h2>";
  static constexpr std::array<Table::Column, 4> kFamilies = {{{"Family", Kind::kHeader},
                                                              {"Operations", Kind::kCount},
                                                              {"Runs", Kind::kCount},
                                                              {"Sources"}}};
  {
    Table table(h, "Families measured on this GPU", kFamilies);
    for (const auto& [name, family] : families) {
      table.row();
      named_link(table.cell(),
                 search_url("family:" + std::string(name) + " gpu:\"" + item.model + "\""), name);
      table.cell() << text(display::count(static_cast<std::int64_t>(family.operations.size())));
      table.cell() << text(display::count(family.runs));
      Html& sources = table.cell();
      bool is_first = true;
      for (const auto& [source, runs] : family.sources) {
        if (!is_first) sources << ", ";
        is_first = false;
        sources << text(source) << " (" << text(display::count(runs)) << ")";
      }
    }
  }
  h << "</section>\n";
  return std::move(page).finish();
}

}  // namespace ki::web
