// What an operation's manifest says that it computes, for people.
#pragma once

#include "ki/json/value.h"
#include "ki/views/operation_view.h"

namespace ki::views {

// Fills summary, expression, determinism, constraints, inputs, outputs and axes. The texts point
// into the manifest.
void read_semantics(const json::Value& manifest, OperationView& view);

}  // namespace ki::views
