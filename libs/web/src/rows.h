// Result rows of the resolver as tables, shared by search, operation and implementation pages.
#pragma once

#include "ki/resolve/answer.h"
#include "parts.h"

namespace ki::web {

// Ranked runs of one comparison group. `best` is the value of #1, NaN when it is not known.
void ranked_table(Html& h, const Snapshot& s, std::span<const resolve::Row> rows, double best,
                  std::string_view caption);
// Rows that are not comparable with what was asked, each with what differs.
void differing_table(Html& h, const Snapshot& s, std::span<const resolve::Row> rows,
                     std::string_view caption);
// Declared support without a measurement.
void declared_table(Html& h, const Snapshot& s, std::span<const resolve::Row> rows,
                    std::string_view caption);

// The slot of one run in an answer block: label, readout, who, use, evidence.
struct Slot {
  Markup label;
  Index run = kNone;
  std::optional<double> against = {};  // the value of #1, where this is not #1
};
void answer_slot(Html& h, const Snapshot& s, const Slot& slot);
// "Lowest verified value", "Lowest reported value", "The only run of its group".
Markup leader_label(const Snapshot& s, Index run, std::size_t group_size);

// What a comparison group holds constant, as one line of facts.
void cohort_facts(Html& h, const Snapshot& s, Index cohort);

std::string mismatch_text(const resolve::Row& row);

}  // namespace ki::web
