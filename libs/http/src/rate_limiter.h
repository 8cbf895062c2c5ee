// RateLimiter: a token bucket a client. Time comes in; safe for any number of threads.
#pragma once

#include "ki/base/text_hash.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ki::http {

struct RateLimit {
  double per_second = 0;  // 0: no limit
  double burst = 0;       // size of the bucket
};

class RateLimiter {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit RateLimiter(RateLimit limit) : limit_(limit) {}

  bool is_on() const { return limit_.per_second > 0; }
  const RateLimit& limit() const { return limit_; }

  struct Verdict {
    bool is_allowed = true;
    std::uint32_t remaining = 0;      // whole requests left in the bucket
    std::uint32_t retry_seconds = 0;  // until one more is allowed, rounded up; 0 when allowed
  };
  // Takes one token of the client's bucket. IPv6 clients share a bucket a /64: give its text.
  Verdict take(std::string_view client, Time now);

  // Forgets clients whose bucket is full again.
  void sweep(Time now);
  std::size_t clients() const;

 private:
  static constexpr std::size_t kShards = 16;
  // Beyond this many clients a shard counts newcomers in one bucket together: memory stays bounded.
  static constexpr std::size_t kMaxClientsOfShard = 4096;

  struct Bucket {
    double tokens;
    Time at;
  };
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<std::string, Bucket, TextHash, std::equal_to<>> buckets;
  };

  RateLimit limit_;
  std::array<Shard, kShards> shards_;
};

}  // namespace ki::http
