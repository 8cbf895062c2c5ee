// Listings of ranks over the whole catalog.
#pragma once

#include "ki/catalog/snapshot.h"
#include "ki/resolve/search_index.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ki::resolve {

struct RankEntry {
  Index run = kNone;
  Index cohort = kNone;
  std::uint32_t rank = 0;
  std::uint32_t cohort_size = 0;
  bool is_tied_with_previous = false;
};
// The comparison groups in the order of their keys, in which ranks are listed.
std::vector<Index> cohorts_by_key(const catalog::Snapshot& snapshot);

// Every eligible run under ranking-v1: cohorts by comparison key, inside in rank order.
std::vector<RankEntry> ranks_v1(const catalog::Snapshot& snapshot);
// Of one cohort.
std::vector<RankEntry> ranks_v1(const catalog::Snapshot& snapshot, Index cohort);

struct RankBoundsEntry {
  Index cohort = kNone;
  Index implementation = kNone;
  Index best_run = kNone;
  std::uint32_t runs = 0;
  std::uint32_t best = 0;  // bounds of its rank among the implementations of the cohort
  std::uint32_t worst = 0;
  std::uint32_t cohort_size = 0;  // implementations
  double value = 0;
  std::string_view verdict;  // against the first row of the cohort
  std::string_view reason;   // code; empty when tested
};
// Under ranking-v2: one row per implementation, cohorts by comparison key.
std::vector<RankBoundsEntry> ranks_v2(const catalog::Snapshot& snapshot);
// Of one cohort.
std::vector<RankBoundsEntry> ranks_v2(const catalog::Snapshot& snapshot, Index cohort);

}  // namespace ki::resolve
