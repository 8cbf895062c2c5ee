// What a Resolver and a Scratch hold.
#pragma once

#include "case_view.h"
#include "ki/resolve/resolver.h"
#include "matcher.h"

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace ki::resolve {

// Ranked runs of one operation that a list's filters cannot tell apart.
struct Evidence {
  Index environment = kNone;
  std::uint32_t dtypes = 0;  // class of EvidenceTable
  Index metric = kNone;
  std::uint32_t runs = 0;
  Index best = kNone;  // the run with the lowest value
  double value = 0;    // of it
};

// What was measured of each operation, for lists of many operations. Built once per snapshot.
class EvidenceTable {
 public:
  explicit EvidenceTable(const catalog::Snapshot& snapshot);
  // Largest cohort first.
  std::span<const Evidence> of_operation(Index operation) const {
    return std::span(entries_).subspan(starts_[operation],
                                       starts_[operation + 1] - starts_[operation]);
  }
  // A workload of each class of dtypes: whether it matches decides for the class.
  std::span<const Index> dtype_classes() const { return dtype_classes_; }

 private:
  std::vector<Evidence> entries_;
  std::vector<std::uint32_t> starts_;
  std::vector<Index> dtype_classes_;
};

struct Resolver::State {
  State(const catalog::Snapshot& s, const SearchIndex& i)
      : snapshot(s), index(i), gpus(s), evidence(s) {}

  const catalog::Snapshot& snapshot;
  const SearchIndex& index;
  GpuTable gpus;
  EvidenceTable evidence;
  // Implementations all of whose eligible runs are of other operations' workloads, sorted.
  std::vector<Index> measured_elsewhere;
  bool has_verified = false;                  // any eligible run verified or replicated
  bool has_installable = false;               // any implementation installable
  catalog::NameId baseline_role = 0;          // 0: no implementation has it
  std::vector<std::uint8_t> is_illustrative;  // by source
};

// What is counted for one workload while one is chosen.
struct WorkloadCount {
  std::uint32_t epoch = 0;
  std::uint32_t matching = 0;  // runs without a mismatch
  Index first_cohort = kNone;  // the first of its cohorts that was seen
};

// Lists of mismatches and texts of numbers that one answer uses often; a later one with the same
// place pushes an earlier one out.
struct KnownMismatches {
  Index cohort = kNone;
  catalog::NameId language = 0, framework = 0;  // 0 where the request does not ask
  std::span<const Mismatch> found;
};
struct NumberText {
  std::int64_t value = 0;
  std::string_view text;
};
inline constexpr std::size_t kKnownMismatches = 64;
inline constexpr std::size_t kNumberTexts = 64;

struct Scratch::State {
  SearchScratch search;
  SearchResult found, others;
  std::vector<Wanted> wanted;
  std::vector<std::uint32_t> wanted_facets;  // by wanted: position in Intent::facets, or kNone
  query::Intent intent;                      // bound, or without what was read as part of the name
  Matcher matcher;
  CaseView selected_case;
  OperationView operation;
  std::uint32_t epoch = 0;
  std::vector<WorkloadCount> counts;                           // by workload
  std::vector<Index> workloads;                                // of the operation, those with runs
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;  // sort keys with positions
  std::vector<ChooserRow> rows, page;
  std::vector<std::uint8_t> dtype_matches;  // by class of EvidenceTable
  std::vector<std::uint32_t> heads;         // of a merge of cohorts
  std::vector<std::pair<catalog::NameId, bool>> licenses;
  std::vector<Mismatch> mismatches;
  std::vector<std::pair<catalog::NameId, std::string_view>> axis_fields;  // "axes.m"
  struct BoundField {
    std::string_view field, requested;
  };
  std::vector<BoundField> bound_fields;  // of the matcher's bound axes, as far as they were needed
  std::array<KnownMismatches, kKnownMismatches> known_mismatches;
  std::array<NumberText, kNumberTexts> numbers;
  catalog::CaseFacts other_case;
  std::deque<CaseView> case_views;  // of the cases that a missing one is looked for between
};

}  // namespace ki::resolve
