// Simulated timings with the kinds of noise that machines show, and comparisons drawn from them.
// For the tests and the benchmark of the decision rule; holds no tests.
#pragma once

#include "ki/stats/compare_paired.h"
#include "ki/stats/philox.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ki::stats_testing {

// Sizes are of the log of the time; the quiet time is 10,000 ns.
enum class NoiseFamily : std::uint8_t {
  kNormal,          // sigma 1 %
  kHeavyTail,       // 1 % times Student's t with 3 degrees of freedom
  kBimodal,         // 40 % of the samples 13 % slower (22.5 against 25.5), sigma 0.5 % in each mode
  kQuantised,       // sigma 1 %, read by a timer with steps of 200 ns, 2 %
  kDrift,           // sigma 0.3 % on a slope of 0.1 % a sample up or down (6 % over 60)
  kThrottleSteps,   // sigma 0.5 %; each sample toggles the clock with probability 4 %, 8 % apart
  kAutoregressive,  // AR(1) with coefficient 0.9, stationary sigma 2 %
  // AR(1) 0.9 with sigma 1 %, a slope of up to 0.05 % a sample, throttle steps of 5 %, 1 % of the
  // samples interrupted by an exponential delay of mean 15 %, read in steps of 50 ns.
  kMixed,
  // Harsher than the bar of power was set for; false wins must stay rare here too.
  kNoVariance,   // 1 % times Student's t with 2 degrees of freedom
  kInterrupted,  // as mixed, with 4 % of the samples interrupted
};
inline constexpr std::array kNoiseFamilies = {
    NoiseFamily::kNormal,         NoiseFamily::kHeavyTail, NoiseFamily::kBimodal,
    NoiseFamily::kQuantised,      NoiseFamily::kDrift,     NoiseFamily::kThrottleSteps,
    NoiseFamily::kAutoregressive, NoiseFamily::kMixed};
inline constexpr std::array kHarshFamilies = {NoiseFamily::kNoVariance, NoiseFamily::kInterrupted};
std::string_view to_string(NoiseFamily family);

// Logs of `count` consecutive samples' slowdown, before the timer's steps.
std::vector<double> draw_noise(NoiseFamily family, std::size_t count, stats::Random& random);

// What the timer reads, in ns, for a quiet time of 10,000 ns times exp(log_time).
double read_timer(NoiseFamily family, double log_time);

// `pairs` interleaved pairs on consecutive samples, a coin for each; the candidate's log times are
// higher by `effect`.
std::vector<stats::Pair> draw_pairs(NoiseFamily family, std::size_t pairs, double effect,
                                    stats::Random& random);

// The design that the rule refuses to trust: all of the candidate's samples, then all of the
// baseline's, taken as pairs by position, with coins that decided nothing.
std::vector<stats::Pair> draw_sequential(NoiseFamily family, std::size_t pairs, double effect,
                                         stats::Random& random);

}  // namespace ki::stats_testing
