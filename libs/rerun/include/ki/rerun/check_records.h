// The records of an evidence folder, checked without any catalog.
#pragma once

#include "ki/digest/digest.h"
#include "ki/logbook/bundle.h"

#include <string>

namespace ki::rerun {

// "record-<first 16 hex digits>.json".
std::string record_file(const Digest& record);

// Adds to the report of a folder whose statement is one of a controlled rerun: that each record
// that it names is there and hashes to its name, that every statistic in it comes out of its
// samples, that the published numbers are those, and how many timed calls were checked. Says in a
// note what no folder can show.
void check_records(const logbook::BundleFiles& files, logbook::BundleReport& report);

}  // namespace ki::rerun
