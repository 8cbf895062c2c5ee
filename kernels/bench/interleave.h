// Interleaved measurement: every round runs each contender once, so that what the machine does
// meanwhile happens to all of them; ratios of medians come with a bootstrap interval.
#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ki_bench {

struct Contender {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds{};
};

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

// Seconds of wall time, or of this process' processors: on a busy machine the latter tells how fast
// one thread is while it runs, but not what a caller waits for.
inline bool& uses_cpu_time() {
  static bool value = false;
  return value;
}
inline double now() {
  timespec t{};
  clock_gettime(uses_cpu_time() ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Rounds until `seconds` passed, at least `least`, at most `most`. Before each call `before` makes
// the state that is wanted, and is not timed: it flushes, or, for warm caches, runs the contender
// once so that its own buffers are in them and not those of the contender before.
inline void interleave(std::vector<Contender>& all, double seconds, int least, int most,
                       const std::function<void(Contender&)>& before) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (Contender& one : all) one.run();  // warm-up: pages, clocks
  std::mt19937 random(1);
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (int round = 0; round < most; ++round) {
    if (round >= least && std::chrono::duration<double>(Clock::now() - start).count() > seconds)
      break;
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (const std::size_t i : order) {
      before(all[i]);
      const double from = now();
      all[i].run();
      all[i].seconds.push_back(now() - from);
    }
  }
}

struct Ratio {
  double value, low, high;
};
// median(numerator) / median(denominator) with a 95 % interval from resampled rounds.
inline Ratio ratio(const std::vector<double>& numerator, const std::vector<double>& denominator) {
  std::mt19937 random(2);
  std::vector<double> ratios;
  const std::size_t n = numerator.size();
  std::vector<double> a(n), b(n);
  for (int i = 0; i < 400; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t pick = random() % n;
      a[j] = numerator[pick];
      b[j] = denominator[pick];
    }
    ratios.push_back(median(a) / median(b));
  }
  std::ranges::sort(ratios);
  return {median(numerator) / median(denominator), ratios[10], ratios[389]};
}

// Writes back and drops the lines of a buffer.
inline void flush(const void* data, std::size_t bytes) {
#if defined(__x86_64__)
  const char* at = static_cast<const char*>(data);
  for (std::size_t i = 0; i < bytes; i += 64) _mm_clflush(at + i);
  _mm_mfence();
#else
  (void)data;
  (void)bytes;
#endif
}

}  // namespace ki_bench
