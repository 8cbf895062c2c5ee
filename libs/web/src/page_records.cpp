// The records ledger (spec 10 "Records"): who leads each comparison group, since when, before whom.
#include "ki/display/labels.h"
#include "ki/resolve/describe.h"
#include "ki/views/records.h"
#include "lookup.h"
#include "pages.h"
#include "parts.h"
#include "plot.h"
#include "record_rows.h"

#include <array>

namespace ki::web {
namespace {

using Kind = Table::Kind;

struct State {
  std::string view, hw, text, sort, policy;
  bool verified = false, sourceless = false, baselines = false;
  std::size_t page = 1;

  Url url() const {
    return Url::path({"records"})
        .with("view", view)
        .with("hw", hw)
        .with("f", text)
        .with("sort", sort)
        .with("policy", policy)
        .with("verified", verified ? "1" : "")
        .with("source", sourceless ? "0" : "")
        .with("baselines", baselines ? "1" : "");
  }
};

struct Option {
  std::string_view value;
  Markup label;
};
constexpr std::array<Option, 3> kViews = {
    {{"", "Current leaders"}, {"broken", "Broken"}, {"history", "History"}}};
constexpr std::array<Option, 5> kSorts = {{{"", "contested first"},
                                           {"date", "newest"},
                                           {"improvement", "largest improvement"},
                                           {"leads", "most leaders"},
                                           {"operation", "operation"}}};

void select(Html& h, Markup id, Markup name, Markup label, std::span<const Option> options,
            std::string_view chosen) {
  h << "<div><label for=\"" << id << "\">" << label << "</label><select id=\"" << id << "\" name=\""
    << name << "\">";
  for (const Option& option : options) {
    h << "<option" << attr("value", option.value);
    if (option.value == chosen) h << " selected";
    h << ">" << option.label << "</option>";
  }
  h << "</select></div>";
}

void check(Html& h, Markup id, Markup name, Markup value, Markup label, bool is_on) {
  h << "<div class=\"check\"><input type=\"checkbox\" id=\"" << id << "\" name=\"" << name
    << "\" value=\"" << value << "\"";
  if (is_on) h << " checked";
  h << "> <label for=\"" << id << "\">" << label << "</label></div>";
}

void filters(Html& h, const views::RecordLedger& ledger, const State& state) {
  h << "<form class=\"filters\" action=\"/records\" method=\"get\">";
  select(h, "view", "view", "Show", kViews, state.view);
  h << "<div><label for=\"hw\">GPU</label><select id=\"hw\" name=\"hw\"><option "
       "value=\"\">all</option>";
  for (const std::string_view product : ledger.hardware()) {
    h << "<option" << attr("value", product);
    if (product == state.hw) h << " selected";
    h << ">" << text(product) << "</option>";
  }
  h << "</select></div>";
  select(h, "sort", "sort", "Order", kSorts, state.sort);
  h << "<div><label for=\"f\">Words: operation, workload, project</label><input type=\"text\" "
       "id=\"f\" name=\"f\" maxlength=\"200\""
    << attr("value", state.text) << "></div>";
  check(h, "verified", "verified", "1", "verified only", state.verified);
  check(h, "source", "source", "0", "also without public source", state.sourceless);
  check(h, "baselines", "baselines", "1", "also unbeaten baselines", state.baselines);
  h << "<button type=\"submit\">Show</button></form>";
}

// A change of project is announced with its size; what its holder improves, or what stays within
// 0.5 %, is said so and not called a record that fell.
void write_change(Html& h, const Snapshot& s, const views::RecordItem& item,
                  const views::RecordEntry& entry, bool is_step) {
  if (entry.kind == policy::StepKind::kFirst || !entry.previous_value || !entry.improvement_pct) {
    h << "first";
    return;
  }
  if (entry.kind == policy::StepKind::kTie) {
    h << "within 0.5%";
  } else {
    h << "−" << text(display::improvement(*entry.improvement_pct));
  }
  h << "<span class=\"small\">";
  if (entry.kind == policy::StepKind::kOwn) h << "by its own project, ";
  h << "was " << text(display::primary_text(entry.previous_value, unit_of(s, entry.run)))
    << "</span>";
  if (is_step) return;
  std::vector<double> values;
  for (std::size_t i = item.history.size(); i-- > 0;) {
    values.push_back(s.runs()[item.history[i].run].value);
  }
  spark(h, values);
}

}  // namespace

void record_table(Html& h, const Snapshot& s, const views::RecordPage& page,
                  std::string_view caption) {
  static constexpr std::array<Table::Column, 7> kColumns = {{{"Compare", Kind::kTool},
                                                             {"Operation", Kind::kHeader},
                                                             {"Leader"},
                                                             {"Value", Kind::kValue},
                                                             {"Change", Kind::kValue},
                                                             {"Evidence and licence"},
                                                             {"Indexed"}}};
  begin_compare(h);
  {
    Table table(h, caption, kColumns);
    for (const views::RecordItem& item : page.items) {
      const bool is_step = page.options.view == views::RecordView::kHistory;
      const views::RecordEntry& entry = item.history.front();
      const Index run = is_step ? entry.run : item.holder->run;
      const auto& row = s.runs()[run];
      const std::string leader = resolve::implementation_name(s, row.implementation);
      table.row();
      compare_box(table.cell(), views::id_text(row.id),
                  item.operation.name + ", " + leader + ", " + value_text(s, run));
      Html& operation = table.cell();
      named_link(operation, operation_url(item.operation.slug).with("cohort", item.comparison_key),
                 item.operation.name);
      operation << "<span class=\"small\">" << text(item.workload_summary) << " · "
                << text(item.hardware) << "</span>";
      Html& who = table.cell();
      named_link(who, implementation_url(s.text(s.implementations()[row.implementation].slug)),
                 leader);
      who << "<span class=\"small\">"
          << text(s.text(s.projects()[s.implementations()[row.implementation].project].name));
      if (item.history_total > 1) {
        who << " · "
            << text(display::count_noun(static_cast<std::int64_t>(item.history_total), "leader"))
            << " so far";
      } else if (s.cohorts()[item.holder->cohort].ranked == 1) {
        who << " · only run, uncontested";
      }
      who << "</span>";
      Html& value = table.cell();
      value << "<a" << href(run_url(s, run)) << ">";
      value_cell(value, row.value, unit_of(s, run));
      value << "</a>";
      Html& change = table.cell();
      write_change(change, s, item, entry, is_step);
      Html& trust = table.cell();
      evidence(trust, static_cast<policy::EvidenceLevel>(row.evidence));
      trust << "<span class=\"small\">" << text(licence_text(s, row.implementation)) << "</span>";
      day(table.cell(), is_step ? row.published_ms : item.holder->indexed_ms);
    }
  }
  end_compare(h);
}

http::Response records_page(const Site& site, const http::Request& request) {
  const auto text_of = [&](std::string_view name) {
    return std::string(request.query(name).value_or(""));
  };
  const State state{.view = text_of("view") == "current" ? "" : text_of("view"),
                    .hw = text_of("hw"),
                    .text = text_of("f"),
                    .sort = text_of("sort") == "contested" ? "" : text_of("sort"),
                    .policy = text_of("policy"),
                    .verified = request.query("verified") == "1",
                    .sourceless = request.query("source") == "0",
                    .baselines = request.query("baselines") == "1",
                    .page = page_parameter(request)};
  const views::RecordLedger& ledger = *site.catalog.ledger;
  Paging paging{.page = state.page};
  views::RecordOptions options{
      .policy = views::parse_record_policy(state.policy).value_or(views::RecordPolicy::kBreaks),
      .view = views::parse_record_view(state.view).value_or(views::RecordView::kCurrent),
      .sort = views::parse_record_sort(state.sort).value_or(views::RecordSort::kContested),
      .hardware = state.hw,
      .text = state.text,
      .only_verified = state.verified,
      .with_sourceless = state.sourceless,
      .with_baselines = state.baselines,
      .offset = paging.offset(),
      .limit = paging.size};
  if (options.view == views::RecordView::kBroken && state.sort.empty()) {
    options.sort = views::RecordSort::kImprovement;
  }
  const views::RecordPage records = views::list_records(ledger, options, site.catalog.now);
  paging.total = records.total;
  const PageHead head{
      .title = "Records",
      .description = "Who leads each comparison group, since when, and who led before.",
      .canonical = state.url(),
      .json = api({"records"}),
      .feed = Url::path({"records", "feed.xml"}),
      .command = "ki records",
      .section = Section::kRecords,
      .is_indexed = state.text.empty() && state.page == 1};
  Page page(site, head);
  Html& h = page.html();
  h << "<div class=\"head\"><h1>Records</h1><p class=\"lead\">The lowest reported value of each "
       "comparison group, never across groups.</p></div><ul class=\"facts\"><li><b>"
    << text(display::count(static_cast<std::int64_t>(records.holders)))
    << "</b> <span>groups with a leader</span></li><li><b>"
    << text(display::count(static_cast<std::int64_t>(records.breaks)))
    << "</b> <span>breaks: another project, better by 0.5 % or more</span></li><li><b>"
    << text(display::count(static_cast<std::int64_t>(records.verified)))
    << "</b> <span>verified</span></li><li><b>"
    << text(display::count(static_cast<std::int64_t>(records.baselines)))
    << "</b> <span>unbeaten baselines</span></li></ul>\n";
  filters(h, ledger, state);
  h << "<section aria-labelledby=\"list\"><h2 id=\"list\">"
    << text(display::count_noun(static_cast<std::int64_t>(records.total), "record")) << "</h2>";
  if (records.items.empty()) {
    h << "<p>No record fits. By default the list leaves out leaders without public source and "
         "baselines that nobody has beaten: <a href=\"/records?source=0&amp;baselines=1\">show "
         "all</a>.</p>";
  } else {
    record_table(h, site.snapshot(), records, "Records");
  }
  pager(h, state.url(), paging, "records");
  h << "</section>\n";
  return std::move(page).finish();
}

}  // namespace ki::web
