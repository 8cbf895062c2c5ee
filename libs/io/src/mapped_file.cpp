#include "ki/io/mapped_file.h"

#include "ki/io/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace ki::io {

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(system_error(errno, "cannot open", path));
  struct stat info{};
  if (::fstat(fd, &info) != 0) {
    const int saved = errno;
    ::close(fd);
    return fail(system_error(saved, "cannot read", path));
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) {
    ::close(fd);
    return MappedFile();
  }
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  const int saved = errno;
  ::close(fd);
  if (memory == MAP_FAILED) return fail(system_error(saved, "cannot map", path));
  return MappedFile({static_cast<const std::byte*>(memory), size});
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::release_pages() const {
  if (!bytes_.empty())
    ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

}  // namespace ki::io
