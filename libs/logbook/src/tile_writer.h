// TileWriter: many small files made durable together.
#pragma once

#include "ki/base/result.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace ki::logbook {

class TileWriter {
 public:
  explicit TileWriter(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~TileWriter();
  TileWriter(const TileWriter&) = delete;
  TileWriter& operator=(const TileWriter&) = delete;

  // Writes a file below the folder under a temporary name and renames it. It is durable after
  // sync().
  Result<void> write(const std::filesystem::path& relative, std::string_view bytes);
  // Syncs every file and folder written since the last call.
  Result<void> sync();
  std::uint64_t files() const { return files_; }

 private:
  Result<void> make_folder(const std::filesystem::path& folder);

  const std::filesystem::path folder_;
  std::vector<int> open_;                    // written, not yet synced
  std::set<std::filesystem::path> folders_;  // with new names in them
  std::set<std::filesystem::path> known_;    // that exist
  std::uint64_t files_ = 0;
};

// The lock of a folder, held as long as it lives; waits for other processes and threads.
class FolderLock {
 public:
  static Result<FolderLock> take(const std::filesystem::path& folder);
  FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int file) : file_(file) {}
  int file_;
};

}  // namespace ki::logbook
