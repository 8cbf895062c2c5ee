// operations, projects, runs, hardware, models, stats: what the catalog holds, as lists.
#include "command.h"
#include "ids.h"
#include "ki/base/text.h"
#include "ki/base/uuid.h"
#include "ki/catalog/run_status.h"
#include "ki/digest/digest.h"
#include "ki/display/format.h"
#include "ki/display/labels.h"
#include "ki/display/names.h"
#include "ki/json/writer.h"
#include "ki/policy/evidence.h"
#include "ki/query/hardware.h"
#include "ki/resolve/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ki::cli {
namespace {

using catalog::Index;
using catalog::kNone;
using catalog::Snapshot;
using display::Align;
namespace run_flags = catalog::run_flags;

struct Page {
  std::size_t offset = 0;
  std::size_t limit = 50;
};

Result<Page> page_of(const Context& context) {
  KI_TRY(const auto limit, context.arguments().integer("limit", 50, 1, 1'000'000));
  KI_TRY(const auto offset, context.arguments().integer("offset", 0, 0, 1'000'000'000));
  return Page{static_cast<std::size_t>(offset), static_cast<std::size_t>(limit)};
}

// Calls show(item) for the items of the page, and sets the totals.
template <class Item, class Show>
void show_page(Listing& listing, const std::vector<Item>& items, const Page& page,
               std::string_view noun, Show show) {
  const std::size_t end = std::min(items.size(), page.offset + page.limit);
  for (std::size_t i = page.offset; i < end; ++i) show(items[i]);
  listing.set("total", std::to_string(items.size()));
  listing.set("offset", std::to_string(page.offset));
  std::string footer =
      fmt::format("{} of {}", display::count(static_cast<std::int64_t>(listing.size())),
                  display::count_noun(static_cast<std::int64_t>(items.size()), noun));
  if (end < items.size()) footer += fmt::format("; more with --offset {}", end);
  listing.set_footer(footer + ".");
}

std::string instant_text(std::int64_t ms) {
  return ms == 0 ? std::string() : Instant{ms}.to_string();
}
std::string date_text(std::int64_t ms) { return ms == 0 ? std::string() : Instant{ms}.date(); }

bool is_eligible(const catalog::RunRow& run) { return (run.flags & run_flags::kEligible) != 0; }

// A date or an instant, as the first millisecond of it.
Result<std::int64_t> parse_since(std::string_view text) {
  if (const auto parsed = parse_instant(text)) return parsed->instant.ms;
  if (const auto parsed = parse_instant(std::string(text) + "T00:00Z")) return parsed->instant.ms;
  return fail(Code::kInvalidArgument,
              fmt::format("--since is {}; expected a date such as 2026-08-15 or an instant such as "
                          "2026-08-15T02:00:00.000Z",
                          quote(text)));
}

}  // namespace

Result<int> run_operations(Context& context) {
  KI_TRY(const Page page, page_of(context));
  KI_TRY(const OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const auto snapshot = catalog.snapshot();
  const Snapshot& s = *snapshot;
  const auto family = context.arguments().value("family");
  const auto tag = context.arguments().value("tag");
  std::vector<Index> found;
  for (Index i = 0; i < s.operations().size(); ++i) {
    const auto& op = s.operations()[i];
    if (family && s.name(op.family) != ascii_lower(*family)) continue;
    if (tag &&
        std::ranges::none_of(s.tags(op), [&](catalog::NameId id) { return s.name(id) == *tag; }))
      continue;
    found.push_back(i);
  }
  std::ranges::sort(found, [&](Index a, Index b) {
    const auto& x = s.operations()[a];
    const auto& y = s.operations()[b];
    if (x.eligible_runs != y.eligible_runs) return x.eligible_runs > y.eligible_runs;
    return s.text(x.slug) < s.text(y.slug);
  });
  Listing listing("operations", {{"slug", "operation", Align::kLeft, 64},
                                 {"name", "name", Align::kLeft, 56},
                                 {"family", "family", Align::kLeft, 28},
                                 {"workloads", "workloads", Align::kRight},
                                 {"implementations", "implementations", Align::kRight},
                                 {"runs", "runs", Align::kRight},
                                 {"groups", "groups", Align::kRight},
                                 {"lastObservedAt", "last observed"}});
  show_page(listing, found, page, "operation", [&](Index i) {
    const auto& op = s.operations()[i];
    listing.add({text_cell(s.text(op.slug)), text_cell(resolve::operation_name(s, i)),
                 text_cell(s.name(op.family)),
                 count_cell(static_cast<std::int64_t>(s.workloads_of_operation(i).size())),
                 count_cell(static_cast<std::int64_t>(s.implementations_of_operation(i).size())),
                 count_cell(op.eligible_runs), count_cell(op.measured_cohorts),
                 text_cell(instant_text(op.last_observed_ms), date_text(op.last_observed_ms))});
  });
  context.print(listing);
  return kDone;
}

Result<int> run_projects(Context& context) {
  KI_TRY(const Page page, page_of(context));
  KI_TRY(const OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const auto snapshot = catalog.snapshot();
  const Snapshot& s = *snapshot;
  struct Tally {
    Index project = kNone;
    std::uint32_t implementations = 0, runs = 0, records = 0;
    std::int64_t last_ms = 0;
  };
  std::vector<Tally> tallies(s.projects().size());
  for (Index i = 0; i < tallies.size(); ++i) tallies[i].project = i;
  for (const auto& implementation : s.implementations())
    ++tallies[implementation.project].implementations;
  for (const auto& run : s.runs()) {
    if (!is_eligible(run)) continue;
    Tally& tally = tallies[s.implementations()[run.implementation].project];
    ++tally.runs;
    tally.last_ms = std::max(tally.last_ms, run.observed_ms);
  }
  for (Index k = 0; k < s.cohorts().size(); ++k) {
    if (s.cohorts()[k].ranked == 0) continue;
    const auto& leader = s.runs()[s.runs_of_cohort(k).front()];
    ++tallies[s.implementations()[leader.implementation].project].records;
  }
  const auto kind = context.arguments().value("kind");
  std::erase_if(tallies, [&](const Tally& t) {
    return kind && s.name(s.projects()[t.project].kind) != *kind;
  });
  std::ranges::sort(tallies, [&](const Tally& a, const Tally& b) {
    if (a.records != b.records) return a.records > b.records;
    if (a.runs != b.runs) return a.runs > b.runs;
    return s.text(s.projects()[a.project].slug) < s.text(s.projects()[b.project].slug);
  });
  Listing listing("projects", {{"slug", "project", Align::kLeft, 48},
                               {"name", "name", Align::kLeft, 40},
                               {"kind", "kind"},
                               {"implementations", "implementations", Align::kRight},
                               {"runs", "runs", Align::kRight},
                               {"records", "records", Align::kRight},
                               {"lastObservedAt", "last observed"},
                               {"url", ""}});
  show_page(listing, tallies, page, "project", [&](const Tally& t) {
    const auto& row = s.projects()[t.project];
    listing.add({text_cell(s.text(row.slug)), text_cell(s.text(row.name)),
                 text_cell(s.name(row.kind)), count_cell(t.implementations), count_cell(t.runs),
                 count_cell(t.records), text_cell(instant_text(t.last_ms), date_text(t.last_ms)),
                 text_cell(s.text(row.url))});
  });
  context.print(listing);
  return kDone;
}

Result<int> run_runs(Context& context) {
  KI_TRY(const auto limit, context.arguments().integer("limit", 50, 1, 1'000'000));
  KI_TRY(const OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const auto snapshot = catalog.snapshot();
  const Snapshot& s = *snapshot;
  const Arguments& arguments = context.arguments();
  Index operation = kNone;
  if (const auto slug = arguments.value("operation")) {
    KI_TRY(operation, find_operation(s, *slug));
  }
  std::optional<query::Gpu> gpu;
  if (const auto hardware = arguments.value("hardware")) gpu = query::parse_gpu(*hardware);
  const auto source = arguments.value("source");
  if (source && std::ranges::none_of(
                    s.sources(), [&](const auto& row) { return s.text(row.slug) == *source; })) {
    return fail(Code::kNotFound, fmt::format("no source is {}", quote(*source)));
  }
  const auto status = arguments.value("status");
  if (status && !catalog::parse_run_status(*status)) {
    return fail(Code::kInvalidArgument,
                fmt::format("--status is {}; expected passed, runtime_error, ...", quote(*status)));
  }
  std::int64_t since = std::numeric_limits<std::int64_t>::min();
  if (const auto text = arguments.value("since")) {
    KI_TRY(since, parse_since(*text));
  }
  // A cursor is the run that the page before ended with.
  std::size_t start = 0;
  const auto newest = std::span(s.columns().runs_newest);
  if (const auto cursor = arguments.value("cursor")) {
    const auto id = Uuid::parse(*cursor);
    const Index after = id ? s.find_run(*id) : kNone;
    const auto at = std::ranges::find(newest, after);
    if (after == kNone || at == newest.end())
      return fail(Code::kInvalidArgument,
                  fmt::format("--cursor {} is none of this listing", quote(*cursor)));
    start = static_cast<std::size_t>(at - newest.begin()) + 1;
  }
  std::map<catalog::NameId, bool> gpu_matches;
  const auto is_wanted_gpu = [&](const catalog::RunRow& run) {
    const auto& environment = s.environments()[s.cohorts()[run.cohort].environment];
    const auto [at, is_new] = gpu_matches.try_emplace(environment.product, false);
    if (is_new)
      at->second = query::match_gpu(*gpu, query::parse_gpu(s.name(environment.product))) ==
                   query::GpuMatch::kMatch;
    return at->second;
  };
  Listing listing("runs", {{"id", "run"},
                           {"digest", ""},
                           {"operation", "operation", Align::kLeft, 44},
                           {"implementation", "implementation", Align::kLeft, 44},
                           {"hardware", "hardware"},
                           {"status", "status"},
                           {"value", "value", Align::kRight},
                           {"unit", ""},
                           {"statistic", ""},
                           {"evidence", "evidence"},
                           {"source", "source", Align::kLeft, 20},
                           {"observedAt", "observed"}});
  std::string next;
  for (std::size_t i = start; i < newest.size(); ++i) {
    const auto& run = s.runs()[newest[i]];
    if (run.observed_ms < since) break;  // newest first
    const auto& cohort = s.cohorts()[run.cohort];
    if (operation != kNone && cohort.operation != operation) continue;
    if (status && catalog::kRunStatusNames[run.status] != *status) continue;
    if (source && s.text(s.sources()[run.source].slug) != *source) continue;
    if (gpu && !is_wanted_gpu(run)) continue;
    if (listing.size() == static_cast<std::size_t>(limit)) {
      next = Uuid{s.runs()[newest[i - 1]].id}.to_string();
      break;
    }
    const auto& metric = s.metrics()[cohort.metric];
    const std::string_view unit = s.name(metric.unit);
    listing.add({text_cell(Uuid{run.id}.to_string()), text_cell(Digest(run.digest).to_string()),
                 text_cell(s.text(s.operations()[cohort.operation].slug)),
                 text_cell(s.text(s.implementations()[run.implementation].slug)),
                 text_cell(s.name(s.environments()[cohort.environment].product)),
                 text_cell(catalog::kRunStatusNames[run.status]),
                 std::isnan(run.value)
                     ? null_cell()
                     : number_cell(run.value, display::primary_text(run.value, unit)),
                 text_cell(unit), text_cell(s.name(metric.statistic)),
                 text_cell(policy::to_string(static_cast<policy::EvidenceLevel>(run.evidence))),
                 text_cell(s.text(s.sources()[run.source].slug)),
                 text_cell(instant_text(run.observed_ms), date_text(run.observed_ms))});
  }
  listing.set("nextCursor", next.empty() ? "null" : "\"" + next + "\"");
  listing.set_footer(
      fmt::format("{}.{}", display::count_noun(static_cast<std::int64_t>(listing.size()), "run"),
                  next.empty() ? "" : " More with --cursor " + next));
  context.print(listing);
  return kDone;
}

Result<int> run_hardware(Context& context) {
  KI_TRY(const OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const auto snapshot = catalog.snapshot();
  const Snapshot& s = *snapshot;
  struct Tally {
    catalog::NameId product = 0, vendor = 0, architecture = 0;
    std::uint32_t runs = 0, records = 0;
    std::set<Index> operations;
    std::set<catalog::NameId> families;
    std::int64_t last_ms = 0;
  };
  std::map<catalog::NameId, Tally> tallies;
  for (Index k = 0; k < s.cohorts().size(); ++k) {
    const auto& cohort = s.cohorts()[k];
    if (cohort.ranked == 0) continue;
    const auto& environment = s.environments()[cohort.environment];
    Tally& tally = tallies[environment.product];
    tally.product = environment.product;
    tally.vendor = environment.vendor;
    if (tally.architecture == 0 || s.name(tally.architecture) == "unknown")
      tally.architecture = environment.display_architecture;
    tally.runs += cohort.ranked;
    ++tally.records;
    tally.operations.insert(cohort.operation);
    tally.families.insert(s.operations()[cohort.operation].family);
    tally.last_ms = std::max(tally.last_ms, cohort.last_observed_ms);
  }
  std::vector<const Tally*> order;
  for (const auto& [product, tally] : tallies) order.push_back(&tally);
  std::ranges::sort(order, [&](const Tally* a, const Tally* b) {
    if (a->runs != b->runs) return a->runs > b->runs;
    return s.name(a->product) < s.name(b->product);
  });
  Listing listing("hardware", {{"slug", ""},
                               {"model", "GPU"},
                               {"vendor", "vendor"},
                               {"architecture", "architecture"},
                               {"kernelRuns", "runs", Align::kRight},
                               {"operations", "operations", Align::kRight},
                               {"families", "families", Align::kRight},
                               {"records", "records", Align::kRight},
                               {"lastObservedAt", "last observed"}});
  for (const Tally* t : order) {
    listing.add({text_cell(display::hardware_slug(s.name(t->product))),
                 text_cell(s.name(t->product)), text_cell(s.name(t->vendor)),
                 text_cell(s.name(t->architecture)), count_cell(t->runs),
                 count_cell(static_cast<std::int64_t>(t->operations.size())),
                 count_cell(static_cast<std::int64_t>(t->families.size())), count_cell(t->records),
                 text_cell(instant_text(t->last_ms), date_text(t->last_ms))});
  }
  listing.set_footer(display::count_noun(static_cast<std::int64_t>(listing.size()), "GPU") +
                     " with eligible runs.");
  context.print(listing);
  return kDone;
}

Result<int> run_models(Context& context) {
  KI_TRY(const OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const auto snapshot = catalog.snapshot();
  const Snapshot& s = *snapshot;
  struct Tally {
    std::uint32_t operations = 0, runs = 0;
    std::set<catalog::NameId> families;
  };
  std::map<std::string_view, Tally> models;
  for (const auto& op : s.operations()) {
    for (const catalog::NameId tag : s.tags(op)) {
      constexpr std::string_view kPrefix = "model:";
      if (!s.name(tag).starts_with(kPrefix)) continue;
      Tally& tally = models[s.name(tag).substr(kPrefix.size())];
      ++tally.operations;
      tally.runs += op.eligible_runs;
      tally.families.insert(op.family);
    }
  }
  Listing listing("models", {{"model", "model", Align::kLeft, 48},
                             {"kind", "kind"},
                             {"name", "", Align::kLeft},
                             {"operations", "operations", Align::kRight},
                             {"families", "families", Align::kRight},
                             {"runs", "runs", Align::kRight}});
  std::vector<std::pair<std::string_view, const Tally*>> order;
  for (const auto& [model, tally] : models) order.emplace_back(model, &tally);
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
    return a.second->operations > b.second->operations;
  });
  for (const auto& [model, tally] : order) {
    listing.add({text_cell(model), text_cell("kernel"), null_cell(), count_cell(tally->operations),
                 count_cell(static_cast<std::int64_t>(tally->families.size())),
                 count_cell(tally->runs)});
  }
  for (const auto& model : s.columns().models) {
    listing.add({text_cell(s.text(model.slug)), text_cell("serving"), text_cell(s.text(model.name)),
                 null_cell(), null_cell(), count_cell(model.runs)});
  }
  listing.set_footer(fmt::format(
      "{} that operations were taken from, {}. The two are never ranked together.",
      display::count_noun(static_cast<std::int64_t>(order.size()), "model"),
      display::count_noun(static_cast<std::int64_t>(s.columns().models.size()), "served model")));
  context.print(listing);
  return kDone;
}

Result<int> run_stats(Context& context) {
  KI_TRY(const OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const auto snapshot = catalog.snapshot();
  const Snapshot& s = *snapshot;
  std::uint64_t eligible = 0, ineligible = 0, groups = 0, contested = 0, measured_operations = 0;
  std::map<std::string, std::uint64_t> evidence = {
      {"replicated", 0}, {"verified", 0}, {"reproducible", 0}, {"reported", 0}};
  for (const auto& run : s.runs()) {
    if (!is_eligible(run)) {
      ++ineligible;
      continue;
    }
    ++eligible;
    ++evidence[std::string(policy::to_string(static_cast<policy::EvidenceLevel>(run.evidence)))];
  }
  std::set<catalog::NameId> gpus;
  for (Index k = 0; k < s.cohorts().size(); ++k) {
    const auto& cohort = s.cohorts()[k];
    if (cohort.ranked == 0) continue;
    ++groups;
    if (s.events_of_cohort(k).size() > 1) ++contested;
    gpus.insert(s.environments()[cohort.environment].product);
  }
  for (const auto& op : s.operations()) measured_operations += op.eligible_runs != 0 ? 1 : 0;
  const std::vector<std::pair<std::string, std::uint64_t>> rows = {
      {"catalogVersion", s.seq()},
      {"operations", s.operations().size()},
      {"measuredOperations", measured_operations},
      {"workloads", s.workloads().size()},
      {"implementations", s.implementations().size()},
      {"projects", s.projects().size()},
      {"runs", s.runs().size()},
      {"eligibleRuns", eligible},
      {"ineligibleRuns", ineligible},
      {"comparisonGroups", groups},
      {"contestedGroups", contested},
      {"leaderEvents", s.events().size()},
      {"gpus", gpus.size()},
      {"replicated", evidence["replicated"]},
      {"verified", evidence["verified"]},
      {"reproducible", evidence["reproducible"]},
      {"reported", evidence["reported"]},
      {"servingRuns", s.columns().serving_runs.size()},
      {"models", s.columns().models.size()}};
  if (context.is_json()) {
    std::string out;
    json::Writer w(out, json::Writer::Style::kIndented);
    w.begin_object();
    for (const auto& [key, value] : rows) w.member(key, value);
    w.member("chain", s.head().chain.to_string()).end_object();
    context.out(out + "\n");
    return kDone;
  }
  display::Table table({{""}, {"", Align::kRight}});
  for (const auto& [key, value] : rows) {
    std::string words;
    for (const char c : key)
      words += is_ascii_upper(c) ? std::string(" ") + ascii_lower(c) : std::string(1, c);
    table.add({words, display::count(static_cast<std::int64_t>(value))});
  }
  context.out(table.render());
  return kDone;
}

}  // namespace ki::cli
