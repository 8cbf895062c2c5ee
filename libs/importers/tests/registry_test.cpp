// The bundled registry: the two groups of the seed documents come out with the digests and keys of
// spec 02.1.

#include "ki/base/clock.h"
#include "ki/base/uuid.h"
#include "ki/catalog/live.h"
#include "ki/importers/manifest_files.h"
#include "ki/publish/fsck.h"
#include "ki/publish/publisher.h"
#include "ki/store_memory/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace ki::importers {
namespace {

namespace fs = std::filesystem;

ManifestImport read_groups() {
  const std::array<fs::path, 1> folder = {fs::path(KI_SOURCE_DIR) / "registry" / "groups"};
  auto read = read_manifest_files(folder);
  EXPECT_TRUE(read) << (read ? "" : read.error().to_string());
  return read ? *std::move(read) : ManifestImport{};
}

TEST(Registry, groups_hold_what_the_seed_documents_show) {
  std::vector<std::string> digests;
  for (const FoundManifest& object : read_groups().objects) digests.push_back(object.digest);
  for (const std::string_view digest : {
           // Seed 000, run 3483.
           "sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d",
           "sha256:b7902379ea8b44734a4677689d334b4c3a2a49eccaafe4d5c9790662184a9e84",
           "sha256:e810e0e29d644f8b12769bf72490e75a12a348aff421e56c07eeab455942aa7b",
           "sha256:be501fa621f2554b49bc51a17aac6621bdc18d8465947a7d5103b786df5665fe",
           // Seed 001, run 13044.
           "sha256:b9be3851ba01fa36639e1781b1163df1094c0d27057f2f73b30c2c237f6e6423",
           "sha256:a37701116cf5df9e1e3d32347c926502770c87f9766bebf92178aed6e6dd0d7a",
           "sha256:818e910899ea2702680590f29411bdbea7c5fdb3d3e5001c04e353f2790ff667",
           "sha256:09d65c11d9ba51712ef11c9516bdf076a4da6ca5e0e4aede9412b94a771465c8",
           // Of both.
           "sha256:2964c5c4ed9cb0dcdc0f74674035bc71bf5e66620939e38441060f76434ed3e5",
           "sha256:5296c820e166474e590abb1beaf7728cdfe0a4bde9bf55f8966a40f4f5401621",
           // The leaders of the two groups, runs 6715 and 15511, and their implementations.
           "sha256:7fdbc8ce3a71f452eb73c97914a41fa8c3e26883c1986880cf6e84943c51ccb5",
           "sha256:841fd0f762e63628b625c85f80d93008fbe4217db257618d1c1a442023daa19d",
           "sha256:762cc07a97665ea1b67df0edf2edc2a80b39c00852cd63803ad1f70d125ce408",
           "sha256:7320dfdb512d884cd21c551929113641abe44347e953f0918e8a9011ab40f438",
       }) {
    EXPECT_THAT(digests, testing::Contains(digest));
  }
}

TEST(Registry, groups_are_published_strictly_and_ranked) {
  store_memory::MemoryStore store("01990000-0000-7000-8000-000000000002");
  const auto live = *catalog::LiveCatalog::open(store, std::nullopt);
  const FixedClock clock(Instant{1'796'083'200'000});
  UuidSource ids(3);
  publish::Publisher publisher(*live, clock, ids, "maintainer:cli");
  const ManifestImport groups = read_groups();
  const auto published = publisher.publish(groups.bundle);
  ASSERT_TRUE(published) << published.error().to_string();
  EXPECT_EQ(published->runs_published, 4U);

  const auto snapshot = live->current();
  EXPECT_EQ(snapshot->operations().size(), 2U);
  EXPECT_EQ(snapshot->workloads().size(), 2U);
  EXPECT_EQ(snapshot->protocols().size(), 1U) << "one protocol for both groups";
  EXPECT_EQ(snapshot->environments().size(), 1U);
  struct Expected {
    std::string_view run, group;
    double ns;
    std::uint32_t rank;
    std::string_view project;
  };
  constexpr std::string_view kKvCache =
      "sha256:5b5e2ebc306eb72bcac874e2c6f62992facee9e17acf7c8c1ba30b39a7cb5da2";
  constexpr std::string_view kProjection =
      "sha256:f2fadd4714b173994323325f959c5a9dee3fae25f36724513ac36e8c825b3eb8";
  constexpr std::string_view kCorrectness =
      "sha256:d2595bd58bcaafaece79e7574209fa6a4f982d5b33b629d08422fa31037c4c7a";
  for (const Expected& e : std::array<Expected, 4>{
           {{"sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d", kProjection,
             1163104, 2, "sol-user-amir-m-mir-sf-tensor"},
            {"sha256:7fdbc8ce3a71f452eb73c97914a41fa8c3e26883c1986880cf6e84943c51ccb5", kProjection,
             77177, 1, "sol-user-recursive"},
            {"sha256:b9be3851ba01fa36639e1781b1163df1094c0d27057f2f73b30c2c237f6e6423", kKvCache,
             33864, 2, "sol-user-ac4k"},
            {"sha256:762cc07a97665ea1b67df0edf2edc2a80b39c00852cd63803ad1f70d125ce408", kKvCache,
             11090, 1, "sol-user-doubleai"}}}) {
    const catalog::Index index = snapshot->find_run(*Digest::parse(e.run));
    ASSERT_NE(index, catalog::kNone) << e.run;
    const catalog::RunRow& run = snapshot->runs()[index];
    EXPECT_EQ(run.value, e.ns);
    EXPECT_EQ(run.rank, e.rank);
    const catalog::CohortRow& cohort = snapshot->cohorts()[run.cohort];
    EXPECT_EQ(Digest(cohort.key).to_string(), e.group);
    EXPECT_EQ(cohort.ranked, 2U);
    const catalog::WorkloadRow& workload = snapshot->workloads()[run.workload];
    EXPECT_EQ(snapshot->shape_summary(workload), "suite of 16 cases");
    EXPECT_EQ(Digest(snapshot->columns().correctness_keys[workload.correctness]).to_string(),
              kCorrectness);
    const catalog::ImplementationRow& implementation =
        snapshot->implementations()[run.implementation];
    EXPECT_EQ(snapshot->text(snapshot->projects()[implementation.project].slug), e.project);
  }

  EXPECT_FALSE(publisher.publish(groups.bundle)->commit) << "a second import changes nothing";
  const auto report = publish::fsck(store);
  ASSERT_TRUE(report);
  for (const publish::Problem& problem : report->problems) ADD_FAILURE() << problem.to_string();
}

TEST(Registry, kernel_examples_make_one_catalog) {
  std::vector<fs::path> files;
  for (const std::string_view name :
       {"software-project", "operation-spec", "workload-case", "workload-suite",
        "implementation-revision", "benchmark-protocol", "execution-environment",
        "benchmark-run"}) {
    files.push_back(fs::path(KI_SOURCE_DIR) / "registry" / "examples" /
                    (std::string(name) + ".yaml"));
  }
  const auto read = read_manifest_files(files);
  ASSERT_TRUE(read) << read.error().to_string();
  store_memory::MemoryStore store("01990000-0000-7000-8000-000000000003");
  const auto live = *catalog::LiveCatalog::open(store, std::nullopt);
  const FixedClock clock(Instant{1'796'083'200'000});
  UuidSource ids(4);
  const auto published =
      publish::Publisher(*live, clock, ids, "maintainer:cli").publish(read->bundle);
  ASSERT_TRUE(published) << published.error().to_string();
  ASSERT_EQ(published->run_ids.size(), 1U);
  const auto snapshot = live->current();
  EXPECT_EQ(snapshot->runs()[snapshot->find_run(*Uuid::parse(published->run_ids[0]))].rank, 1U);
  const auto report = publish::fsck(store);
  ASSERT_TRUE(report);
  for (const publish::Problem& problem : report->problems) ADD_FAILURE() << problem.to_string();
}

}  // namespace
}  // namespace ki::importers
