// Bracketing: the nearest measured cases on both sides of a case that nobody measured (spec 05.10).
// Nothing is interpolated.
#pragma once

#include "ki/query/facts.h"
#include "ki/query/intent.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::query {

struct BracketCase {
  CaseFacts facts;
  // Eligible runs that match everything asked for but the case. A case without any is not looked
  // at.
  std::size_t runs = 1;
};

struct BracketSide {
  std::size_t index = 0;  // of the case
  std::int64_t value = 0;
  bool operator==(const BracketSide&) const = default;
};

struct Bracket {
  std::string axis;  // "dim 1" when the dimension has no name
  std::int64_t requested = 0;
  std::optional<BracketSide> below;  // the largest measured value under the requested one
  std::optional<BracketSide> above;
  std::string token;                     // the facet that binds it in the query
  std::optional<std::size_t> dimension;  // only of a dimension without a name
  std::vector<std::int64_t> shape;       // the shape asked for, if that binds it; else empty
};

// Nothing when no case is bound, when a case matches, or when no case differs in one axis only.
// Both sides agree in every other axis (derived ones apart) and in their dtypes. Where several such
// pairs exist: a pair before a single side, then the closest, then the one with more cases, then
// the first. `operation` (may be null) tells which axis a dimension of a shape is; without it an
// axis is taken only if it equals that dimension in every case.
std::optional<Bracket> bracket(const Intent& intent, std::span<const BracketCase> cases,
                               const OperationFacts* operation);

// The query that asks for a side: without the binding token, with the side's value at the end.
// `parsed` is what parse_query made of the query.
std::string bracket_query(std::string_view query, const Intent& parsed, const Bracket& bracket,
                          const BracketSide& side);

}  // namespace ki::query
