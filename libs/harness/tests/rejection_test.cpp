#include "../src/rejection.h"

#include <gtest/gtest.h>

namespace ki::harness {
namespace {

TEST(Rejection, LooksAtCountersAlone) {
  EXPECT_EQ(cause_of({}, 1e6), Cause::kAccepted);
  EXPECT_EQ(cause_of({.run_queue_ns = 20'000}, 1e6), Cause::kAccepted)
      << "20 us are always allowed";
  EXPECT_EQ(cause_of({.run_queue_ns = 20'001}, 1e6), Cause::kRunQueueDelay);
  EXPECT_EQ(cause_of({.run_queue_ns = 20'001}, 1e7), Cause::kAccepted)
      << "1 % of a window of 10 ms";
  EXPECT_EQ(cause_of({.run_queue_ns = 100'001}, 1e7), Cause::kRunQueueDelay);
  EXPECT_EQ(cause_of({.migrations = 1}, 1e6), Cause::kMigration);
  EXPECT_EQ(cause_of({.major_faults = 1}, 1e6), Cause::kMajorFault);
  EXPECT_EQ(cause_of({.was_rearmed = true}, 1e6), Cause::kRearmed);
}

}  // namespace
}  // namespace ki::harness
