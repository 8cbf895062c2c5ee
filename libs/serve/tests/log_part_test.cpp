#include "ki/serve/log_part.h"

#include "../../publish/tests/publish_world.h"
#include "ki/base/base64.h"
#include "ki/catalog/live.h"
#include "ki/json/reader.h"
#include "ki/logbook/log_files.h"
#include "ki/logbook/logbook.h"
#include "ki/logbook/logged_store.h"
#include "ki/logbook/trust_store.h"
#include "ki/store_sqlite/sqlite_store.h"
#include "ki/tlog/tile.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

namespace ki::serve {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::string_view kOrigin = "log.example/serve";
constexpr Instant kNow{1'796'083'200'000};

class LogPartTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    store_ = std::make_unique<logbook::LoggedStore>(
        *store_sqlite::SqliteStore::open(folder_ / "catalog.db", {.create = true}));
  }
  void TearDown() override {
    part_.reset();
    store_.reset();
    fs::remove_all(folder_);
  }

  void begin() {
    const sign::TrustedKey keys[] = {
        {key_.public_key(), std::string(kOrigin), "test", {sign::Role::kLog}}};
    ASSERT_TRUE(logbook::trust_keys(*store_, keys, {"test", "", kNow}, ids_));
    ASSERT_TRUE(logbook::begin_log(*store_, kOrigin, "test", kNow, ids_));
    catch_up();
  }
  void catch_up() {
    const auto done = logbook::LogFiles(folder_ / "log").catch_up(*store_, key_, {{verifier_}});
    ASSERT_TRUE(done) << done.error().to_string();
  }
  http::Response get(const std::string& target) {
    const auto live = *catalog::LiveCatalog::open(*store_, std::nullopt);
    Basis basis;
    basis.snapshot = live->current();
    basis.store = store_.get();
    part_ = log_part(folder_ / "log")(basis);
    const http::Router router(part_->routes);
    http::Request request;
    request.target = *http::parse_target(target);
    const auto match = router.match(http::Method::kGet, request.path());
    if (match.route == nullptr) return http::Response::of(http::Problem{.status = 404});
    request.parameters = match.parameters;
    return match.route->handle(request);
  }
  static std::string body(const http::Response& response) {
    return std::string(response.body.bytes());
  }

  const fs::path folder_ = fs::temp_directory_path() / fmt::format("ki-log-part-{}", ::getpid());
  const sign::PrivateKey key_ = *sign::PrivateKey::from_seed(std::string(32, 'k'));
  const sign::NoteVerifier verifier_ =
      *sign::NoteVerifier::make(std::string(kOrigin), key_.public_key());
  UuidSource ids_{3};
  std::unique_ptr<catalog::Store> store_;
  std::optional<Part> part_;
};

TEST_F(LogPartTest, WithoutALogSaysHowToBeginOne) {
  for (const char* path : {"/log/checkpoint", "/api/v1/log/consistency?from=1"}) {
    const http::Response none = get(path);
    ASSERT_TRUE(none.problem) << path;
    EXPECT_EQ(none.problem->code, "LOG_NOT_AVAILABLE");
    EXPECT_THAT(none.problem->detail, HasSubstr("ki log init"));
  }
}

TEST_F(LogPartTest, ServesTheFilesOfTheLogAsTheyAre) {
  begin();
  const http::Response note = get("/log/checkpoint");
  EXPECT_TRUE(tlog::open_checkpoint(body(note), verifier_));
  EXPECT_EQ(note.cache, http::Cache::kNoStore);
  const std::uint64_t size = tlog::open_checkpoint(body(note), verifier_)->checkpoint.size;
  for (const tlog::TileId& id : tlog::new_tiles(0, size)) {
    const http::Response tile = get("/log/" + tlog::tile_path(id));
    EXPECT_FALSE(tile.problem) << tlog::tile_path(id);
    EXPECT_EQ(tile.cache, http::Cache::kImmutable);
    EXPECT_EQ(body(tile), *logbook::LogFiles(folder_ / "log").read_tile(id));
  }
}

TEST_F(LogPartTest, LooksForNoOtherFile) {
  begin();
  for (const char* path :
       {"/log/tile/0/999", "/log/tile/0/1", "/log/tile/0/000.p/0", "/log/tile/0/x000/001",
        "/log/tile/0/..", "/log/tile/0/%2e%2e/%2e%2e/checkpoint", "/log/tile/0/../../.lock",
        "/log/tile/64/000", "/log/tile/entries/000.p/256", "/log/.lock", "/log/tile/0/%00"}) {
    const auto target = http::parse_target(path);
    if (!target) continue;  // the server answers 400 before any handler
    const http::Response none = get(path);
    ASSERT_TRUE(none.problem) << path;
    EXPECT_EQ(none.problem->status, 404) << path;
    EXPECT_EQ(none.problem->detail.find(folder_.string()), std::string::npos) << path;
  }
}

TEST_F(LogPartTest, ProvesThatTheLogOnlyGrew) {
  begin();
  const auto before = tlog::open_checkpoint(body(get("/log/checkpoint")), verifier_)->checkpoint;
  const sign::TrustedKey keys[] = {{sign::PrivateKey::from_seed(std::string(32, 'r'))->public_key(),
                                    "r",
                                    "o",
                                    {sign::Role::kRunner}}};
  ASSERT_TRUE(logbook::trust_keys(*store_, keys, {"test", "", kNow}, ids_));
  catch_up();
  const auto after = tlog::open_checkpoint(body(get("/log/checkpoint")), verifier_)->checkpoint;
  const auto answer =
      json::read_document(body(get(fmt::format("/api/v1/log/consistency?from={}", before.size))));
  ASSERT_TRUE(answer);
  std::vector<Digest> hashes;
  for (const json::Value& hash : answer->root.find("hashes")->items()) {
    hashes.push_back(Digest::from_bytes(*parse_base64(hash.string())));
  }
  EXPECT_TRUE(tlog::check_consistency(hashes, before.size, before.root, after.size, after.root));
  for (const char* from : {"0", "999", "x", "", "1x", "-1"}) {
    EXPECT_EQ(get(std::string("/api/v1/log/consistency?from=") + from).problem->status, 400)
        << from;
  }
}

TEST_F(LogPartTest, GivesEverythingThatAStrangerNeedsToCheckARun) {
  begin();
  FixedClock clock(kNow);
  const auto live = *catalog::LiveCatalog::open(*store_, std::nullopt);
  publish::Publisher publisher(*live, clock, ids_, "test");
  const auto report = publisher.publish(publish::group_bundle({{"900"}, {"800"}}));
  ASSERT_TRUE(report) << report.error().to_string();
  const std::string path = "/api/v1/runs/" + report->run_ids[1] + "/proof";
  EXPECT_EQ(get(path).problem->status, 503);  // the checkpoint is behind
  catch_up();
  const http::Response response = get(path);
  ASSERT_FALSE(response.problem);
  EXPECT_EQ(response.cache, http::Cache::kNoStore);
  const auto answer = json::read_document(body(response));
  ASSERT_TRUE(answer);
  const auto text = [&](const char* name) { return answer->root.find(name)->string(); };
  const auto proof = tlog::read_proof(text("proof"));
  ASSERT_TRUE(proof);
  const auto key =
      sign::NoteVerifier::parse(answer->root.find("verifierKeys")->items()[0].string());
  ASSERT_TRUE(key);
  EXPECT_EQ(*key, verifier_);
  EXPECT_TRUE(tlog::verify_proof(*proof, text("entry"), *key));
  const auto entry = tlog::read_entry(text("entry"));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->digest.to_string(), text("runDigest"));
  EXPECT_EQ(text("origin"), kOrigin);
}

TEST_F(LogPartTest, SaysThatARunIsNotThere) {
  begin();
  const http::Response none = get("/api/v1/runs/01a00b1c-57f3-7e4f-82cd-438e6ba2b69a/proof");
  ASSERT_TRUE(none.problem);
  EXPECT_EQ(none.problem->code, "RUN_NOT_FOUND");
}

}  // namespace
}  // namespace ki::serve
