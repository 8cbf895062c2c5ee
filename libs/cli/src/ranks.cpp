// ranks: every rank, a row a run (ranking-v1) or an implementation (ranking-v2).
#include "ki/base/text.h"
#include "ki/display/format.h"
#include "list_view.h"

#include <fmt/format.h>

namespace ki::cli {
namespace {

using display::Align;
using json::Value;

ListCell group(const Value& row) {
  const std::string_view key = text_at(row, "comparisonKey");
  return {std::string(key.substr(0, 19)) + "…", std::string(key)};
}
ListCell unit(const Value& row) { return plain(text_at(row, "primary.unit")); }
ListCell value(const Value& row) { return measured(at(row, "primary")); }
ListCell implementation(const Value& row) { return plain(text_at(row, "implementation.slug")); }
ListCell group_size(const Value& row) { return counted(count_at(row, "cohortSize")); }

std::string footer_v1(const Value& document, std::size_t shown) {
  return "By ranking-v1, the order of reported values, not tested: " +
         total_footer(document, shown, "run");
}

const ListView kRanks = {
    .operation = "listRanks",
    .member = "ranks",
    .columns = {{"runId", "run", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "runId")); }},
                {"comparisonKey", "group", Align::kLeft, 0, group},
                {"rank", "rank", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "rank")); }},
                {"tiedWithPrevious", "tied", Align::kLeft, 0,
                 [](const Value& row) {
                   const bool is_tied = flag_at(row, "tiedWithPrevious");
                   return ListCell{is_tied ? "yes" : "", is_tied ? "true" : "false"};
                 }},
                {"cohortSize", "of", Align::kRight, 0, group_size},
                {"value", "value", Align::kRight, 0, value},
                {"unit", "", Align::kLeft, 0, unit},
                {"implementation", "implementation", Align::kLeft, 48, implementation}},
    .footer = footer_v1,
    .is_whole = true};

std::string footer_v2(const Value& document, std::size_t shown) {
  const std::string_view next = text_at(document, "nextCursor");
  return fmt::format("{} under ranking-v2: bounds 1 + #strictly better to n - #strictly worse.{}",
                     display::count_noun(static_cast<std::int64_t>(shown), "row"),
                     next.empty() ? std::string() : fmt::format(" More with --cursor {}", next));
}

const ListView kBounds = {
    .operation = "listRanks",
    .member = "ranks",
    .columns = {{"comparisonKey", "group", Align::kLeft, 0, group},
                {"implementation", "implementation", Align::kLeft, 48, implementation},
                {"bestRunId", "best run", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "bestRunId")); }},
                {"runs", "runs", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "runs")); }},
                {"rankBest", "", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "rankBest")); }},
                {"rankWorst", "", Align::kRight, 0,
                 [](const Value& row) { return counted(count_at(row, "rankWorst")); }},
                {"rankBounds", "rank", Align::kRight, 0,
                 [](const Value& row) { return plain(text_at(row, "rankBounds")); }},
                {"cohortSize", "of", Align::kRight, 0, group_size},
                {"value", "value", Align::kRight, 0, value},
                {"unit", "", Align::kLeft, 0, unit},
                {"verdict", "verdict", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "verdict")); }},
                {"reason", "why", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "reason")); }}},
    .footer = footer_v2,
    .is_whole = true};

}  // namespace

Result<int> run_ranks(Context& context) {
  const std::string policy = context.arguments().value("policy").value_or("ranking-v1");
  return run_list(context, policy == "ranking-v2" ? kBounds : kRanks);
}

}  // namespace ki::cli
