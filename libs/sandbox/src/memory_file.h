// MemoryFile: sealed shared memory that the parent made and maps for writing.
#pragma once

#include "descriptor.h"
#include "ki/base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace ki::sandbox {

class MemoryFile {
 public:
  // `bytes` of zeros, mode 0400, mapped and present.
  static Result<MemoryFile> create(const char* name, std::uint64_t bytes);
  MemoryFile() = default;
  ~MemoryFile();
  MemoryFile(MemoryFile&& other) noexcept;
  MemoryFile& operator=(MemoryFile&& other) noexcept;

  int fd() const { return file_.get(); }
  std::byte* data() const { return data_; }
  std::uint64_t size() const { return size_; }
  // From now on nobody resizes it, nobody maps it for writing anew, and no seal changes. Mappings
  // that exist stay as they are.
  Result<void> seal();

 private:
  Descriptor file_;
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace ki::sandbox
