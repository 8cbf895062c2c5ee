// Sentinels: fixed work of our own, timed before and after, that says whether the machine stayed
// the same (harness 09 section 3). Deciding is pure; running them is run_sentinels().
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::measure {

inline constexpr std::string_view kSentinelVersion = "ki-sentinels-1";

struct SentinelReading {
  std::string name;    // "fma_chain", "triad_half_cache", "triad_memory", "pointer_chase"
  double nanoseconds;  // median of its repetitions
};

// Every sentinel once; about 60 ms.
std::vector<SentinelReading> run_sentinels();

struct SentinelShift {
  std::string name;
  double ratio;  // after / before
};
// Those that moved by more than `limit` either way, or are missing on one side (ratio 0).
std::vector<SentinelShift> shifts(std::span<const SentinelReading> before,
                                  std::span<const SentinelReading> after, double limit = 0.05);

// What earlier sessions of this machine say of one sentinel.
struct SentinelBaseline {
  double median;
  double sigma;  // 1.4826 times the median absolute deviation
};
// Nothing with fewer than 20 sessions.
std::optional<SentinelBaseline> baseline_of(std::span<const double> sessions);
// Within 4 sigma or 1 %, whichever is wider.
bool agrees(const SentinelBaseline& baseline, double nanoseconds);

}  // namespace ki::measure
