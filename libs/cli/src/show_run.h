// `ki show run`: the dossier of one run, and its citation.
#pragma once

#include "command.h"

namespace ki::cli {
Result<int> show_run(Context& context, const std::string& id);
}  // namespace ki::cli
