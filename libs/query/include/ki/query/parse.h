// Query text to Intent (spec 05.1 to 05.3).
#pragma once

#include "ki/query/intent.h"

#include <string_view>

namespace ki::query {

// Never fails: what cannot be understood is an issue, and every other non-space byte of the text is
// in the span of a term or a facet, except quotes around nothing. Text over kMaxQueryLength or
// that is not UTF-8 gives an Intent with that one issue.
//
// Beyond the words and "key:value": `NAME=12` binds an axis in either case, `NAME=[2048, 4096]`
// the shape of one tensor, `key:"a b"` a value with spaces, and neighbouring words such as
// `NVIDIA RTX 4090` or `H100 SXM` make one GPU.
Intent parse_query(std::string_view text);

}  // namespace ki::query
