#include "new_file.h"

#include "ki/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace ki::store_sqlite {
namespace {

Result<void> sync(const std::filesystem::path& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
  if (fd < 0) return fail(io::system_error(errno, "cannot open", path));
  const bool synced = ::fsync(fd) == 0;
  const int saved = errno;
  ::close(fd);
  if (!synced) return fail(io::system_error(saved, "cannot sync", path));
  return {};
}

// Unique in this process by a count, among processes by the pid.
std::filesystem::path temporary_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> count{0};
  return path.string() + fmt::format(".new-{}-{}", ::getpid(), count.fetch_add(1));
}

}  // namespace

NewDatabaseFile::NewDatabaseFile(std::filesystem::path path)
    : path_(std::move(path)), temporary_(temporary_name(path_)) {
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

NewDatabaseFile::~NewDatabaseFile() {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    std::error_code ignored;
    std::filesystem::remove(temporary_.string() + suffix, ignored);
  }
}

Result<bool> NewDatabaseFile::publish() const {
  KI_TRY_VOID(sync(temporary_, O_RDONLY));
  // A link, not a rename: it replaces nothing.
  if (::link(temporary_.c_str(), path_.c_str()) != 0) {
    if (errno == EEXIST) return false;
    return fail(io::system_error(errno, "cannot make", path_));
  }
  const std::filesystem::path folder = path_.parent_path();
  KI_TRY_VOID(sync(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY));
  return true;
}

}  // namespace ki::store_sqlite
