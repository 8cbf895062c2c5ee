// Whole files. Every error names the path and what the system said.
#pragma once

#include "ki/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ki::io {

// The bytes of a file of at most `max_bytes`.
Result<std::string> read_file(const std::filesystem::path& path,
                              std::size_t max_bytes = std::size_t{1} << 31);

// Writes to a new file beside `path`, syncs it, and renames it over `path`: a reader sees the old
// or the new bytes, never a part, also after a crash.
Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

// An Error of `errno` for a path: not_found for a missing file, unavailable for a full or busy one.
Error system_error(int error_number, const std::string& action, const std::filesystem::path& path);

}  // namespace ki::io
