#include "ki/machine/ceilings.h"

#include "ki/measure/stopping.h"
#include "ki/stats/summary.h"

#include <immintrin.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <barrier>
#include <cstring>
#include <functional>
#include <thread>

namespace ki::machine {
namespace {

constexpr std::size_t kPage = 4096;

double now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

bool has_avx512() { return __builtin_cpu_supports("avx512f") != 0; }
bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}
const char* level() { return has_avx512() ? "avx512" : has_avx2() ? "avx2" : "sse2"; }

// Lines in order, past the caches.
__attribute__((target("avx512f"))) void stream_avx512(std::byte* target, const std::byte* source,
                                                      std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 256) {
    const __m512i a = _mm512_load_si512(source + at);
    const __m512i b = _mm512_load_si512(source + at + 64);
    const __m512i c = _mm512_load_si512(source + at + 128);
    const __m512i d = _mm512_load_si512(source + at + 192);
    _mm512_stream_si512(reinterpret_cast<__m512i*>(target + at), a);
    _mm512_stream_si512(reinterpret_cast<__m512i*>(target + at + 64), b);
    _mm512_stream_si512(reinterpret_cast<__m512i*>(target + at + 128), c);
    _mm512_stream_si512(reinterpret_cast<__m512i*>(target + at + 192), d);
  }
  _mm_sfence();
}
__attribute__((target("avx2"))) void stream_avx2(std::byte* target, const std::byte* source,
                                                 std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 64) {
    const __m256i a = _mm256_load_si256(reinterpret_cast<const __m256i*>(source + at));
    const __m256i b = _mm256_load_si256(reinterpret_cast<const __m256i*>(source + at + 32));
    _mm256_stream_si256(reinterpret_cast<__m256i*>(target + at), a);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(target + at + 32), b);
  }
  _mm_sfence();
}
void stream_sse2(std::byte* target, const std::byte* source, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(target + at),
                     _mm_load_si128(reinterpret_cast<const __m128i*>(source + at)));
  }
  _mm_sfence();
}
void copy_stream(std::byte* target, const std::byte* source, std::size_t bytes) {
  static const Copy chosen = has_avx512() ? stream_avx512 : has_avx2() ? stream_avx2 : stream_sse2;
  chosen(target, source, bytes);
}

// Two pages at a time, a line of each in turn, the next pair prefetched: two DRAM pages are open at
// once, and the hardware prefetcher, which stops at a page's end, is helped over it.
__attribute__((target("avx2"))) void paired_avx2(std::byte* target, const std::byte* source,
                                                 std::size_t bytes) {
  for (std::size_t pair = 0; pair < bytes; pair += 2 * kPage) {
    const std::byte* next = source + std::min(pair + 2 * kPage, bytes - 2 * kPage);
    for (std::size_t at = 0; at < kPage; at += 64) {
      _mm_prefetch(reinterpret_cast<const char*>(next + at), _MM_HINT_T0);
      _mm_prefetch(reinterpret_cast<const char*>(next + kPage + at), _MM_HINT_T0);
      for (std::size_t page = 0; page < 2 * kPage; page += kPage) {
        const std::size_t place = pair + page + at;
        const __m256i a = _mm256_load_si256(reinterpret_cast<const __m256i*>(source + place));
        const __m256i b = _mm256_load_si256(reinterpret_cast<const __m256i*>(source + place + 32));
        _mm256_stream_si256(reinterpret_cast<__m256i*>(target + place), a);
        _mm256_stream_si256(reinterpret_cast<__m256i*>(target + place + 32), b);
      }
    }
  }
  _mm_sfence();
}
void paired_sse2(std::byte* target, const std::byte* source, std::size_t bytes) {
  for (std::size_t pair = 0; pair < bytes; pair += 2 * kPage) {
    for (std::size_t at = 0; at < kPage; at += 16) {
      for (std::size_t page = 0; page < 2 * kPage; page += kPage) {
        const std::size_t place = pair + page + at;
        _mm_stream_si128(reinterpret_cast<__m128i*>(target + place),
                         _mm_load_si128(reinterpret_cast<const __m128i*>(source + place)));
      }
    }
  }
  _mm_sfence();
}
void copy_paired(std::byte* target, const std::byte* source, std::size_t bytes) {
  static const Copy chosen = has_avx2() ? paired_avx2 : paired_sse2;
  chosen(target, source, bytes);
}

void copy_memcpy(std::byte* target, const std::byte* source, std::size_t bytes) {
  std::memcpy(target, source, bytes);
}

// Ordinary stores: the target is read before it is written. Unknown to the compiler as a memcpy.
void copy_regular(std::byte* target, const std::byte* source, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 16) {
    __m128i line = _mm_load_si128(reinterpret_cast<const __m128i*>(source + at));
    __asm__ volatile("" : "+x"(line));
    _mm_store_si128(reinterpret_cast<__m128i*>(target + at), line);
  }
}

// 24 chains hide the latency of a fused multiply-add (4 or 5 cycles) on two units with room to
// spare; AVX2 has registers for 12, which is still more than the 10 that are needed.
constexpr int kChainsWide = 24;
constexpr int kChainsNarrow = 12;
constexpr int kSteps = 100'000;

// The operands come from memory, so that no compiler knows them; the sums leave through `sink`.
#define KI_FMA(name, isa, vector, set1, fma, number, chains)                  \
  __attribute__((target(isa))) void name(const double* seeds, double* sink) { \
    vector sums[chains];                                                      \
    const vector x = set1(static_cast<number>(seeds[0]));                     \
    const vector y = set1(static_cast<number>(seeds[1]));                     \
    _Pragma("GCC unroll 24") for (int i = 0; i < (chains); ++i) {             \
      sums[i] = set1(static_cast<number>(seeds[2 + i]));                      \
    }                                                                         \
    for (int step = 0; step < kSteps; ++step) {                               \
      _Pragma("GCC unroll 24") for (int i = 0; i < (chains); ++i) {           \
        sums[i] = fma(sums[i], x, y);                                         \
        __asm__ volatile("" : "+v"(sums[i]));                                 \
      }                                                                       \
    }                                                                         \
    _Pragma("GCC unroll 24") for (int i = 0; i < (chains); ++i) {             \
      sink[i] = static_cast<double>(sums[i][0]);                              \
    }                                                                         \
  }
KI_FMA(fma_f32_avx512, "avx512f", __m512, _mm512_set1_ps, _mm512_fmadd_ps, float, kChainsWide)
KI_FMA(fma_f64_avx512, "avx512f", __m512d, _mm512_set1_pd, _mm512_fmadd_pd, double, kChainsWide)
KI_FMA(fma_f32_avx2, "avx2,fma", __m256, _mm256_set1_ps, _mm256_fmadd_ps, float, kChainsNarrow)
KI_FMA(fma_f64_avx2, "avx2,fma", __m256d, _mm256_set1_pd, _mm256_fmadd_pd, double, kChainsNarrow)
#undef KI_FMA

struct Buffers {
  std::byte* source = nullptr;
  std::byte* target = nullptr;
  std::size_t bytes = 0;
  explicit Buffers(std::size_t size) : bytes(size) {
    const auto make = [size]() -> std::byte* {
      void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
      return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
    };
    source = make();
    target = make();
    // Not the one zero page of the system.
    if (source != nullptr) std::memset(source, 1, size);
    if (target != nullptr) std::memset(target, 2, size);
  }
  ~Buffers() {
    if (source != nullptr) ::munmap(source, bytes);
    if (target != nullptr) ::munmap(target, bytes);
  }
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  bool is_made() const { return source != nullptr && target != nullptr; }
};

// Seconds of `work(thread)` on all threads at once, between two barriers.
double seconds_on(int threads, const std::function<void(int)>& work) {
  if (threads == 1) {
    const double begin = now();
    work(0);
    return now() - begin;
  }
  std::barrier line(threads + 1);
  std::vector<std::thread> others;
  for (int i = 0; i < threads; ++i) {
    others.emplace_back([&, i] {
      line.arrive_and_wait();
      work(i);
      line.arrive_and_wait();
    });
  }
  line.arrive_and_wait();
  const double begin = now();
  line.arrive_and_wait();
  const double end = now();
  for (std::thread& other : others) other.join();
  return end - begin;
}

Ceiling ceiling_of(std::string_view name, const char* unit, int threads, std::uint64_t bytes,
                   double amount, const std::vector<double>& seconds) {
  std::vector<double> rates;
  for (const double one : seconds) rates.push_back(amount / one);
  const auto interval = measure::median_interval(rates, 0.95);
  return {.name = std::string(name),
          .unit = unit,
          .threads = threads,
          .bytes = bytes,
          .best = *std::ranges::max_element(rates),
          .median = stats::median(rates),
          .low = interval.low,
          .high = interval.high,
          .repetitions = static_cast<int>(rates.size()),
          .instructions = level()};
}

void add_copies(const CeilingOptions& options, int threads, std::vector<Ceiling>& out) {
  const std::size_t part =
      options.copy_bytes / static_cast<std::size_t>(threads) / (2 * kPage) * (2 * kPage);
  const std::size_t bytes = part * static_cast<std::size_t>(threads);
  const Buffers buffers(bytes);
  if (!buffers.is_made()) return;
  const std::vector<NamedCopy> all = copies();
  std::vector<std::vector<double>> seconds(all.size());
  for (int repetition = -1; repetition < options.copy_repetitions; ++repetition) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double taken = seconds_on(threads, [&](int thread) {
        const std::size_t offset = part * static_cast<std::size_t>(thread);
        all[i].copy(buffers.target + offset, buffers.source + offset, part);
      });
      if (repetition >= 0) seconds[i].push_back(taken);  // the first is a warm-up
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    out.push_back(ceiling_of(all[i].name, "bytes/s", threads, bytes,
                             2.0 * static_cast<double>(bytes), seconds[i]));
  }
}

void add_fma(const CeilingOptions& options, int threads, std::vector<Ceiling>& out) {
  if (!has_avx2()) return;
  using Kernel = void (*)(const double*, double*);
  struct Case {
    const char* name;
    Kernel kernel;
    int lanes;
  };
  const int wide = has_avx512() ? 2 : 1;
  const int chains = has_avx512() ? kChainsWide : kChainsNarrow;
  const Case cases[] = {{"fma_f32", has_avx512() ? fma_f32_avx512 : fma_f32_avx2, 8 * wide},
                        {"fma_f64", has_avx512() ? fma_f64_avx512 : fma_f64_avx2, 4 * wide}};
  std::vector<double> seeds = {0.999999, 1e-6};
  for (int i = 0; i < kChainsWide; ++i) seeds.push_back(1 + 0.37 * i);
  for (const Case& one : cases) {
    std::vector<double> seconds;
    for (int repetition = -1; repetition < options.fma_repetitions; ++repetition) {
      const double taken = seconds_on(threads, [&](int) {
        double sink[kChainsWide];
        one.kernel(seeds.data(), sink);
        __asm__ volatile("" : : "r"(sink) : "memory");
      });
      if (repetition >= 0) seconds.push_back(taken);
    }
    const double operations = 2.0 * one.lanes * chains * kSteps * threads;
    out.push_back(ceiling_of(one.name, "flop/s", threads, 0, operations, seconds));
  }
}

}  // namespace

std::vector<NamedCopy> copies() {
  return {{"copy_nontemporal", copy_stream},
          {"copy_paired_pages", copy_paired},
          {"copy_memcpy", copy_memcpy},
          {"copy_regular", copy_regular}};
}

std::vector<Ceiling> measure_ceilings(const CeilingOptions& options) {
  std::vector<Ceiling> out;
  for (const int threads : options.threads) {
    add_copies(options, threads, out);
    add_fma(options, threads, out);
  }
  return out;
}

}  // namespace ki::machine
