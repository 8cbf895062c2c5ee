#include "row_writer.h"

namespace ki::importers {

RowWriter::RowWriter(catalog::Transaction& tx, catalog::SnapshotBuilder* builder)
    : tx_(tx), builder_(builder), thread_([this] { run(); }) {}

RowWriter::~RowWriter() {
  is_abandoned_ = true;
  queue_.close();
  if (thread_.joinable()) thread_.join();
}

void RowWriter::write(const publish::CheckedRow& row, std::uint32_t version, std::uint64_t seq,
                      std::uint64_t place) {
  if (is_abandoned_) return;
  if (!filling_) {
    filling_ = queue_.free_batch();
    if (!filling_) return;
  }
  filling_->add(row, version, seq, place);
  if (filling_->text.size() >= EntryQueue::kBatchBytes) queue_.push(std::move(filling_));
}

Result<void> RowWriter::finish() {
  if (filling_) queue_.push(std::move(filling_));
  queue_.close();
  if (thread_.joinable()) thread_.join();
  if (error_) return fail(*error_);
  return {};
}

void RowWriter::run() {
  while (auto batch = queue_.pop()) {
    if (!is_abandoned_ && !error_) write_batch(*batch);
    queue_.give_back(std::move(batch));
  }
}

void RowWriter::write_batch(const EntryBatch& batch) {
  for (const EntryBatch::Item& item : batch.items) {
    catalog::Entry entry{item.seq,     item.table,  batch.key(item),
                         item.version, item.digest, batch.body(item)};
    if (item.seq != 0) {
      if (auto done = tx_.restore(entry); !done) {
        error_ = std::move(done).error();
        return;
      }
      continue;
    }
    auto seq = tx_.append(item.table, entry.key, item.version, item.digest, entry.body);
    if (!seq && seq.error().code() == Code::kConflict) {
      if (conflicts_.size() < 1000) {
        conflicts_.push_back(
            {item.table, std::string(entry.key), item.place, seq.error().message()});
      }
      continue;
    }
    if (!seq) {
      error_ = std::move(seq).error();
      return;
    }
    if (builder_ == nullptr || !conflicts_.empty()) continue;
    entry.seq = *seq;
    if (auto done = builder_->apply(entry); !done) {
      error_ = std::move(done).error();
      return;
    }
  }
}

}  // namespace ki::importers
