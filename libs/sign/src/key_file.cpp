#include "ki/sign/key_file.h"

#include "ki/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace ki::sign {
namespace {

constexpr std::size_t kMaxKeyFile = 4096;

Result<void> write_all(int fd, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(io::system_error(errno, "cannot write", path));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::fsync(fd) != 0) return fail(io::system_error(errno, "cannot sync", path));
  return {};
}

void sync_folder(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (const int dir = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); dir >= 0) {
    ::fsync(dir);
    ::close(dir);
  }
}

}  // namespace

Result<void> write_private_key(const std::filesystem::path& path, const PrivateKey& key) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    if (errno == EEXIST) {
      return fail(Code::kConflict,
                  fmt::format("'{}' exists already; a private key is never replaced: move it away "
                              "or name another file",
                              path.string()));
    }
    return fail(io::system_error(errno, "cannot create", path));
  }
  std::string text = key.pem();
  const Result<void> written = write_all(fd, text, path);
  OPENSSL_cleanse(text.data(), text.size());
  ::close(fd);
  if (!written) {
    ::unlink(path.c_str());
    return written;
  }
  sync_folder(path);
  return {};
}

Result<PrivateKey> read_private_key(const std::filesystem::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return fail(io::system_error(errno, "cannot open", path));
  if (!S_ISREG(info.st_mode)) {
    return fail(Code::kUnsupported, fmt::format("'{}' is not a plain file", path.string()));
  }
  if ((info.st_mode & 0077U) != 0) {
    return fail(Code::kUnsupported,
                fmt::format("'{0}' can be used by others (mode {1:04o}), so it is no secret; if "
                            "nobody has read it: chmod 600 '{0}'",
                            path.string(), static_cast<unsigned>(info.st_mode & 07777U)));
  }
  KI_TRY(std::string text, io::read_file(path, kMaxKeyFile));
  auto key = PrivateKey::from_pem(text);
  OPENSSL_cleanse(text.data(), text.size());
  if (!key) return fail(std::move(key).error().within(fmt::format("reading '{}'", path.string())));
  return key;
}

Result<void> write_public_key(const std::filesystem::path& path, const PublicKey& key) {
  return io::write_file_atomically(path, key.pem());
}

Result<PublicKey> read_public_key(const std::filesystem::path& path) {
  KI_TRY(const std::string text, io::read_file(path, kMaxKeyFile));
  auto key = PublicKey::from_pem(text);
  if (!key) return fail(std::move(key).error().within(fmt::format("reading '{}'", path.string())));
  return key;
}

}  // namespace ki::sign
