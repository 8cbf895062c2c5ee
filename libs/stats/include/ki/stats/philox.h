// Counter-based random numbers: every draw is a function of (seed, stream, position), so that a
// resampled interval or a simulation can be recomputed anywhere, in any order, from what is
// recorded with it. Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ki::stats {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

// The bijection itself: ten rounds.
PhiloxCounter philox4x32_10(PhiloxCounter counter, PhiloxKey key);

// The draws of one stream, from the first. Two streams of one seed share no counter.
class Random {
 public:
  // Key = seed, low word first; counter = position in words 0 and 1, stream in words 2 and 3.
  Random(std::uint64_t seed, std::uint64_t stream);

  std::uint64_t next();                  // uniform in [0, 2^64)
  double uniform();                      // (k + 1/2) / 2^52: never 0, never 1
  double normal();                       // normal_quantile(uniform()): one draw each
  std::size_t below(std::size_t bound);  // next() * bound / 2^64, rounded down; bound > 0
  bool coin() { return (next() >> 63) != 0; }

 private:
  PhiloxKey key_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;
  std::array<std::uint64_t, 2> block_{};
  unsigned left_ = 0;
};

}  // namespace ki::stats
