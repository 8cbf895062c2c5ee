// A log in memory for tests: entries "leaf 0", "leaf 1", ... with every subtree's root.
#pragma once

#include "ki/tlog/merkle.h"
#include "ki/tlog/tile.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ki::tlog::testing {

inline std::string entry_text(std::uint64_t index) { return "leaf " + std::to_string(index); }

// RFC 6962 section 2.1 as it is written: what everything else is compared with.
inline Digest plain_root(std::uint64_t begin, std::uint64_t end) {
  if (begin == end) return Digest::of("");
  if (end - begin == 1) return Digest::of(std::string("\0", 1) + entry_text(begin));
  std::uint64_t split = 1;
  while (split * 2 < end - begin) split *= 2;
  return Digest::of(std::string("\1")
                        .append(plain_root(begin, begin + split).view())
                        .append(plain_root(begin + split, end).view()));
}

class Tree {
 public:
  explicit Tree(std::uint64_t size) {
    for (std::uint64_t i = 0; i < size; ++i) {
      frontier_.append(leaf_hash(entry_text(i)),
                       [&](unsigned level, std::uint64_t index, const Digest& hash) {
                         hashes_.emplace(std::pair(level, index), hash);
                       });
    }
  }
  ReadHash reader() const {
    return [this](unsigned level, std::uint64_t index) -> Result<Digest> {
      const auto found = hashes_.find({level, index});
      if (found == hashes_.end()) return fail(Code::kNotFound, "no such subtree");
      return found->second;
    };
  }
  // The tiles that a log of `size` entries is read from.
  ReadTile tiles() const {
    return [this](const TileId& id) -> Result<std::string> {
      std::string bytes;
      for (std::uint64_t i = 0; i < id.width; ++i) {
        KI_TRY(const Digest hash, reader()(8 * id.level, id.index * kTileWidth + i));
        bytes += hash.view();
      }
      return bytes;
    };
  }
  const Frontier& frontier() const { return frontier_; }

 private:
  Frontier frontier_;
  std::map<std::pair<unsigned, std::uint64_t>, Digest> hashes_;
};

}  // namespace ki::tlog::testing
