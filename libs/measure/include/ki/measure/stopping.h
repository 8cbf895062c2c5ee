// When to stop taking samples. The program's own rule spends its error over the looks, so that
// stopping early does not make intervals too narrow; nvbench's two criteria are there under their
// names for comparison. Pure: samples in, a decision out.
#pragma once

#include "ki/stats/interval.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string_view>
#include <vector>

namespace ki::measure {

enum class Decision : std::uint8_t {
  kContinue,
  kConverged,   // the interval is as narrow as asked for
  kStabilised,  // more samples no longer narrow it: stopped, not converged
  kLimit,       // the limit of time or samples came first
};
std::string_view to_string(Decision decision);  // "continue", "converged", ...

struct StopOptions {
  double target = 0.01;        // half-width of the interval over the median
  double least_seconds = 0.3;  // of samples, summed; or
  std::size_t enough_samples = 2000;
  double limit_seconds = 15;  // of samples, summed
  std::size_t limit_samples = 100'000;
};

// One look at the samples (harness 09 section 2).
struct Look {
  std::size_t count;
  stats::Interval interval;  // of the median, at level 1 - 0.05 / (look + 1)^2
  double half_width;         // over the median
  double drift;              // Theil-Sen slope over the whole series, over the median
};

// Looks at n = ceil(30 * 1.5^j) only. Converged: n >= 30, enough time or samples, half-width within
// the target, and less than half a target of drift. Stabilised: n >= 200 and the last three looks
// narrowed the interval by less than 5 %.
class AdaptiveStop {
 public:
  explicit AdaptiveStop(const StopOptions& options = {}) : options_(options) {}
  Decision add(double seconds);
  const std::vector<Look>& looks() const { return looks_; }
  std::size_t count() const { return samples_.size(); }

 private:
  Decision look();
  StopOptions options_;
  std::vector<double> samples_;
  std::vector<Look> looks_;
  double total_ = 0;
  std::size_t next_look_ = 30;
};

// The interval of the median by order statistics: the smallest one of at least that level. The
// whole range, at the level that it has, when the samples are too few. Precondition: not empty.
stats::Interval median_interval(std::vector<double> samples, double level);

// nvbench's "stdrel": over the least time, and the standard deviation over the mean below
// max_noise, or that noise itself steady over the last 512 samples (looked at every 16th).
class StdRelStop {
 public:
  struct Options {
    double max_noise = 0.005;
    double least_seconds = 0.5;
    std::size_t least_samples = 10;
  };
  StdRelStop() : StdRelStop(Options{}) {}
  explicit StdRelStop(const Options& options) : options_(options) {}
  Decision add(double seconds);

 private:
  Options options_;
  std::vector<double> samples_;  // nanoseconds, so that sums of whole times are exact
  std::deque<double> noise_;
  double total_ = 0;
};

// nvbench's "entropy": the entropy of the distinct times no longer grows. Times are rounded to
// `bin_seconds` (the timer's resolution), 0: taken as they are.
class EntropyStop {
 public:
  explicit EntropyStop(double bin_seconds = 0) : bin_(bin_seconds) {}
  Decision add(double seconds);

 private:
  double bin_;
  std::map<double, std::size_t> counts_;
  std::deque<double> entropies_;
  std::size_t count_ = 0;
};

}  // namespace ki::measure
