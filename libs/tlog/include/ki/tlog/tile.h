// Tiles: the static files that a log is read from (C2SP tlog-tiles). A tile holds up to 256 hashes
// of one level, an entry bundle the bytes of up to 256 entries.
#pragma once

#include "ki/base/result.h"
#include "ki/tlog/merkle.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::tlog {

inline constexpr std::uint64_t kTileWidth = 256;
inline constexpr std::size_t kMaxEntryBytes = 65'535;

struct TileId {
  unsigned level = 0;       // 0 to 63: of the hashes of 256^level leaves
  bool is_entries = false;  // an entry bundle, beside level 0
  std::uint64_t index = 0;
  std::uint64_t width = kTileWidth;  // 1 to 256; below 256: partial
  auto operator<=>(const TileId&) const = default;
};

// "tile/0/x001/x234/067.p/112", "tile/entries/005".
std::string tile_path(const TileId& id);
// Nothing for a path that tile_path() would not have written.
std::optional<TileId> parse_tile_path(std::string_view path);

// The tiles that a log of `size` entries has and one of `old_size` had not: what must be written
// before the checkpoint. Level 0 and its bundles first, then upwards.
std::vector<TileId> new_tiles(std::uint64_t old_size, std::uint64_t size);
// The tile of those that a log of `size` entries has in which this hash or entry stands.
TileId tile_of(unsigned level, std::uint64_t index, std::uint64_t size);

// Hashes in a row, 32 bytes each.
using ReadTile = std::function<Result<std::string>(const TileId&)>;
// Reads subtree roots from the tiles of a log of `size` entries; the roots below a tile's level are
// computed.
ReadHash hashes_of_tiles(std::uint64_t size, ReadTile read);

// "uint16 length, bytes" of each. Every entry has at most 65,535 bytes (checked).
std::string write_bundle(const std::vector<std::string>& entries);
// kCorrupt unless it holds exactly `count` entries.
Result<std::vector<std::string>> read_bundle(std::string_view bytes, std::uint64_t count);

}  // namespace ki::tlog
