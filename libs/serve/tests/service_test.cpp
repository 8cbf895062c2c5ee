// The service in process: what depends on the clock, on the day and on a store that fails.
#include "ki/serve/service.h"

#include "ki/catalog/live.h"
#include "ki/http/testing/raw_client.h"
#include "ki/publish/publisher.h"
#include "ki/store_sqlite/sqlite_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

namespace ki::serve {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr std::int64_t kDay = 86'400'000;

// A clock that tests move while the service reads it.
class TestClock final : public Clock {
 public:
  Instant now() const override { return Instant{ms_.load()}; }
  void set(std::int64_t ms) { ms_ = ms; }

 private:
  std::atomic<std::int64_t> ms_ = 1'796'083'200'000;  // 2026-12-01T00:00:00Z
};

class ServiceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("ki-serve-{}-{}", ::getpid(),
                          ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    auto store = store_sqlite::SqliteStore::open(catalog(), {.create = true});
    ASSERT_TRUE(store) << store.error().to_string();
    publish(**store, "first");
  }
  void TearDown() override {
    service_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::filesystem::path catalog() const { return folder_ / "catalog.db"; }

  void publish(catalog::Store& store, const std::string& name) const {
    auto live = catalog::LiveCatalog::open(store, std::nullopt);
    ASSERT_TRUE(live);
    UuidSource ids(std::hash<std::string>()(name));
    publish::Publisher publisher(**live, clock_, ids, "test");
    publish::Bundle bundle;
    bundle.source.slug = name;
    bundle.source.kind = "benchmark";
    bundle.source.name = name;
    const auto report = publisher.publish(bundle);
    ASSERT_TRUE(report) << report.error().to_string();
  }

  void start() {
    Options options;
    options.catalog = catalog();
    options.snapshot_file = catalog().string() + ".snapshot";
    options.build = "1.0";
    options.poll = 10ms;
    options.http.listen.port = 0;
    options.http.threads = 1;
    options.http.clock = &clock_;
    options.http.limits.requests_per_second = 0;
    options.note = [this](std::string_view line) {
      const std::scoped_lock lock(mutex_);
      notes_ += line;
    };
    options.mounts = {[](const Basis& basis) {
      const std::string text =
          fmt::format("version {} on {}", basis.snapshot->seq(), basis.now.date());
      Part part;
      part.routes.push_back({.pattern = "/", .handle = [text](const http::Request&) {
                               return http::Response::html(text);
                             }});
      return part;
    }};
    auto service = Service::start(std::move(options));
    ASSERT_TRUE(service) << service.error().to_string();
    service_ = *std::move(service);
  }
  http::testing::Answer get(std::string_view target) const {
    return http::testing::get(service_->port(), target);
  }
  std::string notes() const {
    const std::scoped_lock lock(mutex_);
    return notes_;
  }
  // Waits until the page is another one.
  std::string page_after(const std::string& before) const {
    std::string body = before;
    for (int i = 0; i < 1000 && body == before; ++i) {
      std::this_thread::sleep_for(10ms);
      body = get("/").body;
    }
    return body;
  }
  bool has_noted(std::string_view text) const {
    for (int i = 0; i < 1000; ++i) {
      if (notes().find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }

  std::filesystem::path folder_;
  TestClock clock_;
  mutable std::mutex mutex_;
  std::string notes_;
  std::unique_ptr<Service> service_;
};

TEST_F(ServiceTest, MakesANewEditionForAPublicationAndForADay) {
  start();
  const auto first = get("/");
  EXPECT_THAT(first.body, HasSubstr(" on 2026-12-01"));
  const std::string tag = first.field("etag");
  EXPECT_THAT(tag, HasSubstr("-1.0-2026-12-01\""));

  clock_.set(clock_.now().ms + kDay);
  const std::string next_day = page_after(first.body);
  EXPECT_THAT(next_day, HasSubstr(" on 2026-12-02"));
  EXPECT_NE(get("/").field("etag"), tag);

  auto store = store_sqlite::SqliteStore::open(catalog());
  ASSERT_TRUE(store);
  publish(**store, "second");
  EXPECT_NE(page_after(next_day), next_day);
  EXPECT_EQ(notes(), "");
}

TEST_F(ServiceTest, GoesOnWhenTheClockGoesBack) {
  clock_.set(clock_.now().ms - 400 * kDay);
  start();
  EXPECT_THAT(get("/").body, HasSubstr(" on 2026-12-01")) << "never before the newest publication";
  EXPECT_THAT(notes(), HasSubstr("the clock says 2025-10-27T00:00:00.000Z, before the newest "
                                 "publication (2026-12-01T"));
  EXPECT_THAT(get("/healthz").body, HasSubstr("\"status\":\"degraded\""));
  clock_.set(clock_.now().ms + 401 * kDay);
  EXPECT_TRUE(has_noted("clock: fine again\n"));
  EXPECT_THAT(get("/healthz").body, HasSubstr("\"status\":\"ok\""));
}

TEST_F(ServiceTest, ReadsOnWhenTheStoreCannotBeRead) {
  start();
  const std::string before = get("/").body;
  std::filesystem::resize_file(catalog(), 0);  // every look fails from now on
  EXPECT_TRUE(has_noted("the catalog cannot be read on: "));
  EXPECT_EQ(get("/").body, before);
  const auto health = get("/healthz");
  EXPECT_EQ(health.status, 200);
  EXPECT_THAT(health.body, HasSubstr("degraded"));
  EXPECT_THAT(get("/metrics").body, HasSubstr("ki_degraded 1\n"));
}

}  // namespace
}  // namespace ki::serve
