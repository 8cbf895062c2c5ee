#include "ki/views/answer_text.h"

#include "ki/base/text.h"
#include "ki/display/format.h"
#include "ki/display/labels.h"
#include "ki/display/names.h"
#include "ki/display/table.h"
#include "ki/resolve/describe.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace ki::views {
namespace {

using catalog::Index;
using catalog::kNone;
using catalog::Snapshot;
using display::Align;
using resolve::Answer;
using resolve::GroupKind;
using resolve::Row;

struct GroupWords {
  GroupKind kind;
  std::string_view title;  // of the table
  std::string_view noun;   // in counts
};
constexpr GroupWords kGroups[] = {
    {GroupKind::kExact, "exact", "exact"},
    {GroupKind::kCompatible, "compatible (something differs; not ranked)", "compatible"},
    {GroupKind::kReported,
     "other protocols or environments (own ranks, not comparable with the above)",
     "under other protocols"},
    {GroupKind::kSupportedUnmeasured, "declared support, nothing measured", "unmeasured"}};

std::string unit_of(const Snapshot& s, const Row& row) {
  return row.metric == kNone ? std::string() : std::string(s.name(s.metrics()[row.metric].unit));
}

display::Readout readout(const Snapshot& s, const Row& row) {
  if (row.run == kNone || std::isnan(row.value)) return {std::string(display::kMissing), ""};
  return display::primary(row.value, unit_of(s, row));
}

std::string spread(const Snapshot& s, const Row& row) {
  if (row.run == kNone || s.runs()[row.run].interval == kNone) return {};
  const auto& interval = s.columns().run_intervals[s.runs()[row.run].interval];
  std::string text = display::spread({row.value, interval.low, interval.high}, unit_of(s, row));
  return text;
}

std::string license_of(const Snapshot& s, const Row& row) {
  const auto& implementation = s.implementations()[row.implementation];
  if (implementation.license_concluded != 0)
    return std::string(s.name(implementation.license_concluded));
  if (implementation.license_declared != 0)
    return std::string(s.name(implementation.license_declared)) + "?";
  return implementation.source_available != 0 ? "source, licence unknown" : "no source";
}

std::string differences(const Row& row) {
  std::string out;
  for (const resolve::Mismatch& m : row.mismatches) {
    if (!out.empty()) out += ", ";
    out +=
        fmt::format("{} {} (asked {})", display::mismatch_field(m.field), m.observed, m.requested);
  }
  return out;
}

// Two implementations that read alike are told apart by their revision (spec 15 F52).
std::string name_of(const Snapshot& s, const Row& row, bool is_repeated) {
  std::string name = resolve::implementation_name(s, row.implementation);
  const std::string_view revision = s.text(s.implementations()[row.implementation].revision);
  if (is_repeated && !revision.empty()) name += fmt::format(" ({})", display::revision(revision));
  return name;
}

bool is_repeated(const Snapshot& s, const resolve::Group& group, const Row& row) {
  const std::string name = resolve::implementation_name(s, row.implementation);
  int count = 0;
  for (const Row& other : group.rows)
    count += resolve::implementation_name(s, other.implementation) == name ? 1 : 0;
  return count > 1;
}

std::string group_table(const Snapshot& s, const Answer& answer, GroupKind kind) {
  const resolve::Group& group = answer.group(kind);
  const bool is_exact = kind == GroupKind::kExact;
  std::vector<display::Table::Column> columns = {
      {"#", Align::kRight}, {"implementation", Align::kLeft, 44}, {"project", Align::kLeft, 24}};
  if (kind != GroupKind::kSupportedUnmeasured) {
    columns.insert(columns.end(), {{"value", Align::kRight}, {"unit"}, {"±", Align::kRight}});
    if (is_exact) columns.push_back({"vs #1", Align::kRight});
    columns.insert(columns.end(), {{"evidence"}, {"observed"}});
  }
  columns.push_back({"source", Align::kLeft, 26});
  if (!is_exact) columns.push_back({is_exact ? "" : "differs", Align::kLeft, 60});
  display::Table table(columns);
  const double best =
      group.rows.empty() || group.offset != 0 ? std::nan("") : group.rows.front().value;
  for (const Row& row : group.rows) {
    std::vector<std::string> cells = {
        display::rank_text(row.rank == 0 ? std::nullopt : std::optional(row.rank),
                           row.is_tied_with_previous),
        name_of(s, row, is_repeated(s, group, row)),
        std::string(s.text(s.projects()[s.implementations()[row.implementation].project].name))};
    if (kind != GroupKind::kSupportedUnmeasured) {
      const display::Readout value = readout(s, row);
      cells.insert(cells.end(), {value.value, value.unit, spread(s, row)});
      if (is_exact) cells.push_back(std::isnan(best) ? "" : display::relative(row.value, best));
      cells.push_back(row.evidence ? std::string(policy::to_string(*row.evidence)) : "");
      cells.push_back(row.run == kNone ? "" : Instant{s.runs()[row.run].observed_ms}.date());
    }
    cells.push_back(license_of(s, row));
    if (!is_exact) {
      std::string text = differences(row);
      if (text.empty() && kind == GroupKind::kReported && row.environment != kNone) {
        text = fmt::format("{} · {}", s.name(s.environments()[row.environment].product),
                           resolve::protocol_text(s, s.cohorts()[row.cohort].protocol));
      }
      cells.push_back(text);
    }
    table.add(std::move(cells));
  }
  return table.render();
}

std::string cohort_line(const Snapshot& s, Index cohort) {
  std::string out;
  for (const resolve::CohortFact& fact : resolve::cohort_facts(s, cohort)) {
    if (!out.empty()) out += " · ";
    out += fact.key == "GPU" || fact.key == "Workload" || fact.key == "Protocol"
               ? fact.value
               : fact.key + " " + fact.value;
  }
  return out;
}

std::string side_text(const Snapshot& s, const resolve::NearestSide& side, std::string_view axis) {
  std::string out = fmt::format("{}={}", axis, side.value);
  if (side.head != kNone) {
    const auto& run = s.runs()[side.head];
    out += fmt::format(
        ": {} by {}",
        display::primary_text(run.value, s.name(s.metrics()[s.cohorts()[run.cohort].metric].unit)),
        resolve::implementation_name(s, run.implementation));
  }
  out += fmt::format(" ({})", display::count_noun(side.runs, "run"));
  if (!side.query.empty()) out += fmt::format("  ki search \"{}\"", side.query);
  return out;
}

std::string nearest_text(const Snapshot& s, const Answer& answer) {
  if (!answer.nearest) return {};
  std::string out =
      fmt::format("{}={} is not measured. Nearest measured cases (nothing is interpolated):\n",
                  answer.nearest->axis, answer.nearest->requested);
  if (answer.nearest->below)
    out += "  " + side_text(s, *answer.nearest->below, answer.nearest->axis) + "\n";
  if (answer.nearest->above)
    out += "  " + side_text(s, *answer.nearest->above, answer.nearest->axis) + "\n";
  return out + "\n";
}

std::string chooser_text(const Snapshot& s, const Answer& answer) {
  const resolve::Chooser& chooser = *answer.chooser;
  std::vector<display::Table::Column> columns = {
      {"operation", Align::kLeft, 60}, {"name", Align::kLeft, 60}, {"runs", Align::kRight}};
  if (chooser.has_facets) {
    columns.push_back({"matching", Align::kRight});
    columns.push_back({"best", Align::kRight});
  }
  columns.push_back({"why"});
  display::Table table(columns);
  for (const resolve::ChooserRow& row : chooser.rows) {
    const auto& op = s.operations()[row.operation];
    std::vector<std::string> cells = {std::string(s.text(op.slug)),
                                      resolve::operation_name(s, row.operation),
                                      display::count(op.eligible_runs)};
    if (chooser.has_facets) {
      cells.push_back(display::count(row.matching));
      cells.push_back(
          row.best == kNone
              ? ""
              : display::primary_text(
                    s.runs()[row.best].value,
                    s.name(s.metrics()[s.cohorts()[s.runs()[row.best].cohort].metric].unit)));
    }
    cells.push_back(std::string(to_string(row.reason)));
    table.add(std::move(cells));
  }
  std::string out = table.render();
  out +=
      fmt::format("\n{} of {}.",
                  display::count_noun(static_cast<std::int64_t>(chooser.rows.size()), "operation"),
                  display::count(chooser.total));
  if (chooser.has_facets)
    out += fmt::format(" {} with runs on {}.", display::count(chooser.with_evidence),
                       chooser.facet_label);
  if (!chooser.rows.empty()) {
    out += fmt::format(" Pick one: ki search op:{}\n",
                       s.text(s.operations()[chooser.rows.front().operation].slug));
  } else {
    out += "\n";
  }
  return out;
}

std::string counts_line(const Answer& answer, GroupKind shown) {
  std::string out;
  for (const GroupWords& words : kGroups) {
    const resolve::Group& group = answer.group(words.kind);
    if (group.total == 0 && group.hidden == 0) continue;
    if (!out.empty()) out += ", ";
    out += fmt::format("{} {}", display::count(group.total), words.noun);
    if (group.hidden != 0)
      out += fmt::format(" (+{} hidden by the request's policy)", display::count(group.hidden));
    if (words.kind == shown && group.overflow() != 0) {
      out += fmt::format(" ({} more: --offset {})", display::count(group.overflow()),
                         group.offset + group.rows.size());
    }
  }
  return out.empty() ? "No rows." : out + ".";
}

std::string operation_answer(const Snapshot& s, const Answer& answer,
                             const AnswerTextOptions& options) {
  std::string out;
  if (answer.mode == resolve::Mode::kNearest) out += nearest_text(s, answer);
  GroupKind shown = options.group.value_or(GroupKind::kExact);
  if (!options.group) {
    for (const GroupWords& words : kGroups) {
      if (!answer.group(words.kind).rows.empty()) {
        shown = words.kind;
        break;
      }
    }
  }
  if (answer.selected.cohort != kNone &&
      (shown == GroupKind::kExact || shown == GroupKind::kCompatible)) {
    out += cohort_line(s, answer.selected.cohort) + "\n";
  }
  for (const GroupWords& words : kGroups) {
    if (words.kind == shown && shown != GroupKind::kExact) out += std::string(words.title) + "\n";
  }
  if (!answer.group(shown).rows.empty()) out += group_table(s, answer, shown);
  out += "\n" + counts_line(answer, shown) + "\n";
  if (shown == GroupKind::kExact && !answer.group(shown).rows.empty()) {
    out += "Ranks: ranking-v1, the order of reported values, not tested.\n";
  }
  if (answer.cohort_options.size() > 1) {
    out += "Groups of this workload:";
    for (const resolve::CohortOption& option : answer.cohort_options) {
      out += fmt::format(" {} ({})", option.label, display::count(option.runs));
      if (&option != &answer.cohort_options.back()) out += ",";
    }
    out += "\n";
  }
  const auto& rows = answer.group(shown).rows;
  if (!rows.empty() && rows.front().run != kNone) {
    out += fmt::format("Why believe #1: ki show run {}\n",
                       Uuid{s.runs()[rows.front().run].id}.to_string());
  }
  return out;
}

}  // namespace

std::string answer_text(const Snapshot& s, const Answer& answer, const AnswerTextOptions& options) {
  std::string out = resolve::interpretation(s, answer) + "\n";
  for (const query::Issue& issue : answer.issues) {
    out += fmt::format("  ! {}", issue.message);
    if (issue.hint) out += fmt::format(" (did you mean '{}'?)", *issue.hint);
    out += "\n";
  }
  for (const resolve::Correction& correction : answer.corrections) {
    out += fmt::format("  '{}' read as '{}'\n", correction.typed, correction.read_as);
  }
  switch (answer.mode) {
    case resolve::Mode::kExact:
    case resolve::Mode::kOperationOnly:
    case resolve::Mode::kNearest:
      return out + operation_answer(s, answer, options);
    case resolve::Mode::kChooser:
    case resolve::Mode::kModel:
    case resolve::Mode::kBrowse:
      return out + (answer.chooser ? chooser_text(s, answer) : std::string());
    case resolve::Mode::kNothing:
      break;
  }
  out += "Nothing in this catalog has these words. Families with most runs:\n";
  for (const resolve::FamilyHint& family : answer.families) {
    out += fmt::format("  ki search family:{}  ({}, {})\n", s.name(family.family),
                       display::count_noun(family.operations, "operation"),
                       display::count_noun(family.runs, "run"));
  }
  return out;
}

}  // namespace ki::views
