#include "response_cache.h"

#include <utility>

namespace ki::http {

std::shared_ptr<const StoredReply> ResponseCache::find_in(Shard& shard, std::string_view key) {
  const auto found = shard.index.find(key);
  if (found == shard.index.end()) return nullptr;
  Slot& slot = shard.slots[found->second];
  ++slot.uses;
  return slot.reply;
}

std::shared_ptr<const StoredReply> ResponseCache::find(std::string_view key) {
  Shard& shard = shard_of(key);
  const std::scoped_lock lock(shard.mutex);
  return find_in(shard, key);
}

std::shared_ptr<const StoredReply> ResponseCache::find_or_make(std::string_view key,
                                                               const Make& make) {
  Shard& shard = shard_of(key);
  {
    std::unique_lock lock(shard.mutex);
    const bool is_made_elsewhere = shard.making.contains(key);
    shard.made.wait(lock, [&] { return !shard.making.contains(key); });
    if (auto reply = find_in(shard, key)) return reply;
    // What the other thread made must not be kept: this caller makes its own, and holds up nobody.
    if (is_made_elsewhere) {
      lock.unlock();
      return make();
    }
    shard.making.emplace(key, 1);
  }
  std::shared_ptr<const StoredReply> reply;
  const auto done = [&] {
    const std::scoped_lock lock(shard.mutex);
    if (reply) keep(shard, key, reply);
    shard.making.erase(shard.making.find(key));
    shard.made.notify_all();
  };
  try {
    reply = make();
  } catch (...) {
    done();
    throw;
  }
  done();
  return reply;
}

void ResponseCache::keep(Shard& shard, std::string_view key,
                         std::shared_ptr<const StoredReply> reply) {
  const std::size_t bytes = reply->bytes() + 2 * key.size() + kOverhead;
  // One huge answer must not push everything else out.
  if (bytes > shard_bytes_ / 2) return;
  while (shard.bytes + bytes > shard_bytes_) evict_one(shard);
  shard.index.emplace(key, shard.slots.size());
  shard.slots.push_back({std::string(key), std::move(reply), 0, bytes});
  shard.bytes += bytes;
}

// The less used of two slots taken at random. Unlike strict LRU this keeps a share of hits when a
// crawler walks through more pages than fit.
void ResponseCache::evict_one(Shard& shard) {
  const auto pick = [&] {
    shard.random ^= shard.random << 13;  // xorshift64
    shard.random ^= shard.random >> 7;
    shard.random ^= shard.random << 17;
    return static_cast<std::size_t>(shard.random % shard.slots.size());
  };
  std::size_t victim = pick();
  std::size_t survivor = pick();
  if (shard.slots[survivor].uses < shard.slots[victim].uses) std::swap(survivor, victim);
  shard.slots[survivor].uses /= 2;
  shard.bytes -= shard.slots[victim].bytes;
  shard.index.erase(shard.index.find(shard.slots[victim].key));
  if (victim + 1 != shard.slots.size()) {
    shard.slots[victim] = std::move(shard.slots.back());
    shard.index.find(shard.slots[victim].key)->second = victim;
  }
  shard.slots.pop_back();
}

std::size_t ResponseCache::bytes() const {
  std::size_t sum = 0;
  for (const Shard& shard : shards_) {
    const std::scoped_lock lock(shard.mutex);
    sum += shard.bytes;
  }
  return sum;
}

std::size_t ResponseCache::entries() const {
  std::size_t sum = 0;
  for (const Shard& shard : shards_) {
    const std::scoped_lock lock(shard.mutex);
    sum += shard.slots.size();
  }
  return sum;
}

}  // namespace ki::http
