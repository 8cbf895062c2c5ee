// The text of the GPU kernels of the projections, run on this host by the emulator, against sums in
// binary64.
#include "call.h"
#include "qkv_rope_bwd.cuh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace ki_kernels {
namespace {

using ki_qkv::Mode;
using testing::IsEmpty;

struct Sizes {
  std::int64_t b, s, hq, hk, e;
};
constexpr std::int64_t kDim = 96, kHalf = 48;

struct World {
  using Shape = std::initializer_list<std::int64_t>;
  explicit World(const Sizes& z)
      : sizes(z),
        tokens(z.b * z.s),
        features((z.hq + 2 * z.hk) * kDim),
        scratch({z.b * z.s, (z.hq + 2 * z.hk) * kDim}, KI_F32) {
    in.emplace_back(Shape{z.b, z.hq, z.s, kDim}, KI_F32);
    for (int i = 0; i < 2; ++i) in.emplace_back(Shape{z.b, z.hk, z.s, kDim}, KI_F32);
    in.emplace_back(Shape{z.b, z.s, z.e}, KI_F32);
    in.emplace_back(Shape{z.hq * kDim, z.e}, KI_F32);
    for (int i = 0; i < 2; ++i) in.emplace_back(Shape{z.hk * kDim, z.e}, KI_F32);
    for (int i = 0; i < 2; ++i) in.emplace_back(Shape{z.b, z.s, kDim}, KI_F32);
    out.emplace_back(Shape{z.b, z.s, z.e}, KI_F32);
    out.emplace_back(Shape{z.hq * kDim, z.e}, KI_F32);
    for (int i = 0; i < 2; ++i) out.emplace_back(Shape{z.hk * kDim, z.e}, KI_F32);
    for (std::uint32_t i = 0; i < 9; ++i)
      fill_normal(in[i], KI_F32, 23 * i + 5, i >= 4 && i < 7 ? 0.1F : 1.0F);
  }

  std::vector<std::string> emulate(Mode mode, std::uint32_t seed, ki_device::Faults faults = {}) {
    for (Buffer& buffer : out) buffer.fill(0xff);
    scratch.fill(0xff);
    ki_qkv::Args args{};
    args.batch = sizes.b;
    args.sequence = sizes.s;
    args.query_heads = sizes.hq;
    args.key_heads = sizes.hk;
    args.hidden = sizes.e;
    const float** const from[9] = {
        &args.grad_query, &args.grad_key,     &args.grad_value, &args.x,  &args.query_weight,
        &args.key_weight, &args.value_weight, &args.cos,        &args.sin};
    float** const to[4] = {&args.grad_x, &args.grad_query_weight, &args.grad_key_weight,
                           &args.grad_value_weight};
    ki_device::Machine first(seed, faults), second(seed, faults);
    for (std::size_t i = 0; i < 9; ++i) {
      *from[i] = in[i].as<float>();
      const bool is_of_products = i >= 3 && i < 7;  // no launch sees a tensor that it needs not
      (is_of_products ? second : first).add(in[i].as<char>(), in[i].bytes(), false);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      *to[i] = out[i].as<float>();
      second.add(out[i].as<char>(), out[i].bytes(), true);
    }
    args.scratch = scratch.as<float>();
    first.add(scratch.as<char>(), scratch.bytes(), true);
    second.add(scratch.as<char>(), scratch.bytes(), false);
    first.launch(2, ki_qkv::kThreads, 0, [&] { ki_qkv::rotate(args); });
    second.launch(2, ki_qkv::kThreads, ki_qkv::kSharedFloats * sizeof(float), [&] {
      switch (mode) {
        case Mode::kFast11:
          ki_qkv::products<Mode::kFast11>(args);
          break;
        case Mode::kTf32:
          ki_qkv::products<Mode::kTf32>(args);
          break;
        case Mode::kFp32ish:
          ki_qkv::products<Mode::kFp32ish>(args);
          break;
        case Mode::kFp32:
          ki_qkv::products<Mode::kFp32>(args);
          break;
      }
    });
    moved = first.moved_bytes();
    std::vector<std::string> problems = first.problems();
    for (const std::string& problem : second.problems()) problems.push_back(problem);
    for (const Buffer& buffer : out) EXPECT_TRUE(buffer.has_guards());
    EXPECT_TRUE(scratch.has_guards());
    return problems;
  }

  // The largest error of all elements of each output, in standard deviations of the output.
  double worst_error() const {
    std::vector<double> g(static_cast<std::size_t>(tokens * features));
    for (std::int64_t t = 0; t < tokens; ++t) {
      for (std::int64_t o = 0; o < features; ++o) {
        const std::int64_t head = o / kDim, d = o % kDim, b = t / sizes.s, s = t % sizes.s;
        const std::size_t which = head < sizes.hq ? 0 : head < sizes.hq + sizes.hk ? 1 : 2;
        const std::int64_t count = which == 0 ? sizes.hq : sizes.hk;
        const std::int64_t own = head - (which == 0   ? 0
                                         : which == 1 ? sizes.hq
                                                      : sizes.hq + sizes.hk);
        const float* y = in[which].as<float>() + ((b * count + own) * sizes.s + s) * kDim;
        const double cos = in[7].as<float>()[t * kDim + d];
        const std::int64_t other = d < kHalf ? d + kHalf : d - kHalf;
        const double sin = in[8].as<float>()[t * kDim + other];
        g[static_cast<std::size_t>(t * features + o)] =
            which == 2 ? static_cast<double>(y[d])
                       : y[d] * cos + (d < kHalf ? 1 : -1) * y[other] * sin;
      }
    }
    double worst = 0;
    const std::array<std::int64_t, 4> first = {0, sizes.hq * kDim, (sizes.hq + sizes.hk) * kDim,
                                               features};
    for (std::size_t which = 0; which < 4; ++which) {
      const std::int64_t rows = which == 0 ? tokens : first[which] - first[which - 1];
      double squares = 0, error = 0;
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t e = 0; e < sizes.e; ++e) {
          double want = 0;
          if (which == 0) {
            for (std::size_t p = 0; p < 3; ++p) {
              for (std::int64_t o = first[p]; o < first[p + 1]; ++o)
                want += g[static_cast<std::size_t>(r * features + o)] *
                        in[4 + p].as<float>()[(o - first[p]) * sizes.e + e];
            }
          } else {
            for (std::int64_t t = 0; t < tokens; ++t)
              want += g[static_cast<std::size_t>(t * features + first[which - 1] + r)] *
                      in[3].as<float>()[t * sizes.e + e];
          }
          const double got = out[which].as<float>()[r * sizes.e + e];
          squares += want * want;
          error = std::isfinite(got) ? std::max(error, std::abs(got - want)) : 1e30;
        }
      }
      worst = std::max(worst, error / std::sqrt(squares / static_cast<double>(rows * sizes.e)));
    }
    return worst;
  }
  std::vector<std::vector<unsigned char>> results() const {
    std::vector<std::vector<unsigned char>> all;
    for (const Buffer& buffer : out) all.push_back(buffer.copy());
    return all;
  }

  Sizes sizes;
  std::int64_t tokens, features;
  Buffer scratch;
  std::vector<Buffer> in, out;
  std::size_t moved = 0;
};

struct ModeRow {
  Mode mode;
  double least, most;  // error; an exact answer would be another mode's
  const char* name;
};
constexpr std::array kModes = {
    ModeRow{Mode::kFast11, 1e-4, 3e-3, "fast11"}, ModeRow{Mode::kTf32, 1e-4, 3e-3, "tf32"},
    ModeRow{Mode::kFp32ish, 0, 1e-5, "fp32ish"}, ModeRow{Mode::kFp32, 0, 1e-5, "fp32"}};
struct Row {
  Sizes sizes;
  const char* why;
};
const std::array kRows = {
    Row{{1, 1, 1, 1, 4}, "one token, the narrowest"},
    Row{{2, 9, 1, 1, 68}, "tokens of two sequences in a step; four columns in the last tile"},
    Row{{1, 67, 2, 1, 20}, "three tokens in the last tile and step; more query than key heads"},
};

TEST(QkvCuda, EveryModeIsWithinItsClassInEveryOrderOfLanes) {
  for (const Row& row : kRows) {
    World world(row.sizes);
    for (const ModeRow& mode : kModes) {
      SCOPED_TRACE(std::string(mode.name) + ": " + row.why);
      EXPECT_THAT(world.emulate(mode.mode, 1), IsEmpty());
      const double error = world.worst_error();
      EXPECT_GE(error, mode.least);
      EXPECT_LE(error, mode.most);
      const auto once = world.results();
      EXPECT_THAT(world.emulate(mode.mode, 2), IsEmpty());
      EXPECT_EQ(world.results(), once) << "another order of lanes gives other bits";
    }
  }
}

TEST(QkvCuda, TheRotationReadsEveryGradientAndWritesEveryFeatureOnce) {
  World world(kRows[1].sizes);
  world.emulate(Mode::kFp32, 3);
  const std::size_t heads = 1 + 2 * 1, turned = 1 + 1;  // queries and keys read cos and sin
  const auto row = static_cast<std::size_t>(world.tokens * kDim) * sizeof(float);
  EXPECT_EQ(world.moved, row * (2 * heads + 2 * turned));
}

TEST(QkvCuda, AMissingBarrierIsFoundInEveryMode) {
  World world({1, 17, 1, 1, 4});
  for (const ModeRow& mode : kModes) {
    world.emulate(mode.mode, 1);
    const auto want = world.results();
    for (const int barrier : {0, 1}) {  // before and after a step is multiplied
      ki_device::Faults faults;
      faults.skipped_barrier = barrier;
      int found = 0;
      for (std::uint32_t seed = 0; seed < 8 && found == 0; ++seed) {
        world.emulate(mode.mode, seed, faults);
        found += world.results() == want ? 0 : 1;
      }
      EXPECT_GE(found, 1) << mode.name << ", barrier " << barrier;
    }
  }
}

TEST(QkvCuda, ASwappedFragmentIsFoundWhereMatricesAreMultiplied) {
  World world({1, 17, 1, 1, 4});
  ki_device::Faults faults;
  faults.swapped_fragment = true;
  for (const ModeRow& mode : kModes) {
    world.emulate(mode.mode, 1, faults);
    EXPECT_EQ(world.worst_error() > 0.1, mode.mode != Mode::kFp32) << mode.name;
  }
}

TEST(Emulator, RoundsToBinary16AsIeeeDoes) {
  struct Case {
    float x;
    std::uint32_t bits;
    const char* why;
  };
  for (const Case& c :
       {Case{1.0F, 0x3c00, "one"}, Case{-2.0F, 0xc000, "a sign"},
        Case{65504.0F, 0x7bff, "the largest"}, Case{65520.0F, 0x7c00, "beyond it"},
        Case{2049.0F, 0x6800, "a tie goes to the even"}, Case{2051.0F, 0x6802, "and up to it"},
        Case{0x1p-24F, 1, "the smallest"}, Case{0x1p-25F, 0, "a tie with zero"},
        Case{4095.9F, 0x6c00, "a carry"}, Case{0x1.ff8p-15F, 0x3ff, "the largest subnormal"},
        Case{0x1.ffcp-15F, 0x400, "a tie that becomes normal"}}) {
    EXPECT_EQ(ki_device::half(c.x), c.bits) << c.why;
  }
  for (std::uint32_t h = 0; h < 0x7c00; ++h) ASSERT_EQ(ki_device::half(ki_device::from_half(h)), h);
}

}  // namespace
}  // namespace ki_kernels
