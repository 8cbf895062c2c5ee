// MappedFile: a file's bytes, read only, paged in by the system as they are used.
#pragma once

#include "ki/base/result.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

namespace ki::io {

class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile() = default;
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::span<const std::byte> bytes() const { return bytes_; }
  // Has the system bring in the pages of a part at once, which costs less than one by one as they
  // are used. Only a hint.
  void load_pages(std::size_t offset, std::size_t size) const;
  // Lets the system drop the pages of a part; they come back when used.
  void release_pages(std::size_t offset, std::size_t size) const;

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

}  // namespace ki::io
