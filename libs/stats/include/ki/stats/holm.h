// Holm's step-down correction: claims made together that hold together.
#pragma once

#include <span>
#include <vector>

namespace ki::stats {

// Adjusted p values in the order of the input: a family's claim i holds at level alpha iff
// adjusted[i] <= alpha, and then with probability 1 - alpha no false claim is among those that
// hold, whatever the dependence. Precondition: each p in [0, 1].
std::vector<double> holm_adjust(std::span<const double> p);

}  // namespace ki::stats
