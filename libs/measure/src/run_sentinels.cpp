// The work of the sentinels. A change of it is a new kSentinelVersion.
#include "ki/measure/sentinel.h"
#include "ki/stats/philox.h"
#include "ki/stats/summary.h"

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>

namespace ki::measure {
namespace {

double now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// Keeps a value alive without storing it.
void keep(double value) { __asm__ volatile("" : : "x"(value)); }
void keep(std::size_t value) { __asm__ volatile("" : : "r"(value)); }

SentinelReading time_of(const char* name, int repetitions, const std::function<void()>& work) {
  work();
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const double begin = now();
    work();
    times.push_back(now() - begin);
  }
  return {name, stats::median(times)};
}

// A chain of dependent operations in registers: only the clock of the core matters.
void chain() {
  double x = 1;
  for (int i = 0; i < 100'000; ++i) {
    x = x * 1.000000001 + 1e-9;
    __asm__ volatile("" : "+x"(x));
  }
  keep(x);
}

void triad(std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c) {
  double* out = a.data();
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = b[i] + 3 * c[i];
  keep(out[a.size() / 2]);
}

// One cycle through all entries, so that every load depends on the one before.
std::vector<std::uint32_t> make_cycle(std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  stats::Random random(1, 0);
  for (std::size_t i = count - 1; i > 0; --i) std::swap(order[i], order[random.below(i)]);
  return order;  // Sattolo: j < i always gives a single cycle
}

void chase(const std::vector<std::uint32_t>& next, int steps) {
  std::uint32_t at = 0;
  for (int i = 0; i < steps; ++i) at = next[at];
  keep(static_cast<std::size_t>(at));
}

}  // namespace

std::vector<SentinelReading> run_sentinels() {
  std::vector<SentinelReading> out;
  out.push_back(time_of("fma_chain", 9, chain));
  {
    constexpr std::size_t kSmall = 16'384;  // 3 x 128 KiB: in the second-level cache
    std::vector<double> a(kSmall), b(kSmall, 1), c(kSmall, 2);
    out.push_back(time_of("triad_half_cache", 21, [&] {
      for (int i = 0; i < 8; ++i) triad(a, b, c);
    }));
  }
  {
    constexpr std::size_t kLarge = std::size_t{1} << 20;  // 3 x 8 MiB
    std::vector<double> a(kLarge), b(kLarge, 1), c(kLarge, 2);
    out.push_back(time_of("triad_memory", 7, [&] { triad(a, b, c); }));
  }
  const std::vector<std::uint32_t> next = make_cycle(std::size_t{1} << 18);  // 1 MiB
  out.push_back(time_of("pointer_chase", 7, [&] { chase(next, 100'000); }));
  return out;
}

}  // namespace ki::measure
