// The derived columns of a snapshot: computed from the rows when a snapshot is finished.
#pragma once

#include "ki/catalog/columns.h"

#include <utility>
#include <vector>

namespace ki::catalog {

// Recomputes every derived column from the rows and the (operation, alias) pairs.
void finish_columns(Columns<Owned>& columns, std::vector<std::pair<Index, TextRef>>& aliases);

}  // namespace ki::catalog
