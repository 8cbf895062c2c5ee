// LogFiles: the static files of a log (C2SP tlog-tiles) below one folder: tiles, entry bundles and
// the signed checkpoint. They are made from the store and can always be made again; only the
// checkpoint says more than the store: that its signer stands by this history.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"
#include "ki/sign/ed25519.h"
#include "ki/sign/note.h"
#include "ki/tlog/checkpoint.h"
#include "ki/tlog/entry.h"
#include "ki/tlog/tile.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ki::logbook {

// Where catch_up() may be interrupted; tests stop the process there.
using FileStep = std::function<void(std::string_view step)>;

struct CaughtUp {
  tlog::Checkpoint checkpoint;
  std::uint64_t before = 0;  // size of the checkpoint that was there
  std::uint64_t files = 0;   // tiles and bundles written
  bool is_rebuilt = false;   // the files of the old checkpoint were missing or damaged
  bool is_signed = false;    // a new checkpoint was signed
};

class LogFiles {
 public:
  explicit LogFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  const std::filesystem::path& folder() const { return folder_; }

  // Brings the files up to the store's log: tiles first, synced, then the checkpoint signed by
  // `key`, renamed into place. Processes take turns. `known` are the keys whose checkpoints count
  // as this log's own. Fails
  //   kNotFound  the catalog has no log
  //   kCorrupt   the checkpoint there says another history than the store, or a longer one: nothing
  //              is signed, so that no two inconsistent checkpoints ever are
  Result<CaughtUp> catch_up(catalog::Store& store, const sign::PrivateKey& key,
                            std::span<const sign::NoteVerifier> known, const FileStep& step = {});

  // The signed note; nothing when there is none yet.
  Result<std::optional<std::string>> checkpoint_note() const;
  Result<std::string> read_tile(const tlog::TileId& id) const;

 private:
  std::filesystem::path folder_;
};

// The checkpoint of a note that one of `logs` signed under the note's origin.
Result<tlog::VerifiedCheckpoint> open_any(std::string_view note,
                                          std::span<const sign::NoteVerifier> logs);

// The proof of the leaf (type, digest) at the files' checkpoint. Fails with kNotFound when the log
// does not name it, kUnavailable when it is newer than the checkpoint. The proof has been verified.
Result<tlog::EntryProof> prove(catalog::Store& store, const LogFiles& files, tlog::EntryType type,
                               const Digest& digest, std::span<const sign::NoteVerifier> logs);
// The leaf's text, for whoever verifies the proof.
Result<std::optional<std::string>> find_leaf(catalog::Store& store, tlog::EntryType type,
                                             const Digest& digest);

}  // namespace ki::logbook
