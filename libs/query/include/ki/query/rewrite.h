// Queries as text that a person edits by chips: take one filter out, put one in. What was typed is
// kept as it was; tokens are joined by one space.
#pragma once

#include "ki/query/intent.h"

#include <string>
#include <string_view>

namespace ki::query {

// The query without every token equal to the facet's.
std::string remove_facet(std::string_view query, std::string_view facet_token);
// The same of a query that was parsed already.
std::string remove_facet(std::string_view query, const Intent& parsed,
                         std::string_view facet_token);

// The query with the filter at its end. A filter of the same field takes the old one's place (the
// same axis or tensor for those; dtypes add up).
std::string with_facet(std::string_view query, std::string_view facet_token);

}  // namespace ki::query
