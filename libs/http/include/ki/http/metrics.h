// Metrics: counters of a server, as Prometheus text (exposition format 0.0.4). Safe for any number
// of threads.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace ki::http {

class Metrics {
 public:
  // Upper bounds of the latency histogram, in microseconds.
  static constexpr std::array<std::uint32_t, 12> kBucketBounds = {
      100, 250, 500, 1000, 2500, 5000, 10'000, 25'000, 50'000, 100'000, 500'000, 1'000'000};

  struct Route {
    std::string pattern;
    std::array<std::atomic<std::uint64_t>, 6> by_class{};  // 1xx to 5xx; index 0 unused
    std::array<std::atomic<std::uint64_t>, kBucketBounds.size() + 1> buckets{};
    std::atomic<std::uint64_t> nanoseconds = 0;
  };

  enum class Refusal : std::uint8_t {
    kConnections,        // more connections than the server takes
    kClientConnections,  // more than one client may have
    kRate,
    kTimeout,  // the head or body did not come in time
    kMalformed,
  };
  static constexpr std::size_t kRefusals = 5;

  // The number of a pattern; the same for the same text.
  std::uint32_t route(std::string_view pattern);
  void add_request(std::uint32_t route, int status, std::chrono::nanoseconds taken);
  void add_refusal(Refusal refusal) {
    refusals_[static_cast<std::size_t>(refusal)].fetch_add(1, std::memory_order_relaxed);
  }
  std::uint64_t refusals(Refusal refusal) const {
    return refusals_[static_cast<std::size_t>(refusal)].load(std::memory_order_relaxed);
  }

  std::atomic<std::int64_t> connections = 0;
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> sent_bytes = 0;
  std::atomic<std::uint64_t> cache_hits = 0;
  std::atomic<std::uint64_t> cache_misses = 0;
  std::atomic<std::uint64_t> not_modified = 0;
  std::atomic<std::uint64_t> handler_failures = 0;
  std::atomic<std::uint64_t> log_lines_dropped = 0;
  std::atomic<std::uint64_t> cache_bytes = 0;

  // Answers sent.
  std::uint64_t requests() const;
  std::string prometheus() const;

 private:
  mutable std::mutex mutex_;  // of adding a route
  std::deque<Route> routes_;
  std::array<std::atomic<std::uint64_t>, kRefusals> refusals_{};
};

}  // namespace ki::http
