// /serving and /serving-runs/{id}, over the public catalog and over one without serving results.
#include "ki/views_testing/public_catalog.h"
#include "page_check.h"
#include "web_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::web::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Instant kDay{1'788'000'000'000};
constexpr const char* kRun = "01a00b49-7ca4-7dcc-a9aa-c25d2d1246ce";

// Null when ../shared is absent.
const WebWorld* public_world() {
  static const std::unique_ptr<WebWorld> kWorld = [] {
    const auto* world = views::testing::public_catalog();
    return world == nullptr ? nullptr
                            : std::make_unique<WebWorld>(world->snapshot, *world->store, kDay);
  }();
  return kWorld.get();
}

#define KI_REQUIRE_WORLD(name)           \
  const WebWorld* name = public_world(); \
  if ((name) == nullptr) GTEST_SKIP() << "skipped: ../shared is absent"

TEST(ServingPage, IsAnOverviewUntilSomethingIsAsked) {
  KI_REQUIRE_WORLD(world);
  const std::string shown = visible_text(world->page("/serving"));
  EXPECT_THAT(shown, HasSubstr("By model and workload"));
  EXPECT_THAT(shown, HasSubstr("2,494,310 tokens/s"));
  EXPECT_THAT(shown, HasSubstr("never ranked with kernels"));
  EXPECT_THAT(visible_text(world->page("/serving?objective=ttft")),
              HasSubstr("By model and workload"))
      << "an objective alone narrows nothing";
}

TEST(ServingPage, ShowsGroupsWithRanksFrontierAndWhatABoundRestsOn) {
  KI_REQUIRE_WORLD(world);
  const std::string shown =
      visible_text(world->page("/serving?model=mlperf-llama2-70b&hw=h200&gpus=8&ttft=2000"));
  EXPECT_THAT(shown, HasSubstr("66 runs in 28 comparison groups. Ranks hold inside one group. The "
                               "first 12 are shown."));
  EXPECT_THAT(shown, HasSubstr("ttft_ms p99: ≤ 2,000 declared by the workload"));
  EXPECT_THAT(shown, HasSubstr("on the frontier"));
  const std::string none =
      visible_text(world->page("/serving?workload=mlperf-llama2-70b-99-interactive&ttft=400"));
  EXPECT_THAT(none, HasSubstr("ttft_ms is above the bound"));
  const std::string offline =
      visible_text(world->page("/serving?workload=mlperf-llama2-70b-99-offline&ttft=400"));
  EXPECT_THAT(offline, HasSubstr("ttft_ms is neither reported nor declared"));
}

TEST(ServingPage, SaysWhatItCannotUnderstand) {
  KI_REQUIRE_WORLD(world);
  const std::string html = world->page("/serving?ttft=%3Cscript%3E&gpus=none");
  EXPECT_THAT(visible_text(html), HasSubstr("ttft is no number of milliseconds above 0: <script>"));
  EXPECT_THAT(html, Not(HasSubstr("<script>&")));
  EXPECT_THAT(visible_text(html), HasSubstr("is no count above 0: none"));
  EXPECT_THAT(visible_text(world->page("/serving?model=nothing")),
              HasSubstr("No serving result matches."));
}

TEST(ServingPage, ARunHasADossier) {
  KI_REQUIRE_WORLD(world);
  const std::string shown = visible_text(world->page("/serving-runs/" + std::string(kRun)));
  EXPECT_THAT(shown, HasSubstr("output_token_throughput_tps · reported\n101,611 tokens/s"));
  EXPECT_THAT(shown, HasSubstr("shown unmodified as published"));
  EXPECT_THAT(shown, HasSubstr("8× NVIDIA B200-SXM-180GB"));
  EXPECT_THAT(shown, HasSubstr("declares ttft_ms · p99"));
  EXPECT_THAT(shown, HasSubstr("closed/datacenter · entry"));
  world->page("/serving-runs/01a00b49-0000-7000-8000-000000000000", 404);
}

TEST(ServingPage, ACatalogWithoutServingResultsSaysSo) {
  EXPECT_THAT(visible_text(seed_world().web->page("/serving")),
              HasSubstr("No serving result is indexed."));
  seed_world().web->page("/serving-runs/" + std::string(kRun), 404);
}

}  // namespace
}  // namespace ki::web::testing
