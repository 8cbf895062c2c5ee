// A strict reader of the markup that this module writes. It accepts less than a browser does: every
// tag closed in order, attributes quoted, references known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ki::web::testing {

// What is wrong with a page, as sentences with the place; empty when nothing is.
std::vector<std::string> page_faults(std::string_view html);

// The text that a person reads, each block on its own line, entities decoded.
std::string visible_text(std::string_view html);

// The same without any white space: for facts whose value and unit stand in two elements.
std::string squeezed(std::string_view text);

}  // namespace ki::web::testing
