#include "call.h"
#include "ki/harness/oracle.h"
#include "ki/kernels.h"
#include "ki/problem/directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

extern "C" std::int32_t ki_qkv_rope_bwd_on(int target, const ki_tensor* in, std::int32_t n_in,
                                           ki_tensor* out, std::int32_t n_out, const ki_exec* exec);

namespace ki_kernels {
namespace {

constexpr int kPortable = 1, kAvx2 = 2, kAvx512 = 3;
constexpr std::int64_t kDim = 96, kHalf = 48;

struct Sizes {
  std::int64_t b, s, hq, hk, e;
  std::int64_t tokens() const { return b * s; }
  std::int64_t features() const { return (hq + 2 * hk) * kDim; }
};

struct World {
  using Shape = std::initializer_list<std::int64_t>;
  explicit World(const Sizes& z, std::int64_t offset = 0) : sizes(z) {
    in.emplace_back(Shape{z.b, z.hq, z.s, kDim}, KI_F32, offset);
    for (int i = 0; i < 2; ++i) in.emplace_back(Shape{z.b, z.hk, z.s, kDim}, KI_F32, offset);
    in.emplace_back(Shape{z.b, z.s, z.e}, KI_F32, offset);
    in.emplace_back(Shape{z.hq * kDim, z.e}, KI_F32, offset);
    for (int i = 0; i < 2; ++i) in.emplace_back(Shape{z.hk * kDim, z.e}, KI_F32, offset);
    for (int i = 0; i < 2; ++i) in.emplace_back(Shape{z.b, z.s, kDim}, KI_F32, offset);
    out.emplace_back(Shape{z.b, z.s, z.e}, KI_F32, offset);
    out.emplace_back(Shape{z.hq * kDim, z.e}, KI_F32, offset);
    for (int i = 0; i < 2; ++i) out.emplace_back(Shape{z.hk * kDim, z.e}, KI_F32, offset);
    const float weight = 1 / std::sqrt(static_cast<float>(z.e));
    for (std::uint32_t i = 0; i < 9; ++i)
      fill_normal(in[i], KI_F32, 17 * i + 1, i >= 4 && i < 7 ? weight : i >= 7 ? 0.7F : 1.0F);
    for (const Buffer& buffer : in) inputs.push_back(buffer.tensor());
    for (const Buffer& buffer : out) outputs.push_back(buffer.tensor());
  }
  std::int32_t call(int target, int threads) {
    for (Buffer& buffer : out) buffer.fill(0xff);
    std::vector<std::vector<unsigned char>> before;
    for (const Buffer& buffer : in) before.push_back(buffer.copy());
    const ki_exec exec = exec_of(threads);
    const std::int32_t status =
        ki_qkv_rope_bwd_on(target, inputs.data(), 9, outputs.data(), 4, &exec);
    for (std::size_t i = 0; i < in.size(); ++i)
      EXPECT_TRUE(in[i].has_guards() && in[i].copy() == before[i]) << "input " << i;
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_TRUE(out[i].has_guards()) << "output " << i;
    return status;
  }
  std::vector<std::vector<unsigned char>> results() const {
    std::vector<std::vector<unsigned char>> all;
    for (const Buffer& buffer : out) all.push_back(buffer.copy());
    return all;
  }
  const float* data(std::size_t i) const { return in[i].as<float>(); }

  Sizes sizes;
  std::vector<Buffer> in, out;
  std::vector<ki_tensor> inputs, outputs;
};

// G in binary64, from the formula.
std::vector<double> gradients(const World& w) {
  const Sizes& z = w.sizes;
  std::vector<double> g(static_cast<std::size_t>(z.tokens() * z.features()));
  for (std::int64_t t = 0; t < z.tokens(); ++t) {
    const std::int64_t b = t / z.s, s = t % z.s;
    for (std::int64_t o = 0; o < z.features(); ++o) {
      const std::int64_t head = o / kDim, d = o % kDim;
      const bool is_query = head < z.hq, is_value = head >= z.hq + z.hk;
      const float* y = is_query ? w.data(0) + ((b * z.hq + head) * z.s + s) * kDim
                                : w.data(is_value ? 2 : 1) +
                                      ((b * z.hk + (head - z.hq) % z.hk) * z.s + s) * kDim;
      const float* c = w.data(7) + t * kDim;
      const float* n = w.data(8) + t * kDim;
      double& to = g[static_cast<std::size_t>(t * z.features() + o)];
      const std::int64_t other = d < kHalf ? d + kHalf : d - kHalf;
      to = is_value ? static_cast<double>(y[d])
                    : static_cast<double>(y[d]) * c[d] +
                          (d < kHalf ? 1.0 : -1.0) * static_cast<double>(y[other]) * n[other];
    }
  }
  return g;
}

// The largest error of sampled elements of each output, in standard deviations of the output.
double worst_error(const World& w, int samples) {
  const Sizes& z = w.sizes;
  const std::vector<double> g = gradients(w);
  const auto at = [&](std::int64_t t, std::int64_t o) {
    return g[static_cast<std::size_t>(t * z.features() + o)];
  };
  std::mt19937 random(3);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(n));
  };
  double worst = 0;
  std::vector<double> errors, values;
  const auto finish = [&] {
    double sum = 0;
    for (const double v : values) sum += v * v;
    const double sigma = std::sqrt(sum / static_cast<double>(values.size()));
    for (const double e : errors)
      worst = std::isnan(e) ? 1e9 : std::max(worst, e / std::max(sigma, 1e-300));
    errors.clear();
    values.clear();
  };
  const auto weight = [&](std::int64_t o) {
    const std::int64_t q = z.hq * kDim, k = z.hk * kDim;
    return o < q       ? w.data(4) + o * z.e
           : o < q + k ? w.data(5) + (o - q) * z.e
                       : w.data(6) + (o - q - k) * z.e;
  };
  for (int i = 0; i < samples; ++i) {
    // The edges first: they are where a tile is cut.
    const std::int64_t t = i < 4 ? z.tokens() - 1 : below(z.tokens()),
                       e = i % 4 == 1 ? z.e - 1 : below(z.e);
    double ref = 0;
    for (std::int64_t o = 0; o < z.features(); ++o)
      ref += at(t, o) * static_cast<double>(weight(o)[e]);
    errors.push_back(std::abs(static_cast<double>(w.out[0].as<float>()[t * z.e + e]) - ref));
    values.push_back(ref);
  }
  finish();
  const std::array<std::int64_t, 4> first = {0, z.hq * kDim, (z.hq + z.hk) * kDim, z.features()};
  for (std::size_t which = 0; which < 3; ++which) {
    for (int i = 0; i < samples; ++i) {
      const std::int64_t rows = first[which + 1] - first[which];
      const std::int64_t o = i < 4 ? rows - 1 : below(rows), e = i % 4 == 1 ? z.e - 1 : below(z.e);
      double ref = 0;
      for (std::int64_t t = 0; t < z.tokens(); ++t)
        ref += at(t, first[which] + o) * static_cast<double>(w.data(3)[t * z.e + e]);
      errors.push_back(
          std::abs(static_cast<double>(w.out[1 + which].as<float>()[o * z.e + e]) - ref));
      values.push_back(ref);
    }
    finish();
  }
  return worst;
}

struct Row {
  Sizes sizes;
  const char* why;
};
const std::array kRows = {
    Row{{1, 1, 2, 1, 32}, "one token, the narrowest"},
    Row{{1, 7, 2, 1, 64}, "less than a panel of tokens"},
    Row{{3, 7, 4, 2, 96}, "tokens of several sequences in a panel"},
    Row{{2, 64, 3, 1, 160}, "an odd number of heads"},
    Row{{1, 193, 5, 3, 64}, "one more than a step of tokens"},
    Row{{2, 293, 2, 1, 32}, "586 tokens: two blocks that are not whole tiles"},
    Row{{1, 1153, 2, 1, 32}, "many blocks: weights are packed before"},
    Row{{2, 128, 24, 4, 1536}, "the sizes of the problem"},
};

TEST(QkvRopeBackward, EveryTargetIsWithinTheClassOfBinary32) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.why);
    World world(row.sizes);
    for (const int target : {kPortable, kAvx2, kAvx512}) {
      ASSERT_EQ(world.call(target, 1), KI_DONE);
      EXPECT_LE(worst_error(world, 600), 8e-6) << target;
      const auto alone = world.results();
      ASSERT_EQ(world.call(target, 2), KI_DONE);
      EXPECT_EQ(world.results(), alone) << target << ": two threads give other bits";
    }
  }
}

TEST(QkvRopeBackward, DoesNotNeedAlignment) {
  const Sizes z = {2, 50, 3, 1, 64};
  World aligned(z), shifted(z, 1);
  for (const int target : {kPortable, kAvx2, kAvx512}) {
    ASSERT_EQ(aligned.call(target, 1), KI_DONE);
    ASSERT_EQ(shifted.call(target, 2), KI_DONE);
    EXPECT_EQ(aligned.results(), shifted.results()) << target;
  }
}

TEST(QkvRopeBackward, EachWeightIsUsedWhereItBelongs) {
  const Sizes z = {1, 20, 4, 2, 64};
  for (std::size_t only = 4; only < 7; ++only) {
    World world(z);
    for (std::size_t i = 4; i < 7; ++i) {
      if (i != only) world.in[i].fill(0);
    }
    ASSERT_EQ(world.call(0, 2), KI_DONE);
    EXPECT_LE(worst_error(world, 400), 8e-6) << only;
  }
}

TEST(QkvRopeBackward, ZeroGradientsGiveZeros) {
  const Sizes z = {1, 30, 4, 2, 64};
  World world(z);
  for (std::size_t i = 0; i < 3; ++i) world.in[i].fill(0);
  ASSERT_EQ(world.call(0, 1), KI_DONE);
  for (const Buffer& buffer : world.out) {
    for (std::int64_t i = 0; i < buffer.numel(); ++i) ASSERT_EQ(buffer.as<float>()[i], 0);
  }
}

TEST(QkvRopeBackward, ScalesOfTwoToTheTwentyChangeNothingButTheScale) {
  const Sizes z = {1, 40, 2, 1, 64};
  World world(z);
  ASSERT_EQ(world.call(0, 1), KI_DONE);
  std::vector<float> before(world.out[0].as<float>(),
                            world.out[0].as<float>() + world.out[0].numel());
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::int64_t e = 0; e < world.in[i].numel(); ++e) world.in[i].as<float>()[e] *= 0x1p20F;
  }
  for (std::size_t i = 4; i < 7; ++i) {
    for (std::int64_t e = 0; e < world.in[i].numel(); ++e) world.in[i].as<float>()[e] *= 0x1p-20F;
  }
  ASSERT_EQ(world.call(0, 1), KI_DONE);
  for (std::int64_t e = 0; e < world.out[0].numel(); ++e)
    ASSERT_EQ(world.out[0].as<float>()[e], before[static_cast<std::size_t>(e)]);
}

TEST(QkvRopeBackward, NoTokensGiveZeroWeightGradients) {
  World world({2, 0, 2, 1, 64});
  ASSERT_EQ(world.call(0, 1), KI_DONE);
  for (std::size_t i = 1; i < 4; ++i) {
    for (std::int64_t e = 0; e < world.out[i].numel(); ++e)
      ASSERT_EQ(world.out[i].as<float>()[e], 0);
  }
}

TEST(QkvRopeBackward, PlainLoopsAgree) {
  const Sizes z = {2, 60, 4, 2, 64};
  World world(z);
  for (Buffer& buffer : world.out) buffer.fill(0xff);
  const ki_exec exec = exec_of(1);
  ASSERT_EQ(ki_qkv_rope_bwd_scalar(world.inputs.data(), 9, world.outputs.data(), 4, &exec),
            KI_DONE);
  EXPECT_LE(worst_error(world, 600), 1e-5);
}

TEST(QkvRopeBackward, RefusesWhatItWasNotMadeFor) {
  World world({1, 8, 2, 1, 64});
  const ki_exec exec = exec_of(1);
  const auto call = [&](std::int32_t n_in) {
    return ki_qkv_rope_bwd(world.inputs.data(), n_in, world.outputs.data(), 4, &exec);
  };
  EXPECT_EQ(call(9), KI_DONE);
  EXPECT_EQ(call(8), KI_INVALID_ARGUMENT);
  world.inputs[3].dtype = KI_BF16;
  EXPECT_EQ(call(9), KI_INVALID_ARGUMENT);
  world.inputs[3].dtype = KI_F32;
  std::swap(world.inputs[4], world.inputs[5]);
  EXPECT_EQ(call(9), KI_INVALID_ARGUMENT);
  World narrow({1, 8, 2, 1, 48});
  EXPECT_EQ(ki_qkv_rope_bwd(narrow.inputs.data(), 9, narrow.outputs.data(), 4, &exec),
            KI_UNSUPPORTED_SHAPE);
}

// The kernel against the oracle that judges runs.
TEST(QkvRopeBackward, AgreesWithTheOracleOfTheProblem) {
  const Sizes z = {2, 9, 24, 4, 1536};
  World world(z);
  ASSERT_EQ(world.call(0, 1), KI_DONE);
  const auto problem = ki::problem::load_problem(
      std::string(KI_SOURCE_DIR) + "/problems/multi_head_qkv_projection_with_rope_backward",
      ki::problem::Mode::kStrict);
  ASSERT_TRUE(problem);
  const auto axes =
      *ki::problem::resolve_axes(problem->definition, {{"batch_size", z.b}, {"seq_len", z.s}});
  const auto inputs = *ki::problem::resolve_arguments(problem->definition.inputs, axes);
  const auto outputs = *ki::problem::resolve_arguments(problem->definition.outputs, axes);
  std::vector<std::span<const std::byte>> data;
  for (const Buffer& buffer : world.in) data.emplace_back(buffer.as<std::byte>(), buffer.bytes());
  const auto* oracle = ki::harness::find_oracle(problem->definition.digest);
  ASSERT_NE(oracle, nullptr);
  const auto answer = oracle->compute({axes, inputs, outputs, data});
  ASSERT_TRUE(answer) << answer.error().to_string();
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& exact = (*answer)[i].exact;
    ASSERT_EQ(static_cast<std::int64_t>(exact.size()), world.out[i].numel());
    for (std::size_t e = 0; e < exact.size(); ++e)
      ASSERT_NEAR(world.out[i].as<float>()[e], exact[e], 1e-4) << i << " " << e;
  }
}

}  // namespace
}  // namespace ki_kernels
