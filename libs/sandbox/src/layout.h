// Where the tensors of a cell lie in its arenas. Pure.
#pragma once

#include "ki/base/result.h"
#include "ki/sandbox/cell.h"
#include "ki/sandbox/wire.h"

#include <cstdint>

namespace ki::sandbox {

// Fills the tensors, strides and arena sizes of `launch`. Each tensor has a slot of whole pages
// with at least one page to spare, so that its data can start at any offset up to slack.
// kInvalidArgument for too many tensors, dimensions or sets, and for a shape with a negative
// extent.
Result<void> lay_out(const CellPlan& plan, wire::Launch& launch);

}  // namespace ki::sandbox
