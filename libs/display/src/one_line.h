// One line of text out of any text.
#pragma once

#include <string>
#include <string_view>

namespace ki::display {

// Each control, line separator and paragraph separator becomes a space: none of them may move the
// cursor of a terminal or end a line of a file. C1 controls are U+0080 to U+009F (C2 80 to C2 9F).
std::string one_line(std::string_view text);

}  // namespace ki::display
