// The strict YAML reader: YAML 1.2 core schema, restricted to what JSON can say (spec 01.6, 17).
// It refuses what two readers could understand differently.
#pragma once

#include "ki/base/result.h"
#include "ki/json/value.h"

#include <cstddef>
#include <string_view>

namespace ki::yaml {

struct Limits {
  std::size_t max_bytes = 1'048'576;  // refused before reading
  std::size_t max_depth = 64;         // nested sequences and mappings, aliases followed
  std::size_t max_aliases = 100;  // alias expansions, those inside aliased nodes counted each time
  std::size_t max_alias_nodes = 65'536;  // nodes that aliases stand for, counted each time
  std::size_t max_issues = 100;          // reading stops when so many were found
};

// Reads exactly one document. Numbers in a spelling that is not the RFC 8785 one are marked
// (Value::has_canonical_spelling), strings in plain style too (Value::is_plain_yaml); offsets are
// byte offsets in `text`. One leading byte order mark is allowed.
// Codes of the issues: syntax, duplicate_key, non_string_key, merge_key, unknown_tag,
// bad_tag_value, unknown_alias, recursive_alias, alias_bomb, lone_surrogate, invalid_utf8,
// nul_character, byte_order_mark, control_character, line_separator, number_too_large,
// number_overflow, number_underflow, number_not_finite, too_deep, too_large, several_documents,
// empty.
Result<json::Document> read(std::string_view text, Limits limits = {});

}  // namespace ki::yaml
