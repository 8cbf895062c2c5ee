#include "ki/logbook/log_files.h"

#include "ki/io/file.h"
#include "ki/logbook/leaves.h"
#include "ki/logbook/log_head.h"
#include "tile_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ki::logbook {
namespace {

using catalog::Entry;
using catalog::Step;
using catalog::Table;
using tlog::TileId;

constexpr unsigned kBitsPerTile = 8;
constexpr std::size_t kMaxTile = tlog::kTileWidth * (tlog::kMaxEntryBytes + 2);
constexpr std::size_t kMaxNote = std::size_t{1} << 20;

// Grows the files from one size to another.
class Growing {
 public:
  Growing(const LogFiles& files, TileWriter& writer, const FileStep& step)
      : files_(files), writer_(writer), step_(step) {}

  // Begins where the files of `checkpoint` end. Fails when they are not all there or do not make
  // its root.
  Result<void> begin_at(const tlog::Checkpoint& checkpoint) {
    const std::uint64_t size = checkpoint.size;
    const auto read = [&](const TileId& id) { return files_.read_tile(id); };
    KI_TRY(tree_, tlog::Frontier::read(size, tlog::hashes_of_tiles(size, read)));
    if (tree_.root() != checkpoint.root) {
      return fail(Code::kCorrupt, "the tiles do not make the checkpoint's root");
    }
    for (unsigned level = 0; size >> (level * kBitsPerTile) != 0; ++level) {
      const std::uint64_t count = size >> (level * kBitsPerTile);
      std::string& partial = partials_.emplace_back();
      const std::uint64_t width = count % tlog::kTileWidth;
      if (width == 0) continue;
      KI_TRY(partial, read({level, false, count / tlog::kTileWidth, width}));
      if (partial.size() != width * Digest::kBytes) {
        return fail(Code::kCorrupt, "a partial tile has another width");
      }
      if (level != 0) continue;
      KI_TRY(const std::string bundle, read({0, true, count / tlog::kTileWidth, width}));
      KI_TRY(bundle_, tlog::read_bundle(bundle, width));
      for (std::uint64_t i = 0; i < width; ++i) {
        if (tlog::leaf_hash(bundle_[i]).view() !=
            std::string_view(partial).substr(i * Digest::kBytes, Digest::kBytes)) {
          return fail(Code::kCorrupt, "an entry bundle does not make its tile");
        }
      }
    }
    begin_ = size;
    return {};
  }

  void begin_empty() {
    tree_ = {};
    partials_.clear();
    bundle_.clear();
    begin_ = 0;
  }

  Result<void> append(std::string leaf) {
    Result<void> written;
    tree_.append(tlog::leaf_hash(leaf), [&](unsigned level, std::uint64_t, const Digest& hash) {
      if (level % kBitsPerTile != 0 || !written) return;
      written = add_hash(level / kBitsPerTile, hash);
    });
    KI_TRY_VOID(std::move(written));
    bundle_.push_back(std::move(leaf));
    if (bundle_.size() == tlog::kTileWidth) {
      KI_TRY_VOID(
          write({0, true, tree_.size() / tlog::kTileWidth - 1}, tlog::write_bundle(bundle_)));
      bundle_.clear();
    }
    return {};
  }

  // The partial tiles at the right edge.
  Result<void> finish() {
    if (tree_.size() == begin_) return {};
    for (unsigned level = 0; level < partials_.size(); ++level) {
      const std::uint64_t count = tree_.size() >> (level * kBitsPerTile);
      const std::uint64_t width = count % tlog::kTileWidth;
      if (width == 0 || count == begin_ >> (level * kBitsPerTile)) continue;
      if (level == 0) {
        KI_TRY_VOID(write({0, true, count / tlog::kTileWidth, width}, tlog::write_bundle(bundle_)));
      }
      KI_TRY_VOID(write({level, false, count / tlog::kTileWidth, width}, partials_[level]));
    }
    return {};
  }

  const tlog::Frontier& tree() const { return tree_; }

 private:
  Result<void> add_hash(unsigned level, const Digest& hash) {
    if (partials_.size() <= level) partials_.resize(level + 1);
    partials_[level] += hash.view();
    if (partials_[level].size() < tlog::kTileWidth * Digest::kBytes) return {};
    // The hash is of the last leaf of the tile, which append() counts only afterwards.
    const std::uint64_t count = (tree_.size() + 1) >> (level * kBitsPerTile);
    KI_TRY_VOID(write({level, false, count / tlog::kTileWidth - 1}, partials_[level]));
    partials_[level].clear();
    return {};
  }

  Result<void> write(const TileId& id, std::string_view bytes) {
    if (step_) step_("tile");
    return writer_.write(tlog::tile_path(id), bytes);
  }

  const LogFiles& files_;
  TileWriter& writer_;
  const FileStep& step_;
  std::uint64_t begin_ = 0;
  tlog::Frontier tree_;
  std::vector<std::string> partials_;  // hashes of the last tile of each level
  std::vector<std::string> bundle_;    // entries of the last bundle
};

// That the checkpoint's history is the beginning of the store's; where its leaves end.
Result<catalog::Seq> check_same_history(catalog::Store& store, const tlog::Checkpoint& checkpoint,
                                        const StoredHead& head,
                                        const std::filesystem::path& folder) {
  const auto fork = [&](std::string_view what) {
    return fail(Code::kCorrupt,
                fmt::format("{}; nothing was signed. If the catalog was restored from an older "
                            "copy, what was published since is missing: restore a newer one, or "
                            "move '{}' away and begin a log under another origin",
                            what, (folder / "checkpoint").string()));
  };
  if (checkpoint.origin != head.head.origin) {
    return fork(fmt::format("the checkpoint is of the log {}, the catalog's log is {}",
                            checkpoint.origin, head.head.origin));
  }
  if (checkpoint.size > head.head.tree.size()) {
    return fork(fmt::format("the checkpoint has {} entries, the catalog's log only {}",
                            checkpoint.size, head.head.tree.size()));
  }
  KI_TRY(const auto then, read_head_of(store, checkpoint.size));
  if (!then || then->head.tree.root() != checkpoint.root) {
    return fork(
        fmt::format("the checkpoint of {} entries is of another history than the catalog's "
                    "log",
                    checkpoint.size));
  }
  return then->seq;
}

}  // namespace

Result<std::optional<std::string>> LogFiles::checkpoint_note() const {
  auto note = io::read_file(folder_ / "checkpoint", kMaxNote);
  if (note) return *std::move(note);
  if (note.error().code() == Code::kNotFound) return std::nullopt;
  return fail(std::move(note).error());
}

Result<std::string> LogFiles::read_tile(const TileId& id) const {
  return io::read_file(folder_ / tlog::tile_path(id), kMaxTile);
}

Result<CaughtUp> LogFiles::catch_up(catalog::Store& store, const sign::PrivateKey& key,
                                    std::span<const sign::NoteVerifier> known,
                                    const FileStep& step) {
  KI_TRY(const FolderLock lock, FolderLock::take(folder_));
  KI_TRY(const auto head, read_head(store));
  if (!head) {
    return fail(Code::kNotFound, "the catalog has no transparency log; begin one: ki log init");
  }
  const tlog::Frontier& goal = head->head.tree;
  CaughtUp done{{head->head.origin, goal.size(), goal.root()}};
  catalog::Seq from = 0;
  std::optional<tlog::Checkpoint> before;
  KI_TRY(const auto note, checkpoint_note());
  const sign::PublicKey signer = key.public_key();
  bool is_signed_by_key = false;
  if (note) {
    KI_TRY(const tlog::VerifiedCheckpoint verified, open_any(*note, known));
    before = verified.checkpoint;
    KI_TRY(from, check_same_history(store, *before, *head, folder_));
    done.before = before->size;
    KI_TRY(const auto own, sign::NoteVerifier::make(before->origin, signer));
    is_signed_by_key = std::ranges::any_of(verified.signatures, [&](const auto& signature) {
      return signature.name == own.name() && signature.id == own.id();
    });
  }
  TileWriter writer(folder_);
  Growing growing(*this, writer, step);
  growing.begin_empty();
  if (before && before->size > 0) {
    if (const auto begun = growing.begin_at(*before); !begun) {
      growing.begin_empty();
      from = 0;
      done.is_rebuilt = true;
    }
  }
  if (growing.tree().size() < goal.size()) {
    const std::uint64_t first = growing.tree().size();
    KI_TRY_VOID(store.read_since(from, head->seq, [&](const Entry& entry) -> Result<Step> {
      if (entry.table != Table::kLogEntries) return Step::kGoOn;
      KI_TRY(LogRow row, read_log_row(entry.body));
      if (row.index < first) return Step::kGoOn;
      if (row.index != growing.tree().size()) {
        return fail(Code::kCorrupt, fmt::format("leaf {} of the transparency log is missing",
                                                growing.tree().size()));
      }
      KI_TRY_VOID(growing.append(std::move(row.text)));
      return Step::kGoOn;
    }));
  }
  if (growing.tree().size() != goal.size() || growing.tree().root() != goal.root()) {
    return fail(Code::kCorrupt,
                "the leaves of the transparency log do not make its head; run ki log verify");
  }
  KI_TRY_VOID(growing.finish());
  if (step) step("sync");
  KI_TRY_VOID(writer.sync());
  done.files = writer.files();
  if (before && *before == done.checkpoint && is_signed_by_key) return done;
  if (step) step("checkpoint");
  KI_TRY(const std::string signed_note, tlog::sign_checkpoint(done.checkpoint, key));
  KI_TRY_VOID(io::write_file_atomically(folder_ / "checkpoint", signed_note));
  done.is_signed = true;
  if (step) step("done");
  return done;
}

Result<tlog::VerifiedCheckpoint> open_any(std::string_view note,
                                          std::span<const sign::NoteVerifier> logs) {
  std::optional<Error> first;
  for (const sign::NoteVerifier& log : logs) {
    if (log.type() != sign::NoteKeyType::kEd25519) continue;
    auto opened = tlog::open_checkpoint(note, log, logs);
    if (opened) return opened;
    if (!first) first = std::move(opened).error();
  }
  if (first) return fail(*std::move(first));
  return fail(Code::kInvalidArgument,
              "no log key is trusted, so that no checkpoint can be checked");
}

Result<std::optional<std::string>> find_leaf(catalog::Store& store, tlog::EntryType type,
                                             const Digest& digest) {
  KI_TRY(const catalog::Head head, store.head());
  KI_TRY(const auto row, store.find(Table::kLogEntries, Leaf{type, digest}.key(), head.seq));
  if (!row) return std::nullopt;
  KI_TRY(LogRow read, read_log_row(row->body));
  return std::move(read.text);
}

Result<tlog::EntryProof> prove(catalog::Store& store, const LogFiles& files, tlog::EntryType type,
                               const Digest& digest, std::span<const sign::NoteVerifier> logs) {
  KI_TRY(const catalog::Head head, store.head());
  const Leaf leaf{type, digest};
  KI_TRY(const auto row, store.find(Table::kLogEntries, leaf.key(), head.seq));
  if (!row) {
    return fail(Code::kNotFound, fmt::format("the transparency log does not name {}", leaf.key()));
  }
  KI_TRY(const LogRow read, read_log_row(row->body));
  KI_TRY(auto note, files.checkpoint_note());
  if (!note) {
    return fail(Code::kUnavailable, "the log has no checkpoint yet; make one: ki log checkpoint");
  }
  KI_TRY(const tlog::VerifiedCheckpoint opened, open_any(*note, logs));
  const tlog::Checkpoint& checkpoint = opened.checkpoint;
  if (read.index >= checkpoint.size) {
    return fail(Code::kUnavailable,
                fmt::format("entry {} is newer than the checkpoint of {} entries; make a newer "
                            "one: ki log checkpoint",
                            read.index, checkpoint.size));
  }
  KI_TRY(auto hashes,
         tlog::inclusion_proof(read.index, checkpoint.size,
                               tlog::hashes_of_tiles(checkpoint.size, [&](const TileId& id) {
                                 return files.read_tile(id);
                               })));
  KI_TRY_VOID(tlog::check_inclusion(hashes, read.index, tlog::leaf_hash(read.text), checkpoint.size,
                                    checkpoint.root));
  return tlog::EntryProof{{}, read.index, std::move(hashes), *std::move(note)};
}

}  // namespace ki::logbook
