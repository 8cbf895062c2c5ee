#include "ki/views/ranks.h"

#include "ki/base/check.h"
#include "ki/display/labels.h"

#include <algorithm>

namespace ki::views {
namespace {

using catalog::Snapshot;

// Takes rows of the group from `row` on while there is room. False when some did not fit.
template <class Row>
bool take(std::vector<Row> rows, std::size_t row, std::size_t limit, std::vector<Row>& into) {
  const std::size_t first = std::min(row, rows.size());
  const std::size_t count = std::min(limit - into.size(), rows.size() - first);
  into.insert(into.end(), rows.begin() + static_cast<std::ptrdiff_t>(first),
              rows.begin() + static_cast<std::ptrdiff_t>(first + count));
  return first + count == rows.size();
}

void write_group(json::Writer& w, const Snapshot& s, Index cohort) {
  w.member("comparisonKey", digest_text(s.cohorts()[cohort].key));
}

}  // namespace

RankList list_ranks(const Snapshot& s, const RankListOptions& options) {
  RankList list;
  const std::span<const Index> order =
      options.cohort == kNone ? options.order : std::span(&options.cohort, 1);
  KI_CHECK(options.limit > 0);
  if (!options.is_v2) {
    list.total = 0;
    for (const Index cohort : order) *list.total += s.cohorts()[cohort].ranked;
  }
  const auto shown = [&] { return options.is_v2 ? list.v2.size() : list.v1.size(); };
  RankPlace at = options.from;
  for (; at.group < order.size(); ++at.group, at.row = 0) {
    const Index cohort = order[at.group];
    if (s.cohorts()[cohort].ranked == 0) continue;
    const std::size_t before = shown();
    const bool is_whole = options.is_v2
                              ? take(resolve::ranks_v2(s, cohort), at.row, options.limit, list.v2)
                              : take(resolve::ranks_v1(s, cohort), at.row, options.limit, list.v1);
    if (!is_whole) {
      at.row += static_cast<std::uint32_t>(shown() - before);
      list.next = at;
      return list;
    }
  }
  return list;
}

void write_json(json::Writer& w, const Snapshot& s, const resolve::RankEntry& row) {
  w.begin_object().member("runId", id_text(s.runs()[row.run].id));
  write_group(w, s, row.cohort);
  w.member("rank", row.rank)
      .member("tiedWithPrevious", row.is_tied_with_previous)
      .member("cohortSize", row.cohort_size)
      .key("implementation");
  write_json(w, named_implementation(s, s.runs()[row.run].implementation));
  w.key("primary");
  write_json(w, primary_of(s, row.run));
  w.end_object();
}

void write_json(json::Writer& w, const Snapshot& s, const resolve::RankBoundsEntry& row) {
  w.begin_object();
  write_group(w, s, row.cohort);
  w.key("implementation");
  write_json(w, named_implementation(s, row.implementation));
  w.member("bestRunId", id_text(s.runs()[row.best_run].id))
      .member("runs", row.runs)
      .member("rankBest", row.best)
      .member("rankWorst", row.worst)
      .member("rankBounds", display::rank_bounds(row.best, row.worst))
      .member("cohortSize", row.cohort_size)
      .key("primary");
  write_json(w, primary_of(s, row.best_run));
  w.member("verdict", row.verdict);
  text_or_null(w, "reason", row.reason);
  w.end_object();
}

}  // namespace ki::views
