// Licences (spec 4.5): what a declaration amounts to, and whether it is permissive. Never a guess.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::policy {

// An id of the SPDX License List, deprecated ones too, in exact case.
bool is_spdx_licence(std::string_view id);
bool is_spdx_exception(std::string_view id);
// The list's casing of an id in any case.
std::optional<std::string_view> spdx_licence_ignoring_case(std::string_view id);

// A parsed SPDX expression (SPDX 2.3, Annex D; ids in exact case).
struct LicenceExpression {
  enum class Kind : std::uint8_t { kLicence, kAnd, kOr };
  Kind kind = Kind::kLicence;
  std::string licence{};  // id or LicenseRef-…, without '+'
  bool or_later = false;
  std::string exception{};                    // after WITH; empty: none
  std::vector<LicenceExpression> operands{};  // of kAnd and kOr, two or more
};
std::optional<LicenceExpression> parse_licence_expression(std::string_view text);

// The concluded licence of a declared text: nothing for a blank one or one that is no SPDX
// expression.
std::optional<std::string> conclude_licence(std::string_view declared);

// v1: the whole text is one of Apache-2.0, MIT, BSD-2-Clause, BSD-3-Clause, ISC, Zlib, BSL-1.0.
bool is_permissive_v1(std::string_view concluded);
// v2 evaluates the expression: OR any branch, AND all, WITH a known exception; also 0BSD,
// Unlicense, CC0-1.0, MIT-0 and their like. False for what does not parse.
bool is_permissive_v2(std::string_view concluded);

enum class LicencePolicy : std::uint8_t { kV1, kV2 };
// The `license:` filter: "permissive", "unknown" (nothing concluded), else equality ignoring case.
bool matches_licence_filter(std::string_view filter, std::optional<std::string_view> concluded,
                            LicencePolicy policy = LicencePolicy::kV2);

// LicenseRef-GPUMode-Reciprocity-1.0 -> "June 9 Researcher Reciprocity License v1.0"; others as
// they are.
std::string_view licence_display_name(std::string_view concluded);

}  // namespace ki::policy
