// `ki serve` from outside: what it says, how it follows its catalog, and what it does on bad days.
#include "ki/base/clock.h"
#include "ki/catalog/live.h"
#include "ki/http/testing/raw_client.h"
#include "ki/json/reader.h"
#include "ki/publish/publisher.h"
#include "ki/store_sqlite/sqlite_store.h"
#include "serve_process.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <thread>

namespace ki::served {
namespace {

using namespace std::chrono_literals;
using http::testing::Answer;
using http::testing::RawClient;
using ::testing::HasSubstr;
using ::testing::Not;

bool is_long() { return std::getenv("KI_LONG") != nullptr; }

class ServeTest : public ::testing::Test {
 protected:
  // One catalog for all tests of the program; each test has a copy.
  static void SetUpTestSuite() {
    shared_ = std::filesystem::temp_directory_path() / fmt::format("ki-http-{}", ::getpid());
    std::filesystem::create_directories(shared_);
    const auto imported = run_ki({"import", "manifest", KI_SOURCE_DIR "/registry/groups",
                                  "--catalog", (shared_ / "catalog.db").string()});
    ASSERT_EQ(imported.code, 0) << imported.err;
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(shared_); }

  void SetUp() override {
    folder_ = shared_ / ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
    std::filesystem::copy_file(shared_ / "catalog.db", catalog());
  }

  std::string catalog() const { return (folder_ / "catalog.db").string(); }
  std::string snapshot() const { return catalog() + ".snapshot"; }
  std::vector<std::string> arguments(std::vector<std::string> more = {}) const {
    std::vector<std::string> all = {"--catalog", catalog(),      "--access-log",
                                    "off",       "--rate-limit", "0"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  // A publication that changes one row: the policy of a source.
  static void publish(catalog::LiveCatalog& live, int number) {
    const SystemClock clock;
    UuidSource ids(static_cast<std::uint64_t>(number) + 1);
    publish::Publisher publisher(live, clock, ids, "test");
    publish::Bundle bundle;
    bundle.source = {.slug = "churn",
                     .kind = "benchmark",
                     .name = "Churn",
                     .policy = fmt::format("{{\"number\":{}}}", number)};
    const auto report = publisher.publish(bundle);
    ASSERT_TRUE(report) << report.error().to_string();
    ASSERT_TRUE(report->commit) << "something changed";
  }

  static std::filesystem::path shared_;
  std::filesystem::path folder_;
};
std::filesystem::path ServeTest::shared_;

struct Health {
  std::string status;
  catalog::Seq version = 0;
  std::string chain;
  std::string problems;
};

Health parse_health(const Answer& answer) {
  const auto document = json::read_document(answer.body);
  EXPECT_TRUE(document) << answer.status << ": " << answer.body;
  if (!document) return {};
  const json::Value& root = document->root;
  Health health{.status = std::string(root.find("status")->string()),
                .version = static_cast<catalog::Seq>(root.find("catalogVersion")->number()),
                .chain = std::string(root.find("chain")->string()),
                .problems = ""};
  for (const json::Value& problem : root.find("problems")->items())
    health.problems += std::string(problem.string()) + "\n";
  return health;
}

TEST_F(ServeTest, SaysHowItIs) {
  ServeProcess server(arguments());
  ASSERT_NE(server.port(), 0) << server.err();
  const Answer answer = http::testing::get(server.port(), "/healthz");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("content-type"), "application/json");
  EXPECT_EQ(answer.field("cache-control"), "no-store");
  const Health health = parse_health(answer);
  EXPECT_EQ(health.status, "ok");
  EXPECT_GT(health.version, 0u);
  const Answer metrics = http::testing::get(server.port(), "/metrics");
  EXPECT_EQ(metrics.field("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(metrics.body, HasSubstr(fmt::format("ki_catalog_version {}\n", health.version)));
  EXPECT_THAT(metrics.body,
              HasSubstr("ki_http_requests_total{route=\"/healthz\",status=\"2xx\"} 1\n"));
  EXPECT_EQ(http::testing::get(server.port(), "/no/such/page").status, 404);
}

TEST_F(ServeTest, StopsWhenItIsAskedTo) {
  for (const int signal : {SIGTERM, SIGINT}) {
    ServeProcess server(arguments());
    ASSERT_NE(server.port(), 0) << server.err();
    RawClient idle(server.port());
    ASSERT_TRUE(idle.get("/healthz"));
    EXPECT_EQ(server.stop(signal), 0);
    EXPECT_THAT(server.err(), HasSubstr("stopped after 1 answers\n"));
    EXPECT_TRUE(idle.is_closed_within(1s));
  }
}

TEST_F(ServeTest, LogsOneLineAnAnswer) {
  ServeProcess server({"--catalog", catalog()});
  http::testing::get(server.port(), "/healthz?a=%22", "User-Agent: a\"b\r\n");
  EXPECT_TRUE(server.has_said("127.0.0.1 \"GET /healthz?a=%22\" 200 ", 10s)) << server.err();
  EXPECT_THAT(server.err(), HasSubstr("made \"a\\x22b\"\n"));
}

TEST_F(ServeTest, LimitsTheRateUnlessToldNotTo) {
  ServeProcess server({"--catalog", catalog(), "--access-log", "off", "--rate-limit", "5"});
  int refused = 0;
  for (int i = 0; i < 40; ++i) {
    const Answer answer = http::testing::get(server.port(), "/healthz");
    if (answer.status != 429) continue;
    ++refused;
    EXPECT_EQ(answer.field("retry-after"), "1");
    EXPECT_EQ(answer.field("content-type"), "application/problem+json");
  }
  EXPECT_GT(refused, 10);
}

TEST_F(ServeTest, RefusesHostileTargets) {
  ServeProcess server(arguments());
  for (const std::string target : {"/../etc/passwd", "/%2e%2e/etc/passwd", "/a%00b", "/a%0d%0aX:y",
                                   "/a%2fb", "/%ff", "/a?q=%zz"}) {
    const Answer answer = http::testing::get(server.port(), target);
    EXPECT_EQ(answer.status, 400) << target;
    EXPECT_EQ(answer.field("content-type"), "application/problem+json");
    EXPECT_THAT(answer.body, HasSubstr("INVALID_TARGET"));
  }
  EXPECT_EQ(http::testing::get(server.port(), "/" + std::string(10'000, 'a')).status, 414);
}

TEST_F(ServeTest, TakesUpWhatAnotherProcessPublishesWithinASecond) {
  ServeProcess server(arguments());
  const Health before = parse_health(http::testing::get(server.port(), "/healthz"));
  const auto runs = run_ki({"ranks", "--limit", "1", "--tsv", "--quiet", "--catalog", catalog()});
  ASSERT_EQ(runs.code, 0) << runs.err;
  const std::string run = runs.out.substr(0, runs.out.find('\t'));
  const auto retracted = run_ki({"retract", run, "--reason", "a test", "--catalog", catalog()});
  ASSERT_EQ(retracted.code, 0) << retracted.err;
  const auto begun = std::chrono::steady_clock::now();
  Health after;
  do {
    after = parse_health(http::testing::get(server.port(), "/healthz"));
  } while (after.version == before.version && std::chrono::steady_clock::now() - begun < 20s);
  EXPECT_GT(after.version, before.version);
  EXPECT_NE(after.chain, before.chain);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 1s);
#endif
}

// Every answer is of one version: two answers to one URL with one entity tag are the same bytes,
// and the version and chain value that /healthz states belong together.
TEST_F(ServeTest, SixtyFourReadersSeeNoTornAnswerDuringPublications) {
  const int publications = is_long() ? 1000 : 50;
  ServeProcess server(arguments());
  ASSERT_NE(server.port(), 0) << server.err();
  auto store = store_sqlite::SqliteStore::open(catalog());
  ASSERT_TRUE(store);
  auto live = catalog::LiveCatalog::open(**store, std::nullopt);
  ASSERT_TRUE(live);

  std::atomic<bool> is_done = false;
  std::atomic<std::uint64_t> answers = 0;
  std::mutex mutex;
  std::map<std::string, std::size_t> bodies;  // by target and tag: hash of the body
  std::map<catalog::Seq, std::string> chains;
  std::vector<std::string> errors;
  const std::vector<std::string> targets = {"/healthz",
                                            "/",
                                            "/records",
                                            "/api/v1/records",
                                            "/api/v1/runs?limit=20",
                                            "/api/v1/feed",
                                            "/search?q=op%3Akv"};
  std::vector<std::thread> readers;
  for (std::size_t r = 0; r < 64; ++r) {
    readers.emplace_back([&, r] {
      RawClient client(server.port());
      std::map<std::string, std::size_t> seen;
      std::map<catalog::Seq, std::string> seen_chains;
      std::vector<std::string> failed;
      for (std::size_t i = r; !is_done && failed.empty(); ++i) {
        const std::string& target = targets[i % targets.size()];
        const auto answer = client.get(target, "Accept-Encoding: gzip\r\n");
        if (!answer || (answer->status != 200 && answer->status != 404)) {
          failed.push_back(target + ": " + (answer ? std::to_string(answer->status) : "no answer"));
          break;
        }
        ++answers;
        if (target == "/healthz") {
          const Health health = parse_health(*answer);
          if (!seen_chains.try_emplace(health.version, health.chain)
                   .first->second.starts_with(health.chain))
            failed.push_back("another chain value for one version");
          if (health.status != "ok") failed.push_back(health.problems);
        } else if (answer->status == 200 && answer->has("etag")) {
          const std::size_t hash = std::hash<std::string>()(answer->body);
          const std::string key = target + " " + answer->field("etag");
          if (seen.try_emplace(key, hash).first->second != hash) failed.push_back("torn: " + key);
        }
      }
      const std::scoped_lock lock(mutex);
      errors.insert(errors.end(), failed.begin(), failed.end());
      for (const auto& [key, hash] : seen) {
        if (bodies.try_emplace(key, hash).first->second != hash)
          errors.push_back("two bodies: " + key);
      }
      for (const auto& [version, chain] : seen_chains) {
        if (chains.try_emplace(version, chain).first->second != chain)
          errors.push_back(fmt::format("two chain values of version {}", version));
      }
    });
  }
  for (int i = 0; i < publications; ++i) {
    publish(**live, i);
    std::this_thread::sleep_for(is_long() ? 20ms : 40ms);
  }
  const auto head = (*store)->head();
  ASSERT_TRUE(head);
  const auto begun = std::chrono::steady_clock::now();
  while (parse_health(http::testing::get(server.port(), "/healthz")).version < head->seq &&
         std::chrono::steady_clock::now() - begun < 20s)
    std::this_thread::sleep_for(10ms);
  is_done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_THAT(errors, ::testing::IsEmpty());
  EXPECT_GT(answers.load(), 64u * 5);
  EXPECT_GT(chains.size(), 3u) << "several versions were seen";
  const auto commits = (*store)->commits(0);
  ASSERT_TRUE(commits);
  for (const auto& [version, chain] : chains) {
    const auto commit = std::ranges::find(*commits, version, &catalog::Commit::last);
    ASSERT_NE(commit, commits->end()) << "version " << version << " is between two commits";
    EXPECT_EQ(chain, commit->chain.to_string());
  }
  EXPECT_EQ(server.stop(SIGTERM), 0);
}

TEST_F(ServeTest, ReadsOnWhileAnotherProcessHoldsTheLock) {
  auto store = store_sqlite::SqliteStore::open(catalog());
  ASSERT_TRUE(store);
  auto transaction = (*store)->begin();
  ASSERT_TRUE(transaction);
  ServeProcess server(arguments());
  ASSERT_NE(server.port(), 0) << server.err();
  EXPECT_EQ(parse_health(http::testing::get(server.port(), "/healthz")).status, "ok");
}

TEST_F(ServeTest, ReadsTheStoreWhenTheSnapshotIsDamaged) {
  Health sound;
  {
    ServeProcess server(arguments());
    sound = parse_health(http::testing::get(server.port(), "/healthz"));
    ASSERT_TRUE(std::filesystem::exists(snapshot()));
  }
  const auto size = std::filesystem::file_size(snapshot());
  {
    std::fstream file(snapshot(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size / 2));
    file.write("damaged damaged damaged", 23);
  }
  ServeProcess server(arguments());
  ASSERT_NE(server.port(), 0) << server.err();
  EXPECT_THAT(server.err(), HasSubstr("the catalog is read from its store instead\n"));
  const Health health = parse_health(http::testing::get(server.port(), "/healthz"));
  EXPECT_EQ(health.status, "degraded");
  EXPECT_THAT(health.problems, HasSubstr("read from its store instead"));
  EXPECT_EQ(health.version, sound.version);
  EXPECT_EQ(health.chain, sound.chain);
}

TEST_F(ServeTest, ServesFromAFullDisk) {
  // Not even the index of the write-ahead log can be written.
  ServeProcess server(arguments(), {.file_bytes = 8192});
  ASSERT_NE(server.port(), 0) << server.err();
  const Health health = parse_health(http::testing::get(server.port(), "/healthz"));
  EXPECT_GT(health.version, 0u);
  EXPECT_EQ(health.status, "degraded");
  EXPECT_THAT(health.problems, HasSubstr("the catalog is served without writes: "));
  EXPECT_THAT(server.err(), HasSubstr("the catalog is served without writes: "));
}

TEST_F(ServeTest, SaysWhatIsWrongAndEnds) {
  struct Case {
    const char* why;
    std::vector<std::string> args;
    int code;
    std::string text;
  };
  std::ofstream(folder_ / "no.db") << "this is no database, but some text that is long enough";
  ServeProcess other(arguments());
  for (const auto& [why, args, code, text] : std::initializer_list<Case>{
           {"no catalog",
            {"--catalog", (folder_ / "none.db").string()},
            3,
            "there is no catalog at"},
           {"not a catalog", {"--catalog", (folder_ / "no.db").string()}, 1, "no.db"},
           {"no address", {"--catalog", catalog(), "--listen", "here"}, 2, "127.0.0.1:8417"},
           {"no network", {"--catalog", catalog(), "--trusted-proxy", "proxy"}, 2, "10.0.0.0/8"},
           {"no URL",
            {"--catalog", catalog(), "--public-url", "ki.example"},
            2,
            "https://ki.example"},
           {"the port is taken",
            {"--catalog", catalog(), "--listen", fmt::format("127.0.0.1:{}", other.port())},
            1,
            "Address already in use"},
       }) {
    SCOPED_TRACE(why);
    std::vector<std::string> all = {"serve"};
    all.insert(all.end(), args.begin(), args.end());
    const Outcome outcome = run_ki(all);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(text));
  }
}

TEST_F(ServeTest, StartsWithinASecond) {
  const std::string export_file = KI_SOURCE_DIR "/../shared/data/catalog-2026-08-16.jsonl.zst";
  if (!std::filesystem::exists(export_file)) GTEST_SKIP() << "skipped: ../shared is absent";
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "skipped: a sanitizer is slow";
#endif
  const std::string path = (folder_ / "real.db").string();
  const auto imported = run_ki({"import", "kernelindex", export_file, "--catalog", path});
  ASSERT_EQ(imported.code, 0) << imported.err;
  std::chrono::milliseconds best = 1h;
  for (int i = 0; i < 3; ++i) {
    ServeProcess server({"--catalog", path, "--access-log", "off"});
    ASSERT_NE(server.port(), 0) << server.err();
    EXPECT_EQ(http::testing::get(server.port(), "/healthz").status, 200);
    best = std::min(best, server.start_time());
  }
  EXPECT_LT(best, 1s);
  RecordProperty("start_ms", static_cast<int>(best.count()));
}

TEST_F(ServeTest, TakesNotesAndShowsThemWithinASecond) {
  ServeProcess server(arguments({"--allow-notes", "anyone"}));
  ASSERT_NE(server.port(), 0) << server.err();
  const std::string run = "sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d";
  const auto post = [&](const std::string& target, std::string_view fields,
                        const std::string& body) {
    return http::testing::exchange(
        server.port(), fmt::format("POST {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}Content-Length: "
                                   "{}\r\n\r\n{}",
                                   target, server.port(), fields, body.size(), body));
  };
  const std::string form = "Content-Type: application/x-www-form-urlencoded\r\n";
  EXPECT_EQ(post("/runs/" + run + "/attestations", form + "Origin: https://evil.example\r\n",
                 "type=reproduced&body=no")
                .status,
            403);
  const auto stored = post("/runs/" + run + "/attestations",
                           form + fmt::format("Origin: http://127.0.0.1:{}\r\n", server.port()),
                           "type=reproduced&body=%3Cb%3E1.2+ms%3C%2Fb%3E");
  EXPECT_EQ(stored.status, 201) << stored.body;
  EXPECT_EQ(stored.field("cache-control"), "no-store");
  const auto reported =
      post("/api/v1/runs/" + run + "/reports", "Content-Type: application/json\r\n",
           R"({"reason":"other","detail":"a clock went back"})");
  EXPECT_EQ(reported.status, 201) << reported.body;
  std::string page;
  for (int i = 0; i < 1000 && page.find("a clock went back") == std::string::npos; ++i) {
    std::this_thread::sleep_for(20ms);
    page = http::testing::get(server.port(), "/runs/" + run).body;
  }
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;1.2 ms&lt;/b&gt;"));
  EXPECT_THAT(page, HasSubstr("a clock went back"));
  EXPECT_EQ(server.stop(SIGTERM), 0);
  EXPECT_EQ(
      run_ki({"serve", "--catalog", catalog(), "--allow-notes", "anyone", "--read-only"}).code, 2);
}

TEST_F(ServeTest, ShowsLinkPreviewsAPictureThatTheyCanRead) {
  const bool has_librsvg = std::filesystem::exists("/usr/bin/rsvg-convert");
  ServeProcess server(arguments());
  ASSERT_NE(server.port(), 0) << server.err();
  const std::string run = "sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d";
  const std::string page = http::testing::get(server.port(), "/runs/" + run).body;
  const auto svg = http::testing::get(server.port(), "/cards/runs/" + run + ".svg");
  EXPECT_EQ(svg.field("content-type"), "image/svg+xml");
  for (const std::string& target : {"/cards/runs/" + run + ".png", std::string("/cards/site.png"),
                                    "/badges/runs/" + run + ".png"}) {
    const auto png = http::testing::get(server.port(), target);
    if (has_librsvg) {
      EXPECT_EQ(png.status, 200) << target << png.body;
      EXPECT_EQ(png.field("content-type"), "image/png");
      EXPECT_TRUE(png.body.starts_with("\x89PNG")) << target;
    } else {
      EXPECT_EQ(png.status, 501) << target;
      EXPECT_EQ(png.field("content-type"), "application/problem+json");
      EXPECT_THAT(png.body, HasSubstr("librsvg2-bin"));
    }
  }
  EXPECT_EQ(http::testing::get(server.port(), "/cards/runs/nothing.png").status, 404);
  EXPECT_EQ(page.find(".png\"") != std::string::npos, has_librsvg);
  EXPECT_EQ(server.stop(SIGTERM), 0);
}

}  // namespace
}  // namespace ki::served
