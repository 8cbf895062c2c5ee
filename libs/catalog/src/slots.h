// Open-addressing tables of row indexes: they hold positions only, the keys stay in the rows.
#pragma once

#include "ki/catalog/rows.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace ki::catalog {

inline std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93ULL;
  x ^= x >> 32;
  return x;
}

// Ids and digests are random in their last eight bytes.
template <std::size_t N>
std::uint64_t hash_of(const std::array<std::uint8_t, N>& bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes.data() + N - 8, 8);
  return mix(word);
}

inline std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0x9E3779B97F4A7C15ULL ^ text.size();
  while (text.size() >= 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), 8);
    hash = mix(hash ^ word);
    text.remove_prefix(8);
  }
  std::uint64_t tail = 0;
  std::memcpy(&tail, text.data(), text.size());
  return mix(hash ^ tail);
}

// The first index on the probe path for which same(index) holds, or kNone.
template <class Same>
Index find_slot(std::span<const Index> slots, std::uint64_t hash, Same same) {
  if (slots.empty()) return kNone;
  const std::size_t mask = slots.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Index index = slots[at];
    if (index == kNone || same(index)) return index;
  }
}

inline void place(std::vector<Index>& slots, std::uint64_t hash, Index index) {
  const std::size_t mask = slots.size() - 1;
  std::size_t at = hash & mask;
  while (slots[at] != kNone) at = (at + 1) & mask;
  slots[at] = index;
}

// Adds `index`, the newest of `count` rows; keeps the table at most half full. hash_at(i) is the
// hash of row i's key.
template <class HashAt>
void add_slot(std::vector<Index>& slots, std::size_t count, Index index, HashAt hash_at) {
  if (slots.size() < 2 * count) {
    slots.assign(std::bit_ceil(std::max<std::size_t>(16, 2 * count)), kNone);
    for (Index i = 0; i < count; ++i) place(slots, hash_at(i), i);
    return;
  }
  place(slots, hash_at(index), index);
}

}  // namespace ki::catalog
