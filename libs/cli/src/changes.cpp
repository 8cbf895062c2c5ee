// `ki changes`: breaks, imports and corrections, newest first, batches in one line (spec 11.4).
#include "command.h"
#include "ki/base/text.h"
#include "ki/base/uuid.h"
#include "ki/display/format.h"
#include "ki/policy/records.h"
#include "ki/resolve/describe.h"
#include "stored.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace ki::cli {
namespace {

using catalog::Index;
using catalog::Snapshot;
using display::Align;
namespace run_flags = catalog::run_flags;

struct Change {
  std::int64_t at_ms = 0;
  std::string kind;  // break, import, correction
  std::string operation, project, source, run_id;
  std::uint64_t count = 1;
  double improvement = -1;
  std::string text;
};

std::string day_of(std::int64_t ms) { return Instant{ms}.date(); }

// One entry for the breaks that one project made in one operation on one day.
std::vector<Change> breaks(const Snapshot& s) {
  std::map<std::tuple<std::string, Index, Index>, Change> batches;  // (day, operation, project)
  std::vector<policy::BreakStep> steps;
  std::vector<Index> runs;
  for (Index k = 0; k < s.cohorts().size(); ++k) {
    const auto events = s.events_of_cohort(k);
    if (events.size() < 2) continue;
    steps.clear();
    runs.clear();
    for (const Index event : events) {
      const Index run = s.events()[event].run;
      if ((s.runs()[run].flags & run_flags::kEligible) == 0) continue;
      runs.push_back(run);
      steps.push_back(
          {s.text(s.projects()[s.implementations()[s.runs()[run].implementation].project].slug),
           s.runs()[run].value});
    }
    const auto judged = policy::judge_breaks(steps);
    for (std::size_t i = 0; i < judged.size(); ++i) {
      if (judged[i].kind != policy::StepKind::kBreak) continue;
      const auto& run = s.runs()[runs[i]];
      const Index project = s.implementations()[run.implementation].project;
      const Index operation = s.cohorts()[k].operation;
      const auto key = std::make_tuple(day_of(run.published_ms), operation, project);
      const auto [at, is_new] = batches.try_emplace(key);
      Change& change = at->second;
      const double gain = 100 * judged[i].improvement;
      if (is_new) {
        change.kind = "break";
        change.operation = s.text(s.operations()[operation].slug);
        change.project = s.text(s.projects()[project].slug);
        change.source = s.text(s.sources()[run.source].slug);
        change.count = 0;
      }
      ++change.count;
      if (run.published_ms >= change.at_ms) change.run_id = Uuid{run.id}.to_string();
      change.at_ms = std::max(change.at_ms, run.published_ms);
      change.improvement = std::max(change.improvement, gain);
      change.text =
          fmt::format("{} by {}: {}, up to {} faster than before",
                      resolve::operation_name(s, operation), s.text(s.projects()[project].name),
                      display::count_noun(static_cast<std::int64_t>(change.count), "break"),
                      display::improvement(change.improvement));
    }
  }
  std::vector<Change> out;
  for (auto& [key, change] : batches) out.push_back(std::move(change));
  return out;
}

std::vector<Change> imports(const Snapshot& s) {
  std::map<std::tuple<std::string, Index>, Change> batches;  // (day, source)
  for (const auto& run : s.runs()) {
    if (run.published_ms == 0) continue;
    const auto [at, is_new] = batches.try_emplace({day_of(run.published_ms), run.source});
    Change& change = at->second;
    if (is_new) {
      change.kind = "import";
      change.source = s.text(s.sources()[run.source].slug);
      change.count = 0;
    }
    ++change.count;
    change.at_ms = std::max(change.at_ms, run.published_ms);
    change.text = fmt::format("{} from {}",
                              display::count_noun(static_cast<std::int64_t>(change.count), "run"),
                              s.text(s.sources()[run.source].name));
  }
  std::vector<Change> out;
  for (auto& [key, change] : batches) out.push_back(std::move(change));
  return out;
}

std::string_view text_of(const json::Value& row, std::string_view member) {
  const json::Value* v = row.find(member);
  return v != nullptr && v->is_string() ? v->string() : std::string_view();
}

Result<std::vector<Change>> corrections(const Snapshot& s, catalog::Store& store) {
  std::vector<Change> out;
  for (const auto& other : s.columns().others) {
    if (other.table != static_cast<std::uint32_t>(catalog::Table::kAuditEvents)) continue;
    KI_TRY(const json::Document row, read_stored(store, other.entry));
    const std::string_view action = text_of(row.root, "action");
    if (action != "retract_run" && action != "supersede_run") continue;
    const auto at = parse_instant(text_of(row.root, "at"));
    Change change;
    change.at_ms = at ? at->instant.ms : 0;
    change.kind = "correction";
    change.run_id = text_of(row.root, "targetId");
    change.text = fmt::format("{} run {}: {}", action == "retract_run" ? "retracted" : "superseded",
                              change.run_id, text_of(row.root, "reason"));
    out.push_back(std::move(change));
  }
  return out;
}

}  // namespace

Result<int> run_changes(Context& context) {
  KI_TRY(const auto limit, context.arguments().integer("limit", 50, 1, 1'000'000));
  std::optional<std::int64_t> since;
  if (const auto text = context.arguments().value("since")) {
    auto parsed = parse_instant(*text);
    if (!parsed) parsed = parse_instant(*text + "T00:00Z");
    if (!parsed)
      return fail(Code::kInvalidArgument,
                  fmt::format("--since is {}; expected a date such as 2026-08-15 or an instant",
                              quote(*text)));
    since = parsed->instant.ms;
  }
  KI_TRY(const OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const auto snapshot = catalog.snapshot();
  std::vector<Change> changes = breaks(*snapshot);
  for (Change& change : imports(*snapshot)) changes.push_back(std::move(change));
  KI_TRY(std::vector<Change> corrected, corrections(*snapshot, *catalog.store));
  for (Change& change : corrected) changes.push_back(std::move(change));
  std::ranges::sort(changes, [](const Change& a, const Change& b) {
    return std::tie(b.at_ms, a.kind, a.operation, a.project, a.source, a.run_id) <
           std::tie(a.at_ms, b.kind, b.operation, b.project, b.source, b.run_id);
  });
  constexpr std::int64_t kMonthMs = 30LL * 24 * 3600 * 1000;
  const std::int64_t start = since             ? *since
                             : changes.empty() ? 0
                                               : changes.front().at_ms - kMonthMs;
  std::erase_if(changes, [&](const Change& change) { return change.at_ms <= start; });
  Listing listing("changes", {{"at", "date"},
                              {"kind", "kind"},
                              {"text", "what", Align::kLeft, 110},
                              {"operation", ""},
                              {"project", ""},
                              {"source", ""},
                              {"runId", ""},
                              {"count", ""},
                              {"improvementPercent", ""}});
  for (const Change& c : changes) {
    if (listing.size() == static_cast<std::size_t>(limit)) break;
    listing.add(
        {text_cell(Instant{c.at_ms}.to_string(), day_of(c.at_ms)), text_cell(c.kind),
         text_cell(c.text), text_cell(c.operation), text_cell(c.project), text_cell(c.source),
         text_cell(c.run_id), count_cell(static_cast<std::int64_t>(c.count)),
         c.improvement < 0 ? null_cell()
                           : number_cell(c.improvement, display::improvement(c.improvement))});
  }
  listing.set("total", std::to_string(changes.size()));
  listing.set("since", "\"" + Instant{start}.to_string() + "\"");
  listing.set_footer(
      fmt::format("{} of {} after {}.", display::count(static_cast<std::int64_t>(listing.size())),
                  display::count_noun(static_cast<std::int64_t>(changes.size()), "change"),
                  Instant{start}.date()));
  context.print(listing);
  return kDone;
}

}  // namespace ki::cli
