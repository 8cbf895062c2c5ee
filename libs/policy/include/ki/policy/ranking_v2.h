// ranking-v2: rank bounds that hold at once for a whole group (spec 4.2 "better", spec 17). One row
// per implementation, tested on all of its runs; nobody wins without uncertainty.
#pragma once

#include "ki/base/instant.h"
#include "ki/policy/evidence.h"
#include "ki/policy/metrics.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ki::policy {

// One eligible run (eligibility_v2). Views into the caller's storage.
struct TestedRun {
  std::string_view id{};
  std::string_view implementation{};  // the row that it belongs to
  double value = 0;
  bool has_interval = false;
  double low = 0;  // 95 % confidence
  double high = 0;
  std::span<const double> samples{};  // raw, in the unit of value; may be empty
  EvidenceLevel evidence = EvidenceLevel::kReported;
  Instant observed_at{};
};

// An interleaved paired comparison of two implementations, made by the stats module (spec 17,
// "Strict wins").
struct PairedTest {
  std::string_view first{};   // implementation
  std::string_view second{};  // implementation
  double log_ratio = 0;       // Hodges-Lehmann estimate of log(first / second)
  double p_value = 1;         // exact two-sided signed rank
  double floor = 0;  // of |log ratio|: the 99.9th percentile of A/A comparisons of this design
  bool is_equivalent = false;  // TOST inside the minimum effect
};

struct RankingV2Options {
  std::optional<Direction> direction{};       // of find_metric(); nothing: incomparable
  std::optional<double> between_run_floor{};  // |log ratio|, 99.9th percentile of unpaired A/A runs
  double minimum_effect = 0.005;              // |log ratio| below which nobody cares
  double alpha = 0.05;                        // for the group as a whole (Holm)
};

enum class RowVerdict : std::uint8_t {
  kFaster,  // strictly better than the row that it is compared with
  kSlower,
  kEquivalent,  // shown to lie inside the minimum effect
  kUndecided,
  kInsufficient,  // no interval, samples or floor to test with
  kIncomparable,  // the metric's direction is unknown
};
// "faster", "slower", "equivalent", "undecided", "insufficient", "incomparable".
std::string_view to_string(RowVerdict verdict);

struct RankRow {
  std::string_view implementation{};
  std::uint32_t runs = 0;
  std::uint32_t best = 0;   // 1 + number of rows strictly better
  std::uint32_t worst = 0;  // n - number of rows strictly worse
  double value = 0;  // geometric mean of its runs; the arithmetic one when one is not positive
  std::uint32_t best_run = 0;  // index of its best value, then the earliest observed, then by id
  // Against the first row; of the first row: against the second.
  RowVerdict verdict = RowVerdict::kUndecided;
  // Why the row could not be tested: NO_UNCERTAINTY, NO_BETWEEN_RUN_FLOOR, UNKNOWN_DIRECTION,
  // VALUE_NOT_POSITIVE, SINGLE_ROW, or OTHER_NOT_TESTED (the row that it is compared with); empty
  // when it was.
  std::string_view reason{};
  bool operator==(const RankRow&) const = default;
};

// Rows by (best, worst, value, implementation); by implementation alone when the direction is
// unknown. The answer depends on the sets given, never on their order.
//
// Unpaired runs: a row's location is the mean log value of all of its runs. Its variance is that
// within a run (from intervals or samples; a run without either counts with the largest of the
// others) plus that between runs (from the floor, or from the row's own runs when they spread
// more), over the number of runs. A row none of whose runs has an interval or samples is never
// tested and wins nothing. A pair is decided when Holm's correction over all tested pairs of the
// group holds at `alpha` and the difference reaches both the minimum effect and the floor; a pair
// with a PairedTest by that test, at p <= 0.001 as well. O(n^2) in the number of rows that can be
// tested.
std::vector<RankRow> rank_v2(std::span<const TestedRun> runs, std::span<const PairedTest> paired,
                             const RankingV2Options& options);

}  // namespace ki::policy
