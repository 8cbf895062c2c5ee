// The text of the GPU kernel, run on this host by the emulator, against the CPU kernel, which is
// tested against binary64: the answers are the same bits.
#include "call.h"
#include "ki/kernels.h"
#include "kv_cache_rope_bwd.cuh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

extern "C" std::int32_t ki_kv_cache_rope_bwd_on(int target, unsigned flags, const ki_tensor* in,
                                                std::int32_t n_in, ki_tensor* out,
                                                std::int32_t n_out, const ki_exec* exec);

namespace ki_kernels {
namespace {

using testing::Contains;
using testing::IsEmpty;

struct Sizes {
  std::int64_t b, h, m, n;
};
constexpr std::int64_t kDim = 128;

struct World {
  using Shape = std::initializer_list<std::int64_t>;
  World(const Sizes& z, const std::vector<std::int64_t>& positions) : sizes(z) {
    for (int i = 0; i < 2; ++i) in.emplace_back(Shape{z.b, z.h, z.m, kDim}, KI_BF16);
    in.emplace_back(Shape{z.b, z.h, z.n, kDim}, KI_BF16);
    for (int i = 0; i < 2; ++i) in.emplace_back(Shape{z.b, z.n, kDim}, KI_BF16);
    in.emplace_back(Shape{z.n}, KI_I64);
    for (std::uint32_t i = 0; i < 5; ++i) fill_normal(in[i], KI_BF16, 5 * i + 2);
    std::copy(positions.begin(), positions.end(), in[5].as<std::int64_t>());
    for (int i = 0; i < 2; ++i) out.emplace_back(Shape{z.b, z.h, z.n, kDim}, KI_BF16);
    for (int i = 0; i < 2; ++i) out.emplace_back(Shape{z.b, z.n, kDim}, KI_BF16);
    for (int i = 0; i < 2; ++i) out.emplace_back(Shape{z.b, z.h, z.m, kDim}, KI_BF16);
  }

  ki_device::Machine emulate(bool is_eager, std::uint32_t seed, ki_device::Faults faults = {}) {
    for (Buffer& buffer : out) buffer.fill(0xff);
    ki_device::Machine machine(seed, faults);
    for (const Buffer& buffer : in) machine.add(buffer.as<char>(), buffer.bytes(), false);
    for (const Buffer& buffer : out) machine.add(buffer.as<char>(), buffer.bytes(), true);
    const ki_kv_cache::Args args = {sizes.b,
                                    sizes.h,
                                    sizes.m,
                                    sizes.n,
                                    in[0].as<std::uint16_t>(),
                                    in[1].as<std::uint16_t>(),
                                    in[2].as<std::uint16_t>(),
                                    in[3].as<std::uint16_t>(),
                                    in[4].as<std::uint16_t>(),
                                    in[5].as<std::int64_t>(),
                                    out[0].as<std::uint16_t>(),
                                    out[1].as<std::uint16_t>(),
                                    out[2].as<std::uint16_t>(),
                                    out[3].as<std::uint16_t>(),
                                    out[4].as<std::uint16_t>(),
                                    out[5].as<std::uint16_t>()};
    const std::size_t shared = static_cast<std::size_t>((sizes.m + 31) / 32) * 4;
    machine.launch(2, ki_kv_cache::kThreads, shared, [&] {
      if (is_eager) {
        ki_kv_cache::kernel<true>(args);
      } else {
        ki_kv_cache::kernel<false>(args);
      }
    });
    return machine;
  }
  std::vector<std::vector<unsigned char>> results() const {
    std::vector<std::vector<unsigned char>> all;
    for (const Buffer& buffer : out) all.push_back(buffer.copy());
    return all;
  }
  std::vector<std::vector<unsigned char>> on_cpu(bool is_eager) {
    for (Buffer& buffer : out) buffer.fill(0xff);
    std::vector<ki_tensor> inputs, outputs;
    for (const Buffer& buffer : in) inputs.push_back(buffer.tensor());
    for (const Buffer& buffer : out) outputs.push_back(buffer.tensor());
    const ki_exec exec = exec_of(1);
    EXPECT_EQ(
        ki_kv_cache_rope_bwd_on(1, is_eager ? 1 : 0, inputs.data(), 6, outputs.data(), 6, &exec),
        KI_DONE);
    return results();
  }

  Sizes sizes;
  std::vector<Buffer> in, out;
};

std::vector<std::int64_t> spread(const Sizes& z) {  // every row once, out of order
  std::vector<std::int64_t> out;
  for (std::int64_t s = 0; s < z.n; ++s) out.push_back((7 * s + 3) % z.m);
  return out;
}

struct Row {
  Sizes sizes;
  std::vector<std::int64_t> positions;
  const char* why;
};
const std::array kRows = {
    Row{{1, 2, 33, 1}, {32}, "one token, half of a warp without work"},
    Row{{1, 3, 45, 17}, spread({1, 3, 45, 17}), "out of order, rows that are no whole group"},
    Row{{3, 2, 64, 16}, spread({3, 2, 64, 16}), "several batches"},
    Row{{1, 2, 40, 6}, {5, 5, 5, 39, 0, 5}, "duplicates"},
    Row{{1, 3, 8, 8}, {7, 6, 5, 4, 3, 2, 1, 0}, "every row, reversed"},
};

TEST(KvCacheCuda, TheEmulatedKernelGivesTheBitsOfTheCpuKernelInEveryOrderOfLanes) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.why);
    World world(row.sizes, row.positions);
    for (const bool is_eager : {false, true}) {
      const auto want = world.on_cpu(is_eager);
      for (const std::uint32_t seed : {1U, 2U}) {
        const auto machine = world.emulate(is_eager, seed);
        EXPECT_THAT(machine.problems(), IsEmpty());
        EXPECT_EQ(world.results(), want) << seed;
        for (const Buffer& buffer : world.out) EXPECT_TRUE(buffer.has_guards());
      }
    }
  }
}

TEST(KvCacheCuda, EveryByteMovesOnce) {
  for (const Row& row : kRows) {
    if (std::string(row.why) == "duplicates") continue;  // those rows are read by several tokens
    SCOPED_TRACE(row.why);
    World world(row.sizes, row.positions);
    const auto machine = world.emulate(false, 4);
    std::size_t lines = 0, sectors = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      if (i < 5) lines += world.in[i].bytes();
      sectors += (world.in[i].bytes() + 31) / 32;
      lines += world.out[i].bytes();
      sectors += (world.out[i].bytes() + 31) / 32;
    }
    EXPECT_EQ(machine.sectors(), sectors) << "sectors touched are those of the declared bytes";
    EXPECT_EQ(machine.moved_bytes(), lines) << "and none is moved twice";
  }
}

TEST(KvCacheCuda, PositionsOutsideTheCacheTouchNothingElse) {
  World world({1, 2, 40, 4}, {-1, 3, 40, std::int64_t{1} << 62});
  const auto machine = world.emulate(false, 5);
  EXPECT_THAT(machine.problems(), IsEmpty());
  for (const std::int64_t s : {0, 2, 3}) {
    for (std::int64_t d = 0; d < kDim; ++d)
      ASSERT_EQ(world.out[0].as<std::uint16_t>()[s * kDim + d] & 0x7fff, 0);
  }
}

TEST(Emulator, FindsAMissingBarrier) {
  // One token, so that most warps go from the barrier to their copies without waiting once more.
  World world({1, 1, 600, 1}, {300});
  const auto want = world.on_cpu(false);
  for (const int barrier : {0, 1}) {
    ki_device::Faults faults;
    faults.skipped_barrier = barrier;
    int found = 0;
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
      world.emulate(false, seed, faults);
      found += world.results() == want ? 0 : 1;
    }
    EXPECT_GE(found, 1) << "barrier " << barrier;
  }
}

TEST(Emulator, FindsASwappedLane) {
  World world(kRows[1].sizes, kRows[1].positions);
  const auto want = world.on_cpu(false);
  ki_device::Faults faults;
  faults.wrong_lane = 1;
  world.emulate(false, 7, faults);
  EXPECT_NE(world.results()[0], want[0]);
  EXPECT_EQ(world.results()[4], want[4]) << "copies exchange nothing";
}

TEST(Emulator, FindsStoresThatAreOutsideOrNotAligned) {
  World world(kRows[0].sizes, kRows[0].positions);
  ki_device::Faults faults;
  faults.shift = 16;
  EXPECT_THAT(world.emulate(false, 8, faults).problems(), Contains("a store outside every tensor"));
  faults.shift = 8;
  EXPECT_THAT(world.emulate(false, 8, faults).problems(), Contains("an access is not aligned"));
  for (const Buffer& buffer : world.out) EXPECT_TRUE(buffer.has_guards());
}

}  // namespace
}  // namespace ki_kernels
