// This machine, as far as it decides what a measurement may be compared with. Read from the system;
// no host or user names, addresses or serial numbers.
#pragma once

#include "ki/harness/publication.h"

#include <string>

namespace ki::cli {

harness::Machine this_machine();
// The processor's own words: "AMD EPYC 7B13".
std::string processor_name();

}  // namespace ki::cli
