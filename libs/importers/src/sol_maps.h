// How SOL-ExecBench's names become ours (importers 01 section 4, 00 section 3).
#pragma once

#include "ki/base/instant.h"
#include "ki/json/value.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ki::importers {

std::string sol_dtype(std::string_view name);
std::string sol_language(std::string_view name);  // also of library names
std::string sol_argument(std::string_view name);

struct SolHardware {
  std::string vendor, product, architecture;
};
SolHardware sol_hardware(std::string_view name);

// `op_type`, else the first tag that is no level and no model, else "uncategorized".
std::string sol_family(std::string_view op_type, std::span<const std::string_view> tags);
std::vector<std::string> sol_tags(std::span<const std::string_view> tags);
// Our run status of a trace's; nothing for an unknown one.
std::optional<std::string_view> sol_trace_status(std::string_view status);

// First 12 hexadecimal digits of the SHA-256 of the axes as compact JSON, names in collation order.
std::string sol_case_key(std::span<const std::pair<std::string_view, std::int64_t>> axes);
// ICU root collation of axis names: '_' before digits before letters, case last, lower before
// upper.
bool collates_before(std::string_view a, std::string_view b);

// "<name> · <axis>=<value>, …", at most 200 UTF-16 code units.
std::string sol_case_title(std::string_view name,
                           std::span<const std::pair<std::string_view, std::int64_t>> axes);

// Milliseconds as whole nanoseconds, rounded half up in decimal arithmetic on the number's shortest
// text; nothing when negative or beyond 2^53.
std::optional<std::int64_t> nanoseconds_of_ms(double ms);

// ISO 8601 with or without an offset (none means UTC), digits beyond milliseconds truncated.
std::optional<Instant> to_utc_instant(std::string_view text);

}  // namespace ki::importers
