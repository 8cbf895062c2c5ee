// Arena: memory of one JSON document. Nothing in it is freed one by one; reset() keeps the memory
// for the next document, so that a reader of many lines allocates only while it warms up.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ki::json {

class Arena {
 public:
  Arena() = default;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  // Uninitialised memory for `count` objects, aligned to 8. Valid until reset() or destruction.
  template <class T>
  T* allocate(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 8);
    return static_cast<T*>(raw(count * sizeof(T)));
  }
  template <class T>
  std::span<const T> copy(std::span<const T> items) {
    T* memory = allocate<T>(items.size());
    std::uninitialized_copy(items.begin(), items.end(), memory);
    return {memory, items.size()};
  }
  std::string_view copy(std::string_view text);

  void reset();

 private:
  void* raw(std::size_t bytes) {
    bytes = (bytes + 7) & ~std::size_t{7};
    if (chunk_ == chunks_.size() || chunks_[chunk_].size - used_ < bytes) next_chunk(bytes);
    void* memory = chunks_[chunk_].memory.get() + used_;
    used_ += bytes;
    return memory;
  }
  // The next chunk with that much room, a new one if there is none.
  void next_chunk(std::size_t bytes);

  struct Chunk {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size = 0;
  };
  std::vector<Chunk> chunks_;
  std::size_t chunk_ = 0;  // the one being filled
  std::size_t used_ = 0;   // bytes of it
};

}  // namespace ki::json
