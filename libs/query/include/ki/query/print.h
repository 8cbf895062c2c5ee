// Intent to query text, the canonical one: terms, then filters in a fixed order.
#pragma once

#include "ki/query/intent.h"

#include <string>
#include <string_view>

namespace ki::query {

// parse_query of the result asks for the same, for every Intent that came from parse_query. Of a
// structured request the members that have no words are left out (id, environment framework,
// licence list, age, limit, cursor, include, objective, a tensor's dtype and layout).
std::string to_query_text(const Intent& intent);

// One filter: "gpu:B200", "gpu:\"NVIDIA A100\"".
std::string filter_token(std::string_view key, std::string_view value);
// "m=3000"; "axis:shape=3" where the name is a filter key.
std::string axis_token(std::string_view name, std::int64_t value);
// "shape:2048x4096".
std::string shape_token(std::span<const std::int64_t> dims);
// "x=[2048,4096]".
std::string tensor_token(std::string_view name, std::span<const std::int64_t> dims);

}  // namespace ki::query
