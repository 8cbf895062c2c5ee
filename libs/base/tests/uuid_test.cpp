#include "ki/base/uuid.h"

#include <gtest/gtest.h>

namespace ki {
namespace {

TEST(Uuid, ParsesOnlyItsOneSpelling) {
  const auto id = Uuid::parse("01a00b1e-72c1-7e08-af75-48f1cd591dca");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->to_string(), "01a00b1e-72c1-7e08-af75-48f1cd591dca");
  EXPECT_FALSE(Uuid::parse("01A00B1E-72c1-7e08-af75-48f1cd591dca"));
  EXPECT_FALSE(Uuid::parse("01a00b1e72c17e08af7548f1cd591dca"));
}

TEST(Uuid, IncreasesEvenWhenTheClockGoesBack) {
  UuidSource ids(1);
  Uuid last = ids.next(Instant{1'000});
  for (int i = 0; i < 10'000; ++i) {
    const Uuid next = ids.next(Instant{1'000 - i % 3});
    ASSERT_LT(last, next);
    last = next;
  }
  EXPECT_EQ(last.to_string()[14], '7');
}

}  // namespace
}  // namespace ki
