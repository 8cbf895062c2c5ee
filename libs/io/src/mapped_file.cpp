#include "ki/io/mapped_file.h"

#include "ki/io/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace ki::io {
namespace {

// Since Linux 5.14; older C libraries lack the name, older systems refuse the hint.
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

// Advice for the pages that the part touches. Its errors are of no interest: without it the bytes
// are the same.
void advise(std::span<const std::byte> bytes, std::size_t offset, std::size_t size, int advice) {
  static const auto kPage = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t begin = offset / kPage * kPage;
  const std::size_t end = std::min(offset + size, bytes.size());
  if (begin >= end) return;
  ::madvise(const_cast<std::byte*>(bytes.data()) + begin, end - begin, advice);
}

}  // namespace

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

void MappedFile::load_pages(std::size_t offset, std::size_t size) const {
  advise(bytes_, offset, size, MADV_POPULATE_READ);
}
void MappedFile::release_pages(std::size_t offset, std::size_t size) const {
  advise(bytes_, offset, size, MADV_DONTNEED);
}

}  // namespace ki::io
