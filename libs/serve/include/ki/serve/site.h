// The parts of the site that this program has.
#pragma once

#include "ki/notes/desk.h"
#include "ki/serve/service.h"

#include <memory>
#include <vector>

namespace ki::serve {

// The pages (module web) and the API, over one view of the catalog that is made with the edition.
// With a desk they take notes about runs.
std::vector<Mount> site_parts(const std::shared_ptr<notes::Desk>& desk = {});

}  // namespace ki::serve
