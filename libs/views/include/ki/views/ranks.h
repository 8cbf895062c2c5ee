// Ranks as a list: of every run under ranking-v1, of every implementation under ranking-v2.
#pragma once

#include "ki/resolve/ranks.h"
#include "ki/views/parts.h"

#include <optional>
#include <span>

namespace ki::views {

// Where a page begins: groups before it, and rows of the group that it begins in.
struct RankPlace {
  std::uint32_t group = 0;
  std::uint32_t row = 0;
};
struct RankListOptions {
  bool is_v2 = false;
  Index cohort = kNone;               // only this comparison group
  std::span<const Index> order = {};  // resolve::cohorts_by_key(); not needed for one group
  RankPlace from{};
  std::size_t limit = 0;
};
struct RankList {
  std::vector<resolve::RankEntry> v1;
  std::vector<resolve::RankBoundsEntry> v2;
  std::optional<RankPlace> next;     // when there are more
  std::optional<std::size_t> total;  // runs, under ranking-v1
};
RankList list_ranks(const catalog::Snapshot& snapshot, const RankListOptions& options);

// {runId, comparisonKey, rank, tiedWithPrevious, cohortSize, implementation, primary}.
void write_json(json::Writer& w, const catalog::Snapshot& snapshot, const resolve::RankEntry& row);
// {comparisonKey, implementation, bestRunId, runs, rankBest, rankWorst, rankBounds, cohortSize,
// primary, verdict, reason}: bounds of the rank among the group's implementations, and the verdict
// against its first row.
void write_json(json::Writer& w, const catalog::Snapshot& snapshot,
                const resolve::RankBoundsEntry& row);

}  // namespace ki::views
