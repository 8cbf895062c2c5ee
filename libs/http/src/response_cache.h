// ResponseCache: finished answers of one edition, ready to be sent. Bounded in bytes; an answer
// that several threads want at once is made by one of them.
#pragma once

#include "ki/base/text_hash.h"
#include "ki/http/response.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ki::http {

// An answer in one encoding: header lines (each with its CRLF) that do not change from request to
// request, and the body.
struct StoredReply {
  int status = 200;
  std::string etag;          // with quotes
  std::string head;          // of the whole answer, with Content-Length
  std::string not_modified;  // of the answer 304
  Body body;
  std::uint32_t route = 0;

  std::size_t bytes() const {
    return etag.size() + head.size() + not_modified.size() + body.size();
  }
};

class ResponseCache {
 public:
  // Holds at most `max_bytes` (with the cost of bookkeeping); 0 keeps nothing.
  explicit ResponseCache(std::size_t max_bytes) : shard_bytes_(max_bytes / kShards) {}

  std::shared_ptr<const StoredReply> find(std::string_view key);

  // The reply of the key: kept, or made now. `make` returns null for an answer that must not be
  // kept; then null is returned, and every caller makes its own.
  using Make = std::function<std::shared_ptr<const StoredReply>()>;
  std::shared_ptr<const StoredReply> find_or_make(std::string_view key, const Make& make);

  std::size_t bytes() const;
  std::size_t entries() const;

 private:
  static constexpr std::size_t kShards = 16;
  static constexpr std::size_t kOverhead = 256;  // map node, control block, strings' headers

  struct Slot {
    std::string key;
    std::shared_ptr<const StoredReply> reply;  // null while it is being made
    std::uint32_t uses = 0;  // since it was kept, halved whenever it survives an eviction
    std::size_t bytes = 0;
  };
  struct Shard {
    mutable std::mutex mutex;
    std::condition_variable made;
    std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> index;  // into slots
    std::vector<Slot> slots;
    std::unordered_map<std::string, int, TextHash, std::equal_to<>> making;
    std::size_t bytes = 0;
    std::uint64_t random = 0x9e3779b97f4a7c15;
  };

  Shard& shard_of(std::string_view key) { return shards_[TextHash()(key) / 7 % kShards]; }
  static std::shared_ptr<const StoredReply> find_in(Shard& shard, std::string_view key);
  void keep(Shard& shard, std::string_view key, std::shared_ptr<const StoredReply> reply);
  static void evict_one(Shard& shard);

  std::size_t shard_bytes_;
  std::array<Shard, kShards> shards_;
};

}  // namespace ki::http
