#include "ki/logbook/log_copy.h"

#include "ki/io/file.h"
#include "ki/logbook/log_files.h"
#include "ki/tlog/entry.h"
#include "tile_writer.h"

#include <fmt/format.h>

#include <utility>

namespace ki::logbook {
namespace {

using tlog::TileId;

Result<std::string> need_note(const LogFiles& files) {
  KI_TRY(auto note, files.checkpoint_note());
  if (!note) {
    return fail(Code::kNotFound,
                fmt::format("there is no checkpoint in '{}'", files.folder().string()));
  }
  return *std::move(note);
}

// Reads a copy from the first entry to the last and keeps the hashes that belong into its tiles.
class CopyCheck {
 public:
  CopyCheck(const LogFiles& files, CopyReport& report) : files_(files), report_(report) {}

  Result<void> read_entries() {
    const std::uint64_t size = report_.checkpoint.checkpoint.size;
    for (const TileId& id : tlog::new_tiles(0, size)) {
      if (!id.is_entries) continue;
      KI_TRY(const std::string bytes, files_.read_tile(id));
      auto entries = tlog::read_bundle(bytes, id.width);
      if (!entries) return fail(std::move(entries).error().within(tlog::tile_path(id)));
      ++report_.tiles;
      for (const std::string& text : *entries) KI_TRY_VOID(add(text));
    }
    return {};
  }

  Result<void> check_tiles() {
    for (const TileId& id : tlog::new_tiles(0, report_.checkpoint.checkpoint.size)) {
      if (id.is_entries) continue;
      KI_TRY(const std::string bytes, files_.read_tile(id));
      if (std::string_view(levels_[id.level])
              .substr(id.index * tlog::kTileWidth * Digest::kBytes, id.width * Digest::kBytes) !=
          bytes) {
        return fail(Code::kCorrupt,
                    fmt::format("{} does not hold the hashes of the entries", tlog::tile_path(id)));
      }
      ++report_.tiles;
    }
    return {};
  }

  const tlog::Frontier& tree() const { return tree_; }
  void stop_at(std::uint64_t size) { since_size_ = size; }
  const std::optional<Digest>& root_at_stop() const { return since_root_; }

 private:
  Result<void> add(const std::string& text) {
    const auto entry = tlog::read_entry(text);
    if (!entry) {
      return fail(Code::kCorrupt,
                  fmt::format("entry {}: {}", tree_.size(), entry.error().to_string()));
    }
    ++report_.leaves[std::string(tlog::to_string(entry->type))];
    if (since_size_ && tree_.size() == *since_size_) since_root_ = tree_.root();
    tree_.append(tlog::leaf_hash(text), [&](unsigned level, std::uint64_t, const Digest& hash) {
      if (level % 8 != 0) return;
      if (levels_.size() <= level / 8) levels_.resize(level / 8 + 1);
      levels_[level / 8] += hash.view();
    });
    if (since_size_ && tree_.size() == *since_size_) since_root_ = tree_.root();
    return {};
  }

  const LogFiles& files_;
  CopyReport& report_;
  tlog::Frontier tree_;
  std::vector<std::string> levels_;  // of tiles: hashes in a row
  std::optional<std::uint64_t> since_size_;
  std::optional<Digest> since_root_;
};

}  // namespace

Result<CopyReport> check_copy(const std::filesystem::path& folder,
                              std::span<const sign::NoteVerifier> logs,
                              std::optional<std::string_view> since) {
  const LogFiles files(folder);
  KI_TRY(const std::string note, need_note(files));
  CopyReport report;
  KI_TRY(report.checkpoint, open_any(note, logs));
  const tlog::Checkpoint& checkpoint = report.checkpoint.checkpoint;
  CopyCheck check(files, report);
  if (since) {
    auto older = open_any(*since, logs);
    if (!older) return fail(std::move(older).error().within("the older checkpoint"));
    report.since = older->checkpoint;
    if (report.since->origin != checkpoint.origin) {
      return fail(Code::kInvalidArgument,
                  fmt::format("the older checkpoint is of the log {}, this one of {}",
                              report.since->origin, checkpoint.origin));
    }
    if (report.since->size > checkpoint.size) {
      return fail(Code::kCorrupt,
                  fmt::format("the older checkpoint has {} entries, this log only {}: entries were "
                              "taken away, or the copy is the older one",
                              report.since->size, checkpoint.size));
    }
    check.stop_at(report.since->size);
  }
  KI_TRY_VOID(check.read_entries());
  if (check.tree().root() != checkpoint.root) {
    return fail(Code::kCorrupt, "the entries do not make the root that was signed");
  }
  KI_TRY_VOID(check.check_tiles());
  if (report.since) {
    const Digest then = report.since->size == 0 ? tlog::empty_root()
                        : check.root_at_stop()  ? *check.root_at_stop()
                                                : tlog::empty_root();
    if (then != report.since->root) {
      return fail(
          Code::kCorrupt,
          fmt::format("the log was forked: its first {} entries make the root {}, but the "
                      "older checkpoint, signed by the same log, says {}. Keep both notes: "
                      "together they prove it",
                      report.since->size, then.to_string(), report.since->root.to_string()));
    }
  }
  return report;
}

Result<std::uint64_t> copy_log(const std::filesystem::path& from, const std::filesystem::path& to,
                               std::span<const sign::NoteVerifier> logs) {
  const LogFiles files(from);
  KI_TRY(const std::string note, need_note(files));
  KI_TRY(const tlog::VerifiedCheckpoint opened, open_any(note, logs));
  if (std::filesystem::exists(to) && !std::filesystem::is_empty(to)) {
    return fail(Code::kConflict, fmt::format("'{}' is not empty", to.string()));
  }
  TileWriter writer(to);
  for (const TileId& id : tlog::new_tiles(0, opened.checkpoint.size)) {
    KI_TRY(const std::string bytes, files.read_tile(id));
    KI_TRY_VOID(writer.write(tlog::tile_path(id), bytes));
  }
  KI_TRY_VOID(writer.write("checkpoint", note));
  KI_TRY_VOID(writer.sync());
  return writer.files();
}

}  // namespace ki::logbook
