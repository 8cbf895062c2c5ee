// Rows that the snapshot points at, read from the store and parsed.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"
#include "ki/json/reader.h"

#include <string>
#include <string_view>

namespace ki::views {

// The stored row at a log position.
Result<json::Document> read_row(catalog::Store& store, std::uint32_t entry);

// "" for a member that is missing or no string.
std::string_view text_of(const json::Value* object, std::string_view member);
// object[first][second], or null.
const json::Value* at(const json::Value* object, std::string_view first, std::string_view second);
// A scalar as people read it; objects and arrays as canonical JSON.
std::string scalar_text(const json::Value& value);
// row.manifest.spec, or null.
const json::Value* spec_of(const json::Value& row);

}  // namespace ki::views
