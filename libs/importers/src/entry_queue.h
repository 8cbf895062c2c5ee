// EntryQueue: hands checked rows from the checking thread to the writing thread, a batch at a time,
// with a bound on what is in flight.
#pragma once

#include "ki/catalog/table.h"
#include "ki/digest/digest.h"
#include "ki/publish/row_checker.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::importers {

struct EntryBatch {
  struct Item {
    catalog::Table table;
    std::uint32_t version;
    std::optional<Digest> digest;
    std::uint64_t seq;    // of our format; 0: append
    std::uint64_t place;  // line
    std::size_t key_begin, key_end, body_end;
  };
  std::vector<Item> items;
  std::string text;

  std::string_view key(const Item& item) const {
    return std::string_view(text).substr(item.key_begin, item.key_end - item.key_begin);
  }
  std::string_view body(const Item& item) const {
    return std::string_view(text).substr(item.key_end, item.body_end - item.key_end);
  }
  void add(const publish::CheckedRow& row, std::uint32_t version, std::uint64_t seq,
           std::uint64_t place) {
    const std::size_t begin = text.size();
    text += row.key;
    const std::size_t key_end = text.size();
    text += row.body;
    items.push_back({row.table, version, row.digest, seq, place, begin, key_end, text.size()});
  }
  void clear() {
    items.clear();
    text.clear();
  }
};

class EntryQueue {
 public:
  static constexpr std::size_t kBatches = 4;
  static constexpr std::size_t kBatchBytes = std::size_t{512} << 10;

  // A batch to fill; waits until one is free. Nothing once the consumer has stopped.
  std::unique_ptr<EntryBatch> free_batch() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_stopped_ || made_ < kBatches || !free_.empty(); });
    if (is_stopped_) return nullptr;
    if (free_.empty()) {
      ++made_;
      return std::make_unique<EntryBatch>();
    }
    auto batch = std::move(free_.back());
    free_.pop_back();
    return batch;
  }
  void push(std::unique_ptr<EntryBatch> batch) {
    const std::scoped_lock lock(mutex_);
    full_.push_back(std::move(batch));
    changed_.notify_all();
  }
  // No more batches.
  void close() {
    const std::scoped_lock lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }
  // The consumer takes no more.
  void stop() {
    const std::scoped_lock lock(mutex_);
    is_stopped_ = true;
    changed_.notify_all();
  }
  // The next batch; nothing after close().
  std::unique_ptr<EntryBatch> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_closed_ || !full_.empty(); });
    if (full_.empty()) return nullptr;
    auto batch = std::move(full_.front());
    full_.pop_front();
    return batch;
  }
  void give_back(std::unique_ptr<EntryBatch> batch) {
    batch->clear();
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(batch));
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<EntryBatch>> full_;
  std::vector<std::unique_ptr<EntryBatch>> free_;
  std::size_t made_ = 0;
  bool is_closed_ = false;
  bool is_stopped_ = false;
};

}  // namespace ki::importers
