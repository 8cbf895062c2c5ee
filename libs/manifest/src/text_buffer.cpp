#include "text_buffer.h"

#include "ki/base/same_text.h"
#include "ki/json/canonical.h"
#include "ki/json/number.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
  copy_text(memory_.get() + size_, text);
  size_ += text.size();
}

void TextBuffer::put_key(std::string_view ascii_name) {
  ensure(ascii_name.size() + 3);
  char* at = memory_.get() + size_;
  *at = '"';
  copy_text(at + 1, ascii_name);
  at[1 + ascii_name.size()] = '"';
  at[2 + ascii_name.size()] = ':';
  size_ += ascii_name.size() + 3;
}

void TextBuffer::put_string(std::string_view text) {
  // Copies a word at a time and looks meanwhile whether a byte of it needs an escape; the last word
  // overlaps the one before.
  ensure(text.size() + 2);
  char* at = memory_.get() + size_;
  *at++ = '"';
  const std::size_t size = text.size();
  bool needs_escape = false;
  const auto copy_word = [&]<class Word>(Word ones, std::size_t i) {
    Word word;
    std::memcpy(&word, text.data() + i, sizeof word);
    const Word quotes = word ^ (ones * '"');
    const Word slashes = word ^ (ones * '\\');
    const Word stops = ((quotes - ones) & ~quotes) | ((slashes - ones) & ~slashes) |
                       ((word - ones * 0x20) & ~word);
    needs_escape |= (stops & (ones << 7)) != 0;
    std::memcpy(at + i, &word, sizeof word);
  };
  constexpr std::uint64_t kEight = 0x0101010101010101U;
  constexpr std::uint32_t kFour = 0x01010101U;
#ifdef __SSE2__
  const auto copy_16 = [&](std::size_t i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i));
    const __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    const __m128i slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    // Unsigned bytes below 0x20 are those that min() with 0x1F leaves alone.
    const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
    needs_escape |= _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quotes, slashes), controls)) != 0;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at + i), bytes);
  };
  if (size >= 16) {
    for (std::size_t i = 0; i + 16 < size; i += 16) copy_16(i);
    copy_16(size - 16);
  } else
#endif
      if (size >= 8) {
    for (std::size_t i = 0; i + 8 < size; i += 8) copy_word(kEight, i);
    copy_word(kEight, size - 8);
  } else if (size >= 4) {
    copy_word(kFour, 0);
    copy_word(kFour, size - 4);
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
