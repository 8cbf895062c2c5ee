#include "ki/notes/quota.h"

#include <gtest/gtest.h>

namespace ki::notes {
namespace {

constexpr std::int64_t kHour = 3'600'000;

TEST(QuotaTest, GivesBackAsTimePasses) {
  Quota quota({.per_client_a_day = 2, .all_an_hour = 100});
  EXPECT_FALSE(quota.take("192.0.2.1", Instant{0}));
  EXPECT_FALSE(quota.take("192.0.2.1", Instant{kHour}));
  EXPECT_EQ(quota.take("192.0.2.1", Instant{2 * kHour}), 22 * 3600U);
  EXPECT_FALSE(quota.take("192.0.2.1", Instant{24 * kHour}));
  EXPECT_EQ(quota.take("192.0.2.1", Instant{24 * kHour}), 3600U);
}

TEST(QuotaTest, CountsANetworkOfIpv6AsOneClient) {
  Quota quota({.per_client_a_day = 1, .all_an_hour = 100});
  EXPECT_FALSE(quota.take("2001:db8:1:2::1", Instant{0}));
  EXPECT_TRUE(quota.take("2001:db8:1:2:ffff::2", Instant{1}));
  EXPECT_FALSE(quota.take("2001:db8:1:3::1", Instant{2}));
  EXPECT_FALSE(quota.take("::ffff:192.0.2.1", Instant{3}));
  EXPECT_FALSE(quota.take("::ffff:192.0.2.2", Instant{4}));
}

TEST(QuotaTest, BoundsAllClientsTogether) {
  Quota quota({.per_client_a_day = 20, .all_an_hour = 3});
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(quota.take("client " + std::to_string(i), Instant{i}));
  }
  EXPECT_EQ(quota.take("client 4", Instant{1000}), 3599U);
  EXPECT_FALSE(quota.take("client 4", Instant{kHour}));
}

TEST(QuotaTest, ManyClientsShareOneQuotaInsteadOfGrowing) {
  Quota quota({.per_client_a_day = 1, .all_an_hour = 20'000});
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_FALSE(quota.take("client " + std::to_string(i), Instant{0}));
  }
  EXPECT_FALSE(quota.take("one more", Instant{1}));
  EXPECT_TRUE(quota.take("and another", Instant{2}));
}

TEST(QuotaTest, ZeroIsNoLimit) {
  Quota quota({.per_client_a_day = 0, .all_an_hour = 0});
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(quota.take("client", Instant{i}));
}

}  // namespace
}  // namespace ki::notes
