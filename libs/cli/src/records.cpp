// `ki records`: who leads each comparison group, since when, and what came before (spec 03.8).
#include "ki/policy/records.h"

#include "command.h"
#include "ki/base/text.h"
#include "ki/base/uuid.h"
#include "ki/digest/digest.h"
#include "ki/display/format.h"
#include "ki/policy/evidence.h"
#include "ki/query/hardware.h"
#include "ki/resolve/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace ki::cli {
namespace {

using catalog::Index;
using catalog::kNone;
using catalog::Snapshot;
using display::Align;
namespace run_flags = catalog::run_flags;

struct Holder {
  Index cohort = kNone;
  std::vector<Index> events;  // of runs that are still eligible, oldest first
  std::size_t breaks = 0;     // under the policy asked for
  double improvement = -1;    // of the last break, in percent; -1 without one
  const catalog::EventRow& last(const Snapshot& s) const { return s.events()[events.back()]; }
};

bool is_eligible(const Snapshot& s, Index run) {
  return (s.runs()[run].flags & run_flags::kEligible) != 0;
}

Holder holder_of(const Snapshot& s, Index cohort, bool counts_all_events) {
  Holder holder{.cohort = cohort, .events = {}};
  std::vector<policy::BreakStep> steps;
  for (const Index event : s.events_of_cohort(cohort)) {
    const Index run = s.events()[event].run;
    if (!is_eligible(s, run)) continue;
    holder.events.push_back(event);
    steps.push_back(
        {s.text(s.projects()[s.implementations()[s.runs()[run].implementation].project].slug),
         s.runs()[run].value});
  }
  if (holder.events.empty()) return holder;
  if (counts_all_events) {
    holder.breaks = holder.events.size() - 1;
    if (holder.breaks != 0) {
      const double before = steps[steps.size() - 2].value;
      holder.improvement = 100 * (before - steps.back().value) / before;
    }
    return holder;
  }
  for (const policy::JudgedStep& step : policy::judge_breaks(steps)) {
    if (step.kind != policy::StepKind::kBreak) continue;
    ++holder.breaks;
    holder.improvement = 100 * step.improvement;
  }
  return holder;
}

const catalog::ImplementationRow& holder_implementation(const Snapshot& s, const Holder& holder) {
  return s.implementations()[s.runs()[holder.last(s).run].implementation];
}

bool is_unbeaten_baseline(const Snapshot& s, const Holder& holder) {
  return holder.events.size() == 1 && s.name(holder_implementation(s, holder).role) == "baseline";
}

// Every word stands somewhere in the names of the operation, workload, hardware or a holder.
bool matches_words(const Snapshot& s, const Holder& holder, std::span<const std::string> words) {
  if (words.empty()) return true;
  const auto& cohort = s.cohorts()[holder.cohort];
  const auto& op = s.operations()[cohort.operation];
  std::string text = fmt::format("{} {} {} {} {}", s.text(op.slug), s.text(op.name),
                                 resolve::operation_name(s, cohort.operation),
                                 resolve::workload_label(s, cohort.workload),
                                 s.name(s.environments()[cohort.environment].product));
  for (const auto alias : s.aliases(op)) text += " " + std::string(s.text(alias));
  for (const Index event : holder.events) {
    const Index implementation = s.runs()[s.events()[event].run].implementation;
    text += " " + resolve::implementation_name(s, implementation) + " " +
            std::string(s.text(s.implementations()[implementation].slug)) + " " +
            std::string(s.text(s.projects()[s.implementations()[implementation].project].name));
  }
  text = ascii_lower(text);
  return std::ranges::all_of(
      words, [&](const std::string& word) { return text.find(ascii_lower(word)) != text.npos; });
}

enum class Order { kContested, kDate, kImprovement, kLeads, kOperation };

Result<Order> parse_order(const Context& context) {
  const std::string order = context.arguments().value("sort").value_or("contested");
  if (order == "contested") return Order::kContested;
  if (order == "date") return Order::kDate;
  if (order == "improvement") return Order::kImprovement;
  if (order == "leads") return Order::kLeads;
  if (order == "operation") return Order::kOperation;
  return fail(Code::kInvalidArgument,
              fmt::format("--sort is {}; expected contested, date, improvement, leads or operation",
                          quote(order)));
}

void sort_holders(const Snapshot& s, std::vector<Holder>& holders, Order order) {
  const auto indexed = [&](const Holder& h) { return s.runs()[h.last(s).run].published_ms; };
  const auto newest_first = [&](const Holder& a, const Holder& b) {
    if (indexed(a) != indexed(b)) return indexed(a) > indexed(b);
    return s.cohorts()[a.cohort].key < s.cohorts()[b.cohort].key;
  };
  const auto part = [&](const Holder& h) {
    return h.breaks != 0 ? 0 : is_unbeaten_baseline(s, h) ? 2 : 1;
  };
  std::ranges::sort(holders, [&](const Holder& a, const Holder& b) {
    switch (order) {
      case Order::kContested:
        if (part(a) != part(b)) return part(a) < part(b);
        break;
      case Order::kDate:
        break;
      case Order::kImprovement:
        if (a.improvement != b.improvement) return a.improvement > b.improvement;
        break;
      case Order::kLeads:
        if (a.events.size() != b.events.size()) return a.events.size() > b.events.size();
        break;
      case Order::kOperation: {
        const std::string_view x = s.text(s.operations()[s.cohorts()[a.cohort].operation].slug);
        const std::string_view y = s.text(s.operations()[s.cohorts()[b.cohort].operation].slug);
        if (x != y) return x < y;
        break;
      }
    }
    return newest_first(a, b);
  });
}

}  // namespace

Result<int> run_records(Context& context) {
  KI_TRY(const auto limit, context.arguments().integer("limit", 25, 1, 1'000'000));
  KI_TRY(const auto offset, context.arguments().integer("offset", 0, 0, 1'000'000'000));
  KI_TRY(const Order order, parse_order(context));
  const auto policy_name = context.arguments().value("policy");
  if (policy_name && *policy_name != "ranking-v1" && *policy_name != "breaks") {
    return fail(Code::kInvalidArgument,
                fmt::format("--policy is {}; expected breaks or ranking-v1", quote(*policy_name)));
  }
  const bool counts_all_events = policy_name == "ranking-v1";
  const bool shows_all = context.arguments().has("all");
  KI_TRY(const OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const auto snapshot = catalog.snapshot();
  const Snapshot& s = *snapshot;
  std::optional<query::Gpu> gpu;
  if (const auto hardware = context.arguments().value("hardware"))
    gpu = query::parse_gpu(*hardware);
  std::map<catalog::NameId, bool> gpu_matches;
  std::vector<Holder> holders;
  std::size_t without_source = 0, baselines = 0;
  for (Index k = 0; k < s.cohorts().size(); ++k) {
    if (s.cohorts()[k].ranked == 0) continue;
    if (gpu) {
      const catalog::NameId product = s.environments()[s.cohorts()[k].environment].product;
      const auto [at, is_new] = gpu_matches.try_emplace(product, false);
      if (is_new)
        at->second =
            query::match_gpu(*gpu, query::parse_gpu(s.name(product))) == query::GpuMatch::kMatch;
      if (!at->second) continue;
    }
    Holder holder = holder_of(s, k, counts_all_events);
    if (holder.events.empty() || !matches_words(s, holder, context.operands())) continue;
    if (!shows_all) {
      if (is_unbeaten_baseline(s, holder)) {
        ++baselines;
        continue;
      }
      if (holder_implementation(s, holder).source_available == 0) {
        ++without_source;
        continue;
      }
    }
    holders.push_back(std::move(holder));
  }
  sort_holders(s, holders, order);
  Listing listing("records", {{"comparisonKey", ""},
                              {"operation", "operation", Align::kLeft, 40},
                              {"workload", "workload", Align::kLeft, 44},
                              {"hardware", "hardware"},
                              {"value", "record", Align::kRight},
                              {"unit", ""},
                              {"statistic", ""},
                              {"improvementPercent", "gain", Align::kRight},
                              {"implementation", "holder", Align::kLeft, 40},
                              {"project", ""},
                              {"runId", ""},
                              {"evidence", "evidence"},
                              {"leads", "leads", Align::kRight},
                              {"breaks", "breaks", Align::kRight},
                              {"rivals", "runs", Align::kRight},
                              {"since", "since"},
                              {"indexedAt", ""}});
  const auto first = std::min(holders.size(), static_cast<std::size_t>(offset));
  const auto end = std::min(holders.size(), first + static_cast<std::size_t>(limit));
  for (std::size_t i = first; i < end; ++i) {
    const Holder& h = holders[i];
    const auto& cohort = s.cohorts()[h.cohort];
    const auto& event = h.last(s);
    const auto& run = s.runs()[event.run];
    const auto& metric = s.metrics()[cohort.metric];
    const std::string_view unit = s.name(metric.unit);
    listing.add(
        {text_cell(Digest(cohort.key).to_string()),
         text_cell(s.text(s.operations()[cohort.operation].slug)),
         text_cell(resolve::workload_label(s, cohort.workload)),
         text_cell(s.name(s.environments()[cohort.environment].product)),
         number_cell(run.value, display::primary_text(run.value, unit)), text_cell(unit),
         text_cell(s.name(metric.statistic)),
         h.improvement < 0 ? null_cell()
                           : number_cell(h.improvement, display::improvement(h.improvement)),
         text_cell(s.text(s.implementations()[run.implementation].slug),
                   resolve::implementation_name(s, run.implementation)),
         text_cell(s.text(s.projects()[s.implementations()[run.implementation].project].slug)),
         text_cell(Uuid{run.id}.to_string()),
         text_cell(policy::to_string(static_cast<policy::EvidenceLevel>(run.evidence))),
         count_cell(static_cast<std::int64_t>(h.events.size())),
         count_cell(static_cast<std::int64_t>(h.breaks)), count_cell(cohort.ranked),
         text_cell(Instant{event.at_ms}.to_string(), Instant{event.at_ms}.date()),
         text_cell(Instant{run.published_ms}.to_string())});
  }
  listing.set("total", std::to_string(holders.size()));
  listing.set("hiddenWithoutSource", std::to_string(without_source));
  listing.set("hiddenBaselines", std::to_string(baselines));
  std::string footer =
      fmt::format("{} of {}", display::count(static_cast<std::int64_t>(listing.size())),
                  display::count_noun(static_cast<std::int64_t>(holders.size()), "record"));
  if (end < holders.size()) footer += fmt::format("; more with --offset {}", end);
  if (without_source + baselines != 0) {
    footer += fmt::format(
        ". Hidden: {} without source, {} (--all shows them)",
        display::count(static_cast<std::int64_t>(without_source)),
        display::count_noun(static_cast<std::int64_t>(baselines), "baseline that nobody has beaten",
                            "baselines that nobody has beaten"));
  }
  listing.set_footer(footer + ". A record with one run has no competitor.");
  context.print(listing);
  return kDone;
}

}  // namespace ki::cli
