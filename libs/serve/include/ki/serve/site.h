// The parts of the site that this program has.
#pragma once

#include "ki/serve/service.h"

#include <vector>

namespace ki::serve {

// The pages (module web), over one view of the catalog that is made with the edition.
std::vector<Mount> site_parts();

}  // namespace ki::serve
