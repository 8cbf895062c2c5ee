#include "ki/serve/exports.h"

#include "ki/catalog/live.h"
#include "ki/digest/digest.h"
#include "ki/importers/export.h"
#include "ki/io/file.h"
#include "ki/publish/publisher.h"
#include "ki/store_sqlite/sqlite_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

namespace ki::serve {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ExportsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    store_ = *store_sqlite::SqliteStore::open(folder_ / "catalog.db", {.create = true});
    publish("first");
  }
  void TearDown() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  void publish(const std::string& source) {
    const auto live = *catalog::LiveCatalog::open(*store_, std::nullopt);
    UuidSource ids(std::hash<std::string>()(source));
    FixedClock clock(Instant{1'796'083'200'000});
    publish::Publisher publisher(*live, clock, ids, "test");
    publish::Bundle bundle;
    bundle.source.slug = source;
    bundle.source.kind = "benchmark";
    bundle.source.name = source;
    const auto done = publisher.publish(bundle);
    ASSERT_TRUE(done) << done.error().to_string();
  }
  fs::path exported(const std::string& name) {
    const fs::path path = folder_ / name;
    EXPECT_TRUE(importers::export_catalog(*store_, path));
    return path;
  }
  http::Response get(const std::string& target) {
    if (!part_)
      part_ = exports_part(folder_, [this](std::string_view line) { notes_ += line; })(Basis{});
    const http::Router router(part_->routes);
    http::Request request;
    request.target = *http::parse_target(target);
    const auto match = router.match(http::Method::kGet, request.path());
    if (match.route == nullptr) return http::Response::of(http::Problem{.status = 404});
    request.parameters = match.parameters;
    return match.route->handle(request);
  }

  const fs::path folder_ = fs::temp_directory_path() / fmt::format("ki-exports-{}", ::getpid());
  std::unique_ptr<store_sqlite::SqliteStore> store_;
  std::optional<Part> part_;
  std::string notes_;
};

TEST_F(ExportsTest, TheNewestSoundExportIsOffered) {
  EXPECT_EQ(get("/exports/latest.json").problem->code, "EXPORT_NOT_AVAILABLE");
  const fs::path older = exported("b.jsonl.zst");
  publish("second");
  const fs::path newer = exported("a.jsonl.zst");
  const http::Response redirect = get("/api/v1/exports/catalog.jsonl.zst");
  ASSERT_EQ(redirect.status, 302);
  const std::string digest = Digest::of(*io::read_file(newer)).hex();
  const http::Response pointer = get("/exports/latest.json");
  EXPECT_THAT(std::string(pointer.body.bytes()), HasSubstr(digest));
  const std::string name =
      fmt::format("catalog-{}-{}.jsonl.zst", store_->head()->seq, digest.substr(0, 8));
  EXPECT_THAT(std::string(pointer.body.bytes()), HasSubstr("\"file\":\"" + name + "\""));
  const http::Response file = get("/exports/" + name);
  EXPECT_EQ(file.status, 200);
  EXPECT_EQ(Digest::of(file.body.bytes()).hex(), digest);
  EXPECT_EQ(get("/exports/catalog-1-00000000.jsonl.zst").problem->code, "EXPORT_NOT_AVAILABLE");
  fs::remove(newer);
  EXPECT_EQ(get("/exports/" + name).problem->code, "EXPORT_NOT_AVAILABLE");
  EXPECT_THAT(std::string(get("/exports/latest.json").body.bytes()),
              HasSubstr(Digest::of(*io::read_file(older)).hex()))
      << "the older one again";
  EXPECT_EQ(notes_, "");
}

TEST_F(ExportsTest, ADamagedFileIsNotOfferedAndTheOperatorIsTold) {
  const fs::path path = exported("a.jsonl.zst");
  fs::resize_file(path, fs::file_size(path) - 10);
  EXPECT_EQ(get("/exports/latest.json").problem->code, "EXPORT_NOT_AVAILABLE");
  EXPECT_THAT(notes_, HasSubstr("a.jsonl.zst is not served"));
  const std::string once = notes_;
  get("/exports/latest.json");
  EXPECT_EQ(notes_, once) << "told once";
}

TEST(ExportsPart, WithoutAFolderThereIsNone) {
  const Part part = exports_part({}, {})(Basis{});
  for (const http::Route& route : part.routes) {
    EXPECT_EQ(route.handle(http::Request{}).problem->code, "EXPORT_NOT_AVAILABLE") << route.pattern;
  }
}

}  // namespace
}  // namespace ki::serve
