#include "ki/catalog/live.h"

#include "ki/catalog/builder.h"

namespace ki::catalog {
namespace {

// The snapshot plus what the log has beyond it.
Result<std::shared_ptr<const Snapshot>> catch_up(Store& store, std::shared_ptr<const Snapshot> from,
                                                 const Head& head) {
  if (from->seq() == head.seq) return from;
  SnapshotBuilder builder(*from);
  KI_TRY_VOID(store.read_since(from->seq(), head.seq, [&](const Entry& entry) -> Result<Step> {
    KI_TRY_VOID(builder.apply(entry));
    return Step::kGoOn;
  }));
  return std::move(builder).finish(head);
}

// A file is of this log when the chain value that it states is the log's at its sequence number.
bool is_of_this_log(Store& store, const Head& of_file, const Head& head) {
  if (of_file.seq > head.seq) return false;
  if (of_file.seq == head.seq) return of_file.chain == head.chain;
  const auto commits = store.commits(of_file.seq - (of_file.seq == 0 ? 0 : 1));
  if (!commits) return false;
  for (const Commit& commit : *commits) {
    if (commit.last == of_file.seq) return commit.chain == of_file.chain;
  }
  return of_file.seq == 0 && of_file.chain == empty_chain();
}

}  // namespace

Result<std::unique_ptr<LiveCatalog>> LiveCatalog::open(
    Store& store, std::optional<std::filesystem::path> snapshot_file) {
  std::unique_ptr<LiveCatalog> live(new LiveCatalog(store, std::move(snapshot_file)));
  KI_TRY(const Head head, store.head());
  std::shared_ptr<const Snapshot> snapshot;
  if (live->snapshot_file_) {
    // Any trouble with the file means: rebuild. It is a cache; the store is the truth.
    if (auto from_file = open_snapshot(*live->snapshot_file_, store.catalog_id());
        from_file && is_of_this_log(store, (*from_file)->head(), head)) {
      live->saved_ = (*from_file)->seq();
      if (auto caught_up = catch_up(store, *std::move(from_file), head))
        snapshot = *std::move(caught_up);
    }
  }
  if (!snapshot) {
    live->saved_ = 0;
    KI_TRY(snapshot, build_snapshot(store));
  }
  live->install(std::move(snapshot));
  return live;
}

Result<bool> LiveCatalog::refresh() {
  const std::scoped_lock lock(refresh_);
  KI_TRY(const Head head, store_.head());
  const auto before = current();
  if (before->seq() == head.seq) return false;
  KI_TRY(auto after, catch_up(store_, before, head));
  install(std::move(after));
  return true;
}

void LiveCatalog::install(std::shared_ptr<const Snapshot> snapshot) {
  const std::scoped_lock lock(pointer_);
  if (current_ && current_->seq() >= snapshot->seq()) return;
  current_.swap(snapshot);  // the old one goes after the lock, when nobody reads it any more
}

Result<void> LiveCatalog::save() {
  if (!snapshot_file_) return {};
  const std::scoped_lock lock(refresh_);
  const auto snapshot = current();
  if (snapshot->seq() == saved_) return {};
  KI_TRY_VOID(write_snapshot(*snapshot, store_.catalog_id(), *snapshot_file_));
  saved_ = snapshot->seq();
  return {};
}

}  // namespace ki::catalog
