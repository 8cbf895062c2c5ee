// `ki verify RUN`: every text that was hashed and every key that follows, recomputed and compared.
#pragma once

#include "command.h"

namespace ki::cli {
Result<int> verify_run(Context& context, const std::string& id);
}  // namespace ki::cli
