// Search (spec 10 "Search"): what was understood, the answer, the four groups as separate views,
// neighbours of a case that nobody measured, or the operations to choose from.
#include "ki/base/text.h"
#include "ki/digest/digest.h"
#include "ki/display/labels.h"
#include "ki/display/names.h"
#include "ki/json/writer.h"
#include "ki/query/parse.h"
#include "ki/resolve/describe.h"
#include "lookup.h"
#include "pages.h"
#include "parts.h"
#include "rows.h"

#include <array>
#include <cmath>

namespace ki::web {
namespace {

using resolve::Answer;
using resolve::GroupKind;

constexpr std::uint32_t kRows = 25;

struct View {
  GroupKind kind;
  std::string_view name;  // of the parameter
  Markup tab;
  std::string_view caption;
};
constexpr std::array<View, 4> kViews = {
    {{GroupKind::kExact, "exact", "Exact", "Runs that answer the request, ranked in their group"},
     {GroupKind::kCompatible, "compatible", "Compatible",
      "Runs of the same operation that differ from the request; not ranked"},
     {GroupKind::kSupportedUnmeasured, "supported", "Declared only",
      "Implementations that declare support; nothing measured"},
     {GroupKind::kReported, "reported", "Other protocols",
      "Runs under other protocols or environments; each has a rank in its own group only"}}};

// What the address asks for.
struct State {
  std::string query;
  std::string cohort;
  std::string view;
  std::string sort;
  std::string family;
  bool source = false, license = false, installable = false, verified = false, deployable = false;
  std::size_t page = 1;

  Url url() const {
    return Url::path({"search"})
        .with("q", query)
        .with("cohort", cohort)
        .with("view", view)
        .with("sort", sort)
        .with("family", family)
        .with("source", source ? "1" : "")
        .with("license", license ? "1" : "")
        .with("installable", installable ? "1" : "")
        .with("verified", verified ? "1" : "")
        .with("deployable", deployable ? "1" : "");
  }
  bool is_filtered() const { return source || license || installable || verified || deployable; }
};

State read_state(const http::Request& request) {
  const auto text_of = [&](std::string_view name) {
    return std::string(request.query(name).value_or(""));
  };
  const auto is_on = [&](std::string_view name) { return request.query(name) == "1"; };
  return {.query = text_of("q"),
          .cohort = text_of("cohort"),
          .view = text_of("view"),
          .sort = text_of("sort"),
          .family = text_of("family"),
          .source = is_on("source"),
          .license = is_on("license"),
          .installable = is_on("installable"),
          .verified = is_on("verified"),
          .deployable = is_on("deployable") || is_on("legacy"),
          .page = page_parameter(request)};
}

void apply_filters(const State& state, query::Intent& intent) {
  if (!state.family.empty()) intent.family = state.family;
  if (state.verified) intent.minimum_trust = query::Trust::kVerified;
  if (state.source) intent.require_source = true;
  if (state.license || state.deployable) intent.license = "permissive";
  if (state.installable || state.deployable) intent.require_installable = true;
}

// ---- what was understood

void understanding(Html& h, const State& state, const Answer& answer) {
  const bool has_any = !answer.facets.empty() || !answer.corrections.empty();
  if (has_any) {
    h << "<ul class=\"chips\" aria-label=\"Filters that were understood\">";
    for (const query::Facet& facet : answer.facets) {
      State without = state;
      without.page = 1;
      if (facet.span.end > facet.span.begin && facet.span.end <= state.query.size()) {
        without.query.erase(facet.span.begin, facet.span.end - facet.span.begin);
      }
      h << "<li><a class=\"chip\"" << href(without.url()) << ">" << text(facet.display)
        << " <span aria-hidden=\"true\">×</span><span class=\"sr\">: remove this filter"
        << "</span></a></li>";
    }
    for (const resolve::Correction& correction : answer.corrections) {
      h << "<li><span class=\"chip\">“" << text(correction.typed) << "” read as “"
        << text(correction.read_as) << "”</span></li>";
    }
    h << "</ul>";
  }
  if (answer.issues.empty()) return;
  h << "<div class=\"banner warn\" role=\"note\"><ul>";
  for (const query::Issue& issue : answer.issues) {
    h << "<li>" << text(issue.message);
    if (issue.hint) h << " Did you mean “" << text(*issue.hint) << "”?";
    h << "</li>";
  }
  h << "</ul></div>";
}

// ---- the answer block

std::string existence_text(const Answer& answer) {
  const auto& exact = answer.group(GroupKind::kExact);
  const std::string runs = display::count_noun(exact.total + exact.hidden, "run");
  switch (answer.mode) {
    case resolve::Mode::kExact:
      return "Exact: " + runs + " of the case asked for, in one comparison group.";
    case resolve::Mode::kNearest:
      return "No exact result: nobody measured this case. Its neighbours are below; nothing is "
             "interpolated.";
    default:
      break;
  }
  switch (answer.selected.because) {
    case resolve::SelectedBecause::kNothing:
      return "Nothing of this operation was measured.";
    case resolve::SelectedBecause::kRequestedCohort:
      return "The comparison group that the address names: " + runs + ".";
    case resolve::SelectedBecause::kFewestMismatches:
    case resolve::SelectedBecause::kNearestCase:
    case resolve::SelectedBecause::kCaseMatches:
      return "No exact result: no run answers everything that was asked.";
    case resolve::SelectedBecause::kAnswersRequest:
    case resolve::SelectedBecause::kMostRuns:
      return "No case was asked for. Shown is the group with most runs that fit: " + runs + ".";
  }
  return {};
}

void hidden_statement(Html& h, const Snapshot& s, const Answer& answer) {
  const auto& exact = answer.group(GroupKind::kExact);
  if (exact.hidden == 0) return;
  h << "<p class=\"hint\">The filters hide " << text(display::count_noun(exact.hidden, "run"))
    << " of this group";
  const auto runs = s.runs_of_cohort(answer.selected.cohort);
  const bool hides_head =
      !runs.empty() && s.cohorts()[answer.selected.cohort].ranked != 0 &&
      (exact.rows.empty() || (exact.offset == 0 && exact.rows.front().run != runs.front()));
  if (hides_head) {
    h << ", among them #1: <a" << href(run_url(s, runs.front())) << ">"
      << text(value_text(s, runs.front())) << " by "
      << text(resolve::implementation_name(s, s.runs()[runs.front()].implementation)) << "</a>";
  }
  h << ".</p>";
}

void answer_block(Html& h, const Snapshot& s, const Answer& answer) {
  h << "<section class=\"answer\" aria-labelledby=\"answer\"><h2 id=\"answer\">Answer</h2><p "
       "class=\"lead\">"
    << text(existence_text(answer)) << "</p>";
  // A value of another case is no answer: without exact rows the results below speak.
  const auto& exact = answer.group(GroupKind::kExact);
  if (answer.selected.cohort != kNone && exact.total + exact.hidden != 0) {
    cohort_facts(h, s, answer.selected.cohort);
    const auto runs = s.runs_of_cohort(answer.selected.cohort);
    if (!runs.empty() && s.cohorts()[answer.selected.cohort].ranked != 0) {
      const Index head =
          exact.offset == 0 && !exact.rows.empty() ? exact.rows.front().run : runs.front();
      h << "<div class=\"slots\">";
      answer_slot(h, s,
                  {.label = leader_label(s, head, s.cohorts()[answer.selected.cohort].ranked),
                   .run = head});
      if (answer.best_verified && answer.best_verified->run != kNone &&
          answer.best_verified->run != head) {
        answer_slot(h, s,
                    {.label = "First verified",
                     .run = answer.best_verified->run,
                     .against = s.runs()[head].value});
      }
      if (answer.best_deployable && answer.best_deployable->run != kNone &&
          answer.best_deployable->run != head) {
        answer_slot(h, s,
                    {.label = "First that can be installed",
                     .run = answer.best_deployable->run,
                     .against = s.runs()[head].value});
      } else if (!answer.best_deployable) {
        h << "<div class=\"slot\"><h3>First that can be installed</h3><p>None: no run of this "
             "group has public source, a concluded licence and an install recipe.</p></div>";
      }
      h << "</div>";
    }
    hidden_statement(h, s, answer);
    h << "<p class=\"hint\">Ranks: ranking-v1, the order of reported values, not tested. Only "
         "runs with equal operation, workload, protocol, environment, correctness policy and "
         "metric are ranked with each other.</p>";
  }
  h << "</section>\n";
}

void side(Html& h, const Snapshot& s, const State& state, std::string_view axis, Markup label,
          const std::optional<resolve::NearestSide>& nearest) {
  h << "<li><h3>" << label << "</h3>";
  if (!nearest) {
    h << "<p>Nothing measured on this side.</p></li>";
    return;
  }
  State there = state;
  there.page = 1;
  there.cohort.clear();
  there.query = nearest->query;
  h << "<p class=\"who\">" << text(axis) << " = " << text(display::count(nearest->value)) << "</p>";
  if (nearest->head != kNone) {
    h << "<p>" << text(value_text(s, nearest->head)) << " by <a" << href(run_url(s, nearest->head))
      << ">" << text(resolve::implementation_name(s, s.runs()[nearest->head].implementation))
      << "</a></p>";
  }
  h << "<p>" << text(display::count_noun(nearest->runs, "run"));
  if (!nearest->query.empty()) h << " · <a" << href(there.url()) << ">Ask for this case</a>";
  h << "</p></li>";
}

void nearest_block(Html& h, const Snapshot& s, const State& state, const Answer& answer) {
  if (!answer.nearest) return;
  h << "<section aria-labelledby=\"nearest\"><h2 id=\"nearest\">Nearest measured cases</h2><p>"
    << text(answer.nearest->axis) << " = " << text(display::count(answer.nearest->requested))
    << " is not measured.</p><ul class=\"cards\">";
  side(h, s, state, answer.nearest->axis, "Below", answer.nearest->below);
  side(h, s, state, answer.nearest->axis, "Above", answer.nearest->above);
  h << "</ul></section>\n";
}

void group_options(Html& h, const Snapshot& s, const State& state, const Answer& answer) {
  if (answer.cohort_options.size() < 2) return;
  using Kind = Table::Kind;
  static constexpr std::array<Table::Column, 5> kColumns = {{{"Group", Kind::kHeader},
                                                             {"What tells it apart"},
                                                             {"Runs", Kind::kCount},
                                                             {"Lowest", Kind::kValue},
                                                             {"By"}}};
  h << "<section aria-labelledby=\"groups\"><h2 id=\"groups\">Other groups of this "
       "workload</h2><p class=\"hint\">Values of different groups are not comparable.</p>";
  {
    Table table(h, "Comparison groups of the workload", kColumns);
    for (const resolve::CohortOption& option : answer.cohort_options) {
      State there = state;
      there.page = 1;
      there.cohort = views::digest_text(s.cohorts()[option.cohort].key);
      const bool is_shown = option.cohort == answer.selected.cohort;
      table.row(is_shown);
      Html& name = table.cell();
      named_link(name, there.url(), option.label);
      if (is_shown) name << "<span class=\"small\">shown</span>";
      Html& differs = table.cell();
      if (option.differs.empty()) differs << text(display::kMissing);
      for (const resolve::Fact& fact : option.differs) {
        if (&fact != option.differs.data()) differs << ", ";
        differs << text(fact.key) << " " << text(fact.value);
      }
      table.cell() << text(display::count(option.runs));
      Html& value = table.cell();
      if (option.head == kNone) {
        value << text(display::kMissing);
        table.cell() << text(display::kMissing);
      } else {
        value_cell(value, s.runs()[option.head].value, unit_of(s, option.head));
        table.cell() << text(resolve::implementation_name(s, s.runs()[option.head].implementation));
      }
    }
  }
  h << "</section>\n";
}

// ---- the four groups

void tabs(Html& h, const State& state, const Answer& answer, GroupKind shown) {
  h << "<ul class=\"tabs\" aria-label=\"Groups of results\">";
  for (const View& view : kViews) {
    State there = state;
    there.view = view.kind == GroupKind::kExact ? "" : std::string(view.name);
    const auto& group = answer.group(view.kind);
    h << "<li><a" << href(there.url());
    if (view.kind == shown) h << " aria-current=\"true\"";
    h << ">" << view.tab << " " << text(display::count(group.total)) << "</a></li>";
  }
  h << "</ul>";
}

void filters(Html& h, const State& state) {
  struct Filter {
    bool State::* member;
    Markup label;
  };
  static constexpr std::array<Filter, 5> kFilters = {
      {{&State::source, "public source"},
       {&State::license, "permissive licence"},
       {&State::installable, "installable"},
       {&State::verified, "verified"},
       {&State::deployable, "installable under a permissive licence"}}};
  h << "<ul class=\"chips\" aria-label=\"Only results with\"><li class=\"hint\">Only:</li>";
  for (const Filter& filter : kFilters) {
    State there = state;
    there.*filter.member = !(state.*filter.member);
    h << "<li><a rel=\"nofollow\"";
    if (state.*filter.member) {
      h << " class=\"chip on\" aria-current=\"true\"";
    } else {
      h << " class=\"chip\"";
    }
    h << href(there.url()) << ">" << filter.label;
    if (state.*filter.member) {
      h << " <span aria-hidden=\"true\">×</span><span class=\"sr\">: remove this filter</span>";
    }
    h << "</a></li>";
  }
  h << "</ul>";
}

void results(Html& h, const Snapshot& s, const State& state, const Answer& answer,
             const View& view) {
  const resolve::Group& group = answer.group(view.kind);
  h << "<section aria-labelledby=\"results\"><h2 id=\"results\">Results</h2>";
  tabs(h, state, answer, view.kind);
  filters(h, state);
  if (group.rows.empty()) {
    h << "<p>No " << view.tab << " results here";
    if (group.hidden != 0) {
      h << "; the filters hide " << text(display::count_noun(group.hidden, "row"));
    }
    h << ".</p>";
    for (const View& other : kViews) {
      const auto& there_group = answer.group(other.kind);
      if (there_group.total == 0 || other.kind == view.kind) continue;
      State there = state;
      there.view = other.name;
      h << "<p><a" << href(there.url()) << ">" << other.tab << ": "
        << text(display::count_noun(there_group.total, "row")) << "</a></p>";
    }
    h << "</section>\n";
    return;
  }
  begin_compare(h);
  switch (view.kind) {
    case GroupKind::kExact: {
      const auto runs = s.runs_of_cohort(answer.selected.cohort);
      const double best = runs.empty() ? std::nan("") : s.runs()[runs.front()].value;
      ranked_table(h, s, group.rows, best, view.caption);
      break;
    }
    case GroupKind::kCompatible:
    case GroupKind::kReported:
      differing_table(h, s, group.rows, view.caption);
      break;
    case GroupKind::kSupportedUnmeasured:
      declared_table(h, s, group.rows, view.caption);
      break;
  }
  end_compare(h);
  pager(h, state.url(), {.page = state.page, .size = kRows, .total = group.total}, "rows");
  h << "</section>\n";
}

// ---- lists of operations

void chooser(Html& h, const Snapshot& s, const State& state, const Answer& answer) {
  const resolve::Chooser& list = *answer.chooser;
  using Kind = Table::Kind;
  static constexpr std::array<Table::Column, 5> kPlain = {{{"Operation", Kind::kHeader},
                                                           {"Family"},
                                                           {"Why it is here"},
                                                           {"Runs", Kind::kCount},
                                                           {"Last observed"}}};
  static constexpr std::array<Table::Column, 6> kFaceted = {{{"Operation", Kind::kHeader},
                                                             {"Family"},
                                                             {"Why it is here"},
                                                             {"Runs", Kind::kCount},
                                                             {"Runs that fit", Kind::kCount},
                                                             {"Lowest of them", Kind::kValue}}};
  h << "<section aria-labelledby=\"results\"><h2 id=\"results\">"
    << text(display::count_noun(list.total, "operation")) << "</h2>";
  if (list.has_facets) {
    h << "<p>" << text(display::count(list.with_evidence)) << " of them with runs on "
      << text(list.facet_label) << ", these first.</p>";
  }
  if (answer.mode == resolve::Mode::kBrowse) {
    struct Sort {
      std::string_view name;
      Markup label;
    };
    static constexpr std::array<Sort, 3> kSorts = {
        {{"", "most runs"}, {"active", "newest"}, {"az", "name"}}};
    h << "<ul class=\"chips\" aria-label=\"Order\">";
    for (const auto& [name, label] : kSorts) {
      State there = state;
      there.sort = name;
      h << "<li><a";
      if (state.sort == name) {
        h << " class=\"chip on\" aria-current=\"true\"";
      } else {
        h << " class=\"chip\"";
      }
      h << href(there.url()) << ">" << label << "</a></li>";
    }
    h << "</ul>";
  }
  {
    const auto columns = list.has_facets ? std::span<const Table::Column>(kFaceted)
                                         : std::span<const Table::Column>(kPlain);
    Table table(h, "Operations", columns);
    for (const resolve::ChooserRow& row : list.rows) {
      const auto& operation = s.operations()[row.operation];
      table.row();
      State there = state;
      there.page = 1;
      there.family.clear();
      there.query = row.query;
      Html& name = table.cell();
      named_link(name,
                 answer.mode == resolve::Mode::kBrowse ? operation_url(s.text(operation.slug))
                                                       : there.url(),
                 resolve::operation_name(s, row.operation));
      name << "<span class=\"small id\">" << text(s.text(operation.slug)) << "</span>";
      table.cell() << text(s.name(operation.family));
      Html& why = table.cell();
      why << text(to_string(row.reason));
      if (!row.axis_misfit.empty()) why << "; " << text(row.axis_misfit);
      table.cell() << text(display::count(operation.eligible_runs));
      if (list.has_facets) {
        table.cell() << text(display::count(row.matching));
        Html& best = table.cell();
        if (row.best == kNone) {
          best << text(display::kMissing);
        } else {
          value_cell(best, s.runs()[row.best].value, unit_of(s, row.best));
        }
      } else {
        day(table.cell(), operation.last_observed_ms);
      }
    }
  }
  pager(h, state.url(), {.page = state.page, .size = kRows, .total = list.total}, "operations");
  h << "</section>\n";
}

void nothing(Html& h, const Snapshot& s, const Answer& answer) {
  h << "<section aria-labelledby=\"results\"><h2 id=\"results\">Nothing found</h2><p>No operation "
       "in this catalog has these words. The families with most runs:</p><ul class=\"chips\">";
  for (const resolve::FamilyHint& family : answer.families) {
    h << "<li><a class=\"chip\"" << href(search_url("family:" + std::string(s.name(family.family))))
      << ">" << text(s.name(family.family)) << ": "
      << text(display::count_noun(family.operations, "operation")) << ", "
      << text(display::count_noun(family.runs, "run")) << "</a></li>";
  }
  h << "</ul><p><a href=\"/search\">All operations</a> · <a href=\"/docs#query\">How to "
       "search</a></p></section>\n";
}

void heading(Html& h, const Snapshot& s, const State& state, const Answer& answer,
             std::string_view title) {
  h << "<div class=\"head\"><h1>";
  switch (answer.mode) {
    case resolve::Mode::kExact:
    case resolve::Mode::kOperationOnly:
    case resolve::Mode::kNearest:
      named_link(h, operation_url(s.text(s.operations()[answer.operation].slug)),
                 resolve::operation_name(s, answer.operation));
      h << "</h1><p class=\"sub\">" << text(title) << "</p></div>";
      return;
    case resolve::Mode::kChooser:
      h << "Which operation is meant by “" << text(state.query) << "”?";
      break;
    case resolve::Mode::kModel:
      h << "Operations of " << text(answer.model.value_or(""));
      break;
    case resolve::Mode::kBrowse:
      h << "All operations";
      break;
    case resolve::Mode::kNothing:
      h << "No operation for “" << text(state.query) << "”";
      break;
  }
  h << "</h1></div>";
}

}  // namespace

http::Response search_page(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  const State state = read_state(request);
  std::optional<Digest> cohort;
  if (!state.cohort.empty()) {
    const auto key = Digest::parse(state.cohort);
    if (!key || s.find_cohort(*key) == kNone) {
      return not_found("COHORT_NOT_FOUND", "No comparison group has this key.");
    }
    cohort = *key;
  }
  query::Intent intent = query::parse_query(state.query);
  apply_filters(state, intent);
  const View* view = kViews.data();
  for (const View& candidate : kViews) {
    if (candidate.name == state.view) view = &candidate;
  }
  const Paging paging{.page = state.page, .size = kRows};
  resolve::Request ask{.intent = &intent,
                       .query = state.query,
                       .cohort = cohort,
                       .now = site.catalog.now,
                       .limit = kRows};
  const auto offset = static_cast<std::uint32_t>(paging.offset());
  ask.offsets[static_cast<std::size_t>(view->kind)] = offset;
  ask.list_offset = offset;
  if (state.sort == "active") ask.browse_order = resolve::BrowseOrder::kNewest;
  if (state.sort == "az") ask.browse_order = resolve::BrowseOrder::kName;
  thread_local resolve::Scratch scratch;
  thread_local Answer answer;
  site.catalog.resolver->resolve(ask, scratch, answer);

  // The first group with rows, where the address names none.
  if (request.query("view").value_or("").empty()) {
    for (const View& candidate : kViews) {
      if (answer.group(candidate.kind).total == 0) continue;
      view = &candidate;
      break;
    }
  }
  const std::string title = resolve::interpretation(s, answer);
  const Url twin = api({"search"}).with("q", state.query).with("cohort", state.cohort);
  const PageHead head{.title = state.query.empty() ? "Search" : state.query + " · Search",
                      .description = title + ".",
                      .canonical = state.url(),
                      .json = twin,
                      .command = "ki search " + shell_quoted(state.query),
                      .section = Section::kSearch,
                      .has_own_search = true,
                      .is_indexed = state.query.empty() && !state.is_filtered()};
  Page page(site, head);
  Html& h = page.html();
  search_form(h, "query", state.query, true);
  heading(h, s, state, answer, title);
  understanding(h, state, answer);
  switch (answer.mode) {
    case resolve::Mode::kExact:
    case resolve::Mode::kOperationOnly:
    case resolve::Mode::kNearest:
      answer_block(h, s, answer);
      nearest_block(h, s, state, answer);
      results(h, s, state, answer, *view);
      group_options(h, s, state, answer);
      break;
    case resolve::Mode::kChooser:
    case resolve::Mode::kModel:
    case resolve::Mode::kBrowse:
      if (answer.chooser) chooser(h, s, state, answer);
      break;
    case resolve::Mode::kNothing:
      nothing(h, s, answer);
      break;
  }
  if (!answer.related.empty()) {
    h << "<section aria-labelledby=\"related\"><h2 id=\"related\">Related operations</h2><ul "
         "class=\"chips\">";
    for (const Index related : answer.related) {
      h << "<li><a class=\"chip\"" << href(operation_url(s.text(s.operations()[related].slug)))
        << ">" << text(resolve::operation_name(s, related)) << "</a></li>";
    }
    h << "</ul></section>\n";
  }
  return std::move(page).finish();
}

http::Response suggest_answer(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  std::string json;
  json::Writer w(json);
  w.begin_object().key("suggestions").begin_array();
  const std::string_view typed = request.query("q").value_or("");
  if (typed.size() <= query::kMaxQueryLength) {
    for (const auto& suggestion : site.catalog.resolver->index().suggest(typed)) {
      const auto& operation = s.operations()[suggestion.operation];
      w.begin_object()
          .member("name", resolve::operation_name(s, suggestion.operation))
          .member("slug", s.text(operation.slug))
          .member("runs", display::count_noun(operation.eligible_runs, "run"))
          .member("url", operation_url(s.text(operation.slug)).text())
          .end_object();
    }
  }
  w.end_array().end_object();
  return http::Response::json(std::move(json), http::Cache::kMedium);
}

}  // namespace ki::web
