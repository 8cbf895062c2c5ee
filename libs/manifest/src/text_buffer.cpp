#include "text_buffer.h"

#include "ki/json/canonical.h"
#include "ki/json/number.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace ki::manifest {

void TextBuffer::grow(std::size_t bytes) {
  const std::size_t room = std::max(room_ * 2, size_ + bytes);
  auto memory = std::make_unique_for_overwrite<char[]>(room);
  std::memcpy(memory.get(), memory_.get(), size_);
  memory_ = std::move(memory);
  room_ = room;
}

void TextBuffer::put(std::string_view text) {
  ensure(text.size());
  std::memcpy(memory_.get() + size_, text.data(), text.size());
  size_ += text.size();
}

void TextBuffer::put_key(std::string_view ascii_name) {
  ensure(ascii_name.size() + 3);
  char* at = memory_.get() + size_;
  *at = '"';
  std::memcpy(at + 1, ascii_name.data(), ascii_name.size());
  at[1 + ascii_name.size()] = '"';
  at[2 + ascii_name.size()] = ':';
  size_ += ascii_name.size() + 3;
}

void TextBuffer::put_string(std::string_view text) {
  // Copies eight bytes at a time and looks meanwhile whether one of them needs an escape.
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kHigh = 0x8080808080808080ULL;
  ensure(text.size() + 10);
  char* at = memory_.get() + size_;
  *at++ = '"';
  const std::size_t size = text.size();
  bool needs_escape = false;
  const auto copy_word = [&](std::size_t i) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    const std::uint64_t quotes = word ^ (kOnes * '"');
    const std::uint64_t slashes = word ^ (kOnes * '\\');
    const std::uint64_t stops = ((quotes - kOnes) & ~quotes) | ((slashes - kOnes) & ~slashes) |
                                ((word - kOnes * 0x20) & ~word);
    needs_escape |= (stops & kHigh) != 0;
    std::memcpy(at + i, &word, 8);
  };
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 < size; i += 8) copy_word(i);
    copy_word(size - 8);  // overlaps the last one
  } else {
    for (std::size_t i = 0; i < size; ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      needs_escape |= byte < 0x20 || byte == '"' || byte == '\\';
      at[i] = text[i];
    }
  }
  if (needs_escape) [[unlikely]] {
    std::string escaped;
    json::append_string(escaped, text);
    put(escaped);
    return;
  }
  at[size] = '"';
  size_ += size + 2;
}

void TextBuffer::put_number(double x) {
  number_.clear();
  json::append_number(number_, x);
  put(number_);
}

void TextBuffer::put_integer(std::int64_t x) {
  ensure(24);
  char* const at = memory_.get() + size_;
  size_ = static_cast<std::size_t>(std::to_chars(at, at + 24, x).ptr - memory_.get());
}

}  // namespace ki::manifest
