// Home (spec 10): the search field, queries that resolve today, what is in the catalog, the latest
// records.
#include "ki/display/names.h"
#include "ki/resolve/describe.h"
#include "ki/views/lists.h"
#include "ki/views/records.h"
#include "pages.h"
#include "parts.h"
#include "record_rows.h"

#include <algorithm>
#include <array>

namespace ki::web {
namespace {

// Queries that resolve today: the operations of the newest records, with their GPU, and the most
// measured model.
std::vector<std::string> examples(const Site& site) {
  const Snapshot& s = site.snapshot();
  std::vector<std::string> list;
  std::vector<Index> seen;
  for (const auto& holder : site.catalog.ledger->holders()) {
    const auto& cohort = s.cohorts()[holder.cohort];
    if (std::ranges::find(seen, cohort.operation) != seen.end()) continue;
    seen.push_back(cohort.operation);
    list.push_back("op:" + std::string(s.text(s.operations()[cohort.operation].slug)));
    if (list.size() == 2) break;
  }
  const views::ModelList models = views::list_models(s);
  if (!models.kernel.empty() && models.kernel.front().runs != 0) {
    list.push_back("model:" + std::string(models.kernel.front().model));
  }
  const auto families = site.catalog.resolver->index().families();
  if (!families.empty()) list.push_back("family:" + std::string(s.name(families.front().name)));
  return list;
}

void fact(Html& h, const Url& url, std::int64_t n, std::string_view noun) {
  const std::string words = display::count_noun(n, noun);
  const std::string digits = display::count(n);
  h << "<li><a" << href(url) << "><span class=\"big\">" << text(digits) << "</span>"
    << text(std::string_view(words).substr(digits.size())) << "</a></li>";
}

}  // namespace

http::Response home_page(const Site& site, const http::Request& request) {
  (void)request;
  const Snapshot& s = site.snapshot();
  const views::Stats stats = views::stats(*site.catalog.ledger);
  const PageHead head{
      .title = "What is the fastest kernel for my exact workload?",
      .description =
          "An index of measured GPU kernels: exact workloads, ranks inside comparison "
          "groups only, and the evidence behind every number.",
      .canonical = Url::path({}),
      .json = api({"stats"}),
      .card = Url::path({"cards", "site.svg"}),
      .feed = Url::path({"records", "feed.xml"}),
      .command = "ki stats",
      .has_own_search = true};
  Page page(site, head);
  Html& h = page.html();
  h << "<div class=\"head\"><h1>What is the fastest kernel for my exact workload, and why should I "
       "believe the number?</h1></div>\n";
  search_form(h, "query", "", true);
  h << "<ul class=\"chips\" aria-label=\"Examples\"><li class=\"hint\">Try:</li>";
  for (const std::string& query : examples(site)) {
    h << "<li><a class=\"chip\"" << href(search_url(query)) << ">" << text(query) << "</a></li>";
  }
  h << "</ul>\n<ul class=\"cards\" aria-label=\"In this catalog\">";
  fact(h, search_url(""), static_cast<std::int64_t>(stats.measured_operations),
       "measured operation");
  fact(h, Url::path({"records"}), static_cast<std::int64_t>(stats.eligible_runs), "ranked run");
  fact(h, Url::path({"gpus"}), static_cast<std::int64_t>(stats.gpus), "GPU");
  fact(h, Url::path({"models"}), static_cast<std::int64_t>(stats.serving_runs), "serving result");
  h << "</ul>\n";

  const views::RecordPage records =
      views::list_records(*site.catalog.ledger, {.limit = 8}, site.catalog.now);
  h << "<section aria-labelledby=\"records\"><h2 id=\"records\">Latest records</h2>";
  if (records.items.empty()) {
    h << "<p>No leader with public source yet. <a "
         "href=\"/records?source=0&amp;baselines=1\">All leaders</a></p>";
  } else {
    record_table(h, s, records, "Latest records with public source, contested ones first");
    h << "<p><a href=\"/records\">All records →</a></p>";
  }
  h << "</section>\n<section aria-labelledby=\"trust\"><h2 id=\"trust\">Why believe it</h2><p "
       "class=\"prose\">Every rank holds inside one comparison group: equal operation, workload, "
       "protocol, environment, correctness policy and metric. Every record has a digest that you "
       "can recompute. ";
  const auto level = [&](policy::EvidenceLevel of) {
    return display::count(static_cast<std::int64_t>(stats.evidence[static_cast<std::size_t>(of)]));
  };
  h << "Of the ranked runs here " << text(level(policy::EvidenceLevel::kReplicated))
    << " are replicated, " << text(level(policy::EvidenceLevel::kVerified)) << " verified by the "
    << "index itself, " << text(level(policy::EvidenceLevel::kReproducible))
    << " reproducible from stated evidence and " << text(level(policy::EvidenceLevel::kReported))
    << " reported by their source alone. <a href=\"/docs/numbers\">About the numbers</a></p>";
  const auto sources = views::list_sources(s, site.catalog.store, site.catalog.serving);
  if (sources && !sources->empty()) {
    using Kind = Table::Kind;
    static constexpr std::array<Table::Column, 4> kColumns = {
        {{"Source", Kind::kHeader},
         {"Ranked runs", Kind::kCount},
         {"Operations or configurations", Kind::kCount},
         {"Snapshot of"}}};
    Table table(h, "Where the records come from", kColumns);
    for (const auto& item : *sources) {
      table.row();
      table.cell() << text(item.source.name);
      table.cell() << text(display::count(item.runs));
      table.cell() << text(display::count(item.breadth));
      const auto fetched = parse_instant(item.last_fetched);
      day(table.cell(), fetched ? fetched->instant.ms : 0);
    }
  }
  h << "</section>\n";
  return std::move(page).finish();
}

}  // namespace ki::web
