// One line of an export: {"table", "row"} and, in our format, "seq" and "version".
#pragma once

#include "ki/base/result.h"
#include "ki/json/reader.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace ki::importers {

struct ExportLine {
  std::string_view table;
  const json::Value* row = nullptr;
  std::optional<std::uint64_t> seq;
  std::uint32_t version = 0;
};

// Lines hold rows with three manifests, each of at most 1 MiB and 64 levels.
inline constexpr json::Limits kLineLimits{.max_bytes = std::size_t{64} << 20, .max_depth = 72};

// `value` is the parsed line. Fails with one sentence.
Result<ExportLine> read_export_line(const json::Value& value);

}  // namespace ki::importers
