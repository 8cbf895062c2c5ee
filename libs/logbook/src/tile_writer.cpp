#include "tile_writer.h"

#include "ki/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

namespace ki::logbook {
namespace {

// Files that are open at once. Writing them all before syncing the first lets the file system write
// its journal once and not once a file.
constexpr std::size_t kBatch = 256;

}  // namespace

TileWriter::~TileWriter() {
  for (const int file : open_) ::close(file);
}

Result<void> TileWriter::make_folder(const std::filesystem::path& folder) {
  if (known_.contains(folder)) return {};
  std::error_code error;
  // Each new folder is a name in the one above it.
  std::vector<std::filesystem::path> missing;
  for (std::filesystem::path at = folder; !std::filesystem::exists(at, error);
       at = at.parent_path()) {
    missing.push_back(at);
    if (!at.has_parent_path() || at == at.parent_path()) break;
  }
  std::filesystem::create_directories(folder, error);
  if (error) return fail(io::system_error(error.value(), "cannot make the folder", folder));
  for (const std::filesystem::path& made : missing) folders_.insert(made.parent_path());
  known_.insert(folder);
  return {};
}

Result<void> TileWriter::write(const std::filesystem::path& relative, std::string_view bytes) {
  const std::filesystem::path path = folder_ / relative;
  KI_TRY_VOID(make_folder(path.parent_path()));
  if (open_.size() == kBatch) KI_TRY_VOID(sync());
  const std::filesystem::path temporary = path.string() + ".new";
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return fail(io::system_error(errno, "cannot create", temporary));
  open_.push_back(file);
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(io::system_error(errno, "cannot write", temporary));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  // Begins the writing without waiting for it.
  ::sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    return fail(io::system_error(errno, "cannot replace", path));
  }
  folders_.insert(path.parent_path());
  ++files_;
  return {};
}

Result<void> TileWriter::sync() {
  for (const int file : std::exchange(open_, {})) {
    const bool is_synced = ::fsync(file) == 0;
    const int saved = errno;
    ::close(file);
    if (!is_synced) return fail(io::system_error(saved, "cannot sync a tile in", folder_));
  }
  for (const std::filesystem::path& path : std::exchange(folders_, {})) {
    const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return fail(io::system_error(errno, "cannot open", path));
    const bool is_synced = ::fsync(folder) == 0;
    const int saved = errno;
    ::close(folder);
    if (!is_synced) return fail(io::system_error(saved, "cannot sync", path));
  }
  return {};
}

Result<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(io::system_error(error.value(), "cannot make the folder", folder));
  const std::filesystem::path path = folder / ".lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return fail(io::system_error(errno, "cannot open", path));
  FolderLock lock(file);
  while (::flock(file, LOCK_EX) != 0) {
    if (errno != EINTR) return fail(io::system_error(errno, "cannot lock", path));
  }
  return lock;
}

FolderLock::~FolderLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace ki::logbook
