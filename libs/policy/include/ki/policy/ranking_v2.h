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
  std::string_view id;
  std::string_view implementation;  // the row that it belongs to
  double value = 0;
  bool has_interval = false;
  double low = 0;  // 95 % confidence
  double high = 0;
  std::span<const double> samples;  // raw, in the unit of value; may be empty
  EvidenceLevel evidence = EvidenceLevel::kReported;
  Instant observed_at;
};

// An interleaved paired comparison of two implementations, made by the stats module.
struct PairedTest {
  std::string_view first;   // implementation
  std::string_view second;  // implementation
  double log_ratio = 0;     // Hodges-Lehmann estimate of log(first / second)
  double p_value = 1;       // exact two-sided signed rank
};

struct RankingV2Options {
  std::optional<Direction> direction;       // of find_metric(); nothing: incomparable
  std::optional<double> between_run_floor;  // |log ratio|, 99.9th percentile of unpaired A/A runs
  double minimum_effect = 0.005;            // |log ratio| below which nobody cares
  double alpha = 0.05;                      // for the group as a whole (Holm)
};

enum class RowVerdict : std::uint8_t {
  kFaster,  // strictly better than the row that it is compared with
  kSlower,
  kUndecided,
  kInsufficient,  // no interval, samples or floor to test with
  kIncomparable,  // the metric's direction is unknown
};
std::string_view to_string(RowVerdict verdict);

struct RankRow {
  std::string_view implementation;
  std::uint32_t runs = 0;
  std::uint32_t best = 0;   // 1 + number of rows strictly better
  std::uint32_t worst = 0;  // n - number of rows strictly worse
  double value = 0;  // geometric mean of its runs; the arithmetic one where a run is not positive
  std::uint32_t best_run = 0;  // index of its best value, earliest observed first, then id
  RowVerdict against_first = RowVerdict::kUndecided;  // against the first row; of the first row:
                                                      // against the second
  std::string_view reason;  // code: NO_UNCERTAINTY, NO_BETWEEN_RUN_FLOOR, UNKNOWN_DIRECTION,
                            // VALUE_NOT_POSITIVE, SINGLE_ROW; empty when the row was tested
  bool operator==(const RankRow&) const = default;
};

// Rows by (best, worst, value, implementation). The answer depends on the sets given alone.
std::vector<RankRow> rank_v2(std::span<const TestedRun> runs, std::span<const PairedTest> paired,
                             const RankingV2Options& options);

}  // namespace ki::policy
