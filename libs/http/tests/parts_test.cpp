// The small parts of the server: cache, rate limiter, log line, metrics, listen address.
#include "access_log.h"
#include "ki/http/metrics.h"
#include "ki/http/server.h"
#include "rate_limiter.h"
#include "response_cache.h"

#include <gmock/gmock.h>

#include <thread>

namespace ki::http {
namespace {

using testing::HasSubstr;
using testing::Not;

std::shared_ptr<const StoredReply> reply_of(std::size_t bytes, char fill = 'x') {
  auto reply = std::make_shared<StoredReply>();
  reply->body = std::string(bytes, fill);
  return reply;
}

TEST(ResponseCache, StaysWithinItsBound) {
  ResponseCache cache(1 << 20);
  for (int i = 0; i < 5000; ++i)
    cache.find_or_make("/page/" + std::to_string(i), [] { return reply_of(1000); });
  EXPECT_LE(cache.bytes(), std::size_t{1} << 20);
  EXPECT_GT(cache.entries(), 500u) << "and is used";
}

TEST(ResponseCache, KeepsAShareOfHitsWhenAWalkDoesNotFit) {
  ResponseCache cache(1 << 20);  // about 800 of 2,000 pages
  int hits = 0;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 2000; ++i) {
      bool is_made = false;
      cache.find_or_make("/page/" + std::to_string(i), [&] {
        is_made = true;
        return reply_of(1000);
      });
      if (round == 3 && !is_made) ++hits;
    }
  }
  EXPECT_GT(hits, 200) << "strict LRU would have none";
}

TEST(ResponseCache, DoesNotKeepWhatIsHugeOrMustNotBeKept) {
  ResponseCache cache(1 << 20);
  EXPECT_NE(cache.find_or_make("/huge", [] { return reply_of(1 << 19); }), nullptr);
  EXPECT_EQ(cache.find("/huge"), nullptr);
  EXPECT_EQ(cache.find_or_make("/404", [] { return std::shared_ptr<const StoredReply>(); }),
            nullptr);
  EXPECT_EQ(cache.entries(), 0u);
}

TEST(ResponseCache, MakesAnAnswerOnceForThreadsThatWantItTogether) {
  ResponseCache cache(1 << 20);
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const auto reply = cache.find_or_make("/page/" + std::to_string(i), [&] {
          ++made;
          return reply_of(100, static_cast<char>('a' + i % 26));
        });
        ASSERT_EQ(reply->body.bytes().front(), static_cast<char>('a' + i % 26));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 200);
}

TEST(ResponseCache, LetsOthersGoOnWhenMakingFails) {
  ResponseCache cache(1 << 20);
  EXPECT_THROW(
      cache.find_or_make(
          "/a", []() -> std::shared_ptr<const StoredReply> { throw std::runtime_error("no"); }),
      std::runtime_error);
  EXPECT_NE(cache.find_or_make("/a", [] { return reply_of(1); }), nullptr);
}

TEST(RateLimiter, AllowsABurstAndThenTheRate) {
  RateLimiter limiter({.per_second = 10, .burst = 5});
  const RateLimiter::Time start{};
  for (std::uint32_t i = 0; i < 5; ++i) {
    const auto verdict = limiter.take("a", start);
    EXPECT_TRUE(verdict.is_allowed);
    EXPECT_EQ(verdict.remaining, 4 - i);
  }
  const auto refused = limiter.take("a", start);
  EXPECT_FALSE(refused.is_allowed);
  EXPECT_EQ(refused.retry_seconds, 1u);
  EXPECT_TRUE(limiter.take("b", start).is_allowed) << "others are not held up";
  EXPECT_TRUE(limiter.take("a", start + std::chrono::milliseconds(101)).is_allowed);
  EXPECT_FALSE(limiter.take("a", start + std::chrono::milliseconds(102)).is_allowed);
}

TEST(RateLimiter, ForgetsWhoIsQuietAndIsBounded) {
  RateLimiter limiter({.per_second = 10, .burst = 5});
  const RateLimiter::Time start{};
  for (int i = 0; i < 200'000; ++i) limiter.take("client " + std::to_string(i), start);
  EXPECT_LE(limiter.clients(), 16u * 4097u);
  limiter.sweep(start + std::chrono::milliseconds(50));
  EXPECT_GT(limiter.clients(), 0u);
  limiter.sweep(start + std::chrono::seconds(1));
  EXPECT_LE(limiter.clients(), 16u) << "only the shared buckets of newcomers are not full yet";
}

TEST(AccessLog, QuotesWhatAClientSent) {
  std::string line;
  append_access_line(line, {.at = Instant{1'786'788'000'000},
                            .client = "127.0.0.1",
                            .method = "GET",
                            .target = "/a\" 200\n2026 \xff\\",
                            .status = 200,
                            .body_bytes = 12,
                            .taken = std::chrono::microseconds(412),
                            .is_from_cache = true,
                            .user_agent = "x\r\ny"});
  EXPECT_EQ(
      line,
      "2026-08-15T10:00:00.000Z 127.0.0.1 \"GET /a\\x22 200\\x0a2026 \\xff\\x5c\" 200 12 0.412ms "
      "kept \"x\\x0d\\x0ay\"\n");
}

TEST(AccessLog, WritesEveryLineAndDropsRatherThanWaits) {
  Metrics metrics;
  std::string written;
  {
    AccessLog log([&](std::string_view lines) { written += lines; }, metrics);
    for (int i = 0; i < 100; ++i) {
      std::string line = std::to_string(i) + "\n";
      log.hand_over(line);
      EXPECT_TRUE(line.empty());
    }
  }
  EXPECT_EQ(std::ranges::count(written, '\n'), 100);

  std::mutex stuck;
  stuck.lock();
  {
    AccessLog log([&](std::string_view) { const std::scoped_lock lock(stuck); }, metrics);
    for (int i = 0; i < 100; ++i) {
      std::string lines(100'000, 'x');
      lines += "\n";
      log.hand_over(lines);
    }
    stuck.unlock();
  }
  EXPECT_GT(metrics.log_lines_dropped.load(), 10u);
}

TEST(Metrics, AreWrittenAsPrometheusText) {
  Metrics metrics;
  const auto runs = metrics.route("/runs/{id}");
  EXPECT_EQ(metrics.route("/runs/{id}"), runs);
  metrics.route("/never");
  metrics.add_request(runs, 200, std::chrono::microseconds(90));
  metrics.add_request(runs, 304, std::chrono::microseconds(300));
  metrics.add_request(metrics.route("a\"b\\c"), 500, std::chrono::seconds(9));
  const std::string text = metrics.prometheus();
  for (const char* line : {
           "ki_http_requests_total{route=\"/runs/{id}\",status=\"2xx\"} 1\n",
           "ki_http_requests_total{route=\"/runs/{id}\",status=\"3xx\"} 1\n",
           "ki_http_request_seconds_bucket{route=\"/runs/{id}\",le=\"0.0001\"} 1\n",
           "ki_http_request_seconds_bucket{route=\"/runs/{id}\",le=\"0.0005\"} 2\n",
           "ki_http_request_seconds_bucket{route=\"/runs/{id}\",le=\"+Inf\"} 2\n",
           "ki_http_request_seconds_sum{route=\"/runs/{id}\"} 0.00039\n",
           "ki_http_request_seconds_bucket{route=\"a\\\"b\\\\c\",le=\"1\"} 0\n",
           "ki_http_refusals_total{reason=\"rate\"} 0\n",
           "# TYPE ki_http_connections gauge\n",
       })
    EXPECT_THAT(text, HasSubstr(line));
  EXPECT_THAT(text, Not(HasSubstr("/never")));
}

TEST(ListenAddress, HasOneMeaning) {
  struct Case {
    std::string_view text, expected;
  };
  for (const auto& [text, expected] : std::initializer_list<Case>{
           {"127.0.0.1:8417", "127.0.0.1:8417"},
           {"localhost:80", "127.0.0.1:80"},
           {":80", "127.0.0.1:80"},
           {"0", "127.0.0.1:0"},
           {"[::1]:8417", "[::1]:8417"},
           {"0.0.0.0:65535", "0.0.0.0:65535"},
       })
    EXPECT_EQ(ListenAddress::parse(text).value().to_string(), expected);
  for (const std::string_view text :
       {"", "::1", "::1:80", "[127.0.0.1]:80", "a:", "a:65536", "a:-1", "a:1x"}) {
    const auto address = ListenAddress::parse(text);
    ASSERT_FALSE(address) << text;
    EXPECT_THAT(address.error().message(), HasSubstr("127.0.0.1:8417"));
  }
}

}  // namespace
}  // namespace ki::http
