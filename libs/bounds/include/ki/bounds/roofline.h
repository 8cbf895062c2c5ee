// A roofline plot: operations a second over operations a byte, on logarithmic axes, as one
// self-contained SVG.
#pragma once

#include "ki/bounds/bound.h"

#include <string>

namespace ki::bounds {

// The memory slope, a ceiling for every precision that the work uses, and a point a case at its
// bound. Cases without declared work have no intensity: they are counted in a line below the plot.
std::string roofline_svg(const OperationShape& shape, const Hardware& hardware, Profile profile,
                         const SuiteBound& bound);

}  // namespace ki::bounds
