#include "answer_text.h"

#include "document.h"
#include "ki/base/text.h"
#include "ki/display/format.h"
#include "ki/display/labels.h"
#include "ki/display/table.h"
#include "list_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ki::cli {
namespace {

using display::Align;
using json::Value;

constexpr std::array kGroups = {
    AnswerGroup{"exact", "exact", "exact", "exact"},
    AnswerGroup{"compatible", "compatible", "compatible (something differs; not ranked)",
                "compatible"},
    AnswerGroup{"reported", "reported",
                "other protocols or environments (own ranks, not comparable with the above)",
                "under other protocols"},
    AnswerGroup{"supported", "supportedUnmeasured", "declared support, nothing measured",
                "unmeasured"}};

std::span<const Value> rows_of(const Value& answer, const AnswerGroup& group) {
  return items_at(answer, fmt::format("groups.{}", group.member));
}

display::Readout readout(const Value& row) {
  const Value* primary = at(row, "primary");
  if (primary == nullptr) return {std::string(display::kMissing), ""};
  return display::primary(number_at(*primary, "value"), text_at(*primary, "unit"));
}

std::string spread(const Value& row) {
  const Value* interval = at(row, "primary.uncertainty");
  if (interval == nullptr) return {};
  return display::spread(
      {number_at(row, "primary.value"), number_at(*interval, "low"), number_at(*interval, "high")},
      text_at(row, "primary.unit"));
}

std::string license_of(const Value& row) {
  if (const auto concluded = text_at(row, "license.concluded"); !concluded.empty()) {
    return std::string(concluded);
  }
  if (const auto declared = text_at(row, "license.declared"); !declared.empty()) {
    return fmt::format("{}?", declared);
  }
  return flag_at(row, "sourceAvailable") ? "source, licence unknown" : "no source";
}

std::string differences(const Value& row) {
  std::string out;
  for (const Value& m : items_at(row, "mismatches")) {
    if (!out.empty()) out += ", ";
    out += fmt::format("{} {} (asked {})", display::mismatch_field(text_at(m, "field")),
                       text_at(m, "observed"), text_at(m, "requested"));
  }
  return out;
}

// Two implementations that read alike are told apart by their revision (spec 15 F52).
std::string name_of(std::span<const Value> rows, const Value& row) {
  const auto name = text_at(row, "implementation.name");
  const auto is_same = [&](const Value& other) {
    return text_at(other, "implementation.name") == name;
  };
  const auto revision = text_at(row, "revision");
  if (revision.empty() || std::ranges::count_if(rows, is_same) < 2) return std::string(name);
  return fmt::format("{} ({})", name, revision);
}

std::string group_table(const Value& answer, const AnswerGroup& group) {
  const auto rows = rows_of(answer, group);
  const bool is_exact = &group == &kGroups[0];
  const bool is_measured = group.view != "supported";
  std::vector<display::Table::Column> columns = {
      {"#", Align::kRight}, {"implementation", Align::kLeft, 44}, {"project", Align::kLeft, 24}};
  if (is_measured) {
    columns.insert(columns.end(), {{"value", Align::kRight}, {"unit"}, {"±", Align::kRight}});
    if (is_exact) columns.push_back({"vs #1", Align::kRight});
    columns.insert(columns.end(), {{"evidence"}, {"observed"}});
  }
  columns.push_back({"source", Align::kLeft, 26});
  if (!is_exact) columns.push_back({"differs", Align::kLeft, 60});
  display::Table table(columns);
  // The ratio is to the group's first, which a later page does not show.
  const bool has_first = !rows.empty() && count_at(rows.front(), "rank") == 1;
  for (const Value& row : rows) {
    const auto rank = static_cast<std::uint32_t>(count_at(row, "rank"));
    std::vector<std::string> cells = {
        display::rank_text(rank == 0 ? std::nullopt : std::optional(rank),
                           flag_at(row, "tiedWithPrevious")),
        name_of(rows, row), std::string(text_at(row, "project.name"))};
    if (is_measured) {
      const display::Readout value = readout(row);
      cells.insert(cells.end(), {value.value, value.unit, spread(row)});
      if (is_exact) {
        cells.push_back(has_first ? display::relative(number_at(row, "primary.value"),
                                                      number_at(rows.front(), "primary.value"))
                                  : "");
      }
      cells.push_back(evidence_text(row));
      cells.emplace_back(date_of(text_at(row, "lastTestedAt")));
    }
    cells.push_back(license_of(row));
    if (!is_exact) {
      std::string text = differences(row);
      if (const auto protocol = text_at(row, "protocol"); text.empty() && !protocol.empty()) {
        text = fmt::format("{} · {}", text_at(row, "hardware.model"), protocol);
      }
      cells.push_back(text);
    }
    table.add(std::move(cells));
  }
  return table.render();
}

std::string cohort_line(const Value& cohort) {
  std::string out;
  for (const Value& fact : items_at(cohort, "facts")) {
    const auto key = text_at(fact, "key");
    if (!out.empty()) out += " · ";
    if (key != "GPU" && key != "Workload" && key != "Protocol") out += fmt::format("{} ", key);
    out += text_at(fact, "value");
  }
  return out;
}

std::string side_text(const Value& side, std::string_view axis) {
  std::string out = fmt::format("{}={}", axis, count_at(side, "value"));
  if (const Value* head = at(side, "head")) {
    out += fmt::format(": {} by {}", measurement_text(at(*head, "primary")),
                       text_at(*head, "implementation.name"));
  }
  out += fmt::format(" ({})", display::count_noun(count_at(side, "runs"), "run"));
  if (const auto query = text_at(side, "query"); !query.empty()) {
    out += fmt::format("  ki search {}", shell_quoted(query));
  }
  return out;
}

std::string nearest_text(const Value& answer) {
  const Value* nearest = at(answer, "nearest");
  if (nearest == nullptr) return {};
  const auto axis = text_at(*nearest, "axis");
  std::string out =
      fmt::format("{}={} is not measured. Nearest measured cases (nothing is interpolated):\n",
                  axis, count_at(*nearest, "requested"));
  for (const std::string_view side : {"below", "above"}) {
    if (const Value* found = at(*nearest, side)) out += "  " + side_text(*found, axis) + "\n";
  }
  return out + "\n";
}

std::string chooser_text(const Value& answer) {
  const Value* matches = at(answer, "matches");
  if (matches == nullptr) return {};
  const auto facets = text_at(*matches, "facetLabel");
  const auto rows = items_at(*matches, "rows");
  const bool has_facets = !rows.empty() && rows.front().find("matching") != nullptr;
  std::vector<display::Table::Column> columns = {
      {"operation", Align::kLeft, 60}, {"name", Align::kLeft, 60}, {"runs", Align::kRight}};
  if (has_facets) {
    columns.push_back({"matching", Align::kRight});
    columns.push_back({"best", Align::kRight});
  }
  columns.push_back({"why"});
  display::Table table(columns);
  for (const Value& row : rows) {
    std::vector<std::string> cells = {std::string(text_at(row, "slug")),
                                      std::string(text_at(row, "name")),
                                      display::count(count_at(row, "runs"))};
    if (has_facets) {
      cells.push_back(display::count(count_at(row, "matching")));
      const Value* best = at(row, "best");
      cells.push_back(best == nullptr ? "" : measurement_text(at(*best, "primary")));
    }
    cells.emplace_back(text_at(row, "why"));
    if (const auto misfit = text_at(row, "axisMisfit"); !misfit.empty()) {
      cells.back().append("; ").append(misfit);
    }
    table.add(std::move(cells));
  }
  std::string out = table.render();
  out += fmt::format("\n{} of {}.",
                     display::count_noun(static_cast<std::int64_t>(rows.size()), "operation"),
                     display::count(count_at(*matches, "total")));
  if (has_facets && !facets.empty()) {
    out += fmt::format(" {} with runs on {}.", display::count(count_at(*matches, "withEvidence")),
                       facets);
  }
  if (!rows.empty()) {
    const std::string_view query = text_at(rows.front(), "query");
    out += query.empty() ? fmt::format(" Pick one: ki search op:{}", text_at(rows.front(), "slug"))
                         : fmt::format(" Pick one: ki search {}", shell_quoted(query));
  }
  return out + "\n";
}

std::string counts_line(const Value& answer, const AnswerGroup& shown) {
  std::string out;
  for (const AnswerGroup& group : kGroups) {
    const auto total = count_at(answer, fmt::format("totals.{}", group.member));
    if (total == 0) continue;
    if (!out.empty()) out += ", ";
    out += fmt::format("{} {}", display::count(total), group.noun);
    const auto overflow = count_at(answer, fmt::format("overflow.{}", group.member));
    if (&group == &shown && overflow != 0) {
      out += fmt::format(" ({} more: --cursor {})", display::count(overflow),
                         text_at(answer, "nextCursor"));
    }
  }
  if (out.empty()) out = "No rows";
  std::int64_t hidden = 0;
  if (const Value* reasons = at(answer, "policy.hidden")) {
    for (const json::Member& reason : reasons->members()) {
      hidden += reason.value.integer().value_or(0);
    }
  }
  if (hidden != 0) out += fmt::format("; the request's policy hides {}", display::count(hidden));
  return out + ".";
}

std::string operation_answer(const Value& answer, const AnswerGroup* wanted) {
  std::string out;
  if (text_at(answer, "mode") == "nearest") out += nearest_text(answer);
  const AnswerGroup* shown = wanted;
  for (const AnswerGroup& group : kGroups) {
    if (shown == nullptr && !rows_of(answer, group).empty()) shown = &group;
  }
  if (shown == nullptr) shown = &kGroups[0];
  const bool is_exact = shown == &kGroups[0];
  const Value* cohort = at(answer, "cohort");
  if (cohort != nullptr && (is_exact || shown == &kGroups[1])) out += cohort_line(*cohort) + "\n";
  if (!is_exact) out += fmt::format("{}\n", shown->title);
  const auto rows = rows_of(answer, *shown);
  if (!rows.empty()) out += group_table(answer, *shown);
  out += "\n" + counts_line(answer, *shown) + "\n";
  if (is_exact && !rows.empty()) {
    out += fmt::format("Ranks: {}, the order of reported values, not tested.\n",
                       text_at(answer, "policyVersion"));
  }
  if (const auto options = items_at(answer, "cohortOptions"); options.size() > 1) {
    out += "Groups of this workload:";
    for (const Value& option : options) {
      out += fmt::format("{} {} ({})", &option == &options.front() ? "" : ",",
                         text_at(option, "label"), display::count(count_at(option, "runs")));
    }
    out += "\n";
  }
  if (!rows.empty()) {
    if (const auto run = text_at(rows.front(), "runId"); !run.empty()) {
      const bool is_ranked = at(rows.front(), "rank") != nullptr;
      out += fmt::format("{}: ki show run {}\n",
                         is_ranked ? "Why believe #1" : "More about the first row", run);
    }
  }
  return out;
}

// For programs: one row of a group.
const ListView kRows = {
    .operation = "search",
    .member = "",
    .columns = {{"rank", "", Align::kLeft, 0,
                 [](const Value& row) {
                   return at(row, "rank") == nullptr ? ListCell{} : counted(count_at(row, "rank"));
                 }},
                {"implementation", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "implementation.slug")); }},
                {"project", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "project.slug")); }},
                {"value", "", Align::kLeft, 0,
                 [](const Value& row) { return measured(at(row, "primary")); }},
                {"unit", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "primary.unit")); }},
                {"statistic", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "primary.statistic")); }},
                {"evidence", "", Align::kLeft, 0,
                 [](const Value& row) {
                   return ListCell{evidence_text(row), std::string(text_at(row, "evidence"))};
                 }},
                {"hardware", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "hardware.model")); }},
                {"workload", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "workloadSummary")); }},
                {"runId", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "runId")); }},
                {"comparisonKey", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "comparisonKey")); }},
                {"observedAt", "", Align::kLeft, 0,
                 [](const Value& row) { return plain(text_at(row, "lastTestedAt")); }}}};

}  // namespace

const AnswerGroup* find_answer_group(std::string_view view) {
  const auto found = std::ranges::find(kGroups, view, &AnswerGroup::view);
  return found == kGroups.end() ? nullptr : &*found;
}

std::string answer_text(const Value& answer, const AnswerGroup* group) {
  std::string out = fmt::format("{}\n", text_at(answer, "interpretation"));
  for (const Value& issue : items_at(answer, "issues")) {
    out += fmt::format("  ! {}", text_at(issue, "message"));
    if (const auto hint = text_at(issue, "hint"); !hint.empty()) {
      out += fmt::format(" (did you mean '{}'?)", hint);
    }
    out += "\n";
  }
  for (const Value& correction : items_at(answer, "corrections")) {
    out += fmt::format("  '{}' read as '{}'\n", text_at(correction, "typed"),
                       text_at(correction, "readAs"));
  }
  if (at(answer, "operation") != nullptr) return out + operation_answer(answer, group);
  if (text_at(answer, "mode") != "none") return out + chooser_text(answer);
  out += "Nothing in this catalog has these words. Families with most runs:\n";
  for (const Value& family : items_at(answer, "families")) {
    out += fmt::format("  ki search family:{}  ({}, {})\n", text_at(family, "family"),
                       display::count_noun(count_at(family, "operations"), "operation"),
                       display::count_noun(count_at(family, "runs"), "run"));
  }
  return out;
}

std::string answer_tsv(const Value& answer, const AnswerGroup& group, bool has_headings) {
  Rows rows;
  for (const Value& row : rows_of(answer, group)) rows.push_back(&row);
  return list_tsv(kRows, rows, has_headings);
}

}  // namespace ki::cli
