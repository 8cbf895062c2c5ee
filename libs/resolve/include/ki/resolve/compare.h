// Whether 2 to 8 runs may be compared, and if not, what differs first (spec 07.3). Decided on full
// digests and keys, never on the text that is shown.
#pragma once

#include "ki/catalog/snapshot.h"
#include "ki/digest/digest.h"
#include "ki/resolve/search_index.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::resolve {

inline constexpr std::size_t kMaxCompared = 8;

struct ComparedField {
  std::string_view field;  // "operation", "workload", ...
  bool is_material = false;
  bool differs = false;
  std::vector<std::string> values;  // one per run, for people
};

struct ComparedRun {
  Index run = kNone;
  std::uint32_t rank = 0;  // among the runs compared (ranking-v1); 0 when not comparable
  bool is_tied_with_previous = false;
  std::vector<std::string> ineligible;  // codes of spec 04.1
};

struct Comparison {
  std::vector<ComparedRun> runs;      // in the order asked, distinct, at most kMaxCompared
  std::vector<std::string> missing;   // ids that name no published run, or are no ids
  std::vector<ComparedField> fields;  // material ones first, in the order of spec 07.3
  bool is_comparable = false;
  std::optional<Digest> comparison_key;                // the one that all share
  bool is_source_native = false;                       // profile of that cohort
  std::optional<std::size_t> first_material_mismatch;  // in `fields`
  std::string explanation;                             // one sentence
  std::vector<Index> order;                            // runs by rank when comparable
};

// `ids`: run ids or digests.
Comparison compare(const catalog::Snapshot& snapshot, std::span<const std::string_view> ids);

}  // namespace ki::resolve
