#include "ki/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ki::io {

Error system_error(int error_number, const std::string& action, const std::filesystem::path& path) {
  Code code = Code::kInternal;
  std::string fix;
  switch (error_number) {
    case ENOENT:
      code = Code::kNotFound;
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      code = Code::kUnsupported;
      fix = "; check the permissions";
      break;
    case EISDIR:
      code = Code::kInvalidArgument;
      break;
    case ENOSPC:
    case EDQUOT:
      code = Code::kUnavailable;
      fix = "; free some space and try again";
      break;
    case EAGAIN:
    case EBUSY:
    case EMFILE:
      code = Code::kUnavailable;
      break;
    default:
      break;
  }
  return Error(
      code, fmt::format("{} '{}': {}{}", action, path.string(), std::strerror(error_number), fix));
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(system_error(errno, "cannot open", path));
  std::string bytes;
  struct stat info{};
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
    bytes.reserve(static_cast<std::size_t>(info.st_size));
  char buffer[64 << 10];
  for (;;) {
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int saved = errno;
      ::close(fd);
      return fail(system_error(saved, "cannot read", path));
    }
    if (count == 0) break;
    bytes.append(buffer, static_cast<std::size_t>(count));
    if (bytes.size() > max_bytes) {
      ::close(fd);
      return fail(
          Code::kInvalidArgument,
          fmt::format("'{}' is larger than the {} bytes that are read", path.string(), max_bytes));
    }
  }
  ::close(fd);
  return bytes;
}

Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  const std::filesystem::path temporary = path.string() + fmt::format(".new-{}", ::getpid());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return fail(system_error(errno, "cannot create", temporary));
  const auto give_up = [&](const char* action) {
    const int saved = errno;
    ::close(fd);
    ::unlink(temporary.c_str());
    return fail(system_error(saved, action, temporary));
  };
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return give_up("cannot write");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::fsync(fd) != 0) return give_up("cannot sync");
  ::close(fd);
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int saved = errno;
    ::unlink(temporary.c_str());
    return fail(system_error(saved, "cannot replace", path));
  }
  // The rename itself is durable once its folder is synced.
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (const int dir = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); dir >= 0) {
    ::fsync(dir);
    ::close(dir);
  }
  return {};
}

}  // namespace ki::io
