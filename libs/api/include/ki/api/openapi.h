// The OpenAPI 3.1 document of the table of operations.
#pragma once

#include <string>
#include <string_view>

namespace ki::api {

// `public_url` of the index, without a final slash; empty: relative to where the document was
// found.
std::string openapi(std::string_view public_url);

}  // namespace ki::api
