// `ki export evidence RUN` and `ki verify FOLDER`: what stands behind a run, to take away and
// check.
#pragma once

#include "command.h"

#include <filesystem>

namespace ki::cli {
Result<int> export_evidence(Context& context);
Result<int> verify_evidence(Context& context, const std::filesystem::path& folder);
}  // namespace ki::cli
