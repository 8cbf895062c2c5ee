#include "rate_limiter.h"

#include <algorithm>
#include <cmath>

namespace ki::http {

RateLimiter::Verdict RateLimiter::take(std::string_view client, Time now) {
  if (!is_on()) return {};
  Shard& shard = shards_[TextHash()(client) % kShards];
  const std::scoped_lock lock(shard.mutex);
  auto found = shard.buckets.find(client);
  if (found == shard.buckets.end()) {
    const std::string_view key =
        shard.buckets.size() < kMaxClientsOfShard ? client : std::string_view("(others)");
    found = shard.buckets.try_emplace(std::string(key), Bucket{limit_.burst, now}).first;
  }
  Bucket& bucket = found->second;
  // A steady clock never goes back; two threads may still come in the other order.
  const double passed = std::max(0.0, std::chrono::duration<double>(now - bucket.at).count());
  bucket.tokens = std::min(limit_.burst, bucket.tokens + passed * limit_.per_second);
  bucket.at = std::max(bucket.at, now);
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return {.remaining = static_cast<std::uint32_t>(bucket.tokens)};
  }
  const double wait = (1 - bucket.tokens) / limit_.per_second;
  return {.is_allowed = false,
          .retry_seconds = static_cast<std::uint32_t>(std::max(1.0, std::ceil(wait)))};
}

void RateLimiter::sweep(Time now) {
  for (Shard& shard : shards_) {
    const std::scoped_lock lock(shard.mutex);
    std::erase_if(shard.buckets, [&](const auto& item) {
      const double passed = std::chrono::duration<double>(now - item.second.at).count();
      return item.second.tokens + passed * limit_.per_second >= limit_.burst;
    });
  }
}

std::size_t RateLimiter::clients() const {
  std::size_t sum = 0;
  for (const Shard& shard : shards_) {
    const std::scoped_lock lock(shard.mutex);
    sum += shard.buckets.size();
  }
  return sum;
}

}  // namespace ki::http
