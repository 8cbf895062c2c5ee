#include "ki/stats/philox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace ki::stats {
namespace {

struct KnownAnswer {
  const char* why;
  PhiloxCounter counter;
  PhiloxKey key;
  PhiloxCounter expected;
};

// The known answers published with Random123 (kat_vectors, philox4x32, 10 rounds).
TEST(Philox, GivesThePublishedKnownAnswers) {
  for (const auto& [why, counter, key, expected] : {
           KnownAnswer{
               "all zero", {0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
           KnownAnswer{"all ones",
                       {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                       {0xffffffff, 0xffffffff},
                       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
           KnownAnswer{"digits of pi",
                       {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                       {0xa4093822, 0x299f31d0},
                       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
       }) {
    SCOPED_TRACE(why);
    EXPECT_EQ(philox4x32_10(counter, key), expected);
  }
}

TEST(Random, IsAFunctionOfSeedStreamAndPositionOnly) {
  Random first(7, 3);
  Random second(7, 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(first.next(), second.next());
  const auto words = philox4x32_10({0, 0, 3, 0}, {7, 0});
  Random fresh(7, 3);
  EXPECT_EQ(fresh.next(), words[0] | (std::uint64_t{words[1]} << 32));
  EXPECT_EQ(fresh.next(), words[2] | (std::uint64_t{words[3]} << 32));
}

TEST(Random, DifferentSeedsAndStreamsDiffer) {
  std::set<std::uint64_t> draws;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (std::uint64_t stream = 0; stream < 20; ++stream)
      draws.insert(Random(seed << 32, stream << 20).next());
  }
  EXPECT_EQ(draws.size(), 400U);
}

TEST(Random, UniformDrawsStayInsideTheOpenUnitInterval) {
  Random random(1, 0);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double u = random.uniform();
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
  }
  EXPECT_NEAR(sum / 100'000, 0.5, 4 * std::sqrt(1.0 / 12 / 100'000));
}

TEST(Random, NormalDrawsHaveTheMomentsOfANormal) {
  Random random(2, 0);
  constexpr int kDraws = 100'000;
  double sum = 0, squares = 0, fourths = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double z = random.normal();
    sum += z;
    squares += z * z;
    fourths += z * z * z * z;
  }
  EXPECT_NEAR(sum / kDraws, 0, 4 / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 1, 4 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(fourths / kDraws, 3, 4 * std::sqrt(96.0 / kDraws));
}

TEST(Random, BelowReachesEveryValueAndNothingElse) {
  Random random(3, 0);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70'000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 4 * std::sqrt(10'000.0 * 6 / 7));
  EXPECT_EQ(random.below(1), 0U);
}

}  // namespace
}  // namespace ki::stats
