// What is new (spec 11.4), by day; and the sources with their freshness.
#include "ki/display/labels.h"
#include "ki/resolve/describe.h"
#include "ki/views/changes.h"
#include "ki/views/lists.h"
#include "pages.h"
#include "parts.h"

#include <array>

namespace ki::web {
namespace {

using views::ChangeEntry;

void record_entry(Html& h, const Snapshot& s, const ChangeEntry& entry) {
  h << "<p><strong>Record</strong> ";
  if (entry.operation != kNone) {
    named_link(h, operation_url(s.text(s.operations()[entry.operation].slug)),
               resolve::operation_name(s, entry.operation));
  }
  h << ": " << text(display::count_noun(static_cast<std::int64_t>(entry.records_total), "change"))
    << " of leader</p><ul>";
  for (const auto& record : entry.records) {
    const auto& run = s.runs()[record.run];
    h << "<li>";
    named_link(h, run_url(s, record.run), resolve::implementation_name(s, run.implementation));
    h << " " << text(value_text(s, record.run)) << " on "
      << text(product_of(s, s.cohorts()[run.cohort].environment));
    if (record.previous != kNone) {
      h << ", −" << text(display::improvement(record.improvement_pct)) << ", was "
        << text(value_text(s, record.previous)) << " by "
        << text(resolve::implementation_name(s, s.runs()[record.previous].implementation));
    }
    h << "</li>";
  }
  h << "</ul>";
}

void import_entry(Html& h, const Snapshot& s, const ChangeEntry& entry) {
  const views::ImportBatch& batch = *entry.batch;
  h << "<p><strong>Import</strong> " << text(views::source_of(s, batch.source).name) << ": "
    << text(display::count_noun(batch.runs, "run")) << " of "
    << text(display::count_noun(batch.operations, "operation")) << ", "
    << text(display::count_noun(batch.first_records, "group")) << " measured for the first time";
  bool is_first = true;
  for (const catalog::NameId hardware : batch.hardware) {
    h << (is_first ? Markup(" · ") : Markup(", ")) << text(s.name(hardware));
    is_first = false;
  }
  h << "</p>";
}

void correction_entry(Html& h, const ChangeEntry& entry) {
  h << "<p><strong>" << text(display::words(entry.correction->action)) << "</strong> <a"
    << href(Url::path({"runs", entry.correction->run_id})) << ">run "
    << text(display::short_run_id(entry.correction->run_id))
    << "</a>: " << text(entry.correction->reason) << "</p>";
}

}  // namespace

http::Response feed_page(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  Paging paging{.page = page_parameter(request), .size = 30};
  const auto made = views::list_changes(
      *site.catalog.ledger, site.catalog.store,
      {.offset = paging.offset(), .limit = paging.size, .now = site.catalog.now});
  if (!made) return http::Response::of(made.error());
  paging.total = made->total;
  const PageHead head{.title = "Feed",
                      .description = "Records that fell, imports and corrections.",
                      .canonical = Url::path({"feed"}),
                      .json = api({"feed"}),
                      .feed = Url::path({"records", "feed.xml"}),
                      .command = "ki changes",
                      .section = Section::kFeed,
                      .is_illustrative = made->is_illustrative};
  Page page(site, head);
  Html& h = page.html();
  h << "<div class=\"head\"><h1>Feed</h1><p class=\"sub\">Since ";
  day(h, made->since.ms);
  h << ". Records that one source brought for one operation on one day are one entry. <a "
       "href=\"/records/feed.xml\">Atom</a> · <a href=\"/records/feed.json\">JSON "
       "Feed</a></p></div>\n";
  if (made->entries.empty()) {
    h << "<p>Nothing changed in this time. <a href=\"/records?sort=date\">Newest records</a></p>";
  }
  std::string shown;
  for (const ChangeEntry& entry : made->entries) {
    const std::string date = Instant{entry.at_ms}.date();
    if (date != shown) {
      if (!shown.empty()) h << "</ul></section>\n";
      h << "<section" << attr("aria-labelledby", "d" + date) << "><h2" << attr("id", "d" + date)
        << ">" << text(date) << "</h2><ul class=\"log\">";
      shown = date;
    }
    h << "<li>";
    switch (entry.kind) {
      case ChangeEntry::Kind::kRecord:
        record_entry(h, s, entry);
        break;
      case ChangeEntry::Kind::kImport:
        import_entry(h, s, entry);
        break;
      case ChangeEntry::Kind::kCorrection:
        correction_entry(h, entry);
        break;
    }
    h << "</li>";
  }
  if (!shown.empty()) h << "</ul></section>\n";
  pager(h, Url::path({"feed"}), paging, "entries");
  return std::move(page).finish();
}

http::Response sources_page(const Site& site, const http::Request& request) {
  (void)request;
  const Snapshot& s = site.snapshot();
  const auto sources = views::list_sources(s, site.catalog.store, site.catalog.serving);
  if (!sources) return http::Response::of(sources.error());
  const PageHead head{.title = "Sources",
                      .description = "Where the records come from and how fresh they are.",
                      .canonical = Url::path({"sources"}),
                      .json = api({"sources"}),
                      .command = "ki sources",
                      .section = Section::kDocs};
  Page page(site, head);
  Html& h = page.html();
  h << "<div class=\"head\"><h1>Sources</h1><p class=\"lead\">Records are restated as their source "
       "published them. Nothing that was imported is called verified.</p></div>\n";
  using Kind = Table::Kind;
  static constexpr std::array<Table::Column, 6> kColumns = {
      {{"Source", Kind::kHeader},
       {"Kind"},
       {"Ranked runs", Kind::kCount},
       {"Indexed runs", Kind::kCount},
       {"Operations or configurations", Kind::kCount},
       {"Snapshot of"}}};
  {
    Table table(h, "Sources by indexed runs, kernel sources first", kColumns);
    for (const auto& item : *sources) {
      table.row();
      table.cell() << text(item.source.name);
      Html& kind = table.cell();
      kind << text(display::words(item.source.kind));
      if (item.is_serving) kind << " · serving";
      table.cell() << text(display::count(item.runs));
      table.cell() << text(display::count(item.indexed));
      table.cell() << text(display::count(item.breadth));
      const auto fetched = parse_instant(item.last_fetched);
      day(table.cell(), fetched ? fetched->instant.ms : 0);
    }
  }
  return std::move(page).finish();
}

}  // namespace ki::web
