#include "row_finder.h"

#include <cstring>
#include <limits>

namespace ki::store_sqlite {
namespace {

constexpr std::size_t kFirstSlots = 1 << 10;

// A multiplicative hash of eight bytes at a time with the finalizer of MurmurHash3. Two items with
// one tag cost a read of an entry each time: about one lookup in 2,000 at 2 million items.
std::uint32_t tag_of(catalog::Table table, std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325U ^ static_cast<std::uint64_t>(table);
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    value = (value ^ word) * 0x9E3779B97F4A7C15U;
    value ^= value >> 29;
  }
  for (; at < text.size(); ++at) {
    value = (value ^ static_cast<unsigned char>(text[at])) * 0x100000001b3U;
  }
  value ^= text.size();
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdU;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53U;
  return static_cast<std::uint32_t>(value >> 32);
}

}  // namespace

RowFinder::RowFinder() : slots_(kFirstSlots) {}

Result<RowFinder::Place> RowFinder::find(catalog::Table table, std::string_view text,
                                         const IsMatch& is_match) const {
  const std::size_t mask = slots_.size() - 1;
  Place place{.tag = tag_of(table, text)};
  for (place.slot = place.tag & mask; slots_[place.slot].seq != 0;
       place.slot = (place.slot + 1) & mask) {
    const Slot& slot = slots_[place.slot];
    if (slot.tag != place.tag) continue;
    KI_TRY(const bool same, is_match(slot.seq));
    if (same) {
      place.seq = slot.seq;
      return place;
    }
  }
  return place;
}

bool RowFinder::set(const Place& place, catalog::Seq seq) {
  if (seq > std::numeric_limits<std::uint32_t>::max()) return false;
  Slot& slot = slots_[place.slot];
  if (slot.seq == 0) ++used_;
  slot = {place.tag, static_cast<std::uint32_t>(seq)};
  if (used_ > slots_.size() / 4 * 3) grow();
  return true;
}

void RowFinder::grow() {
  std::vector<Slot> larger(slots_.size() * 2);
  const std::size_t mask = larger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.seq == 0) continue;
    std::size_t at = slot.tag & mask;
    while (larger[at].seq != 0) at = (at + 1) & mask;
    larger[at] = slot;
  }
  slots_ = std::move(larger);
}

}  // namespace ki::store_sqlite
