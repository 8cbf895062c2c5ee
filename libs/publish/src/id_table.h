// IdTable: UUID -> dense index, in order of insertion, with little memory per row.
#pragma once

#include "ki/base/uuid.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace ki::publish {

class IdTable {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t find(const Uuid& id) const {
    if (slots_.empty()) return kNone;
    for (std::size_t at = hash(id) & mask();; at = (at + 1) & mask()) {
      const std::uint32_t index = slots_[at];
      if (index == kNone || ids_[index] == id) return index;
    }
  }
  // The index, and whether the id is new.
  std::pair<std::uint32_t, bool> insert(const Uuid& id) {
    if (const std::uint32_t known = find(id); known != kNone) return {known, false};
    const auto index = static_cast<std::uint32_t>(ids_.size());
    ids_.push_back(id);
    if (ids_.size() * 4 > slots_.size() * 3) {
      slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, kNone);
      for (std::uint32_t i = 0; i < ids_.size(); ++i) place(i);
    } else {
      place(index);
    }
    return {index, true};
  }
  const Uuid& operator[](std::uint32_t index) const { return ids_[index]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(ids_.size()); }

 private:
  static std::size_t hash(const Uuid& id) {
    std::uint64_t high;
    std::uint64_t low;
    std::memcpy(&high, id.bytes.data(), 8);
    std::memcpy(&low, id.bytes.data() + 8, 8);
    std::uint64_t x = high ^ (low * 0x9e3779b97f4a7c15U);
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93U;
    x ^= x >> 32;
    return static_cast<std::size_t>(x);
  }
  std::size_t mask() const { return slots_.size() - 1; }
  void place(std::uint32_t index) {
    std::size_t at = hash(ids_[index]) & mask();
    while (slots_[at] != kNone) at = (at + 1) & mask();
    slots_[at] = index;
  }

  std::vector<Uuid> ids_;
  std::vector<std::uint32_t> slots_;  // a power of two
};

}  // namespace ki::publish
