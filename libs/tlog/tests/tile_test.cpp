#include "ki/tlog/tile.h"

#include "tree.h"

#include <gtest/gtest.h>

#include <string>

namespace ki::tlog {
namespace {

using testing::entry_text;
using testing::Tree;

TEST(TilePath, HasOneSpelling) {
  struct Case {
    TileId id;
    const char* path;
  };
  for (const auto& [id, path] :
       {Case{{0, false, 5, 256}, "tile/0/005"},
        Case{{1, false, 1234067, 256}, "tile/1/x001/x234/067"},
        Case{{0, false, 273, 112}, "tile/0/273.p/112"}, Case{{63, false, 0, 1}, "tile/63/000.p/1"},
        Case{{0, true, 1, 44}, "tile/entries/001.p/44"},
        Case{{0, true, 1000, 256}, "tile/entries/x001/000"}}) {
    EXPECT_EQ(tile_path(id), path);
    EXPECT_EQ(parse_tile_path(path), id) << path;
  }
  for (const char* path : {"",
                           "tile",
                           "tile/0",
                           "tile/0/",
                           "tile/0/5",
                           "tile/0/0005",
                           "tile/00/005",
                           "tile/64/005",
                           "tile/-1/005",
                           "tile/0/x005",
                           "tile/0/x000/005",
                           "tile/0/001/005",
                           "tile/0/005.p",
                           "tile/0/005.p/",
                           "tile/0/005.p/0",
                           "tile/0/005.p/256",
                           "tile/0/005.p/01",
                           "tile/0/005.p/1/2",
                           "tile/0/x005.p/1",
                           "/tile/0/005",
                           "tile/0/005/",
                           "tile/data/005",
                           "tile/0/../005",
                           "tile/0/x999/x999/x999/x999/x999/x999/x999/999"}) {
    EXPECT_FALSE(parse_tile_path(path)) << path;
  }
}

TEST(Tiles, OfALogOf70000AreThoseOfTheStandard) {
  std::size_t full[3] = {};
  std::vector<std::string> partial;
  for (const TileId& id : new_tiles(0, 70'000)) {
    if (id.is_entries) continue;
    if (id.width == kTileWidth) {
      ++full[id.level];
    } else {
      partial.push_back(tile_path(id));
    }
  }
  EXPECT_EQ(full[0], 273U);
  EXPECT_EQ(full[1], 1U);
  EXPECT_EQ(full[2], 0U);
  EXPECT_EQ(partial,
            (std::vector<std::string>{"tile/0/273.p/112", "tile/1/001.p/17", "tile/2/000.p/1"}));
}

TEST(Tiles, GrowingWritesOnlyWhatIsNew) {
  const auto paths = [](std::uint64_t from, std::uint64_t to) {
    std::vector<std::string> list;
    for (const TileId& id : new_tiles(from, to)) list.push_back(tile_path(id));
    return list;
  };
  EXPECT_EQ(paths(0, 0), std::vector<std::string>{});
  EXPECT_EQ(paths(300, 300), std::vector<std::string>{});
  EXPECT_EQ(paths(255, 256),
            (std::vector<std::string>{"tile/entries/000", "tile/0/000", "tile/1/000.p/1"}));
  EXPECT_EQ(paths(256, 300),
            (std::vector<std::string>{"tile/entries/001.p/44", "tile/0/001.p/44"}));
  EXPECT_EQ(paths(200, 513), (std::vector<std::string>{
                                 "tile/entries/000", "tile/entries/001", "tile/entries/002.p/1",
                                 "tile/0/000", "tile/0/001", "tile/0/002.p/1", "tile/1/000.p/2"}));
}

TEST(Tiles, HoldTheBytesOfTheVectors) {
  const Tree tree(300);
  const auto digest = [&](const TileId& id) { return Digest::of(*tree.tiles()(id)).hex(); };
  EXPECT_EQ(digest({0, false, 0, 256}),
            "3658d44ebeb979b996b87ac966392dffbe9a628e34cb70bbff0ba844e74c31c6");
  EXPECT_EQ(digest({0, false, 1, 44}),
            "ef8b7a16b7e780e5fb0b989e370461025cbd238507fc673d21936f362db54ab9");
  EXPECT_EQ(*tree.tiles()({1, false, 0, 1}), tree_root(256, tree.reader())->view());
  std::vector<std::string> entries;
  for (std::uint64_t i = 256; i < 300; ++i) entries.push_back(entry_text(i));
  const std::string bundle = write_bundle(entries);
  EXPECT_EQ(bundle.size(), 440U);
  EXPECT_EQ(Digest::of(bundle).hex(),
            "2732d32efe403c78699e6db4fc12a2780cce0c513d643307a246d9e9c3083c75");
  EXPECT_EQ(*read_bundle(bundle, 44), entries);
}

TEST(Tiles, AreEnoughForEveryRootAndProof) {
  const std::uint64_t size = 1000;
  const Tree tree(size);
  const ReadHash from_tiles = hashes_of_tiles(size, tree.tiles());
  EXPECT_EQ(*tree_root(size, from_tiles), tree.frontier().root());
  for (std::uint64_t index : {0U, 1U, 255U, 256U, 511U, 767U, 998U, 999U}) {
    EXPECT_EQ(*inclusion_proof(index, size, from_tiles),
              *inclusion_proof(index, size, tree.reader()));
  }
  for (std::uint64_t old : {1U, 255U, 256U, 257U, 768U, 999U, 1000U}) {
    EXPECT_EQ(*consistency_proof(old, size, from_tiles),
              *consistency_proof(old, size, tree.reader()));
  }
}

TEST(Tiles, OfAWrongLengthAreCorrupt) {
  const ReadHash read = hashes_of_tiles(300, [](const TileId&) { return std::string(31, 'x'); });
  const auto root = tree_root(300, read);
  ASSERT_FALSE(root);
  EXPECT_EQ(root.error().code(), Code::kCorrupt);
}

TEST(Bundles, RefuseOtherCountsAndTornEntries) {
  const std::string bundle = write_bundle({"a", "", std::string(65'535, 'x')});
  EXPECT_TRUE(read_bundle(bundle, 3));
  EXPECT_FALSE(read_bundle(bundle, 2));
  EXPECT_FALSE(read_bundle(bundle, 4));
  EXPECT_FALSE(read_bundle(bundle.substr(0, bundle.size() - 1), 3));
  EXPECT_FALSE(read_bundle(bundle + "x", 3));
}

}  // namespace
}  // namespace ki::tlog
