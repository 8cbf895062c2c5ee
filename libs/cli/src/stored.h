// Manifests of a row, read from the store.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"
#include "ki/json/reader.h"

#include <fmt/format.h>

namespace ki::cli {

// The stored row of a log entry that the snapshot points at, parsed.
inline Result<json::Document> read_stored(catalog::Store& store, std::uint32_t seq) {
  KI_TRY(const auto entry, store.read(seq));
  if (!entry)
    return fail(Code::kCorrupt,
                fmt::format("entry {} is missing from the store; run ki fsck", seq));
  return json::read_document(entry->body, {.max_bytes = std::size_t{64} << 20});
}

}  // namespace ki::cli
