// kv_cache_update_with_rope_backward against the copy ceilings of this machine and plain loops,
// interleaved in one run (docs/internals/kernels-kv-cache-rope-backward.md).
//   bench_kv_cache [--threads N] [--clock wall|cpu] [--seconds S per case] [--case N]... [--max-mb
//   N]
#include "../tests/call.h"
#include "interleave.h"
#include "ki/kernels.h"

#include <pthread.h>
#include <sys/mman.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>

extern "C" std::int32_t ki_kv_cache_rope_bwd_on(int target, unsigned flags, const ki_tensor* in,
                                                std::int32_t n_in, ki_tensor* out,
                                                std::int32_t n_out, const ki_exec* exec);

namespace {

using ki_bench::Contender;
using ki_kernels::Buffer;

struct Case {
  int number;
  std::int64_t b, m, n;
};
constexpr std::array<Case, 16> kCases = {{{1, 1, 2048, 691},
                                          {2, 16, 8192, 919},
                                          {3, 4, 4096, 773},
                                          {4, 2, 1024, 211},
                                          {5, 4, 2048, 256},
                                          {6, 8, 2048, 256},
                                          {7, 2, 2048, 541},
                                          {8, 1, 256, 1},
                                          {9, 2, 4096, 2048},
                                          {10, 32, 2048, 1},
                                          {11, 8, 4096, 449},
                                          {12, 4, 512, 1},
                                          {13, 32, 4096, 512},
                                          {14, 16, 4096, 613},
                                          {15, 32, 8192, 2048},
                                          {16, 1, 2048, 293}}};
constexpr double kHotBytes = 32e6;  // calls that move less are measured with warm caches

// A copy of `from_bytes` to `to_bytes` moves as much each way as the kernel does: what is read but
// not written is only read, what is written but not read is filled.
struct Copy {
  char* to;
  const char* from;
  std::size_t write, read;
};
using CopyFunction = void (*)(char*, const char*, std::size_t);

__attribute__((target("avx512f"))) void plain_stream(char* to, const char* from, std::size_t n) {
  for (std::size_t i = 0; i + 256 <= n; i += 256) {
    const __m512i a = _mm512_loadu_si512(from + i), b = _mm512_loadu_si512(from + i + 64);
    const __m512i c = _mm512_loadu_si512(from + i + 128), d = _mm512_loadu_si512(from + i + 192);
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), a);
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i + 64), b);
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i + 128), c);
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i + 192), d);
  }
  _mm_sfence();
}
// Two pages at once, prefetched: more banks of memory are busy.
__attribute__((target("avx512f"))) void paired_stream(char* to, const char* from, std::size_t n) {
  for (std::size_t p = 0; p + 8192 <= n; p += 8192) {
    for (std::size_t i = 0; i < 4096; i += 128) {
      for (const std::size_t page : {p, p + 4096}) {
        _mm_prefetch(from + page + i + 1024, _MM_HINT_T0);
        _mm_prefetch(from + page + i + 1088, _MM_HINT_T0);
        const __m512i a = _mm512_loadu_si512(from + page + i),
                      b = _mm512_loadu_si512(from + page + i + 64);
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to + page + i), a);
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to + page + i + 64), b);
      }
    }
  }
  _mm_sfence();
}
void library_copy(char* to, const char* from, std::size_t n) { std::memcpy(to, from, n); }
__attribute__((target("avx512f"))) void regular_copy(char* to, const char* from, std::size_t n) {
  for (std::size_t i = 0; i + 256 <= n; i += 256) {
    const __m512i a = _mm512_loadu_si512(from + i), b = _mm512_loadu_si512(from + i + 64);
    const __m512i c = _mm512_loadu_si512(from + i + 128), d = _mm512_loadu_si512(from + i + 192);
    _mm512_storeu_si512(to + i, a);
    _mm512_storeu_si512(to + i + 64, b);
    _mm512_storeu_si512(to + i + 128, c);
    _mm512_storeu_si512(to + i + 192, d);
  }
}

struct Part {
  CopyFunction copy;
  char* to;
  const char* from;
  std::size_t bytes;
};
void copy_on(CopyFunction copy, char* to, const char* from, std::size_t bytes, int threads) {
  const std::size_t share = bytes / static_cast<std::size_t>(threads) / 8192 * 8192;
  std::vector<Part> parts;
  for (int i = 0; i < threads; ++i) {
    const std::size_t first = share * static_cast<std::size_t>(i);
    parts.push_back({copy, to + first, from + first, i + 1 == threads ? bytes - first : share});
  }
  std::vector<pthread_t> made(parts.size());
  const auto body = [](void* p) -> void* {
    const Part& part = *static_cast<Part*>(p);
    part.copy(part.to, part.from, part.bytes);
    return nullptr;
  };
  for (std::size_t i = 1; i < parts.size(); ++i) pthread_create(&made[i], nullptr, body, &parts[i]);
  body(parts.data());
  for (std::size_t i = 1; i < parts.size(); ++i) pthread_join(made[i], nullptr);
}

void bench(const Case& one, int threads, double seconds) {
  const std::int64_t h = 8, d = 128;
  std::vector<Buffer> in, out;
  for (int i = 0; i < 2; ++i)
    in.emplace_back(std::initializer_list<std::int64_t>{one.b, h, one.m, d}, KI_BF16);
  in.emplace_back(std::initializer_list<std::int64_t>{one.b, h, one.n, d}, KI_BF16);
  for (int i = 0; i < 2; ++i)
    in.emplace_back(std::initializer_list<std::int64_t>{one.b, one.n, d}, KI_BF16);
  in.emplace_back(std::initializer_list<std::int64_t>{one.n}, KI_I64);
  for (int i = 0; i < 2; ++i)
    out.emplace_back(std::initializer_list<std::int64_t>{one.b, h, one.n, d}, KI_BF16);
  for (int i = 0; i < 2; ++i)
    out.emplace_back(std::initializer_list<std::int64_t>{one.b, one.n, d}, KI_BF16);
  for (int i = 0; i < 2; ++i)
    out.emplace_back(std::initializer_list<std::int64_t>{one.b, h, one.m, d}, KI_BF16);
  std::vector<ki_tensor> inputs, outputs;
  double read = 0, written = 0;
  for (std::uint32_t i = 0; i < 6; ++i) {
    if (i < 5) ki_kernels::fill_normal(in[i], KI_BF16, i + 1);
    inputs.push_back(in[i].tensor());
    outputs.push_back(out[i].tensor());
    read += static_cast<double>(in[i].bytes());
    written += static_cast<double>(out[i].bytes());
  }
  for (std::int64_t s = 0; s < one.n; ++s) in[5].as<std::int64_t>()[s] = s;
  // The same bytes as one copy: half of all that moves goes each way, in the kernel as here.
  const auto each_way = static_cast<std::size_t>((read + written) / 2) / 8192 * 8192 + 8192;
  auto map = [&] {
    void* p = mmap(nullptr, each_way, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memset(p, 1, each_way);
    return static_cast<char*>(p);
  };
  char* from = map();
  char* to = map();
  const double moved = read + written;
  const bool is_cold = moved > kHotBytes;
  const ki_exec exec = ki_kernels::exec_of(threads);
  const auto call = [&](ki_entry entry) {
    return [&, entry] { entry(inputs.data(), 6, outputs.data(), 6, &exec); };
  };
  std::vector<Contender> all;
  all.push_back({"kernel", call(ki_kv_cache_rope_bwd)});
  all.push_back({"eager", call(ki_kv_cache_rope_bwd_eager)});
  // The stores that the kernel did not choose.
  all.push_back({"streaming stores", [&] {
                   ki_kv_cache_rope_bwd_on(0, 2, inputs.data(), 6, outputs.data(), 6, &exec);
                 }});
  all.push_back({"regular stores", [&] {
                   ki_kv_cache_rope_bwd_on(0, 4, inputs.data(), 6, outputs.data(), 6, &exec);
                 }});
  if (threads == 1) all.push_back({"plain loops", call(ki_kv_cache_rope_bwd_scalar)});
  const std::array<std::pair<const char*, CopyFunction>, 4> copies = {
      {{"copy: streaming", plain_stream},
       {"copy: paired pages", paired_stream},
       {"copy: memcpy", library_copy},
       {"copy: regular", regular_copy}}};
  for (const auto& [name, copy] : copies) {
    all.push_back({name, [&, chosen = copy] { copy_on(chosen, to, from, each_way, threads); }});
  }
  const auto before = [&](Contender& next) {
    if (!is_cold) return next.run();
    for (const Buffer& buffer : in) ki_bench::flush(buffer.as<char>(), buffer.bytes());
    for (const Buffer& buffer : out) ki_bench::flush(buffer.as<char>(), buffer.bytes());
    ki_bench::flush(from, each_way);
    ki_bench::flush(to, each_way);
  };
  ki_bench::interleave(all, seconds, 7, 400, before);
  const std::size_t first_copy = all.size() - copies.size();
  std::size_t best = first_copy;
  for (std::size_t i = first_copy; i < all.size(); ++i) {
    if (ki_bench::median(all[i].seconds) < ki_bench::median(all[best].seconds)) best = i;
  }
  std::printf("case %2d  B %2ld M %4ld N %4ld  %7.1f MB  %s, %d thread%s, %zu rounds\n", one.number,
              static_cast<long>(one.b), static_cast<long>(one.m), static_cast<long>(one.n),
              moved / 1e6, is_cold ? "cold" : "hot", threads, threads == 1 ? "" : "s",
              all[0].seconds.size());
  for (const Contender& contender : all) {
    const double time = ki_bench::median(contender.seconds);
    const auto r = ki_bench::ratio(all[best].seconds, contender.seconds);
    std::printf("  %-20s %9.1f us  %6.1f GB/s  %5.1f %% of the fastest copy [%.1f, %.1f]\n",
                contender.name.c_str(), time * 1e6, moved / time / 1e9, 100 * r.value, 100 * r.low,
                100 * r.high);
  }
  std::fflush(stdout);
  munmap(from, each_way);
  munmap(to, each_way);
}

}  // namespace

int main(int argc, char** argv) {
  int threads = 1;
  double seconds = 2, most_mb = 1e9;
  std::vector<int> wanted;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    const double value = std::atof(argv[i + 1]);
    if (option == "--threads") threads = static_cast<int>(value);
    if (option == "--clock") ki_bench::uses_cpu_time() = std::string(argv[i + 1]) == "cpu";
    if (option == "--seconds") seconds = value;
    if (option == "--max-mb") most_mb = value;
    if (option == "--case") wanted.push_back(static_cast<int>(value));
  }
  if (!__builtin_cpu_supports("avx512f")) {
    std::puts("skipped: the copies are written for AVX-512");
    return 0;
  }
  for (const Case& one : kCases) {
    const double mb =
        2e-6 * static_cast<double>(4 * one.b * 8 * one.m * 128 + 3 * one.b * 8 * one.n * 128);
    if (mb > most_mb || (!wanted.empty() && std::ranges::find(wanted, one.number) == wanted.end()))
      continue;
    bench(one, threads, seconds);
  }
  return 0;
}
