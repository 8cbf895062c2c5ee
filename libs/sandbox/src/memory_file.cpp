#include "memory_file.h"

#include "ki/io/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

namespace ki::sandbox {

Result<MemoryFile> MemoryFile::create(const char* name, std::uint64_t bytes) {
  MemoryFile out;
  out.file_ = Descriptor(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!out.file_.is_open()) return fail(io::system_error(errno, "memfd_create", name));
  if (::fchmod(out.fd(), 0400) != 0 || ::ftruncate(out.fd(), static_cast<off_t>(bytes)) != 0) {
    return fail(io::system_error(errno, "sizing shared memory", name));
  }
  void* data =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, out.fd(), 0);
  if (data == MAP_FAILED) return fail(io::system_error(errno, "mapping shared memory", name));
  out.data_ = static_cast<std::byte*>(data);
  out.size_ = bytes;
  return out;
}

MemoryFile::~MemoryFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : file_(std::move(other.file_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MemoryFile& MemoryFile::operator=(MemoryFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Result<void> MemoryFile::seal() {
  if (::fcntl(fd(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) !=
      0) {
    return fail(io::system_error(errno, "sealing", "shared memory"));
  }
  return {};
}

}  // namespace ki::sandbox
