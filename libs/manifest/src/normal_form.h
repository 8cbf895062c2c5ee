// A quick look at Unicode normal forms, for warnings: identity is never normalised (spec 01.6).
#pragma once

#include <string_view>

namespace ki::manifest {

// True when valid UTF-8 text has a character whose NFC_Quick_Check property is No or Maybe (UAX
// #15, section 9): it may have another spelling that looks the same. False: the text is in NFC,
// unless several combining marks stand in an unusual order.
bool may_not_be_nfc(std::string_view text);

}  // namespace ki::manifest
