#include "ki/json/arena.h"

#include <algorithm>
#include <cstring>

namespace ki::json {

void Arena::next_chunk(std::size_t bytes) {
  while (chunk_ < chunks_.size() && chunks_[chunk_].size - used_ < bytes) {
    ++chunk_;
    used_ = 0;
  }
  if (chunk_ == chunks_.size()) {
    const std::size_t size = std::max<std::size_t>(bytes, chunks_.empty() ? 16 << 10 : 256 << 10);
    chunks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
    used_ = 0;
  }
}

std::string_view Arena::copy(std::string_view text) {
  if (text.empty()) return {};
  char* memory = allocate<char>(text.size());
  std::memcpy(memory, text.data(), text.size());
  return {memory, text.size()};
}

void Arena::reset() {
  chunk_ = 0;
  used_ = 0;
}

}  // namespace ki::json
