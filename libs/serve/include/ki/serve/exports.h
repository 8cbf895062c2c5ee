// Catalog exports in a folder of the operator, as downloads (spec 12.1).
#pragma once

#include "ki/serve/service.h"

#include <filesystem>

namespace ki::serve {

// An export that is larger than this is for a web server of its own.
inline constexpr std::uintmax_t kMaxExportBytes = std::uintmax_t{256} << 20;

// GET /exports/latest.json                    {file, url, sha256, sizeBytes, lines, catalogVersion,
// generatedAt} GET /exports/<file>                         the newest export, under a name that
// states version and digest GET /api/v1/exports/catalog.jsonl.zst       302 to it The newest is the
// sound export (`ki export`) of the highest catalog version in the folder. Each file is read and
// checked once, and kept while it is the newest. 404 EXPORT_NOT_AVAILABLE without one, or with an
// empty `folder`; what is wrong with a file goes to `note`.
Mount exports_part(std::filesystem::path folder, std::function<void(std::string_view)> note);

}  // namespace ki::serve
