#include "ki/tlog/tile.h"

#include "decimal.h"
#include "ki/base/check.h"
#include "ki/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ki::tlog {
namespace {

constexpr unsigned kBitsPerTile = 8;

std::uint64_t shifted(std::uint64_t size, unsigned bits) { return bits >= 64 ? 0 : size >> bits; }

}  // namespace

std::string tile_path(const TileId& id) {
  KI_CHECK(id.level < 64 && id.width >= 1 && id.width <= kTileWidth);
  std::string groups = fmt::format("{:03}", id.index % 1000);
  for (std::uint64_t rest = id.index / 1000; rest != 0; rest /= 1000) {
    groups = fmt::format("x{:03}/{}", rest % 1000, groups);
  }
  std::string path = id.is_entries ? fmt::format("tile/entries/{}", groups)
                                   : fmt::format("tile/{}/{}", id.level, groups);
  if (id.width != kTileWidth) path += fmt::format(".p/{}", id.width);
  return path;
}

std::optional<TileId> parse_tile_path(std::string_view path) {
  const std::vector<std::string_view> parts = split(path, '/');
  if (parts.size() < 3 || parts[0] != "tile") return std::nullopt;
  TileId id;
  if (parts[1] == "entries") {
    id.is_entries = true;
  } else if (const auto level = parse_decimal(parts[1]); level && *level < 64) {
    id.level = static_cast<unsigned>(*level);
  } else {
    return std::nullopt;
  }
  std::string digits;
  for (std::size_t i = 2; i < parts.size(); ++i) {
    std::string_view group = parts[i];
    const bool is_partial = group.ends_with(".p");
    if (is_partial) group.remove_suffix(2);
    const bool is_last = is_partial ? i + 2 == parts.size() : i + 1 == parts.size();
    if (is_last == group.starts_with('x')) return std::nullopt;
    if (!is_last) group.remove_prefix(1);
    if (group.size() != 3 || !std::ranges::all_of(group, is_ascii_digit)) return std::nullopt;
    digits += group;
    if (!is_last) {
      if (is_partial) return std::nullopt;
      continue;
    }
    if (is_partial) {
      const auto width = parse_decimal(parts[i + 1]);
      if (!width || *width < 1 || *width >= kTileWidth) return std::nullopt;
      id.width = *width;
    }
    break;
  }
  if (digits.empty() || digits.size() > 18) return std::nullopt;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id.index);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  // "x000/001" is another spelling of "001".
  if (tile_path(id) != path) return std::nullopt;
  return id;
}

std::vector<TileId> new_tiles(std::uint64_t old_size, std::uint64_t size) {
  KI_CHECK(old_size <= size);
  std::vector<TileId> tiles;
  const auto add_level = [&](unsigned level, bool is_entries) {
    const std::uint64_t had = shifted(old_size, level * kBitsPerTile);
    const std::uint64_t has = shifted(size, level * kBitsPerTile);
    if (had == has) return;
    for (std::uint64_t tile = had / kTileWidth; tile * kTileWidth < has; ++tile) {
      const std::uint64_t width = std::min(kTileWidth, has - tile * kTileWidth);
      tiles.push_back({.level = level, .is_entries = is_entries, .index = tile, .width = width});
    }
  };
  add_level(0, true);
  for (unsigned level = 0; shifted(size, level * kBitsPerTile) != 0; ++level) {
    add_level(level, false);
  }
  return tiles;
}

TileId tile_of(unsigned level, std::uint64_t index, std::uint64_t size) {
  const std::uint64_t count = shifted(size, level * kBitsPerTile);
  KI_CHECK(index < count);
  const std::uint64_t tile = index / kTileWidth;
  return {.level = level,
          .is_entries = false,
          .index = tile,
          .width = std::min(kTileWidth, count - tile * kTileWidth)};
}

ReadHash hashes_of_tiles(std::uint64_t size, ReadTile read) {
  return [size, read = std::move(read)](unsigned level, std::uint64_t index) -> Result<Digest> {
    const unsigned tile_level = level / kBitsPerTile;
    const unsigned height = level % kBitsPerTile;  // of the subtree inside the tile
    const std::uint64_t first = index << height;
    const std::uint64_t count = std::uint64_t{1} << height;
    const TileId id = tile_of(tile_level, first + count - 1, size);
    KI_TRY(const std::string bytes, read(id));
    if (bytes.size() != id.width * Digest::kBytes) {
      return fail(Code::kCorrupt, fmt::format("{} has {} bytes, not {}", tile_path(id),
                                              bytes.size(), id.width * Digest::kBytes));
    }
    std::vector<Digest> hashes;
    for (std::uint64_t i = 0; i < count; ++i) {
      hashes.push_back(Digest::from_bytes(std::string_view(bytes).substr(
          (first % kTileWidth + i) * Digest::kBytes, Digest::kBytes)));
    }
    for (std::size_t left = hashes.size(); left > 1; left /= 2) {
      for (std::size_t i = 0; i < left / 2; ++i)
        hashes[i] = node_hash(hashes[2 * i], hashes[2 * i + 1]);
    }
    return hashes.front();
  };
}

std::string write_bundle(const std::vector<std::string>& entries) {
  std::string bytes;
  for (const std::string& entry : entries) {
    KI_CHECK(entry.size() <= kMaxEntryBytes);
    bytes += static_cast<char>(entry.size() >> 8);
    bytes += static_cast<char>(entry.size() & 0xFF);
    bytes += entry;
  }
  return bytes;
}

Result<std::vector<std::string>> read_bundle(std::string_view bytes, std::uint64_t count) {
  std::vector<std::string> entries;
  while (!bytes.empty()) {
    if (bytes.size() < 2) return fail(Code::kCorrupt, "an entry bundle ends inside a length");
    const auto size = static_cast<std::size_t>(static_cast<std::uint8_t>(bytes[0]) << 8 |
                                               static_cast<std::uint8_t>(bytes[1]));
    bytes.remove_prefix(2);
    if (bytes.size() < size) return fail(Code::kCorrupt, "an entry bundle ends inside an entry");
    entries.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  if (entries.size() != count) {
    return fail(Code::kCorrupt,
                fmt::format("an entry bundle holds {} entries, not {}", entries.size(), count));
  }
  return entries;
}

}  // namespace ki::tlog
