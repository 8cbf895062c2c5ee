#include "web_world.h"

#include "ki/base/check.h"
#include "ki/base/clock.h"
#include "ki/http/target.h"
#include "ki/importers/manifest_files.h"
#include "ki/publish/publisher.h"
#include "ki/store_memory/memory_store.h"
#include "page_check.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>

namespace ki::web::testing {
namespace {

constexpr Instant kSeedDay{1'787'529'600'000};    // 2026-08-24
constexpr Instant kStatesDay{1'769'817'600'000};  // 2026-01-31

SiteCatalog parts(const catalog::Snapshot& snapshot, catalog::Store& store,
                  const resolve::Resolver& resolver, const views::RecordLedger& ledger,
                  const views::ServingTable& serving, Instant now,
                  std::shared_ptr<const sign::TrustList> trust) {
  return {.snapshot = &snapshot,
          .store = &store,
          .resolver = &resolver,
          .ledger = &ledger,
          .serving = nullptr,
          .now = now,
          .owner = nullptr,
          .serving_table = &serving,
          .trust = std::move(trust)};
}

}  // namespace

WebWorld::WebWorld(std::shared_ptr<const catalog::Snapshot> snapshot, catalog::Store& store,
                   Instant now, NotesParts notes)
    : snapshot_(std::move(snapshot)),
      index_(*snapshot_),
      resolver_(*snapshot_, index_),
      ledger_(*snapshot_),
      serving_(views::read_serving_table(*snapshot_, store).value_or(views::ServingTable())),
      site_(make_site(parts(*snapshot_, store, resolver_, ledger_, serving_, now, notes.trust),
                      {.origin = "https://ki.example", .build = "test", .desk = notes.desk})),
      router_(routes(site_)),
      problem_page_(problem_page(site_)) {}

http::Response WebWorld::get(std::string_view target) const {
  auto parsed = http::parse_target(target);
  EXPECT_TRUE(parsed.has_value()) << target;
  if (!parsed) return {};
  http::Request request;
  request.target = *parsed;
  auto match = router_.match(http::Method::kGet, request.target.path);
  http::Response response;
  if (match.route == nullptr) {
    response.problem = http::Problem{.status = 404, .code = "NOT_FOUND", .detail = ""};
  } else {
    request.parameters = std::move(match.parameters);
    response = match.route->handle(request);
  }
  if (response.problem) {
    const http::Problem problem = *response.problem;
    response = problem_page_(request, problem);
    response.status = problem.status;
  }
  return response;
}

http::Response WebWorld::post(std::string_view target, std::string body,
                              std::string content_type) const {
  http::Request request;
  request.method = http::Method::kPost;
  request.target = http::parse_target(target).value();
  request.body = std::move(body);
  request.client = "192.0.2.1";
  if (!content_type.empty()) request.headers = {{"content-type", std::move(content_type)}};
  auto match = router_.match(http::Method::kPost, request.target.path);
  EXPECT_NE(match.route, nullptr) << target;
  if (match.route == nullptr) return {};
  EXPECT_TRUE(match.route->is_write && match.route->may_block);
  request.parameters = std::move(match.parameters);
  return match.route->handle(request);
}

std::string WebWorld::page(std::string_view target, int status) const {
  const http::Response response = get(target);
  EXPECT_EQ(response.status, status) << target;
  std::string body(response.body.bytes());
  if (response.content_type.starts_with("text/html")) {
    for (const std::string& fault : page_faults(body)) ADD_FAILURE() << target << ": " << fault;
  }
  return body;
}

SeedWorld::SeedWorld()
    : store(std::make_unique<store_memory::MemoryStore>("01990000-0000-7000-8000-000000000002")) {
  live = *catalog::LiveCatalog::open(*store, std::nullopt);
  const FixedClock clock(kSeedDay);
  UuidSource ids(3);
  publish::Publisher publisher(*live, clock, ids, "maintainer:cli");
  const std::array<std::filesystem::path, 1> folder = {std::filesystem::path(KI_SOURCE_DIR) /
                                                       "registry" / "groups"};
  const auto groups = importers::read_manifest_files(folder);
  KI_CHECK(groups.has_value());
  KI_CHECK(publisher.publish(groups->bundle).has_value());
  web = std::make_unique<WebWorld>(live->current(), *store, kSeedDay);
}

const SeedWorld& seed_world() {
  static const SeedWorld kWorld;
  return kWorld;
}

StatesWorld::StatesWorld() {
  catalog.source("bench", "benchmark",
                 R"({"url":"https://bench.example/data","license":"Apache-2.0"})");
  catalog.project("alpha");
  catalog.project("beta", "individual");
  catalog.operation(
      {.slug = "gemm-n64", .name = "gemm_n64", .aliases = {"matmul-64"}, .tags = {"model:llama"}});
  catalog.operation({.slug = "attention-long",
                     .name = "Attention over a very long name that goes on and on, with heads, "
                             "pages, windows and everything else that a title can hold",
                     .family = "attention"});
  catalog.operation({.slug = "hostile", .name = std::string(kHostile), .family = "other"});
  catalog.operation({.slug = "unmeasured", .name = "nobody measured this", .family = "other"});
  const std::string small = catalog.workload("gemm-n64", 128);
  const std::string middle = catalog.workload("gemm-n64", 256);
  const std::string large = catalog.workload("gemm-n64", 512);
  const std::string longer = catalog.workload("attention-long", 64);
  const std::string odd = catalog.workload("hostile", 32);
  catalog.implementation({.slug = "a1",
                          .project = "alpha",
                          .operation = "gemm-n64",
                          .revision = "0123456789012345678901234567890123456789",
                          .licence = "MIT",
                          .is_installable = true});
  catalog.implementation(
      {.slug = "b1", .project = "beta", .operation = "gemm-n64", .has_source = false});
  catalog.implementation({.slug = "b2",
                          .project = "beta",
                          .operation = "gemm-n64",
                          .revision = "submission-9",
                          .has_source = true});
  catalog.implementation(
      {.slug = "an-implementation-whose-name-has-" + std::string(80, 'x') + "-in-it",
       .project = "alpha",
       .operation = "attention-long"});
  catalog.implementation(
      {.slug = std::string(kHostile), .project = "alpha", .operation = "hostile"});
  first = catalog.run({.implementation = "a1", .workload = small, .value = 1000});
  second = catalog.run({.implementation = "b1", .workload = small, .value = 1250});
  tied = catalog.run({.implementation = "b2", .workload = small, .value = 1250});
  stale = catalog.run(
      {.implementation = "a1", .workload = middle, .value = 2000, .observed = "2025-01-01"});
  retracted = catalog.run({.implementation = "b2", .workload = middle, .value = 900});
  superseded = catalog.run({.implementation = "b1", .workload = middle, .value = 1900});
  correction = catalog.run(
      {.implementation = "b1", .workload = middle, .value = 2100, .supersedes = superseded});
  failed = catalog.run(
      {.implementation = "b2", .workload = large, .value = 0, .status = "runtime_error"});
  missing = catalog.run({.implementation = "a1", .workload = large, .value = 3999});
  catalog.run({.implementation = "b1", .workload = large, .value = 4100});
  long_name = catalog.run(
      {.implementation = "an-implementation-whose-name-has-" + std::string(80, 'x') + "-in-it",
       .workload = longer,
       .value = 999'950,
       .gpu = "AMD Instinct MI300X"});
  hostile = catalog.run({.implementation = std::string(kHostile),
                         .workload = odd,
                         .value = 12,
                         .gpu = std::string(kHostile)});
  catalog.finish();
  catalog.retract(retracted, "2026-01-20T00:00:00.000Z", "wrong clock");
  catalog.audit("retract_run", retracted, "wrong clock", "2026-01-20T00:00:00.000Z");
  web = std::make_unique<WebWorld>(catalog.finish(), catalog.store(), kStatesDay);
}

const StatesWorld& states_world() {
  static const StatesWorld kWorld;
  return kWorld;
}

}  // namespace ki::web::testing
