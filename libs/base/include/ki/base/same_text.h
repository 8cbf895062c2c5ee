// Comparing and copying short texts without a call: names of members and fields are a few bytes
// long, where calling the C library costs more than the work. Longer ones are handled as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ki {

// a == b.
inline bool same_text(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  const char* const x = a.data();
  const char* const y = b.data();
  const auto same = [&]<class Word>(Word, std::size_t at) {
    Word v;
    Word w;
    std::memcpy(&v, x + at, sizeof v);
    std::memcpy(&w, y + at, sizeof w);
    return v == w;
  };
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 < size; i += 8) {
      if (!same(std::uint64_t{}, i)) return false;
    }
    return same(std::uint64_t{}, size - 8);  // overlaps the last one
  }
  if (size >= 4) return same(std::uint32_t{}, 0) && same(std::uint32_t{}, size - 4);
  for (std::size_t i = 0; i < size; ++i) {
    if (x[i] != y[i]) return false;
  }
  return true;
}

// Copies the text to `out`, which has room for it.
inline void copy_text(char* out, std::string_view text) {
  const std::size_t size = text.size();
  const char* const from = text.data();
  const auto copy = [&]<class Word>(Word, std::size_t at) {
    Word word;
    std::memcpy(&word, from + at, sizeof word);
    std::memcpy(out + at, &word, sizeof word);
  };
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 < size; i += 8) copy(std::uint64_t{}, i);
    copy(std::uint64_t{}, size - 8);
  } else if (size >= 4) {
    copy(std::uint32_t{}, 0);
    copy(std::uint32_t{}, size - 4);
  } else {
    for (std::size_t i = 0; i < size; ++i) out[i] = from[i];
  }
}

}  // namespace ki
