// Law: what reads as a checkpoint, a proof, a tile's path or an entry is written back as the same
// bytes.
#include "ki/tlog/checkpoint.h"
#include "ki/tlog/entry.h"
#include "ki/tlog/tile.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  using namespace ki::tlog;
  if (const auto read = read_checkpoint_text(text); read && to_text(*read) != text) std::abort();
  if (const auto read = read_proof(text); read && write_proof(*read) != text) std::abort();
  if (const auto read = parse_tile_path(text); read && tile_path(*read) != text) std::abort();
  if (const auto read = read_entry(text); read && to_text(*read) != text) std::abort();
  if (const auto read = read_bundle(text, 2); read && write_bundle(*read) != text) std::abort();
  return 0;
}
