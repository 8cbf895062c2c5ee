#include "rows.h"

#include "ki/display/labels.h"
#include "ki/display/names.h"
#include "ki/resolve/describe.h"

#include <array>
#include <cmath>

namespace ki::web {
namespace {

using resolve::Row;
using Kind = Table::Kind;

void name_cell(Html& h, const Snapshot& s, const Row& row, bool is_repeated) {
  const auto& code = s.implementations()[row.implementation];
  named_link(h, implementation_url(s.text(code.slug)),
             distinct_name(s, row.implementation, is_repeated));
  const auto& project = s.projects()[code.project];
  const std::string_view revision = s.text(code.revision);
  h << "<span class=\"small\">" << text(s.text(project.name));
  if (!revision.empty() && !is_repeated) h << " · " << text(display::revision(revision));
  if (row.has(resolve::Caveat::kBaseline)) h << " · baseline of its source";
  if (row.has(resolve::Caveat::kOperationMismatch)) h << " · stated for another operation";
  h << "</span>";
}

void run_value_cell(Html& h, const Snapshot& s, const Row& row) {
  if (row.run == kNone || std::isnan(row.value)) {
    h << text(display::kMissing);
    return;
  }
  const std::string_view unit = s.name(s.metrics()[row.metric].unit);
  h << "<a" << href(run_url(s, row.run)) << ">";
  value_cell(h, row.value, unit);
  h << "</a>";
  if (const Index interval = s.runs()[row.run].interval; interval != kNone) {
    const auto& bounds = s.columns().run_intervals[interval];
    h << "<span class=\"small\">"
      << text(display::spread({row.value, bounds.low, bounds.high}, unit)) << "</span>";
  }
}

void trust_cell(Html& h, const Snapshot& s, const Row& row) {
  evidence(h, row.evidence, views::evidence_note(s, row.run));
  h << "<span class=\"small\">" << text(licence_text(s, row.implementation)) << "</span>";
}

void observed_cell(Html& h, const Snapshot& s, const Row& row) {
  day(h, row.run == kNone ? 0 : s.runs()[row.run].observed_ms);
  if (row.is_stale) h << "<span class=\"small\">over 180 days ago</span>";
}

void pick_cell(Html& h, const Snapshot& s, const Row& row) {
  if (row.run == kNone) {
    h << text(display::kMissing);
    return;
  }
  std::string label = resolve::implementation_name(s, row.implementation);
  label += ", " + value_text(s, row.run);
  compare_box(h, views::id_text(s.runs()[row.run].id), label);
}

std::string environment_text(const Snapshot& s, const Row& row) {
  if (row.environment == kNone) return {};
  return std::string(product_of(s, row.environment)) + " · " +
         resolve::protocol_text(s, s.cohorts()[row.cohort].protocol);
}

}  // namespace

std::string mismatch_text(const Row& row) {
  std::string out;
  for (const resolve::Mismatch& m : row.mismatches) {
    if (!out.empty()) out += ", ";
    out += display::mismatch_field(m.field);
    out += ' ';
    out += m.observed;
    out += " (asked ";
    out += m.requested;
    out += ')';
  }
  return out;
}

void ranked_table(Html& h, const Snapshot& s, std::span<const Row> rows, double best,
                  std::string_view caption) {
  static constexpr std::array<Table::Column, 7> kColumns = {{{"Compare", Kind::kTool},
                                                             {"Rank"},
                                                             {"Implementation", Kind::kHeader},
                                                             {"Value", Kind::kValue},
                                                             {"vs #1", Kind::kValue},
                                                             {"Evidence and licence"},
                                                             {"Observed"}}};
  const std::vector<bool> repeated = repeated_names(s, rows);
  Table table(h, caption, kColumns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    table.row();
    pick_cell(table.cell(), s, row);
    table.cell() << text(display::rank_text(row.rank == 0 ? std::nullopt : std::optional(row.rank),
                                            row.is_tied_with_previous));
    name_cell(table.cell(), s, row, repeated[i]);
    run_value_cell(table.cell(), s, row);
    table.cell() << text(std::isnan(best) ? std::string(display::kMissing)
                                          : display::relative(row.value, best));
    trust_cell(table.cell(), s, row);
    observed_cell(table.cell(), s, row);
  }
}

void differing_table(Html& h, const Snapshot& s, std::span<const Row> rows,
                     std::string_view caption) {
  static constexpr std::array<Table::Column, 6> kColumns = {{{"Compare", Kind::kTool},
                                                             {"Implementation", Kind::kHeader},
                                                             {"Value", Kind::kValue},
                                                             {"What differs"},
                                                             {"Evidence and licence"},
                                                             {"Observed"}}};
  const std::vector<bool> repeated = repeated_names(s, rows);
  Table table(h, caption, kColumns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    table.row();
    pick_cell(table.cell(), s, row);
    name_cell(table.cell(), s, row, repeated[i]);
    run_value_cell(table.cell(), s, row);
    Html& differs = table.cell();
    const std::string mismatch = mismatch_text(row);
    if (!mismatch.empty()) differs << text(mismatch);
    if (const std::string where = environment_text(s, row); !where.empty()) {
      differs << "<span class=\"small\">" << text(where) << "</span>";
    }
    trust_cell(table.cell(), s, row);
    observed_cell(table.cell(), s, row);
  }
}

void declared_table(Html& h, const Snapshot& s, std::span<const Row> rows,
                    std::string_view caption) {
  static constexpr std::array<Table::Column, 4> kColumns = {{{"Implementation", Kind::kHeader},
                                                             {"Language and framework"},
                                                             {"What differs"},
                                                             {"Licence"}}};
  const std::vector<bool> repeated = repeated_names(s, rows);
  Table table(h, caption, kColumns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const auto& code = s.implementations()[row.implementation];
    table.row();
    name_cell(table.cell(), s, row, repeated[i]);
    std::string languages(s.name(code.language));
    if (languages.empty()) languages = "unknown";
    if (code.framework != 0) languages += " · " + std::string(s.name(code.framework));
    table.cell() << text(languages);
    const std::string mismatch = mismatch_text(row);
    table.cell() << text(mismatch.empty() ? std::string(display::kMissing) : mismatch);
    table.cell() << text(licence_text(s, row.implementation));
  }
}

Markup leader_label(const Snapshot& s, Index run, std::size_t group_size) {
  if (group_size == 1) return "The only run of this group";
  switch (static_cast<policy::EvidenceLevel>(s.runs()[run].evidence)) {
    case policy::EvidenceLevel::kReported:
      return "First by reported value";
    case policy::EvidenceLevel::kReproducible:
      return "First by value, reproducible";
    case policy::EvidenceLevel::kVerified:
      return "First by value, verified";
    case policy::EvidenceLevel::kReplicated:
      return "First by value, replicated";
  }
  return "First by value";
}

void answer_slot(Html& h, const Snapshot& s, const Slot& slot) {
  const auto& run = s.runs()[slot.run];
  h << "<div class=\"slot\"><h3>" << slot.label << "</h3>";
  if (const auto primary = views::primary_of(s, slot.run)) readout(h, *primary);
  const auto& code = s.implementations()[run.implementation];
  h << "<p class=\"who\"><a" << href(implementation_url(s.text(code.slug))) << ">"
    << text(resolve::implementation_name(s, run.implementation)) << "</a>";
  const std::string_view project = s.text(s.projects()[code.project].name);
  if (project != resolve::implementation_name(s, run.implementation)) {
    h << " <span class=\"hint\">" << text(project) << "</span>";
  }
  h << "</p>";
  if (slot.against) {
    h << "<p>" << text(display::relative(run.value, slot.against)) << " the value of #1</p>";
  }
  const auto level = static_cast<policy::EvidenceLevel>(run.evidence);
  h << "<p>" << text(use_text(s, run.implementation)) << "</p><p>";
  evidence(h, level, views::evidence_note(s, slot.run));
  h << " " << text(evidence_sentence(level)) << " <a" << href(run_url(s, slot.run))
    << ">See the run</a></p></div>";
}

void cohort_facts(Html& h, const Snapshot& s, Index cohort) {
  h << "<ul class=\"facts\">";
  for (const resolve::CohortFact& fact : resolve::cohort_facts(s, cohort)) {
    h << "<li><span>" << text(fact.key) << "</span> <b>" << text(fact.value) << "</b></li>";
  }
  h << "<li><span>Comparison key</span> ";
  const std::string key = views::digest_text(s.cohorts()[cohort].key);
  copyable(h, display::short_key(key), key, "Copy the comparison key");
  h << "</li></ul>";
}

}  // namespace ki::web
