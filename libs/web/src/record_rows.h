// The table of record holders, shared by the records page, the home page, GPUs and projects.
#pragma once

#include "ki/views/records.h"
#include "parts.h"

namespace ki::web {

void record_table(Html& h, const Snapshot& s, const views::RecordPage& page,
                  std::string_view caption);

}  // namespace ki::web
