// TextBuffer: where canonical text is written. Like json::append_canonical, but with room checked
// once a token instead of once a byte; writing is half the time of digesting a manifest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ki::manifest {

class TextBuffer {
 public:
  TextBuffer() : memory_(std::make_unique_for_overwrite<char[]>(kInitial)), room_(kInitial) {}

  void clear() { size_ = 0; }
  // Takes back everything after the first `size` bytes.
  void cut(std::size_t size) { size_ = size; }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {memory_.get(), size_}; }

  void put(char c) {
    ensure(1);
    memory_[size_++] = c;
  }
  void put(std::string_view text);
  // "name":
  void put_key(std::string_view ascii_name);
  // A JSON string with the escapes of RFC 8785 section 3.2.2.2; `text` is valid UTF-8.
  void put_string(std::string_view text);
  void put_number(double x);
  void put_integer(std::int64_t x);

 private:
  static constexpr std::size_t kInitial = 64 << 10;
  void ensure(std::size_t bytes) {
    if (room_ - size_ < bytes) [[unlikely]]
      grow(bytes);
  }
  void grow(std::size_t bytes);

  std::unique_ptr<char[]> memory_;
  std::size_t room_;
  std::size_t size_ = 0;
  std::string number_;  // reused
};

}  // namespace ki::manifest
