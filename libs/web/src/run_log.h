// What the transparency log says about a run, on its page.
#pragma once

#include "ki/base/result.h"
#include "ki/views/run_view.h"
#include "ki/web/html.h"
#include "site_state.h"

namespace ki::web {

// The section "Transparency log": entry, size and root of the log as of this catalog version, the
// proof, and the line that checks it offline. Nothing where the catalog has no log or the log does
// not name the run.
Result<void> log_section(Html& h, const Site& site, const views::RunView& view);

}  // namespace ki::web
