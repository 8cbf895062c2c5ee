// The pieces that every form of a citation is made of.
#pragma once

#include "ki/display/cite.h"

#include <string>
#include <vector>

namespace ki::display {

// "<implementation> · <operation>, <workload>"; "KernelIndex record" when all three are empty.
std::string citation_title(const Citation& citation);
// "1.16 ms (mean)".
std::string citation_value(const Citation& citation);
// "Reported by <source>", or the attribution.
std::string citation_attribution(const Citation& citation);
// "KernelIndex run <id>, <digest>".
std::string citation_record(const Citation& citation);
// What does not fit a field of its own: value, hardware, attribution, record, rank, as sentences.
std::string citation_note(const Citation& citation);
// Never empty.
std::vector<std::string> citation_authors(const Citation& citation);
// "ki-" and the first 16 hexadecimal digits of the digest, or letters and digits of the run id.
std::string citation_key(const Citation& citation);
// The URL with what would end a field or a line percent-encoded.
std::string citation_url(const Citation& citation);

}  // namespace ki::display
