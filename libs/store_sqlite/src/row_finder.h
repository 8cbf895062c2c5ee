// RowFinder: where the newest version of each key and of each digest is, while the first fill of a
// log has no indexes yet. Eight bytes an item at a load between 3/8 and 3/4.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace ki::store_sqlite {

class RowFinder {
 public:
  // Whether the entry at `seq` is the one that is looked for. Called for each candidate: as good as
  // only for true ones, since 32 bits of hash agree.
  using IsMatch = std::function<Result<bool>(catalog::Seq seq)>;

  // The place of an item, or of the free slot where it belongs. Valid until the next insert().
  struct Place {
    std::size_t slot = 0;
    std::uint32_t tag = 0;
    catalog::Seq seq = 0;  // 0: not there
  };

  RowFinder();
  // `text` is a key or a digest's bytes.
  Result<Place> find(catalog::Table table, std::string_view text, const IsMatch& is_match) const;
  // Sets the item of a place, just found, to an entry. False when `seq` does not fit 32 bits.
  bool set(const Place& place, catalog::Seq seq);

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t seq = 0;  // 0 marks a free slot
  };
  void grow();

  std::vector<Slot> slots_;  // a power of two
  std::size_t used_ = 0;
};

}  // namespace ki::store_sqlite
