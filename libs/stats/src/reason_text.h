// Wording shared by the comparisons.
#pragma once

#include "ki/stats/comparison.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::stats {

// "2.31 % lower", "0.4 % higher", "equal".
std::string percent_of(double log_ratio);

// One INVALID_SAMPLES reason for each kind of fault among positive quantities, with its first
// positions.
void append_faults(std::span<const double> values, std::string_view side,
                   std::vector<Reason>& reasons);

}  // namespace ki::stats
