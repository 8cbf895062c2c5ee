// The words of the query language as data: filter keys, dtype spellings and families, languages,
// frameworks, layouts, trust levels, stop words (spec 05.3). GPU products are in hardware.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ki::query {

enum class Filter : std::uint8_t {
  kOperation,
  kFamily,
  kModel,
  kGpu,
  kArchitecture,
  kDtype,
  kShape,
  kFramework,
  kLayout,
  kLanguage,
  kCuda,
  kTrust,
  kLicense,
  kSource,
  kInstallable,
  kAxis,    // axis:NAME=VALUE, for axes that are named like a filter
  kTensor,  // tensor:NAME=[SHAPE], likewise
};

struct FilterKey {
  std::string_view key;  // lower case
  Filter filter;
};
// In the order in which hints are looked for (spec 05.2).
std::span<const FilterKey> filter_keys();
std::optional<Filter> find_filter(std::string_view key);  // case-insensitive
// The key that the writer of `key` probably meant: spec 05.2's rule, then the closest spelling.
std::optional<std::string_view> filter_hint(std::string_view key);

// The dtype that a spelling names ("float16" is "fp16"), or nothing. Case-insensitive.
std::optional<std::string_view> find_dtype(std::string_view spelling);
// Likewise for a word that stands alone in a query; fewer spellings, because "float", "double" and
// "bool" are also ordinary words.
std::optional<std::string_view> find_bare_dtype(std::string_view word);
std::optional<std::string_view> dtype_hint(std::string_view spelling);
// Whether data of dtype `observed` answers a request for `requested`: equal, or a member of the
// family that `requested` names (fp8, fp4, e4m3, e5m2). Never the other way round. No allocation.
bool dtype_covers(std::string_view requested, std::string_view observed);

// "row_major" for "row-major" and so on, or nothing. Case-insensitive.
std::optional<std::string_view> find_layout(std::string_view spelling);
// Stored layout keys "contiguous" and "row_major" both mean packed row-major (spec 03: layoutKeys),
// so each answers the other; the rest must be equal.
bool layout_covers(std::string_view requested, std::string_view observed);

enum class Trust : std::uint8_t { kReported, kReproducible, kReplicated, kVerified };  // ascending
std::optional<Trust> find_trust(std::string_view word);  // case-insensitive
std::string_view to_string(Trust trust);

std::optional<std::string_view> find_bare_language(std::string_view word);
std::optional<std::string_view> find_bare_framework(std::string_view word);
std::string framework_name(std::string_view typed);  // lower case; "torch" is "pytorch"

// "sm_90a" for "SM90a" or "sm_90a", "gfx942" for "GFX942"; nothing for anything else.
std::optional<std::string> find_architecture(std::string_view spelling);

// Words that say nothing about which operation is meant (spec 05.3). Lower case expected.
bool is_stop_word(std::string_view word);

}  // namespace ki::query
