// multi_head_qkv_projection_with_rope_backward against the multiply-add ceiling of this machine and
// against OpenBLAS, interleaved in one run (docs/internals/kernels-qkv-rope-backward.md).
//   bench_qkv [--threads N] [--clock wall|cpu] [--seconds S per size] [--tokens T]... [--blas
//   LIBRARY]
// OpenBLAS is loaded when it runs and needed for nothing else; set OPENBLAS_CORETYPE to choose its
// kernels. Rotation and packing are timed for both.
#include "../tests/call.h"
#include "interleave.h"
#include "ki/kernels.h"

#include <dlfcn.h>
#include <pthread.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace {

using ki_bench::Contender;
using ki_kernels::Buffer;

constexpr std::int64_t kHq = 24, kHk = 4, kDim = 96, kHidden = 1536;
constexpr std::int64_t kFeatures = (kHq + 2 * kHk) * kDim;

struct Size {
  std::int64_t b, s;
  int weight;  // cases of the suite with so many tokens
};
constexpr std::array<Size, 8> kSizes = {{{2, 128, 1},
                                         {2, 293, 1},
                                         {4, 256, 1},
                                         {8, 256, 4},
                                         {4, 541, 1},
                                         {2, 1321, 1},
                                         {8, 512, 4},
                                         {4, 2048, 3}}};

// 24 independent sums in registers, fed with random numbers: what the multiply-add units give.
__attribute__((target("avx512f"))) double fma_work(const float* data, std::int64_t steps) {
  __m512 sums[24];
  for (int i = 0; i < 24; ++i) sums[i] = _mm512_loadu_ps(data + 16 * i);
  const __m512 a = _mm512_loadu_ps(data + 400), b = _mm512_loadu_ps(data + 416);
  for (std::int64_t k = 0; k < steps; ++k) {
#pragma GCC unroll 24
    for (int i = 0; i < 24; ++i) sums[i] = _mm512_fmadd_ps(sums[i], a, b);
  }
  for (int i = 1; i < 24; ++i) sums[0] = _mm512_add_ps(sums[0], sums[i]);
  alignas(64) std::array<float, 16> lanes{};
  _mm512_store_ps(lanes.data(), sums[0]);
  return static_cast<double>(lanes[0]);
}
constexpr double kFlopsAStep = 24 * 16 * 2;

struct Blas {
  using Gemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                        float, float*, int);
  Gemm gemm = nullptr;
  void (*set_threads)(int) = nullptr;
  const char* (*core)() = nullptr;
};

Blas load_blas(const char* name) {
  Blas out;
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return out;
  out.gemm = reinterpret_cast<Blas::Gemm>(dlsym(library, "cblas_sgemm"));
  out.set_threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
  out.core = reinterpret_cast<const char* (*)()>(dlsym(library, "openblas_get_corename"));
  return out;
}

// G by rows, as the library's products want it.
void rotate(const std::vector<Buffer>& in, const Size& z, float* g) {
  const std::int64_t half = kDim / 2;
  const float *cos = in[7].as<float>(), *sin = in[8].as<float>();
  for (std::int64_t t = 0; t < z.b * z.s; ++t) {
    for (std::int64_t head = 0; head < kHq + 2 * kHk; ++head) {
      const std::size_t which = head < kHq ? 0 : head < kHq + kHk ? 1 : 2;
      const std::int64_t heads = which == 0 ? kHq : kHk, a = which == 0 ? head : (head - kHq) % kHk;
      const float* y = in[which].as<float>() + ((t / z.s * heads + a) * z.s + t % z.s) * kDim;
      float* to = g + t * kFeatures + head * kDim;
      const float *c = cos + t * kDim, *n = sin + t * kDim;
      if (which == 2) {
        std::memcpy(to, y, kDim * sizeof(float));
        continue;
      }
      for (std::int64_t d = 0; d < half; ++d) {
        to[d] = y[d] * c[d] + y[d + half] * n[d + half];
        to[d + half] = y[d + half] * c[d + half] - y[d] * n[d];
      }
    }
  }
}

struct Times {
  double tokens, weight, ours, blas, ceiling;
};

void on_threads(int threads, const std::function<void()>& work) {
  std::vector<pthread_t> made(static_cast<std::size_t>(threads));
  const auto body = [](void* p) -> void* {
    (*static_cast<const std::function<void()>*>(p))();
    return nullptr;
  };
  for (std::size_t i = 1; i < made.size(); ++i)
    pthread_create(&made[i], nullptr, body, const_cast<std::function<void()>*>(&work));
  work();
  for (std::size_t i = 1; i < made.size(); ++i) pthread_join(made[i], nullptr);
}

Times bench(const Size& z, int threads, double seconds, const Blas& blas) {
  using Shape = std::initializer_list<std::int64_t>;
  std::vector<Buffer> in, out;
  in.emplace_back(Shape{z.b, kHq, z.s, kDim}, KI_F32);
  for (int i = 0; i < 2; ++i) in.emplace_back(Shape{z.b, kHk, z.s, kDim}, KI_F32);
  in.emplace_back(Shape{z.b, z.s, kHidden}, KI_F32);
  in.emplace_back(Shape{kHq * kDim, kHidden}, KI_F32);
  for (int i = 0; i < 2; ++i) in.emplace_back(Shape{kHk * kDim, kHidden}, KI_F32);
  for (int i = 0; i < 2; ++i) in.emplace_back(Shape{z.b, z.s, kDim}, KI_F32);
  out.emplace_back(Shape{z.b, z.s, kHidden}, KI_F32);
  out.emplace_back(Shape{kHq * kDim, kHidden}, KI_F32);
  for (int i = 0; i < 2; ++i) out.emplace_back(Shape{kHk * kDim, kHidden}, KI_F32);
  std::vector<ki_tensor> inputs, outputs;
  for (std::uint32_t i = 0; i < in.size(); ++i) {
    ki_kernels::fill_normal(in[i], KI_F32, i + 1, i >= 4 && i < 7 ? 0.0255F : 1.0F);
    inputs.push_back(in[i].tensor());
  }
  for (const Buffer& buffer : out) outputs.push_back(buffer.tensor());
  const std::int64_t tokens = z.b * z.s;
  const double flops = 2.0 * 2.0 * static_cast<double>(tokens * kFeatures * kHidden);
  const ki_exec exec = ki_kernels::exec_of(threads);
  Buffer noise({512}, KI_F32);
  ki_kernels::fill_normal(noise, KI_F32, 99);
  for (int i = 400; i < 416; ++i) noise.as<float>()[i] *= 0.1F;  // sums stay bounded
  const auto steps = static_cast<std::int64_t>(2e9 / kFlopsAStep);
  Buffer g({tokens, kFeatures}, KI_F32), w({kFeatures, kHidden}, KI_F32),
      dw({kFeatures, kHidden}, KI_F32), dx({tokens, kHidden}, KI_F32);
  volatile double sink = 0;
  std::vector<Contender> all;
  all.push_back({"kernel", [&] { ki_qkv_rope_bwd(inputs.data(), 9, outputs.data(), 4, &exec); }});
  all.push_back({"multiply-add ceiling",
                 [&] { on_threads(threads, [&] { sink = fma_work(noise.as<float>(), steps); }); }});
  if (blas.gemm != nullptr) {
    if (blas.set_threads != nullptr) blas.set_threads(threads);
    all.push_back({"OpenBLAS", [&] {
                     rotate(in, z, g.as<float>());
                     // One product each: the weights side by side first.
                     std::int64_t row = 0;
                     for (std::size_t i = 4; i < 7; ++i) {
                       std::memcpy(w.as<float>() + row * kHidden, in[i].as<float>(), in[i].bytes());
                       row += in[i].numel() / kHidden;
                     }
                     const auto t = static_cast<int>(tokens);
                     const auto f = static_cast<int>(kFeatures), e = static_cast<int>(kHidden);
                     constexpr int kRowMajor = 101, kNo = 111, kYes = 112;
                     blas.gemm(kRowMajor, kNo, kNo, t, e, f, 1, g.as<float>(), f, w.as<float>(), e,
                               0, dx.as<float>(), e);
                     blas.gemm(kRowMajor, kYes, kNo, f, e, t, 1, g.as<float>(), f,
                               in[3].as<float>(), e, 0, dw.as<float>(), e);
                   }});
  }
  ki_bench::interleave(all, seconds, 5, 60, [](Contender&) {});
  const double ceiling_time = ki_bench::median(all[1].seconds);
  const double ceiling = static_cast<double>(steps) * kFlopsAStep * threads / ceiling_time;
  std::printf("T %5ld, %d thread%s, %zu rounds; ceiling %.1f GFLOP/s\n", static_cast<long>(tokens),
              threads, threads == 1 ? "" : "s", all[0].seconds.size(), ceiling / 1e9);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 1) continue;
    const double time = ki_bench::median(all[i].seconds);
    std::printf("  %-9s %9.2f ms  %6.1f GFLOP/s  %5.1f %% of the ceiling\n", all[i].name.c_str(),
                time * 1e3, flops / time / 1e9, 100 * flops / time / ceiling);
  }
  double blas_time = 0;
  if (all.size() > 2) {
    const auto r = ki_bench::ratio(all[2].seconds, all[0].seconds);
    blas_time = ki_bench::median(all[2].seconds);
    std::printf("  kernel / OpenBLAS speed %.3f [%.3f, %.3f]\n", r.value, r.low, r.high);
  }
  std::fflush(stdout);
  return {static_cast<double>(tokens), static_cast<double>(z.weight),
          ki_bench::median(all[0].seconds), blas_time, ceiling};
}

}  // namespace

int main(int argc, char** argv) {
  int threads = 1;
  double seconds = 3;
  std::string library = "libopenblas.so.0";
  std::vector<std::int64_t> wanted;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--threads") threads = std::atoi(argv[i + 1]);
    if (option == "--clock") ki_bench::uses_cpu_time() = std::string(argv[i + 1]) == "cpu";
    if (option == "--seconds") seconds = std::atof(argv[i + 1]);
    if (option == "--tokens") wanted.push_back(std::atoll(argv[i + 1]));
    if (option == "--blas") library = argv[i + 1];
  }
  if (!__builtin_cpu_supports("avx512f")) {
    std::puts("skipped: the ceiling is written for AVX-512");
    return 0;
  }
  const Blas blas = load_blas(library.c_str());
  if (blas.gemm == nullptr) {
    std::printf("OpenBLAS skipped: %s is not installed (Debian: libopenblas0-pthread)\n",
                library.c_str());
  } else {
    std::printf("OpenBLAS core %s\n", blas.core != nullptr ? blas.core() : "unknown");
  }
  double log_ratio = 0, weights = 0;
  for (const Size& z : kSizes) {
    if (!wanted.empty() && std::ranges::find(wanted, z.b * z.s) == wanted.end()) continue;
    const Times t = bench(z, threads, seconds, blas);
    if (t.blas > 0) {
      log_ratio += t.weight * std::log(t.blas / t.ours);
      weights += t.weight;
    }
  }
  if (weights > 0) {
    std::printf("geometric mean over the cases with these sizes: %.3f times OpenBLAS\n",
                std::exp(log_ratio / weights));
  }
  return 0;
}
