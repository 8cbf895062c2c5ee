// How one text became another, line by line (spec 07.2 "sourceCode.diff").
#pragma once

#include "ki/views/implementation_view.h"

#include <string_view>

namespace ki::views {

// The lines around each change are shown, the others stand as one line of kind kGap.
inline constexpr std::size_t kDiffContext = 3;
inline constexpr std::size_t kMostDiffLines = 1'200;

// The shortest edit script (Myers, "An O(ND) Difference Algorithm", 1986) where it is shorter than
// some thousand steps; else all old lines between the common beginning and end, then all new ones,
// so that time and memory stay bounded. A text's last line break, or its absence, is no difference.
SourceDiff line_diff(std::string_view before, std::string_view after);

}  // namespace ki::views
