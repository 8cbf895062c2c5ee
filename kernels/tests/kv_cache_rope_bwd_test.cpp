#include "call.h"
#include "ki/harness/oracle.h"
#include "ki/kernels.h"
#include "ki/problem/directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

extern "C" std::int32_t ki_kv_cache_rope_bwd_on(int target, unsigned flags, const ki_tensor* in,
                                                std::int32_t n_in, ki_tensor* out,
                                                std::int32_t n_out, const ki_exec* exec);

namespace ki_kernels {
namespace {

constexpr int kPortable = 1, kAvx2 = 2, kAvx512 = 3;
constexpr unsigned kEager = 1, kStreaming = 2;

struct Sizes {
  std::int64_t b, h, m, n, d;
};

enum class Order { kIdentity, kReversed, kRandom, kAllEqual, kDuplicates };

std::vector<std::int64_t> positions(const Sizes& z, Order order) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(z.n));
  std::mt19937 random(7);
  for (std::int64_t s = 0; s < z.n; ++s) {
    std::int64_t& p = out[static_cast<std::size_t>(s)];
    switch (order) {
      case Order::kIdentity:
        p = s % z.m;
        break;
      case Order::kReversed:
        p = z.m - 1 - s % z.m;
        break;
      case Order::kRandom:
        p = s % z.m;
        break;
      case Order::kAllEqual:
        p = z.m / 2;
        break;
      case Order::kDuplicates:
        p = static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(z.m)) / 2;
        break;
    }
  }
  if (order == Order::kRandom && z.n <= z.m) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(z.m));
    std::iota(all.begin(), all.end(), 0);
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random() % i]);
    std::copy_n(all.begin(), z.n, out.begin());
  }
  return out;
}

struct World {
  explicit World(const Sizes& z, const std::vector<std::int64_t>& where, std::int64_t offset = 0)
      : sizes(z) {
    in.emplace_back(std::initializer_list<std::int64_t>{z.b, z.h, z.m, z.d}, KI_BF16, offset);
    in.emplace_back(std::initializer_list<std::int64_t>{z.b, z.h, z.m, z.d}, KI_BF16, offset);
    in.emplace_back(std::initializer_list<std::int64_t>{z.b, z.h, z.n, z.d}, KI_BF16, offset);
    in.emplace_back(std::initializer_list<std::int64_t>{z.b, z.n, z.d}, KI_BF16, offset);
    in.emplace_back(std::initializer_list<std::int64_t>{z.b, z.n, z.d}, KI_BF16, offset);
    in.emplace_back(std::initializer_list<std::int64_t>{z.n}, KI_I64, offset);
    for (std::uint32_t i = 0; i < 5; ++i) fill_normal(in[i], KI_BF16, 11 * i + 3);
    std::copy(where.begin(), where.end(), in[5].as<std::int64_t>());
    for (int i = 0; i < 2; ++i)
      out.emplace_back(std::initializer_list<std::int64_t>{z.b, z.h, z.n, z.d}, KI_BF16, offset);
    for (int i = 0; i < 2; ++i)
      out.emplace_back(std::initializer_list<std::int64_t>{z.b, z.n, z.d}, KI_BF16, offset);
    for (int i = 0; i < 2; ++i)
      out.emplace_back(std::initializer_list<std::int64_t>{z.b, z.h, z.m, z.d}, KI_BF16, offset);
    for (const Buffer& buffer : in) inputs.push_back(buffer.tensor());
    for (const Buffer& buffer : out) outputs.push_back(buffer.tensor());
  }

  // Poisons the outputs, calls, and checks that nothing else was touched.
  std::int32_t call(int target, unsigned flags, int threads) {
    for (Buffer& buffer : out) buffer.fill(0xff);  // a NaN that no rounding makes
    std::vector<std::vector<unsigned char>> before;
    for (const Buffer& buffer : in) before.push_back(buffer.copy());
    const ki_exec exec = exec_of(threads);
    const std::int32_t status =
        ki_kv_cache_rope_bwd_on(target, flags, inputs.data(), 6, outputs.data(), 6, &exec);
    for (std::size_t i = 0; i < in.size(); ++i) {
      EXPECT_TRUE(in[i].has_guards() && in[i].copy() == before[i]) << "input " << i;
    }
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_TRUE(out[i].has_guards()) << "output " << i;
    return status;
  }
  std::vector<std::vector<unsigned char>> results() const {
    std::vector<std::vector<unsigned char>> all;
    for (const Buffer& buffer : out) all.push_back(buffer.copy());
    return all;
  }

  Sizes sizes;
  std::vector<Buffer> in, out;
  std::vector<ki_tensor> inputs, outputs;
};

// Compares with binary64: the bounds of one rounding (fused) or of a rounding for each term
// (eager). Returns how many elements are outside; NaN belongs where binary64 has NaN.
std::int64_t count_wrong(const World& w, bool is_eager) {
  const auto& [b, h, m, n, d] = w.sizes;
  const auto at = [&](int i, std::int64_t e) {
    return static_cast<double>(
        bf16_number(w.in[static_cast<std::size_t>(i)].as<std::uint16_t>()[e]));
  };
  const auto got = [&](int i, std::int64_t e) {
    return static_cast<double>(
        bf16_number(w.out[static_cast<std::size_t>(i)].as<std::uint16_t>()[e]));
  };
  const auto* position = w.in[5].as<std::int64_t>();
  std::int64_t wrong = 0;
  const auto check = [&](double y, double ref, double terms) {
    if (std::isnan(ref) || std::isinf(ref)) {
      wrong += std::isnan(ref) ? !std::isnan(y) : y != ref;
      return;
    }
    if (terms > 3.3e38) return;  // a product or a sum leaves fp32 on the way
    const double bound = is_eager ? 1.01 * 0x1p-8 * (std::abs(ref) + terms) + 0x1p-133
                                  : 0x1p-8 * std::abs(ref) + 0x1p-23 * terms + 0x1p-133;
    wrong += !(std::abs(y - ref) <= bound);
  };
  std::vector<char> is_written(static_cast<std::size_t>(m));
  for (std::int64_t s = 0; s < n; ++s) is_written[static_cast<std::size_t>(position[s])] = 1;
  const std::int64_t half = d / 2;
  for (std::int64_t i = 0; i < b; ++i) {
    for (std::int64_t s = 0; s < n; ++s) {
      for (std::int64_t e = 0; e < d; ++e) {
        const std::int64_t other = e < half ? e + half : e - half;
        const double sign = e < half ? 1 : -1;
        const std::int64_t angle = (i * n + s) * d;
        double cos = 0, sin = 0, cos_terms = 0, sin_terms = 0;
        for (std::int64_t a = 0; a < h; ++a) {
          const std::int64_t cached = ((i * h + a) * m + position[s]) * d;
          const std::int64_t row = ((i * h + a) * n + s) * d;
          const double direct = at(0, cached + e) * at(3, angle + e);
          const double turned = sign * at(0, cached + other) * at(4, angle + other);
          check(got(0, row + e), direct + turned, std::abs(direct) + std::abs(turned));
          wrong += w.out[1].as<std::uint16_t>()[row + e] != w.in[1].as<std::uint16_t>()[cached + e];
          const double c = at(0, cached + e) * at(2, row + e);
          const double r = -sign * at(0, cached + e) * at(2, row + other);
          cos += c;
          sin += r;
          cos_terms += std::abs(c);
          sin_terms += std::abs(r);
        }
        check(got(2, angle + e), cos, cos_terms);
        check(got(3, angle + e), sin, sin_terms);
      }
    }
  }
  for (std::int64_t plane = 0; plane < b * h; ++plane) {
    for (std::int64_t r = 0; r < m; ++r) {
      for (std::int64_t e = 0; e < d; ++e) {
        const std::int64_t i = (plane * m + r) * d + e;
        for (const std::size_t c : {0U, 1U}) {
          const std::uint16_t want =
              is_written[static_cast<std::size_t>(r)] != 0 ? 0 : w.in[c].as<std::uint16_t>()[i];
          wrong += w.out[4 + c].as<std::uint16_t>()[i] != want;
        }
      }
    }
  }
  return wrong;
}

struct Row {
  Sizes sizes;
  Order order;
  const char* why;
};
const std::array kRows = {
    Row{{1, 8, 33, 1, 128}, Order::kIdentity, "one token"},
    Row{{3, 8, 33, 2, 128}, Order::kReversed, "two tokens, several batches"},
    Row{{1, 8, 64, 15, 128}, Order::kRandom, "one less than a block"},
    Row{{3, 8, 100, 16, 128}, Order::kRandom, "one block"},
    Row{{1, 8, 257, 17, 128}, Order::kDuplicates, "a block and one; a chunk and one row"},
    Row{{1, 8, 517, 211, 128}, Order::kRandom, "an odd number of tokens"},
    Row{{1, 8, 48, 48, 128}, Order::kReversed, "every row is written"},
    Row{{1, 8, 40, 50, 128}, Order::kIdentity, "more tokens than rows"},
    Row{{1, 8, 40, 50, 128}, Order::kDuplicates, "more tokens than rows, at random"},
    Row{{3, 8, 70, 33, 128}, Order::kAllEqual, "all in one row"},
    Row{{1, 1, 1, 1, 64}, Order::kIdentity, "the smallest"},
    Row{{2, 3, 41, 9, 192}, Order::kRandom, "other heads and head dimension"},
    Row{{1, 2, 300, 5, 256}, Order::kRandom, "the longest head dimension"},
};

TEST(KvCacheRopeBackward, EveryTargetAndModeIsWithinItsBoundAndLikeThePortableLoops) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.why);
    World world(row.sizes, positions(row.sizes, row.order));
    for (const unsigned mode : {0U, kEager}) {
      ASSERT_EQ(world.call(kPortable, mode, 1), KI_DONE);
      EXPECT_EQ(count_wrong(world, mode == kEager), 0) << mode;
      const auto portable = world.results();
      for (const int target : {kAvx2, kAvx512}) {
        for (const unsigned stream : {0U, kStreaming}) {
          for (const int threads : {1, 2}) {
            ASSERT_EQ(world.call(target, mode | stream, threads), KI_DONE);
            EXPECT_EQ(world.results(), portable)
                << target << " " << mode << " " << stream << " " << threads;
          }
        }
      }
    }
  }
}

TEST(KvCacheRopeBackward, EagerAndFusedDiffer) {
  const Sizes z = {1, 8, 64, 32, 128};
  World world(z, positions(z, Order::kIdentity));
  ASSERT_EQ(world.call(0, 0, 1), KI_DONE);
  const auto fused = world.results();
  ASSERT_EQ(world.call(0, kEager, 1), KI_DONE);
  EXPECT_NE(world.results()[0], fused[0]);
  EXPECT_NE(world.results()[2], fused[2]);
  EXPECT_GT(count_wrong(world, false), 0) << "the fused bound would accept anything";
}

TEST(KvCacheRopeBackward, TheSameBitsAgainAndWithoutAlignment) {
  const Sizes z = {2, 8, 300, 70, 128};
  World aligned(z, positions(z, Order::kRandom)), shifted(z, positions(z, Order::kRandom), 1);
  ASSERT_EQ(aligned.call(0, kStreaming, 2), KI_DONE);
  const auto first = aligned.results();
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(aligned.call(0, kStreaming, 2), KI_DONE);
    EXPECT_EQ(aligned.results(), first);
  }
  for (const int target : {kPortable, kAvx2, kAvx512}) {
    ASSERT_EQ(shifted.call(target, kStreaming, 2), KI_DONE);
    EXPECT_EQ(shifted.results(), first) << target;
  }
}

TEST(KvCacheRopeBackward, PlainLoopsAgree) {
  const Sizes z = {2, 8, 90, 33, 128};
  World world(z, positions(z, Order::kDuplicates));
  for (Buffer& buffer : world.out) buffer.fill(0xff);
  const ki_exec exec = exec_of(1);
  ASSERT_EQ(ki_kv_cache_rope_bwd_scalar(world.inputs.data(), 6, world.outputs.data(), 6, &exec),
            KI_DONE);
  EXPECT_EQ(count_wrong(world, false), 0);
  for (const Buffer& buffer : world.out) EXPECT_TRUE(buffer.has_guards());
}

TEST(KvCacheRopeBackward, SpecialNumbersArePassedOn) {
  const Sizes z = {1, 8, 40, 20, 128};
  // The largest numbers apart from the infinities: their products are infinite in fp32 alone, and
  // the difference of two infinities is not what binary64 says.
  const std::array<std::vector<std::uint16_t>, 2> sets = {
      {{0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x7f80, 0xff80, 0x7fc1, 0xff81},
       {0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x7f7f, 0xff7f}}};
  for (const auto& special : sets) {
    World world(z, positions(z, Order::kRandom));
    std::mt19937 random(5);
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::int64_t e = 0; e < world.in[i].numel(); ++e) {
        if (random() % 8 == 0)
          world.in[i].as<std::uint16_t>()[e] = special[random() % special.size()];
      }
    }
    for (const int target : {kPortable, kAvx2, kAvx512}) {
      ASSERT_EQ(world.call(target, 0, 2), KI_DONE);
      EXPECT_EQ(count_wrong(world, false), 0) << target;
    }
  }
}

TEST(KvCacheRopeBackward, SubnormalsAreKept) {
  const Sizes z = {1, 1, 2, 1, 128};
  World world(z, {0});
  for (std::int64_t e = 0; e < 128; ++e) {
    world.in[0].as<std::uint16_t>()[e] = 0x0040;  // 2^-127
    world.in[3].as<std::uint16_t>()[e] = 0x3f80;  // 1
    world.in[4].as<std::uint16_t>()[e] = 0;
  }
  for (const int target : {kPortable, kAvx2, kAvx512}) {
    ASSERT_EQ(world.call(target, 0, 1), KI_DONE);
    EXPECT_EQ(world.out[0].as<std::uint16_t>()[5], 0x0040) << target;
  }
}

TEST(KvCacheRopeBackward, RefusesPositionsOutsideTheCacheAndWritesNothing) {
  const Sizes z = {1, 8, 16, 4, 128};
  for (const std::int64_t bad :
       {std::int64_t{-1}, std::int64_t{16}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    World world(z, {0, 1, bad, 2});
    EXPECT_EQ(world.call(0, 0, 1), KI_INVALID_ARGUMENT) << bad;
    for (const Buffer& buffer : world.out) {
      for (const unsigned char byte : buffer.copy()) ASSERT_EQ(byte, 0xff);
    }
  }
}

TEST(KvCacheRopeBackward, RefusesWhatItWasNotMadeFor) {
  const Sizes z = {1, 8, 16, 4, 128};
  World world(z, {0, 1, 2, 3});
  const ki_exec exec = exec_of(1);
  const auto call = [&](std::int32_t n_in, std::int32_t n_out) {
    return ki_kv_cache_rope_bwd(world.inputs.data(), n_in, world.outputs.data(), n_out, &exec);
  };
  EXPECT_EQ(call(6, 6), KI_DONE);
  EXPECT_EQ(call(5, 6), KI_INVALID_ARGUMENT);
  EXPECT_EQ(call(6, 5), KI_INVALID_ARGUMENT);
  world.inputs[0].dtype = KI_F16;
  EXPECT_EQ(call(6, 6), KI_INVALID_ARGUMENT);
  world.inputs[0].dtype = KI_BF16;
  std::swap(world.outputs[2], world.outputs[4]);
  EXPECT_EQ(call(6, 6), KI_INVALID_ARGUMENT) << "shapes of two outputs are swapped";
  const Sizes narrow = {1, 2, 4, 2, 96};
  World other(narrow, {0, 1});
  EXPECT_EQ(ki_kv_cache_rope_bwd(other.inputs.data(), 6, other.outputs.data(), 6, &exec),
            KI_UNSUPPORTED_SHAPE);
}

TEST(KvCacheRopeBackward, NoTokensIsACopy) {
  const Sizes z = {2, 8, 50, 0, 128};
  World world(z, {});
  ASSERT_EQ(world.call(0, 0, 2), KI_DONE);
  EXPECT_EQ(count_wrong(world, false), 0);
}

// The kernel against the oracle that judges runs.
TEST(KvCacheRopeBackward, AgreesWithTheOracleOfTheProblem) {
  const Sizes z = {2, 8, 60, 21, 128};
  World world(z, positions(z, Order::kIdentity));
  ASSERT_EQ(world.call(0, 0, 1), KI_DONE);
  const auto problem = ki::problem::load_problem(
      std::string(KI_SOURCE_DIR) + "/problems/kv_cache_update_with_rope_backward",
      ki::problem::Mode::kStrict);
  ASSERT_TRUE(problem);
  const auto axes = *ki::problem::resolve_axes(
      problem->definition, {{"batch_size", z.b}, {"max_seq_len", z.m}, {"new_seq_len", z.n}});
  const auto inputs = *ki::problem::resolve_arguments(problem->definition.inputs, axes);
  const auto outputs = *ki::problem::resolve_arguments(problem->definition.outputs, axes);
  std::vector<std::span<const std::byte>> data;
  for (const Buffer& buffer : world.in) data.emplace_back(buffer.as<std::byte>(), buffer.bytes());
  const auto* oracle = ki::harness::find_oracle(problem->definition.digest);
  ASSERT_NE(oracle, nullptr);
  const auto answer = oracle->compute({axes, inputs, outputs, data});
  ASSERT_TRUE(answer) << answer.error().to_string();
  for (std::size_t i = 0; i < 6; ++i) {
    const auto& exact = (*answer)[i].exact;
    ASSERT_EQ(static_cast<std::int64_t>(exact.size()), world.out[i].numel());
    for (std::size_t e = 0; e < exact.size(); ++e) {
      const double y = bf16_number(world.out[i].as<std::uint16_t>()[e]);
      ASSERT_LE(std::abs(y - exact[e]), 0x1p-8 * std::abs(exact[e]) + 1e-5) << i << " " << e;
    }
    // What an eager implementation computes, in its own rounding.
    World again(z, positions(z, Order::kIdentity));
    ASSERT_EQ(again.call(0, kEager, 1), KI_DONE);
    const auto native = again.out[i].copy();
    const auto* theirs = reinterpret_cast<const unsigned char*>((*answer)[i].native.data());
    EXPECT_TRUE(std::equal(native.begin(), native.end(), theirs)) << "output " << i;
  }
}

}  // namespace
}  // namespace ki_kernels
