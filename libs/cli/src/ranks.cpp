#include "ki/resolve/ranks.h"

#include "command.h"
#include "ki/base/text.h"
#include "ki/base/uuid.h"
#include "ki/digest/digest.h"
#include "ki/display/format.h"
#include "ki/display/labels.h"
#include "ki/resolve/describe.h"

#include <fmt/format.h>

namespace ki::cli {
namespace {

using catalog::Index;
using display::Align;

Result<Index> wanted_cohort(const Context& context, const catalog::Snapshot& s) {
  const auto group = context.arguments().value("group");
  if (!group) return catalog::kNone;
  KI_TRY(const Digest key, Digest::parse(*group));
  const Index cohort = s.find_cohort(key);
  if (cohort == catalog::kNone)
    return fail(Code::kNotFound, fmt::format("no comparison group has the key {}", *group));
  return cohort;
}

}  // namespace

Result<int> run_ranks(Context& context) {
  const std::string policy = context.arguments().value("policy").value_or("ranking-v1");
  if (policy != "ranking-v1" && policy != "ranking-v2") {
    return fail(Code::kInvalidArgument,
                fmt::format("--policy is {}; expected ranking-v1 or ranking-v2", quote(policy)));
  }
  KI_TRY(const auto limit, context.arguments().integer("limit", 0, 0, 100'000'000));
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const auto snapshot = catalog.snapshot();
  const catalog::Snapshot& s = *snapshot;
  KI_TRY(const Index only, wanted_cohort(context, s));
  std::uint64_t total = 0;
  const auto is_wanted = [&](Index cohort) {
    if (only != catalog::kNone && cohort != only) return false;
    return ++total <= static_cast<std::uint64_t>(limit) || limit == 0;
  };
  if (policy == "ranking-v1") {
    Listing listing("ranks", {{"runId", "run"},
                              {"comparisonKey", "group", Align::kLeft, 23},
                              {"rank", "rank", Align::kRight},
                              {"tiedWithPrevious", "tied"},
                              {"cohortSize", "of", Align::kRight},
                              {"value", "value", Align::kRight},
                              {"unit", ""},
                              {"implementation", "implementation", Align::kLeft, 48}});
    for (const resolve::RankEntry& entry : resolve::ranks_v1(s)) {
      if (!is_wanted(entry.cohort)) continue;
      const auto& run = s.runs()[entry.run];
      const std::string_view unit = s.name(s.metrics()[s.cohorts()[entry.cohort].metric].unit);
      listing.add({text_cell(Uuid{run.id}.to_string()),
                   text_cell(Digest(s.cohorts()[entry.cohort].key).to_string()),
                   count_cell(entry.rank), bool_cell(entry.is_tied_with_previous),
                   count_cell(entry.cohort_size),
                   number_cell(run.value, display::primary_text(run.value, unit)), text_cell(unit),
                   text_cell(s.text(s.implementations()[run.implementation].slug))});
    }
    listing.set("policyVersion", "\"ranking-v1\"");
    listing.set("total", std::to_string(total));
    listing.set_footer(
        fmt::format("{} ranked by ranking-v1: the order of reported values, not tested.",
                    display::count_noun(static_cast<std::int64_t>(total), "run")));
    context.print(listing);
    return kDone;
  }
  Listing listing("ranks", {{"comparisonKey", "group", Align::kLeft, 23},
                            {"implementation", "implementation", Align::kLeft, 48},
                            {"bestRunId", "best run"},
                            {"runs", "runs", Align::kRight},
                            {"rankBest", ""},
                            {"rankWorst", ""},
                            {"rankBounds", "rank", Align::kRight},
                            {"cohortSize", "of", Align::kRight},
                            {"value", "value", Align::kRight},
                            {"unit", ""},
                            {"verdict", "verdict"},
                            {"reason", "why"}});
  for (const resolve::RankBoundsEntry& entry :
       only == catalog::kNone ? resolve::ranks_v2(s) : resolve::ranks_v2(s, only)) {
    if (!is_wanted(entry.cohort)) continue;
    const std::string_view unit = s.name(s.metrics()[s.cohorts()[entry.cohort].metric].unit);
    const std::string bounds = display::rank_bounds(entry.best, entry.worst);
    listing.add({text_cell(Digest(s.cohorts()[entry.cohort].key).to_string()),
                 text_cell(s.text(s.implementations()[entry.implementation].slug)),
                 text_cell(Uuid{s.runs()[entry.best_run].id}.to_string()), count_cell(entry.runs),
                 count_cell(entry.best), count_cell(entry.worst), text_cell(bounds),
                 count_cell(entry.cohort_size),
                 number_cell(entry.value, display::primary_text(entry.value, unit)),
                 text_cell(unit), text_cell(entry.verdict), text_cell(entry.reason)});
  }
  listing.set("policyVersion", "\"ranking-v2\"");
  listing.set("total", std::to_string(total));
  listing.set_footer(
      fmt::format("{} under ranking-v2: bounds 1 + #strictly better to n - #strictly worse.",
                  display::count_noun(static_cast<std::int64_t>(total), "row")));
  context.print(listing);
  return kDone;
}

}  // namespace ki::cli
