// Binding: what the axes, tensors and shapes of a request mean for one operation (spec 17, "Axes
// and shapes").
#pragma once

#include "ki/query/facts.h"
#include "ki/query/intent.h"

#include <vector>

namespace ki::query {

// Fills intent.shape's readings and returns what does not fit the operation, in the order asked:
//   UNKNOWN_AXIS, UNKNOWN_TENSOR   no such name (any case), with the closest one as the hint
//   SHAPE_FITS_NO_TENSOR (notice)  no tensor can have the unbound shape
//   AMBIGUOUS_SHAPE (notice)       tensors can have it with different meanings; names each. A case
//                                  is then exact only if it is what all of them mean
// The issues are returned, not stored; a shape is bound anew at each call.
std::vector<Issue> bind(Intent& intent, const OperationFacts& operation);

// The tensors that can have the shape, each with the axis values that this implies. Consistent with
// the constants, with repeated dimensions, and with axes that the request binds.
std::vector<ShapeReading> read_shape(std::span<const std::int64_t> dims,
                                     std::span<const AxisBinding> bound,
                                     const OperationFacts& operation);

}  // namespace ki::query
