// A server with a small site of its own, spoken to byte by byte over loopback.
#include "ki/http/server.h"

#include "ki/http/testing/raw_client.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <latch>
#include <mutex>
#include <thread>

namespace ki::http {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RawClient;
using ::testing::StartsWith;

class ServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.listen.port = 0;
    options_.threads = 2;
    options_.limits.requests_per_second = 0;
    options_.clock = &clock_;
    options_.metrics = &metrics_;
    options_.error_log = [this](std::string_view line) {
      const std::scoped_lock lock(errors_mutex_);
      errors_ += line;
    };
  }

  std::shared_ptr<const Edition> edition(const std::string& version) {
    std::vector<Route> routes;
    const auto get = [&](std::string pattern, Handler handle, bool is_api = false) {
      routes.push_back(
          {.pattern = std::move(pattern), .handle = std::move(handle), .is_api = is_api});
    };
    get("/page/{n}", [this, version](const Request& request) {
      ++made_;
      std::string text = "<p>" + version + " " + request.parameter("n") + "</p>";
      for (int i = 0; i < 200; ++i) text += "<li>row</li>";
      return Response::html(text);
    });
    get(
        "/data/{n}",
        [](const Request& request) {
          return Response::json("{\"n\":\"" + request.parameter("n") + "\"}", Cache::kMedium);
        },
        true);
    get(
        "/manifests/{digest}",
        [](const Request& request) {
          Response response = Response::json("{}", Cache::kImmutable);
          response.etag = request.parameter("digest");
          return response;
        },
        true);
    get("/big", [](const Request&) {
      return Response{.content_type = "application/octet-stream",
                      .body = std::string(8 << 20, 'b')};
    });
    get("/throw", [](const Request&) -> Response { throw std::runtime_error("secret"); });
    get("/inject", [](const Request&) {
      Response response = Response::text("x");
      response.headers.push_back({"X-Name", "a\r\nSet-Cookie: b"});
      return response;
    });
    get("/missing", [](const Request&) {
      return Response::of(Problem{.status = 404, .code = "RUN_NOT_FOUND", .detail = "no such run"});
    });
    routes.push_back({.pattern = "/wait",
                      .handle =
                          [this](const Request&) {
                            waiting_.count_down();
                            go_on_.wait();
                            return Response::text("waited");
                          },
                      .may_block = true});
    routes.push_back({.method = Method::kPost,
                      .pattern = "/echo",
                      .handle =
                          [](const Request& request) {
                            return Response::json("[" + std::to_string(request.body.size()) + "]",
                                                  Cache::kUnset);
                          },
                      .is_api = true});
    routes.push_back({.method = Method::kPost, .pattern = "/form", .handle = [](const Request&) {
                        return Response::redirect(303, "/page/1");
                      }});
    for (const bool is_write : {false, true}) {
      routes.push_back({.method = Method::kPost,
                        .pattern = is_write ? "/api/write" : "/api/ask",
                        .handle = [](const Request&) { return Response::json("{}"); },
                        .is_api = true,
                        .is_write = is_write});
    }
    return std::make_shared<const Edition>(
        Edition{.version = version,
                .router = Router(std::move(routes)),
                .problem_page = [](const Request&, const Problem& problem) {
                  return Response::html("<h1>" + problem.code + "</h1>");
                }});
  }

  void start() {
    auto server = Server::start(options_, edition("7-b-2026-08-16"));
    ASSERT_TRUE(server) << server.error().to_string();
    server_ = *std::move(server);
  }
  std::uint16_t port() const { return server_->port(); }
  testing::Answer get(std::string_view target, std::string_view fields = "") const {
    return testing::get(port(), target, fields);
  }

  FixedClock clock_{Instant{1'786'788'000'000}};  // 2026-08-15T10:00:00Z, a Saturday
  Metrics metrics_;
  ServerOptions options_;
  std::atomic<int> made_ = 0;
  std::latch waiting_{1};
  std::latch go_on_{1};
  std::mutex errors_mutex_;
  std::string errors_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, AnswersWithEveryFieldThatAPageNeeds) {
  start();
  const auto answer = get("/page/1", "Accept-Encoding: gzip\r\n");
  EXPECT_EQ(answer.status, 200);
  std::string fields;
  for (const auto& [name, value] : answer.fields) fields += name + ": " + value + "\n";
  EXPECT_EQ(
      fields,
      "date: Sat, 15 Aug 2026 10:00:00 GMT\n"
      "cache-control: no-cache\n"
      "vary: Accept-Encoding\n"
      "etag: \"7-b-2026-08-16-gzip\"\n"
      "content-type: text/html; charset=utf-8\n"
      "content-encoding: gzip\n"
      "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src "
      "'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; object-src "
      "'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'\n"
      "x-content-type-options: nosniff\n"
      "referrer-policy: strict-origin-when-cross-origin\n"
      "permissions-policy: camera=(), geolocation=(), microphone=()\n"
      "content-length: " +
          std::to_string(answer.body.size()) + "\n");
  EXPECT_THAT(answer.body, StartsWith("\x1f\x8b"));
  EXPECT_LT(answer.body.size(), 200u);
}

TEST_F(ServerTest, SendsHstsOnlyWhenItsAddressIsHttps) {
  options_.origin = "https://ki.example";
  start();
  EXPECT_EQ(get("/page/1").field("strict-transport-security"), "max-age=31536000");
  EXPECT_THAT(get("/missing").body,
              HasSubstr("\"type\":\"https://ki.example/errors/run_not_found\""));
}

TEST_F(ServerTest, RendersAndCompressesOnceAVersion) {
  start();
  for (int i = 0; i < 3; ++i) {
    get("/page/1", "Accept-Encoding: gzip\r\n");
    get("/%70age/1?", "Accept-Encoding: gzip;q=0.5\r\n");
  }
  EXPECT_EQ(made_, 1);
  get("/page/1", "Accept-Encoding: zstd\r\n");
  EXPECT_EQ(made_, 2) << "another encoding";
  server_->publish(edition("8-b-2026-08-16"));
  EXPECT_THAT(get("/page/1").body, StartsWith("<p>8-b-2026-08-16 1</p>"));
  EXPECT_EQ(made_, 3);
}

TEST_F(ServerTest, AnswersConditionalRequests) {
  start();
  const std::string gzip = "Accept-Encoding: gzip\r\n";
  RawClient client(port());
  for (const std::string tag : {R"("7-b-2026-08-16-gzip")", R"(W/"7-b-2026-08-16-gzip")",
                                R"("x", "7-b-2026-08-16-gzip")", "*"}) {
    const auto answer = client.get("/page/1", gzip + "If-None-Match: " + tag + "\r\n");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 304) << tag;
    EXPECT_EQ(answer->field("etag"), "\"7-b-2026-08-16-gzip\"");
    EXPECT_EQ(answer->field("cache-control"), "no-cache");
    EXPECT_EQ(answer->field("vary"), "Accept-Encoding");
    EXPECT_FALSE(answer->has("content-length"));
    EXPECT_FALSE(answer->has("content-type"));
  }
  EXPECT_EQ(client.get("/page/1", "If-None-Match: \"7-b-2026-08-16-gzip\"\r\n")->status, 200)
      << "the tag of another encoding";
  EXPECT_EQ(client.get("/missing", "If-None-Match: *\r\n")->status, 404);
  server_->publish(edition("8-b-2026-08-16"));
  EXPECT_EQ(client.get("/page/1", gzip + "If-None-Match: \"7-b-2026-08-16-gzip\"\r\n")->status,
            200);
}

TEST_F(ServerTest, GivesContentAddressedBytesTheirOwnTag) {
  start();
  const auto answer = get("/manifests/sha256:ab");
  EXPECT_EQ(answer.field("etag"), "\"sha256:ab\"");
  EXPECT_EQ(answer.field("cache-control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(get("/data/1").field("cache-control"),
            "public, s-maxage=300, stale-while-revalidate=86400");
}

TEST_F(ServerTest, AnswersHeadLikeGetWithoutTheBody) {
  start();
  const std::string fields = " HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n";
  RawClient client(port());
  client.send("HEAD /page/1" + fields);
  const auto head = client.read(true);
  client.send("GET /page/1" + fields);
  const auto full = client.read();
  ASSERT_TRUE(head && full);
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(head->fields, full->fields);
  EXPECT_EQ(made_, 1);
}

TEST_F(ServerTest, KnowsTheMethodsOfAPath) {
  start();
  const auto request = [&](std::string_view line, std::string_view fields = "") {
    return testing::exchange(port(), fmt::format("{} HTTP/1.1\r\nHost: x\r\n{}\r\n", line, fields));
  };
  auto answer = request("DELETE /page/1");
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.field("allow"), "GET, HEAD, OPTIONS");
  EXPECT_THAT(answer.body, HasSubstr("\"code\":\"METHOD_NOT_ALLOWED\""));
  answer = request("OPTIONS /echo", "Origin: https://a.example\r\n");
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.field("allow"), "POST, OPTIONS");
  EXPECT_EQ(answer.field("access-control-allow-origin"), "*");
  EXPECT_EQ(answer.field("access-control-allow-methods"), "POST, OPTIONS");
  EXPECT_EQ(answer.field("access-control-allow-headers"), "Content-Type, Authorization");
  EXPECT_FALSE(request("OPTIONS /page/1").has("access-control-allow-origin")) << "not the API";
  EXPECT_EQ(request("OPTIONS *").field("allow"), "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(request("OPTIONS /none").status, 404);
  EXPECT_EQ(request("BREW /page/1").status, 501);
  EXPECT_EQ(request("get /page/1").status, 501) << "methods have one spelling";
}

TEST_F(ServerTest, RedirectsAFinalSlashAndNothingElse) {
  start();
  const auto answer = get("/page/1/?a=b%20c");
  EXPECT_EQ(answer.status, 308);
  EXPECT_EQ(answer.field("location"), "/page/1?a=b%20c");
  EXPECT_EQ(get("//page/1/").status, 404);
  EXPECT_EQ(get("/none/").status, 404);
}

TEST_F(ServerTest, RendersProblemsForPeopleAndPrograms) {
  start();
  auto answer = get("/missing");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.field("content-type"), "application/problem+json");
  EXPECT_EQ(answer.field("cache-control"), "no-store");
  EXPECT_THAT(answer.body, HasSubstr("\"detail\":\"no such run\",\"requestId\":\""));
  answer = get("/missing", "Accept: text/html,*/*\r\n");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.body, "<h1>RUN_NOT_FOUND</h1>");
  EXPECT_EQ(get("/none", "Accept: text/html\r\n").body, "<h1>NOT_FOUND</h1>");
  EXPECT_EQ(get("/api/none", "Accept: text/html\r\n").field("content-type"),
            "application/problem+json");
}

TEST_F(ServerTest, HidesWhatAHandlerThrew) {
  start();
  for (const char* target : {"/throw", "/inject"}) {
    const auto answer = get(target);
    EXPECT_EQ(answer.status, 500);
    EXPECT_THAT(answer.body, HasSubstr("\"code\":\"INTERNAL\""));
    EXPECT_THAT(answer.body, Not(HasSubstr("secret")));
    EXPECT_FALSE(answer.has("set-cookie"));
    EXPECT_EQ(answer.field("cache-control"), "no-store");
  }
  const std::scoped_lock lock(errors_mutex_);
  EXPECT_THAT(errors_, HasSubstr("GET /throw failed: secret\n"));
  EXPECT_EQ(metrics_.handler_failures.load(), 2u);
}

TEST_F(ServerTest, TakesFormsFromItsOwnPagesOnly) {
  start();
  const auto post = [&](std::string_view fields) {
    return testing::exchange(port(), fmt::format("POST /form HTTP/1.1\r\nHost: ki.example:80\r\n{}"
                                                 "Content-Length: 0\r\n\r\n",
                                                 fields))
        .status;
  };
  EXPECT_EQ(post(""), 303) << "no browser";
  EXPECT_EQ(post("Origin: http://ki.example:80\r\n"), 303);
  EXPECT_EQ(post("Origin: https://evil.example\r\n"), 403);
  EXPECT_EQ(post("Origin: null\r\n"), 403);
  EXPECT_EQ(post("Sec-Fetch-Site: cross-site\r\n"), 403);
}

TEST_F(ServerTest, TakesNothingToStoreFromPagesOfOtherSites) {
  start();
  const auto post = [&](std::string_view target, std::string_view fields) {
    return testing::exchange(
        port(), fmt::format("POST {} HTTP/1.1\r\nHost: ki.example:80\r\n{}Content-Type: "
                            "application/json\r\nContent-Length: 2\r\n\r\n{{}}",
                            target, fields));
  };
  EXPECT_EQ(post("/api/write", "").status, 200) << "no browser";
  EXPECT_EQ(post("/api/write", "Origin: http://ki.example:80\r\n").status, 200);
  const auto refused = post("/api/write", "Origin: https://evil.example\r\n");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.field("content-type"), "application/problem+json");
  EXPECT_EQ(post("/api/write", "Origin: null\r\n").status, 403);
  EXPECT_EQ(post("/api/write", "Sec-Fetch-Site: cross-site\r\n").status, 403);
  EXPECT_EQ(post("/api/ask", "Origin: https://evil.example\r\n").status, 200)
      << "questions are answered to everybody";
}

TEST_F(ServerTest, KeepsPipelinedRequestsInOrder) {
  start();
  std::string requests;
  for (int i = 0; i < 100; ++i) {
    requests += i % 3 == 0
                    ? fmt::format("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{}",
                                  i, std::string(static_cast<std::size_t>(i), 'x'))
                    : fmt::format("GET /data/{} HTTP/1.1\r\nHost: x\r\n\r\n", i);
  }
  requests +=
      "GET /data/last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nGET /data/never HTTP/1.1\r\n";
  RawClient client(port());
  client.send(requests);
  for (int i = 0; i < 100; ++i) {
    const auto answer = client.read();
    ASSERT_TRUE(answer) << i;
    EXPECT_EQ(answer->body,
              i % 3 == 0 ? fmt::format("[{}]", i) : fmt::format("{{\"n\":\"{}\"}}", i));
    EXPECT_FALSE(answer->has("connection"));
  }
  const auto last = client.read();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->body, "{\"n\":\"last\"}");
  EXPECT_EQ(last->field("connection"), "close");
  EXPECT_EQ(client.read(), std::nullopt);
}

TEST_F(ServerTest, SpeaksHttp10) {
  start();
  RawClient client(port());
  client.send("GET /data/1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /data/2 HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client.read()->field("connection"), "keep-alive");
  EXPECT_EQ(client.read()->field("connection"), "close");
  EXPECT_TRUE(client.is_closed_within(5s));
}

TEST_F(ServerTest, InvitesABodyThatIsAnnounced) {
  start();
  RawClient client(port());
  client.send(
      "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.read()->status, 100);
  client.send("abc");
  EXPECT_EQ(client.read()->body, "[3]");
}

TEST_F(ServerTest, AnswersHostileRequestsAndCloses) {
  start();
  struct Case {
    const char* why;
    std::string bytes;
    int status;
  };
  for (const auto& [why, bytes, status] : std::initializer_list<Case>{
           {"smuggling",
            "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: "
            "chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
            400},
           {"a body that is too large",
            "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n" +
                std::string(500'000, 'x'),
            413},
           {"a long target",
            "GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            414},
           {"a target without end", "GET /" + std::string(30'000, 'a'), 414},
           {"a head without end", "GET / HTTP/1.1\r\nHost: x\r\n" + std::string(30'000, 'a'), 431},
           {"many fields",
            [] {
              std::string text = "GET / HTTP/1.1\r\nHost: x\r\n";
              for (int i = 0; i < 200; ++i) text += "a: b\r\n";
              return text + "\r\n";
            }(),
            431},
           {"traversal",
            "GET /page/../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 400},
           {"a bad encoding", "GET /page/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            400},
           {"line breaks in the path",
            "GET /page/%0d%0aSet-Cookie:a=b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 400},
           {"another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n", 400},
           {"HTTP/2 by prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
       }) {
    SCOPED_TRACE(why);
    RawClient client(port());
    client.send(bytes);
    const auto answer = client.read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, status) << answer->body;
    EXPECT_EQ(answer->field("content-type"), "application/problem+json");
    EXPECT_EQ(answer->field("connection"), "close");
    EXPECT_FALSE(answer->has("set-cookie"));
    client.finish_sending();
    EXPECT_TRUE(client.is_closed_within(5s));
  }
  EXPECT_EQ(get("/data/1").status, 200) << "and goes on";
}

TEST_F(ServerTest, TellsASlowClientThatItIsTooSlow) {
  options_.limits.header_time = 300ms;
  options_.limits.body_time = 300ms;
  options_.limits.idle_time = 300ms;
  start();
  RawClient loris(port()), body(port()), silent(port()), idle(port());
  loris.send("GET /data/1 HTTP/1.1\r\nHost: x\r\n");
  body.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  ASSERT_TRUE(idle.get("/data/1"));
  for (int i = 0; i < 20; ++i) {
    loris.send("a: b\r\n");  // a little at a time does not help
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_EQ(loris.read()->status, 408);
  EXPECT_EQ(body.read()->status, 408);
  EXPECT_TRUE(silent.is_closed_within(3s));
  EXPECT_TRUE(idle.is_closed_within(3s));
  EXPECT_EQ(metrics_.refusals(Metrics::Refusal::kTimeout), 2u);
}

TEST_F(ServerTest, IsNotHeldUpByClientsThatDoNotRead) {
  options_.limits.write_time = 1s;
  start();
  std::vector<RawClient> stuck;
  for (int i = 0; i < 8; ++i) {
    stuck.emplace_back(port(), 4096);
    stuck.back().send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(get("/page/" + std::to_string(i)).status, 200);
  // Each of them may take more than two minutes for its answer.
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 30s);
}

TEST_F(ServerTest, SendsALargeAnswerWhole) {
  start();
  RawClient client(port(), 16384);
  client.send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto answer = client.read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, std::string(8 << 20, 'b'));
}

TEST_F(ServerTest, LimitsConnectionsOfAClientAndOfAll) {
  options_.limits.connections = 6;
  options_.limits.connections_per_client = 4;
  start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back(port());
    ASSERT_TRUE(clients.back().get("/data/1"));
  }
  RawClient one_more(port());
  const auto answer = one_more.read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 429);
  EXPECT_EQ(answer->field("retry-after"), "1");
  EXPECT_THAT(answer->body, HasSubstr("TOO_MANY_CONNECTIONS"));
  EXPECT_EQ(clients.front().get("/data/1")->status, 200) << "the others go on";
  clients.pop_back();
  for (int i = 0; i < 100; ++i) {
    RawClient again(port());
    const auto next = again.get("/data/1");
    if (next && next->status == 200) return;
    std::this_thread::sleep_for(20ms);
  }
  FAIL() << "a place that is free is given away";
}

TEST_F(ServerTest, LimitsTheRateOfAClient) {
  options_.limits.requests_per_second = 1;
  options_.limits.burst = 3;
  options_.trusted_proxies = {"127.0.0.0/8", "10.0.0.1"};
  start();
  RawClient client(port());
  const auto from = [&](std::string_view forwarded) {
    return client.get("/data/1", fmt::format("X-Forwarded-For: {}\r\n", forwarded)).value();
  };
  for (int i = 0; i < 3; ++i) {
    const auto answer = from("192.0.2.1");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.field("ratelimit-limit"), "3");
    EXPECT_EQ(answer.field("ratelimit-remaining"), std::to_string(2 - i));
  }
  const auto refused = from("192.0.2.1");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.field("retry-after"), "1");
  EXPECT_EQ(refused.field("cache-control"), "no-store");
  EXPECT_THAT(refused.body, HasSubstr("RATE_LIMITED"));
  EXPECT_EQ(from("192.0.2.2").status, 200) << "another client";
  EXPECT_EQ(from("6.6.6.6, 192.0.2.1, 10.0.0.1").status, 429) << "what a client writes in front";
  EXPECT_EQ(from("2001:db8::1").status, 200);
  EXPECT_EQ(from("2001:db8::2").field("ratelimit-remaining"), "1") << "one /64, one client";
}

TEST_F(ServerTest, BelievesNoForwardedAddressFromStrangers) {
  options_.limits.requests_per_second = 1;
  options_.limits.burst = 1;
  start();
  EXPECT_EQ(get("/data/1", "X-Forwarded-For: 192.0.2.1\r\n").status, 200);
  EXPECT_EQ(get("/data/1", "X-Forwarded-For: 192.0.2.2\r\n").status, 429);
}

TEST_F(ServerTest, BlockingHandlersHoldUpNobody) {
  start();
  RawClient waiting(port());
  waiting.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  waiting_.wait();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(get("/data/1").status, 200);
  go_on_.count_down();
  EXPECT_EQ(waiting.read()->body, "waited");
}

TEST_F(ServerTest, LetsWhatHasBegunEndWhenItStops) {
  start();
  const std::uint16_t old_port = port();
  RawClient busy(port()), idle(port());
  ASSERT_TRUE(idle.get("/data/1"));
  busy.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  waiting_.wait();
  bool is_clean = false;
  std::thread stopping([&] { is_clean = server_->stop(20s); });
  EXPECT_TRUE(idle.is_closed_within(5s));
  EXPECT_FALSE(RawClient(old_port).get("/data/1")) << "takes no more";
  go_on_.count_down();
  const auto answer = busy.read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "waited");
  EXPECT_EQ(answer->field("connection"), "close");
  busy.finish_sending();
  stopping.join();
  EXPECT_TRUE(is_clean);
}

TEST_F(ServerTest, CutsOffWhatDoesNotEndInTime) {
  start();
  RawClient slow(port());
  slow.send("GET /data/1 HTTP/1.1\r\n");
  ASSERT_EQ(get("/data/1").status, 200);
  EXPECT_FALSE(server_->stop(100ms));
  EXPECT_TRUE(slow.is_closed_within(5s));
}

TEST_F(ServerTest, LogsOneLineAnAnswer) {
  std::string lines;
  std::mutex mutex;
  options_.access_log = [&](std::string_view text) {
    const std::scoped_lock lock(mutex);
    lines += text;
  };
  start();
  get("/data/1", "User-Agent: test\r\n");
  get("/data/1");
  testing::exchange(port(), "nonsense\r\n\r\n");
  server_->stop(1s);
  server_.reset();
  EXPECT_THAT(lines, HasSubstr("2026-08-15T10:00:00.000Z 127.0.0.1 \"GET /data/1\" 200 9 "));
  EXPECT_THAT(lines, HasSubstr("made \"test\"\n"));
  EXPECT_THAT(lines, HasSubstr("kept \"\"\n"));
  EXPECT_THAT(lines, HasSubstr("\"- -\" 400 "));
  EXPECT_EQ(std::ranges::count(lines, '\n'), 3);
}

TEST_F(ServerTest, SaysWhyItCannotListen) {
  start();
  ServerOptions other = options_;
  other.listen.port = port();
  const auto taken = Server::start(other, edition("1"));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code(), Code::kUnavailable);
  EXPECT_THAT(taken.error().message(), HasSubstr("Address already in use"));
  other.listen.host = "localhost.example";
  EXPECT_EQ(Server::start(other, edition("1")).error().code(), Code::kInvalidArgument);
  other.listen.host = "127.0.0.1";
  other.trusted_proxies = {"10.0.0.0/33"};
  EXPECT_THAT(Server::start(other, edition("1")).error().message(), HasSubstr("10.0.0.0/33"));
}

TEST_F(ServerTest, AnswersEveryReaderFromOneEditionWhilePublishing) {
  start();
  std::atomic<bool> is_done = false;
  std::atomic<int> answers = 0;
  std::vector<std::thread> readers;
  for (int r = 0; r < 8; ++r) {
    readers.emplace_back([&, r] {
      RawClient client(port());
      while (!is_done) {
        const auto answer = client.get("/page/" + std::to_string(r % 3));
        ASSERT_TRUE(answer);
        ASSERT_EQ(answer->status, 200);
        const std::string tag = answer->field("etag");
        ASSERT_THAT(answer->body, StartsWith("<p>" + tag.substr(1, tag.size() - 2) + " " +
                                             std::to_string(r % 3)));
        ++answers;
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    server_->publish(edition(std::to_string(i) + "-b-2026-08-16"));
    std::this_thread::sleep_for(1ms);
  }
  is_done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_GT(answers.load(), 100);
}

}  // namespace
}  // namespace ki::http
