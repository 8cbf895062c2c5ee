// The order of the runs of one cohort. ranking-v1 is frozen (spec 4.2): the order of reported
// values, not tested. ranking_v2.h has the tested one.
#pragma once

#include "ki/base/instant.h"
#include "ki/policy/evidence.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ki::policy {

inline constexpr std::string_view kRankingV1 = "ranking-v1";
inline constexpr std::string_view kRankingV2 = "ranking-v2";

enum class Profile : std::uint8_t {
  kStrictExact,
  kSourceNative,  // any run of the cohort carries a source's own scores: only equal values tie
};
// "strict_exact", "source_native".
std::string_view to_string(Profile profile);

// One eligible run. `id` is a view into the caller's storage.
struct RankInput {
  double value = 0;  // lower is better; finite
  bool has_interval = false;
  double low = 0;
  double high = 0;
  EvidenceLevel evidence = EvidenceLevel::kReported;
  Instant observed_at{};
  std::string_view id{};
};

struct Ranked {
  std::uint32_t index = 0;  // into the input
  std::uint32_t rank = 0;   // from 1, dense
  bool tied_with_previous = false;
  bool operator==(const Ranked&) const = default;
};

// Replaces `out` by one entry a run, in display order: chain by chain, inside a chain by trust,
// newest first, id (bytes). The answer depends on the set of runs alone, not on their order.
// Allocates only when `out` is too small; O(n log n).
void rank_v1(std::span<const RankInput> runs, Profile profile, std::vector<Ranked>& out);
std::vector<Ranked> rank_v1(std::span<const RankInput> runs, Profile profile);

}  // namespace ki::policy
