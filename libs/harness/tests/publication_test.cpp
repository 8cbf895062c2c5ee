#include "finished_run.h"
#include "ki/catalog/live.h"
#include "ki/manifest/validator.h"
#include "ki/publish/publisher.h"
#include "ki/store_memory/memory_store.h"
#include "run_world.h"

#include <gmock/gmock.h>

namespace ki::harness {
namespace {

using testing::HasSubstr;

TEST(Publication, HasARunForEachCaseAndOneForTheSuite) {
  const Finished finished;
  const auto bundle = finished.publication();
  ASSERT_TRUE(bundle) << bundle.error().to_string();
  EXPECT_EQ(bundle->operations.size(), 1U);
  EXPECT_EQ(bundle->workloads.size(), 4U);
  ASSERT_EQ(bundle->runs.size(), 4U);
  EXPECT_THAT(bundle->runs[0].manifest, HasSubstr(R"("confidence95":[)"));
  EXPECT_THAT(bundle->runs[3].manifest, HasSubstr("geometric_mean"));
  // The evidence of a run is there, under the digest that the run names.
  for (std::size_t i = 0; i < 3; ++i) {
    const publish::BundleArtifact& artifact = bundle->runs[i].artifacts.front();
    EXPECT_EQ(Digest::of(*artifact.content), artifact.content_digest);
    EXPECT_THAT(bundle->runs[i].manifest, HasSubstr(artifact.content_digest.to_string()));
    EXPECT_THAT(*artifact.content, HasSubstr(finished.key.hex())) << "the key is revealed";
  }
}

TEST(Publication, IsStoredOnceByTheOrdinaryPublisher) {
  const Finished finished;
  const auto bundle = finished.publication();
  ASSERT_TRUE(bundle) << bundle.error().to_string();
  store_memory::MemoryStore store("01990000-0000-7000-8000-000000000009");
  auto live = catalog::LiveCatalog::open(store, std::nullopt);
  ASSERT_TRUE(live) << live.error().to_string();
  const FixedClock clock(Instant{1'796'000'000'000});
  UuidSource ids(1);
  publish::Publisher publisher(**live, clock, ids, "test");
  const auto first = publisher.publish(*bundle);
  ASSERT_TRUE(first) << first.error().to_string();
  EXPECT_EQ(first->runs_published, 4U);
  const auto second = publisher.publish(*bundle);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->runs_published, 0U);
}

TEST(Publication, RefusesWhatIsForDevelopment) {
  Finished finished;
  EXPECT_FALSE(finished.publication(true)) << "seeded";
  finished.run.plan.is_quick = true;
  EXPECT_FALSE(finished.publication());
  finished.run.plan.is_quick = false;
  finished.run.plan.processes = 5;
  EXPECT_THAT(finished.publication().error().message(), HasSubstr("needs 6"));
  finished.run.plan.processes = 6;
  finished.run.was_cancelled = true;
  EXPECT_FALSE(finished.publication());
}

TEST(Publication, OfACaseThatFailedHasItsStatusAndNoSuite) {
  Finished finished;
  finished.run.cases[1].strict = {problem::Status::kRuntimeError, "policy_violation", "execve"};
  finished.run.cases[1].timing.reset();
  const auto bundle = finished.publication();
  ASSERT_TRUE(bundle) << bundle.error().to_string();
  EXPECT_EQ(bundle->runs.size(), 3U);
  EXPECT_THAT(bundle->runs[1].manifest, HasSubstr(R"("status":"policy_violation")"));
}

}  // namespace
}  // namespace ki::harness
