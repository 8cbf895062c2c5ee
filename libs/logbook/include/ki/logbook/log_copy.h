// A whole copy of a log, checked offline: without the catalog that it came from.
#pragma once

#include "ki/base/result.h"
#include "ki/sign/note.h"
#include "ki/tlog/checkpoint.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::logbook {

struct CopyReport {
  tlog::VerifiedCheckpoint checkpoint;
  std::uint64_t tiles = 0;
  std::map<std::string, std::uint64_t> leaves;  // by type
  std::optional<tlog::Checkpoint> since;        // the older checkpoint that it extends
};

// Checks everything: the checkpoint's signature, every entry, every hash of every tile, the root;
// and, with `since` (an older checkpoint note of the same log), that this log only grew. Fails with
// kCorrupt and what does not hold.
Result<CopyReport> check_copy(const std::filesystem::path& folder,
                              std::span<const sign::NoteVerifier> logs,
                              std::optional<std::string_view> since = {});

// Copies checkpoint and tiles of that checkpoint to a new or empty folder.
Result<std::uint64_t> copy_log(const std::filesystem::path& from, const std::filesystem::path& to,
                               std::span<const sign::NoteVerifier> logs);

}  // namespace ki::logbook
